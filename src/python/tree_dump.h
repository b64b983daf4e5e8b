// Our tree as text for people (`deepperf debug ast FILE`): one node a line, indented, with its place.
#pragma once

#include "python/ast.h"
#include "python/parser.h"
#include "python/source.h"

#include <string>
#include <string_view>

namespace deepperf::python {

// The names of the enumerators, which are also CPython's.
std::string_view name_of(NodeKind kind);
std::string_view name_of(Context context);
std::string_view name_of(Operator op);
std::string_view name_of(BoolOperator op);
std::string_view name_of(UnaryOperator op);
std::string_view name_of(CompareOperator op);

// Like
//   value: Call 3:5-3:17
//     func: Name 3:5-3:10 print
//     args: Constant 3:11-3:16 Int 12345
// A list is the same field several times. Lines and columns count from 1, with the cell before them in notebooks.
void dump_tree(const Source &source, const Tree &tree, std::string &out);

} // namespace deepperf::python
