# `cmake --build .build/<preset> --target docs`: the reference of every op and pass, generated from their TableGen files,
# as .build/<preset>/docs/*.md.

set(kiln_docs ${PROJECT_BINARY_DIR}/docs)
add_custom_target(docs)
# row: name of the page, file that mlir-tblgen writes, target that makes it
foreach(row IN ITEMS
    "graph-ops ir/graph/Graph.md kiln_graph_ods"
    "tile-ops ir/tile/Tile.md kiln_tile_ods"
    "ptx-ops ir/ptx/Ptx.md kiln_ptx_ods"
    "graph-passes passes/graph/Passes.md kiln_graph_passes_ods"
    "tiling-passes passes/tiling/Passes.md kiln_tiling_passes_ods"
    "tile-passes passes/tile/Passes.md kiln_tile_passes_ods"
    "codegen-passes codegen/Passes.md kiln_codegen_passes_ods")
  separate_arguments(row UNIX_COMMAND "${row}")
  list(GET row 0 page)
  list(GET row 1 source)
  list(GET row 2 target)
  add_custom_target(docs-${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${kiln_docs}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${PROJECT_BINARY_DIR}/${source} ${kiln_docs}/${page}.md
    VERBATIM)
  add_dependencies(docs-${page} ${target})
  add_dependencies(docs docs-${page})
endforeach()
