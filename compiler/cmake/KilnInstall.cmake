# What others need: the libraries with their headers, for find_package(kiln), and the tools. `cmake --build` of the
# target kiln_package makes all of it.
include(CMakePackageConfigHelpers)
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/kiln)

install(TARGETS kiln_shared kiln_runtime_shared EXPORT kilnTargets)
install(TARGETS kiln kiln-opt)
install(DIRECTORY runtime/kiln compiler/kiln DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT kilnTargets NAMESPACE kiln:: DESTINATION ${folder})
write_basic_package_version_file(kilnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES compiler/cmake/kilnConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/kilnConfigVersion.cmake
  DESTINATION ${folder})

add_custom_target(kiln_package DEPENDS kiln kiln-opt kiln_shared kiln_runtime_shared)
