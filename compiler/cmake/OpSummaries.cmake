# cmake -DIN=Graph.md -DOUT=OpSummaries.inc -P OpSummaries.cmake
# The op summaries of ODS as rows {"graph.relu", "max(x, 0) ..."}, from the generated documentation: tablegen has no
# backend that gives them to a program.
file(READ ${IN} text)
string(REPLACE ";" "<semicolon>" text "${text}") # which would split a list
string(REGEX MATCHALL "### `[a-z_.]+` \\([^\n]*\\)\n\n_[^\n]*_\n" entries "${text}")
set(rows "")
foreach(entry IN LISTS entries)
  string(REGEX REPLACE "### `([a-z_.]+)`[^\n]*\n\n_([^\n]*)_\n" "{\"\\1\", R\"(\\2)\"},\n" row "${entry}")
  string(APPEND rows "${row}")
endforeach()
if(NOT rows)
  message(FATAL_ERROR "no op summaries found in ${IN}")
endif()
string(REPLACE "<semicolon>" ";" rows "${rows}")
file(WRITE ${OUT} "${rows}")
