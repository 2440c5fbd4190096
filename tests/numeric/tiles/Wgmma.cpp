// Products of a warpgroup. Each is computed when it starts: shared tiles are read by its own component until the wait
// for its group, so that whoever writes them before is in a race. Products of elements are exact; each atom of 32 bytes
// of k is summed in f64 with what there is, and rounded once to the sums' type.
#include "tests/numeric/tiles/Places.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

constexpr int64_t kAtomBytes = 32;

/// A matrix of numbers, row by row.
struct Matrix {
  int64_t rows, columns;
  std::vector<double> values;
  Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), values(static_cast<size_t>(rows * columns)) {}
  double &at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
};

/// An element as a tensor core sees it: f32 as tf32, integers signed.
double numberOf(Type type, uint64_t bits) {
  if (isa<IntegerType>(type)) return static_cast<double>(asSigned(bits, widthOf(type)));
  return decode(type, type.isF32() ? bits & ~uint64_t(0x1FFF) : bits);
}

/// What elements of a type are worth; of 16 bits and less it is worked out once.
class Decoder {
public:
  Decoder(Agent &m, Type type) : type(type), table(m.cta.cluster.program.numbers[type]) {
    if (widthOf(type) > 16 || !table.empty()) return;
    for (uint64_t bits = 0; bits < uint64_t(1) << widthOf(type); ++bits) table.push_back(numberOf(type, bits));
  }
  double operator()(uint64_t bits) const { return table.empty() ? numberOf(type, bits) : table[bits]; }

private:
  Type type;
  std::vector<double> &table;
};

Matrix readTile(Agent &m, Accessor &accessor, TypedValue<tile::SharedType> tile, bool transposed) {
  TilePlace place(m, tile);
  Type element = tile.getType().getElementType();
  Decoder decoder(m, element);
  int64_t bytes = tile::bytesOf(element), rows = place.shape.rows, columns = place.shape.columns;
  Matrix matrix(transposed ? columns : rows, transposed ? rows : columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double value = decoder(accessor.read(place.of(i, j), bytes, Accessor::kAll));
      (transposed ? matrix.at(j, i) : matrix.at(i, j)) = value;
    }
  return matrix;
}

Matrix readFragment(Agent &m, Value fragment) {
  auto type = cast<RankedTensorType>(fragment.getType());
  Matrix matrix(type.getDimSize(0), type.getDimSize(1));
  Decoder decoder(m, type.getElementType());
  std::span<const uint64_t> bits = m.operand(fragment, type, 0);
  std::transform(bits.begin(), bits.end(), matrix.values.begin(), decoder);
  return matrix;
}

double asSum(Type type, uint64_t bits) {
  return isa<IntegerType>(type) ? static_cast<double>(asSigned(bits, widthOf(type))) : decode(type, bits);
}
uint64_t rounded(Type type, double sum) {
  if (isa<IntegerType>(type)) return masked(static_cast<uint64_t>(static_cast<int64_t>(sum)), widthOf(type));
  return encode(type, sum);
}

/// sums + a·b, atom by atom of `depth` columns of a.
void multiply(Matrix &a, Matrix &b, Type type, int64_t depth, std::span<uint64_t> sums) {
  std::vector<char> isFinite(static_cast<size_t>(b.rows));
  for (int64_t k = 0; k < b.rows; ++k)
    isFinite[static_cast<size_t>(k)] =
        std::all_of(&b.at(k, 0), &b.at(k, 0) + b.columns, [](double x) { return std::isfinite(x); });
  std::vector<double> line(static_cast<size_t>(b.columns));
  for (int64_t i = 0; i < a.rows; ++i) {
    std::span<uint64_t> row = sums.subspan(static_cast<size_t>(i * b.columns), line.size());
    for (int64_t k0 = 0; k0 < a.columns; k0 += depth) {
      bool any = false;
      for (int64_t k = k0; k < std::min(k0 + depth, a.columns); ++k)
        any |= a.at(i, k) != 0 || !isFinite[static_cast<size_t>(k)];
      if (!any) continue; // it adds zeros
      for (size_t j = 0; j < line.size(); ++j) line[j] = asSum(type, row[j]);
      for (int64_t k = k0; k < std::min(k0 + depth, a.columns); ++k) {
        double x = a.at(i, k);
        const double *y = &b.at(k, 0);
        for (size_t j = 0; j < line.size(); ++j) line[j] += x * y[j];
      }
      for (size_t j = 0; j < line.size(); ++j) row[j] = rounded(type, line[j]);
    }
  }
}

