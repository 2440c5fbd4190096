// The rows of the random graph generator, and the pool of values they draw from.
#pragma once

#include <kiln/Ops.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace kiln::fuzz {

/// A value of the graph so far.
struct Entry {
  Tensor tensor;
  double magnitude = 1; ///< elements stay below this, about
  bool rounded = false; ///< floats that carry rounding errors: comparing or flooring them may go either way
  bool used = false;
};

class Pool {
public:
  Pool(Graph &graph, uint64_t seed, int64_t maxElements) : graph(graph), random(seed), maxElements(maxElements) {}

  // Draws.
  int between(int low, int high); ///< both included
  bool oneIn(int n) { return between(1, n) == 1; }
  template <typename T> T pick(const std::vector<T> &from) {
    return from[static_cast<size_t>(between(0, static_cast<int>(from.size()) - 1))];
  }
  Shape drawShape();
  /// A shape that broadcasts to `shape`: leading dimensions dropped, others made 1.
  Shape broadcastable(const Shape &shape);

  // Values.
  void addInput(const Shape &shape, DType dtype);
  /// Adds a value unless it is too large, in elements or for f16; returns whether it did.
  bool add(Tensor tensor, double magnitude = 1, bool rounded = false);
  /// A value that `fits`, younger ones more likely; marked as used. Null if there is none.
  template <typename Fits> Entry *draw(Fits fits) {
    std::vector<Entry *> found;
    for (Entry &entry : entries)
      if (fits(entry)) found.push_back(&entry);
    if (found.empty()) return nullptr;
    size_t n = found.size(), young = std::min<size_t>(n, 4);
    size_t at = oneIn(2) ? n - 1 - static_cast<size_t>(between(0, static_cast<int>(young) - 1))
                         : static_cast<size_t>(between(0, static_cast<int>(n) - 1));
    found[at]->used = true;
    return found[at];
  }
  /// A float dtype, f32 more likely.
  DType pickFloat() { return pick<DType>({f32, f32, f16, bf16}); }
  Entry *drawFloat(double below = 1e6);
  Entry *drawOf(DType dtype);
  /// Two of one dtype that broadcast together.
  std::optional<std::pair<Entry, Entry>> drawPair(DType dtype, double below = 1e6);
  /// Values nobody used become outputs, and one or two others.
  void addOutputs();
  std::map<std::string, int> dtypeCounts() const;

  Graph &graph;
  bool fits(const Shape &shape) const;

private:
  std::mt19937_64 random;
  int64_t maxElements;
  std::vector<Entry> entries;
  int inputs = 0;
};

struct DrawRow {
  const char *name;
  int weight;
  bool (*draw)(Pool &); ///< adds values to the pool; false if it found nothing to work on
  bool anchor = false;  ///< a matmul or a reduction
};

const std::vector<DrawRow> &elementDraws();
const std::vector<DrawRow> &moveDraws();
const std::vector<DrawRow> &anchorDraws();
/// All of them.
const std::vector<DrawRow> &allDraws();

} // namespace kiln::fuzz
