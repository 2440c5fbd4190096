// The driver's result codes as Errors: one table says whose fault each is, in words, and what to do about it.
#pragma once

#include "kiln/Error.h"
#include "runtime/cuda/driver/DriverApi.h"

#include <string>
#include <string_view>

namespace kiln::cuda {

/// The Error for `result` of the driver's function `call`; `what` is the op it was for (a kernel's symbol, "cuda") and
/// `facts` what was asked, both in the message. Codes without a row of their own are internal.
Error driverError(const DriverApi &api, CUresult result, const char *call, std::string_view what = "cuda",
                  std::string_view facts = {});

/// Throws driverError() unless `result` is success.
inline void check(const DriverApi &api, CUresult result, const char *call, std::string_view what = "cuda") {
  if (result != CUDA_SUCCESS) throw driverError(api, result, call, what);
}

} // namespace kiln::cuda
