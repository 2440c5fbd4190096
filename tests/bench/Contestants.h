// What takes part in a benchmark: something that does its work once and says how long it took.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kiln::bench {

class Contestant {
public:
  virtual ~Contestant() = default;
  virtual std::string name() const = 0;
  /// Does the work once, on memory that is there already; wall-clock seconds.
  virtual double seconds() = 0;
};

// Compiled graphs of f32 on random normal inputs, on the best target of this machine.

/// [m, k] x [k, n].
std::unique_ptr<Contestant> makeMatmul(int64_t m, int64_t n, int64_t k, int threads);
/// gelu(x * scale + bias) + x over rows x columns; scale and bias are vectors. Reads and writes one matrix.
std::unique_ptr<Contestant> makeGeluChain(int64_t rows, int64_t columns, int threads);
/// Of every row. Reads and writes one matrix.
std::unique_ptr<Contestant> makeSoftmax(int64_t rows, int64_t columns, int threads);

// Their peers.

/// memcpy of `bytes` bytes, cut into one part per thread.
std::unique_ptr<Contestant> makeCopy(int64_t bytes, int threads);
/// cblas_sgemm; null where there is no OpenBLAS.
std::unique_ptr<Contestant> makeOpenBlas(int64_t m, int64_t n, int64_t k, int threads);

} // namespace kiln::bench
