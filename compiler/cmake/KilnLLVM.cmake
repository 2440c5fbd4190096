# Finds LLVM and MLIR 22 and makes every archive usable for an all-static link.
#
# Debian's MLIR archives name the shared libLLVM in their link interface. Linking that beside the static archives
# registers every LLVM option twice and aborts at start, so the edge is cut here, before any target links MLIR.

if(NOT MLIR_DIR)
  find_program(KILN_LLVM_CONFIG NAMES llvm-config-22 llvm-config REQUIRED)
  execute_process(COMMAND ${KILN_LLVM_CONFIG} --cmakedir OUTPUT_VARIABLE llvm_cmakedir
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  cmake_path(GET llvm_cmakedir PARENT_PATH llvm_cmake_parent)
  set(MLIR_DIR ${llvm_cmake_parent}/mlir CACHE PATH "MLIRConfig.cmake's folder")
  set(LLVM_DIR ${llvm_cmakedir} CACHE PATH "LLVMConfig.cmake's folder")
endif()
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(LLVM_DEFS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

foreach(t IN LISTS MLIR_EXPORTED_TARGETS)
  if(TARGET ${t})
    get_target_property(links ${t} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links LLVM MLIR "\$<LINK_ONLY:LLVM>")
      set_property(TARGET ${t} PROPERTY INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()
find_library(KILN_ZSTD_STATIC NAMES libzstd.a REQUIRED)
find_library(KILN_ZLIB_STATIC NAMES libz.a REQUIRED)
get_target_property(links LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER links EXCLUDE REGEX "libz3|ZLIB::ZLIB|zstd::")
list(APPEND links ${KILN_ZLIB_STATIC} ${KILN_ZSTD_STATIC})
set_property(TARGET LLVMSupport PROPERTY INTERFACE_LINK_LIBRARIES "${links}")

# perfjitevents: MLIR's ExecutionEngine names it. frontendopenmp: MLIRTargetLLVMIRExport names it.
llvm_map_components_to_libnames(KILN_LLVM_LIBS core support irreader passes orcjit jitlink executionengine target
  x86codegen x86desc x86info x86asmparser nvptxcodegen nvptxdesc nvptxinfo asmprinter selectiondag bitwriter linker ipo frontendopenmp perfjitevents)
