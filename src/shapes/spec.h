// The `|` column of src/frameworks/*.txt: the signature of an API, and how it turns shapes into shapes.
//
//     torch.softmax          TorchTensor  op   | (input, dim=None, dtype=None) @same_float
//     TorchTensor.permute    TorchTensor       | (input, *dims) @permute
//     torch.nn.Linear        TorchModule       | (in_features, out_features, bias=True) : (input)
//                                                [*, in_features] -> [*, out_features] weights in_features*out_features
//
// A function has one signature; a class whose objects are called has a second one after the colon. Then stands the
// name of a transfer function in C++ (`@conv`, see registry.h), or a pattern: the shape of the first argument, and that
// of the result. Words in a pattern are arguments or sizes, `*` any leading sizes; a size on the right may be computed
// with
// + - * // and parentheses. `weights` gives the number of parameters in the same way.
#pragma once

#include "base/symbol.h"
#include "base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::shapes {

struct SpecParam {
  Symbol name;
  std::string_view text_default; // as written; empty if it must be given
  bool takes_rest = false;       // *name
  bool takes_keywords = false;   // **name
};

struct Spec {
  std::vector<SpecParam> make; // of the constructor, where there is one
  std::vector<SpecParam> call;
  bool is_class = false;
  std::string_view transfer; // without the @
  std::string_view pattern;  // "[*, in_features] -> [*, out_features]"
  std::string_view weights;  // an expression
};

// Reads the column; false, and says what is wrong, if it cannot be read.
bool read_spec(std::string_view text, Spec &spec, std::string &error);

} // namespace deepperf::shapes
