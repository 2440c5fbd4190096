#include "tests/fuzz/RandomGraph.h"
#include "tests/fuzz/Draws.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::fuzz;

namespace {

void addInputs(Pool &pool) {
  int count = pool.between(2, 4);
  Shape base = pool.drawShape();
  for (int i = 0; i < count; ++i) {
    // Most inputs share extents, so that they meet; each drops or flattens some of them.
    Shape shape = i == 0 || pool.oneIn(6) ? (i == 0 ? base : pool.drawShape()) : pool.broadcastable(base);
    DType dtype = i == 0 ? pool.pickFloat() : pool.pick<DType>({f32, f32, f16, bf16, i32, i64, boolean});
    pool.addInput(shape, dtype);
  }
}

/// The rows' weights add up; one is drawn in proportion.
const DrawRow &drawRow(Pool &pool, const std::vector<DrawRow> &rows) {
  int total = 0;
  for (const DrawRow &row : rows) total += row.weight;
  int at = pool.between(0, total - 1);
  for (const DrawRow &row : rows)
    if ((at -= row.weight) < 0) return row;
  return rows.back();
}

} // namespace

RandomGraph kiln::fuzz::makeRandomGraph(uint64_t seed, const RandomGraphOptions &options) {
  RandomGraph result;
  Pool pool(result.graph, seed, options.maxElements);
  addInputs(pool);
  int wanted = pool.between(options.minOps, options.maxOps);
  for (int tries = 0; result.ops < wanted && tries < 20 * wanted; ++tries) {
    const DrawRow &row = options.anchored && !result.anchored && result.ops >= wanted / 2 ? drawRow(pool, anchorDraws())
                                                                                          : drawRow(pool, allDraws());
    if (!row.draw(pool)) continue;
    ++result.ops;
    ++result.used[row.name];
    result.anchored |= row.anchor;
  }
  pool.addOutputs();
  for (auto &[dtype, count] : pool.dtypeCounts()) result.used["-> " + dtype] += count;
  return result;
}
