# find_package(kiln): kiln::kiln, which is libkiln.so with the C++ API and the C interface, and kiln::runtime, which is
# libkiln_runtime.so with the C interface that runs compiled files.
include(${CMAKE_CURRENT_LIST_DIR}/kilnTargets.cmake)
