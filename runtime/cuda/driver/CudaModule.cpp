// Code into the driver: its PTX compiler's log becomes part of the Error.
#include "runtime/cuda/driver/CudaKernel.h"

#include <array>
#include <fmt/format.h>

namespace kiln::cuda {
namespace {

/// "8.7" of PTX's `.version 8.7`; "?" if there is none.
std::string ptxVersion(std::string_view code) {
  constexpr std::string_view directive = ".version";
  size_t at = code.find(directive);
  if (at == std::string_view::npos) return "?";
  at = code.find_first_not_of(" \t", at + directive.size());
  size_t end = code.find_first_not_of("0123456789.", at);
  return at == std::string_view::npos ? "?" : std::string(code.substr(at, end - at));
}

/// "PTX 8.7 for sm_90a on NVIDIA H200 (compute capability 9.0)".
std::string describe(const CodeImage &image, const CudaGpu &gpu) {
  bool ptx = image.format == CodeImage::Format::Ptx;
  std::string_view code(image.code.data(), image.code.size());
  return fmt::format("{} for {} on {} (compute capability {}.{})", ptx ? "PTX " + ptxVersion(code) : "machine code",
                     image.target, gpu.name, gpu.major, gpu.minor);
}

} // namespace

Module::Module(ContextRef given, const CodeImage &image) : context(std::move(given)) {
  const CudaGpu &gpu = context->gpu;
  if (!cudaRuns(image.target, image.format, gpu.major, gpu.minor))
    throw Error({.code = ErrorCode::NoDevice,
                 .op = image.symbol,
                 .rule = "the kernel's code runs on this GPU",
                 .expected = fmt::format("code for sm_{}{}, or PTX for an older target", gpu.major, gpu.minor),
                 .found = describe(image, gpu),
                 .hint = "compile for this GPU's target"});
  std::string code(image.code.data(), image.code.size()); // PTX ends with a zero byte
  std::array<char, 8192> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void *, 2> values = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  CUresult result = context->api.moduleLoadDataEx(&module, code.data(), options.size(), options.data(), values.data());
  if (result == CUDA_SUCCESS) return;
  std::string facts = describe(image, gpu);
  if (log[0]) facts += fmt::format("; the PTX compiler says: {}", log.data());
  throw driverError(context->api, result, "cuModuleLoadDataEx", image.symbol, facts);
}

Module::~Module() {
  Current current(*context);
  context->api.moduleUnload(module); // of no use after a failure of the device, and that is said elsewhere
}

} // namespace kiln::cuda
