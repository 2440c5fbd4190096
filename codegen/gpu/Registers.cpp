#include "codegen/gpu/Registers.h"
#include "codegen/lower/Vectors.h"

using namespace mlir;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

Registers::Registers(OpBuilder &b, Location loc, ValueRange units) : b(&b), loc(loc) {
  for (Value unit : units) {
    if (!isa<VectorType>(unit.getType())) {
      elements.push_back(unit);
      continue;
    }
    pairs.push_back(unit);
    elements.append(2, Value());
  }
}

Value Registers::get(int64_t r) {
  if (!elements[r]) elements[r] = laneOf(*b, loc, pairs[r / 2], r % 2);
  return elements[r];
}

void Registers::set(int64_t r, Value value) {
  if (inPairs() && pairs[r / 2]) {
    (void)get(r ^ 1); // its neighbour stays
    pairs[r / 2] = Value();
  }
  elements[r] = value;
}

Value Registers::pair(int64_t r) {
  if (!pairs[r / 2]) pairs[r / 2] = vectorOf(*b, loc, {elements[r], elements[r + 1]});
  return pairs[r / 2];
}

SmallVector<Value> Registers::units() {
  if (!inPairs()) return elements;
  SmallVector<Value> result;
  for (int64_t r = 0; r < size(); r += 2) result.push_back(pair(r));
  return result;
}
