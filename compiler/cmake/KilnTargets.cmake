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
  -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>
  $<$<BOOL:${KILN_WERROR}>:-Werror>)
# The C++ library inside: what is built here runs on machines with another one, or in a process with another one. Not
# where C++ goes across: libkiln.so and what links it (KILN_SHARED_CXX) have one together.
target_link_options(kiln_flags INTERFACE -Wl,--gc-sections
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:KILN_SHARED_CXX>>>:-static-libstdc++ -static-libgcc>
  $<$<CXX_COMPILER_ID:Clang>:-fuse-ld=lld>)
target_include_directories(kiln_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtime
  ${PROJECT_SOURCE_DIR}/compiler ${PROJECT_BINARY_DIR})

# fmt, for the same reason: packages have it as a shared library and headers, of which this makes an archive.
add_library(kiln_fmt STATIC ${PROJECT_SOURCE_DIR}/compiler/cmake/Fmt.cpp)
target_link_libraries(kiln_fmt PRIVATE kiln_flags)
target_compile_definitions(kiln_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
target_include_directories(kiln_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)

# Everything that sees MLIR: LLVM's include folders as system headers, so that its warnings stay its own.
add_library(kiln_mlir_flags INTERFACE)
target_link_libraries(kiln_mlir_flags INTERFACE kiln_flags)
target_compile_definitions(kiln_mlir_flags INTERFACE ${LLVM_DEFS})
target_include_directories(kiln_mlir_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# One precompiled header of MLIR's own headers for all rooms but runtime.
add_library(kiln_pch OBJECT ${PROJECT_SOURCE_DIR}/compiler/cmake/Pch.cpp)
target_link_libraries(kiln_pch PRIVATE kiln_mlir_flags)
target_precompile_headers(kiln_pch PRIVATE ${PROJECT_SOURCE_DIR}/compiler/cmake/Pch.h)

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

# kiln_shared_library(TARGET NAME EXPORTS file HEADERS folder... OBJECTS library... LINK lib...): lib/libNAME.so of these
# libraries' objects, which exports what the version script says and nothing else. All that is inside, LLVM among it,
# binds to itself, whatever else is in the process. It is never unloaded: LLVM cannot be. Users get it as kiln::NAME.
function(kiln_shared_library target name)
  cmake_parse_arguments(C "" "EXPORTS" "HEADERS;OBJECTS;LINK" ${ARGN})
  set(sources "")
  foreach(objects IN LISTS C_OBJECTS)
    list(APPEND sources $<TARGET_OBJECTS:${objects}>)
  endforeach()
  add_library(${target} SHARED ${sources})
  string(REGEX REPLACE "^kiln_" "" export ${name})
  add_library(kiln::${export} ALIAS ${target})
  set(exports ${PROJECT_SOURCE_DIR}/compiler/cmake/${C_EXPORTS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${export} LINKER_LANGUAGE CXX
    LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_link_libraries(${target} PRIVATE ${C_LINK})
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,defs
    -Wl,--strip-all)
  foreach(folder IN LISTS C_HEADERS)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}>)
  endforeach()
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# kiln_program(NAME source...): a program of the public headers, linked like a user's.
function(kiln_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE kiln_flags kiln::kiln)
  # lib is beside bin here, where it is installed, and in a bundle.
  set_target_properties(${name} PROPERTIES KILN_SHARED_CXX ON BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
endfunction()