//===- Rows -------------------------------------------------------------------------------------------------------===//

Bits garbage(Agent &m, Value value) {
  Bits bits(static_cast<size_t>(m.groupsOf(value.getType()) * Agent::elementsOf(value.getType())));
  Type type = cast<tile::PendingType>(value.getType()).getFragment().getElementType();
  uint64_t anything = m.cta.cluster.adversary.garbage();
  for (uint64_t &element : bits) element = masked(anything, widthOf(type));
  return bits;
}

void none(Agent &m, Operation *op) {
  m.make(op->getResult(0)) = garbage(m, op->getResult(0));
  m.flights[op->getResult(0)] = {};
}

void wgmma(Agent &m, Operation *op) {
  auto product = cast<tile::WgmmaOp>(op);
  m.demandAll(op);
  if (product.getUnsignedA()) throw Fault("a product of unsigned bytes, which is not interpreted");
  Value acc = product.getAcc(), result = product.getResult();
  bool isPending = isa<tile::PendingType>(acc.getType());
  bool accumulates =
      product.getAccumulate() ? m.uniform(product.getAccumulate()) & 1 : !acc.getDefiningOp<tile::WgmmaNoneOp>();
  if (accumulates && isPending && !m.flights[acc].defined)
    throw Fault("a product adds to an accumulator that holds nothing yet");
  ++m.product;
  std::vector<Accessor::Actor> actors;
  for (const Clock &clock : m.clocks) actors.push_back({&clock, {m.products, m.product}});
  Accessor accessor(m.cta.shared, std::move(actors), /*byProxy=*/true);
  auto tile = dyn_cast<TypedValue<tile::SharedType>>(product.getA());
  Matrix a = tile ? readTile(m, accessor, tile, product.getTransposeA()) : readFragment(m, product.getA());
  Matrix b = readTile(m, accessor, product.getB(), product.getTransposeB());
  Bits sums(static_cast<size_t>(a.rows * b.columns));
  if (accumulates) sums = m.of(acc);
  Type element = product.getResult().getType().getFragment().getElementType();
  int64_t depth = kAtomBytes / tile::bytesOf(product.getB().getType().getElementType());
  multiply(a, b, element, depth, sums);
  m.make(result) = std::move(sums);
  m.flights[result] = {true, m.product};
}

void wgmmaWait(Agent &m, Operation *op) {
  auto wait = cast<tile::WgmmaWaitOp>(op);
  m.demandAll(op);
  int64_t done = int64_t(m.product) - static_cast<int64_t>(wait.getInFlight());
  m.see(m.products, done);
  Flight flight = m.flights[wait.getPending()];
  Bits bits = m.of(wait.getPending());
  bool isFragment = !isa<tile::PendingType>(wait.getResult().getType());
  if (isFragment && flight.defined && flight.group > done)
    throw Fault(fmt::format("sums of product {} are read when {} are done", flight.group, done));
  m.make(wait.getResult()) = std::move(bits);
  if (!isFragment) m.flights[wait.getResult()] = flight;
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::wgmmaRows() {
  static const Row rows[] = {
      {"tile.wgmma_none", none},
      {"tile.wgmma", wgmma, nullptr, true},
      {"tile.wgmma_wait", wgmmaWait, nullptr, true},
  };
  return rows;
}
