// Machine code as bytes: what is around it is checked, and what it names is filled in.
#include "runtime/host/HostCode.h"
#include "runtime/host/HostDevice.h"
#include "tests/ErrorKit.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace kiln {
namespace {

/// mov rax, [rip + 9]; mov [rcx], rax; ret; then, at 16, an address: the kernel stores that address into its scratch.
HostCodeImage storesAddress() {
  const unsigned char bytes[] = {0x48, 0x8b, 0x05, 0x09, 0, 0, 0, 0x48, 0x89, 0x01, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90};
  HostCodeImage image;
  image.code.assign(bytes, bytes + sizeof bytes);
  image.code.resize(24);
  image.symbol = "k";
  image.target = "sse2";
  return image;
}

uint64_t run(const HostKernelImage &kernel) {
  uint64_t stored = 0;
  kernel.fn(nullptr, 0, 1, &stored);
  return stored;
}

TEST(HostCode, FillsInAddresses) {
  HostCodeImage image = storesAddress();
  image.code[16] = 5; // an offset into the code itself
  image.relocations = {16};
  HostKernelImage kernel = loadHostCode(image);
  EXPECT_EQ(run(kernel), reinterpret_cast<uint64_t>(kernel.fn) + 5);
  image.relocations.clear();
  image.imports = {{"fmaf", 16}};
  EXPECT_EQ(run(loadHostCode(image)), reinterpret_cast<uint64_t>(static_cast<float (*)(float, float, float)>(::fmaf)));
}

TEST(HostCode, TheDeviceLoadsIt) {
  auto device = makeHostDevice({.threads = 1});
  HostCodeImage image = storesAddress();
  image.code[16] = 42;
  KernelHandle kernel = device->load(image);
  EXPECT_EQ(kernel->symbol, "k");
  EXPECT_NO_THROW(device->launch(*kernel, {.scratchBytes = 8}, {}));
}

TEST(HostCode, RefusesWhatIsNotSound) {
  auto message = [](auto change) -> std::string {
    HostCodeImage image = storesAddress();
    change(image);
    return test::messageOf([&] { loadHostCode(image); });
  };
  auto has = [&](const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; };
  for (uint64_t offset : {uint64_t(17), uint64_t(24), UINT64_MAX, UINT64_MAX - 7}) {
    EXPECT_TRUE(has(message([&](HostCodeImage &i) { i.relocations = {offset}; }), "lies within the code")) << offset;
    EXPECT_TRUE(has(message([&](HostCodeImage &i) { i.imports = {{"fma", offset}}; }), "lies within the code"));
  }
  EXPECT_TRUE(has(message([](HostCodeImage &i) { i.imports = {{"system", 16}}; }), "functions that the runtime has"));
  EXPECT_TRUE(has(message([](HostCodeImage &i) { i.entry = 24; }), "a kernel lies within its code"));
  EXPECT_TRUE(has(message([](HostCodeImage &i) { i.code.clear(); }), "a kernel lies within its code"));
  EXPECT_TRUE(has(message([](HostCodeImage &i) { i.target = "abacus"; }), "no device error: k"));
  EXPECT_EQ(message([](HostCodeImage &) {}), "no error");
}

} // namespace
} // namespace kiln
