// NumPy's .npy files: how single arrays enter and leave the tools.
#pragma once

#include "kiln/HostTensor.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kiln {

/// Reads an .npy file of version 1, 2 or 3: f8 f4 f2 i8 i4 i1 b1, either byte order, C or Fortran order (converted to
/// row-major). V2, as which NumPy writes ml_dtypes.bfloat16, and "bfloat16" are bf16. Throws Error (invalid input)
/// naming the file on anything else.
HostTensor readNpy(const std::string &path);
/// The same from memory; `origin` names the source in errors.
HostTensor parseNpy(std::span<const std::byte> file, const std::string &origin);

/// Writes a version 1 file (version 2 if the header needs it). bf16 becomes V2, as NumPy would write it: it is read by
/// np.load(path).view(ml_dtypes.bfloat16). Throws Error for dtypes that no two readers would agree on (fp8, i4).
void writeNpy(const std::string &path, const HostTensor &tensor);
/// The bytes writeNpy writes.
std::vector<std::byte> npyBytes(const HostTensor &tensor);

} // namespace kiln
