// The values of constants. The tree keeps only where a literal stands; these functions read it from there, because most
// literals are never asked for their value.
//
// Literals that Python rejects give some value too: nothing here fails on bad text.
#pragma once

#include "base/types.h"
#include "python/ast.h"
#include "python/source.h"

#include <optional>
#include <string>
#include <string_view>

namespace deepperf::python {

// The value of a str constant, in UTF-8. A lone surrogate ("\ud800") takes the three bytes that UTF-8 would give it if
// it could, so that every Python string has a value here.
std::string string_value(const Source &source, const StringConstant &constant);
// The value of a bytes constant.
std::string bytes_value(const Source &source, const StringConstant &constant);

// The decimal digits of an int literal of any size and base, Python 2's `0777` and `10L` too. Beyond 5,000 digits it is
// the literal itself: converting takes quadratic time, and no checker needs such a number.
std::string int_decimal(std::string_view literal);
// Nothing if it does not fit.
std::optional<i64> int_value(std::string_view literal);
// The value of a float literal, or of an imaginary one without its `j`. Too large ones are infinite, as in Python.
double float_value(std::string_view literal);

// What Python's repr() prints.
std::string python_repr(double value);
std::string python_repr_imaginary(double imaginary);
std::string python_repr_str(std::string_view value);
std::string python_repr_bytes(std::string_view value);

} // namespace deepperf::python
