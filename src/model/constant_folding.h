// Which constant do literals, and operators on constants, give? Private to src/model.
#pragma once

#include "model/constants.h"

namespace deepperf::model {

std::optional<ConstantValue> literal_value(const Module &module, const python::Constant &constant);

// Nothing where the result is not known, or does not fit.
std::optional<ConstantValue> folded(python::Operator op, const ConstantValue &left, const ConstantValue &right);

// The text of an f-string with one more part, a text or a whole number; nothing for other values, whose text depends on
// their format.
std::optional<ConstantValue> extended(const ConstantValue &text, const ConstantValue &part);

// The answer of `left == right` and the like; nothing where it is not known, as of `in`.
std::optional<ConstantValue> compared(python::CompareOperator op, const ConstantValue &left,
                                      const ConstantValue &right);

} // namespace deepperf::model
