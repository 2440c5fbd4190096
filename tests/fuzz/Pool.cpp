#include "tests/fuzz/Draws.h"

using namespace kiln;
using namespace kiln::fuzz;

namespace {

bool broadcast(const Shape &a, const Shape &b, Shape &out) {
  out = a.size() >= b.size() ? a : b;
  const Shape &shorter = a.size() >= b.size() ? b : a;
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t &extent = out[out.size() - 1 - i];
    int64_t other = shorter[shorter.size() - 1 - i];
    if (extent != other && extent != 1 && other != 1) return false;
    if (extent == 1) extent = other;
  }
  return true;
}

} // namespace

int Pool::between(int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

bool Pool::fits(const Shape &shape) const {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count <= maxElements && shape.size() <= 6;
}

Shape Pool::drawShape() {
  static const std::vector<int64_t> extents = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129};
  Shape shape;
  int rank = pick<int>({0, 1, 1, 2, 2, 2, 3, 3, 4, 5});
  for (int i = 0; i < rank; ++i) {
    shape.push_back(oneIn(80) ? 0 : pick(extents));
    while (!fits(shape)) shape.back() = (shape.back() + 1) / 2;
  }
  return shape;
}

Shape Pool::broadcastable(const Shape &shape) {
  Shape result = shape;
  if (!result.empty() && oneIn(3))
    result.erase(result.begin(), result.begin() + between(0, static_cast<int>(result.size())));
  for (int64_t &extent : result)
    if (oneIn(4)) extent = 1;
  return result;
}

void Pool::addInput(const Shape &shape, DType dtype) {
  std::string name = "x" + std::to_string(inputs++);
  entries.push_back({graph.input(name, shape, dtype), isFloat(dtype) ? 5.0 : 9.0, false, false});
}

bool Pool::add(Tensor tensor, double magnitude, bool rounded) {
  if (!fits(tensor.shape()) || (tensor.dtype() == f16 && magnitude > 3e4)) return false;
  entries.push_back({std::move(tensor), magnitude, rounded, false});
  return true;
}

Entry *Pool::drawFloat(double below) {
  return draw([&](const Entry &e) { return isFloat(e.tensor.dtype()) && e.magnitude < below; });
}

Entry *Pool::drawOf(DType dtype) {
  return draw([&](const Entry &e) { return e.tensor.dtype() == dtype; });
}

std::optional<std::pair<Entry, Entry>> Pool::drawPair(DType dtype, double below) {
  auto good = [&](const Entry &e) { return e.tensor.dtype() == dtype && (!isFloat(dtype) || e.magnitude < below); };
  Entry *a = draw(good);
  if (!a) return std::nullopt;
  Entry first = *a;
  Shape shape = first.tensor.shape(), out;
  Entry *b = draw([&](const Entry &e) { return good(e) && broadcast(shape, e.tensor.shape(), out) && fits(out); });
  if (!b) return std::nullopt;
  return oneIn(2) ? std::pair{first, *b} : std::pair{*b, first};
}

void Pool::addOutputs() {
  int outputs = 0;
  for (Entry &entry : entries)
    if (!entry.used || (outputs < 2 && oneIn(8))) graph.output("y" + std::to_string(outputs++), entry.tensor);
  if (outputs == 0) graph.output("y0", entries.back().tensor);
}

std::map<std::string, int> Pool::dtypeCounts() const {
  std::map<std::string, int> counts;
  for (const Entry &entry : entries) ++counts[std::string(name(entry.tensor.dtype()))];
  return counts;
}

const std::vector<DrawRow> &kiln::fuzz::allDraws() {
  static const std::vector<DrawRow> all = [] {
    std::vector<DrawRow> rows = elementDraws();
    rows.insert(rows.end(), moveDraws().begin(), moveDraws().end());
    rows.insert(rows.end(), anchorDraws().begin(), anchorDraws().end());
    return rows;
  }();
  return all;
}
