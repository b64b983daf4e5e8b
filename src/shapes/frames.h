// Tables of pandas. A DataFrame or Series is an object whose array is kept with it: what `.values` gives.
#pragma once

#include "shapes/libraries.h"

namespace deepperf::shapes {

bool is_frame(const Value &value); // a DataFrame or Series
// What `.values` of a DataFrame or Series is, or of a picture what np.array makes of it; null if that is not known.
const Tensor *array_in(const Value &value);
// A DataFrame of two dimensions or a Series of one; unknown if the shape is neither.
Value frame_of(Interpreter &in, const Tensor &array);
// Attributes that are no methods: values, shape, iloc, T, a column. Undefined if it may be a method.
Value frame_attribute(Interpreter &in, const Object &frame, Symbol name);
// df["a"], df[["a", "b"]], df[mask], df.iloc[:, 2:5]
Value frame_subscript(Interpreter &in, const Object &frame, const Value &index);
// df["a"] = …: how many columns there are is not known then.
void frame_change(Interpreter &in, Object &frame);
// df / 255, df["a"] > 3: elementwise; unknown if it is something else.
Value frame_binary(Interpreter &in, const Value &left, const Value &right, bool is_comparison);

} // namespace deepperf::shapes
