#include "tests/bench/Contestants.h"

#include "runtime/host/HostDevice.h"
#include "runtime/host/ThreadPool.h"
#include "tests/numeric/GraphRunner.h"

#include <kiln/Ops.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace kiln;
using namespace kiln::bench;

namespace {

template <typename Work> double timed(const Work &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A compiled graph that writes the same outputs again and again.
class CompiledGraph : public Contestant {
public:
  CompiledGraph(const Graph &graph, int threads) {
    runner.options.effort = codegen::JitEffort::Full;
    numeric::KernelGraph cut = runner.cut(graph.mlir(), true);
    executable = runner.plan(cut, makeHostDevice({.threads = threads}));
    inputs = numeric::makeInputs(graph, numeric::Flavour::Normal, 1).tensors;
    for (const TensorInfo &output : graph.outputs()) outputs.push_back(HostTensor(output.shape, output.dtype));
  }
  std::string name() const override { return "kiln"; }
  double seconds() override {
    return timed([&] { executable->runInto(inputs, outputs); });
  }

private:
  numeric::GraphRunner runner;
  std::unique_ptr<PlanExecutable> executable;
  std::vector<HostTensor> inputs, outputs;
};

class Copy : public Contestant {
public:
  Copy(int64_t bytes, int threads)
      : parts(threads), pool(threads), from(HostTensor::full({bytes / 4}, f32, 1)), to({bytes / 4}, f32) {}
  std::string name() const override { return "memcpy"; }
  double seconds() override {
    int64_t bytes = static_cast<int64_t>(to.byteSize()), part = (bytes + parts - 1) / parts;
    return timed([&] {
      pool.run(parts, [&](int64_t begin, int64_t end, int) {
        int64_t first = begin * part, last = std::min(end * part, bytes);
        std::memcpy(to.bytes().data() + first, from.bytes().data() + first, static_cast<size_t>(last - first));
      });
    });
  }

private:
  int parts;
  ThreadPool pool;
  HostTensor from, to;
};

/// The functions of OpenBLAS that are needed, from wherever the system has it.
struct OpenBlasLibrary {
  using Gemm = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha, const float *a, int lda,
                        const float *b, int ldb, float beta, float *c, int ldc);
  Gemm gemm = nullptr;
  void (*setThreads)(int) = nullptr;
  char *(*coreName)() = nullptr;

  /// OpenBLAS knows processors by their model number, and runs those newer than itself with kernels of 2004: it is told
  /// to use the ones for the instructions that are there.
  static const char *coreType() {
    std::string target = codegen::detectHostCpu().name;
    return target == "avx512" ? "SKYLAKEX" : target == "avx2" ? "HASWELL" : "NEHALEM";
  }

  static const OpenBlasLibrary *load() {
    static const OpenBlasLibrary library = [] {
      OpenBlasLibrary found;
      setenv("OPENBLAS_CORETYPE", coreType(), 1); // read as the library is loaded
      void *handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
      if (!handle) return found;
      found.gemm = reinterpret_cast<Gemm>(dlsym(handle, "cblas_sgemm"));
      found.setThreads = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"));
      found.coreName = reinterpret_cast<char *(*)()>(dlsym(handle, "openblas_get_corename"));
      return found;
    }();
    return library.gemm && library.setThreads && library.coreName ? &library : nullptr;
  }
};

class OpenBlas : public Contestant {
public:
  OpenBlas(const OpenBlasLibrary &library, int64_t m, int64_t n, int64_t k, int threads)
      : library(library), a(HostTensor::randomNormal({m, k}, f32, 1)), b(HostTensor::randomNormal({k, n}, f32, 2)),
        c({m, n}, f32) {
    library.setThreads(threads);
  }
  std::string name() const override { return std::string("OpenBLAS ") + library.coreName(); }
  double seconds() override {
    int m = static_cast<int>(a.shape()[0]), k = static_cast<int>(a.shape()[1]), n = static_cast<int>(b.shape()[1]);
    constexpr int rowMajor = 101, noTranspose = 111;
    return timed([&] {
      library.gemm(rowMajor, noTranspose, noTranspose, m, n, k, 1, a.data<float>(), k, b.data<float>(), n, 0,
                   c.data<float>(), n);
    });
  }

private:
  const OpenBlasLibrary &library;
  HostTensor a, b, c;
};

} // namespace

std::unique_ptr<Contestant> kiln::bench::makeMatmul(int64_t m, int64_t n, int64_t k, int threads) {
  Graph g;
  g.output("y", matmul(g.input("a", {m, k}), g.input("b", {k, n})));
  return std::make_unique<CompiledGraph>(g, threads);
}

std::unique_ptr<Contestant> kiln::bench::makeGeluChain(int64_t rows, int64_t columns, int threads) {
  Graph g;
  Tensor x = g.input("x", {rows, columns}), scale = g.input("scale", {columns}), bias = g.input("bias", {columns});
  g.output("y", gelu(x * scale + bias) + x);
  return std::make_unique<CompiledGraph>(g, threads);
}

std::unique_ptr<Contestant> kiln::bench::makeSoftmax(int64_t rows, int64_t columns, int threads) {
  Graph g;
  g.output("y", softmax(g.input("x", {rows, columns})));
  return std::make_unique<CompiledGraph>(g, threads);
}

std::unique_ptr<Contestant> kiln::bench::makeCopy(int64_t bytes, int threads) {
  return std::make_unique<Copy>(bytes, threads);
}

std::unique_ptr<Contestant> kiln::bench::makeOpenBlas(int64_t m, int64_t n, int64_t k, int threads) {
  const OpenBlasLibrary *library = OpenBlasLibrary::load();
  return library ? std::make_unique<OpenBlas>(*library, m, n, k, threads) : nullptr;
}
