# Flags, the one precompiled header, and kiln_room().

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

add_library(kiln_flags INTERFACE)
# -fPIC by hand: CMake would compile executables as PIE, and the precompiled header serves both.
target_compile_options(kiln_flags INTERFACE -fPIC -Wall -Wextra -Wno-unused-parameter -fvisibility-inlines-hidden
  -ffunction-sections -fdata-sections -gline-tables-only
  $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
  $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>
  $<$<BOOL:${KILN_WERROR}>:-Werror>)
target_link_options(kiln_flags INTERFACE -Wl,--gc-sections $<$<CXX_COMPILER_ID:Clang>:-fuse-ld=lld>)
target_include_directories(kiln_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/runtime
  ${CMAKE_SOURCE_DIR}/compiler ${CMAKE_BINARY_DIR})

# Everything that sees MLIR: LLVM's include folders as system headers, so that its warnings stay its own.
add_library(kiln_mlir_flags INTERFACE)
target_link_libraries(kiln_mlir_flags INTERFACE kiln_flags)
target_compile_definitions(kiln_mlir_flags INTERFACE ${LLVM_DEFS})
target_include_directories(kiln_mlir_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# One precompiled header of MLIR's own headers for all rooms but runtime.
add_library(kiln_pch OBJECT ${CMAKE_SOURCE_DIR}/compiler/cmake/Pch.cpp)
target_link_libraries(kiln_pch PRIVATE kiln_mlir_flags)
target_precompile_headers(kiln_pch PRIVATE ${CMAKE_SOURCE_DIR}/compiler/cmake/Pch.h)

# kiln_room(NAME [MLIR] [LINK lib...]): a static library of every .cpp below the current folder.
function(kiln_room name)
  cmake_parse_arguments(R "MLIR" "" "LINK;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  foreach(pattern IN LISTS R_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  add_library(${name} STATIC ${sources})
  if(R_MLIR)
    target_link_libraries(${name} PUBLIC kiln_mlir_flags ${R_LINK})
    target_precompile_headers(${name} REUSE_FROM kiln_pch)
  else()
    target_link_libraries(${name} PUBLIC kiln_flags ${R_LINK})
  endif()
endfunction()
