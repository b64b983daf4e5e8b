// Arithmetic that booleans do not have, bitwise operators that floats do not have, and arrays that are asked whether
// they are true.
#pragma once

#include "shapes/interpreter.h"

#include <string_view>

namespace deepperf::shapes {

// Of a binary operator or the function that stands for it. False if it stops with an error, which is then reported.
bool check_operand_kinds(Interpreter &in, const python::Expr *node, std::string_view what, const Value &left,
                         const Value &right);
// Of `-x` and `~x`.
bool check_unary_kind(Interpreter &in, const python::Expr *node, python::UnaryOperator op, const Value &operand);

// `if x > 0:` of an array with several elements.
void check_truth_value(Interpreter &in, const python::Expr *node, const Value &value);

} // namespace deepperf::shapes
