#include "shapes/bool_arithmetic.h"

#include "project/requirements.h"
#include "shapes/registry.h"

#include <fmt/format.h>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

// Before PyTorch 1.2 comparisons gave tensors of uint8, of which everything could be computed.
bool has_bool_tensors(const Interpreter &in) {
  const project::Requirements &requirements = project::requirements_of(in.module()->parsed->path);
  const auto found = requirements.find("torch");
  return found == requirements.end() || !found->second.below || *found->second.below > project::Version{1, 2, 0};
}

const Tensor *tensor_in(const Value &value) { return value.is(Tag::Tensor) ? value.tensor : nullptr; }

bool is_bool(const Value &value) {
  const Tensor *const tensor = tensor_in(value);
  return tensor != nullptr ? tensor->dtype == Dtype::Bool : value.is(Tag::Bool);
}

// Nothing is said of an operand that may be an object with operators of its own.
bool is_of(const Value &value, Library library) {
  const Tensor *const tensor = tensor_in(value);
  return tensor != nullptr ? tensor->library == library
                           : value.is(Tag::Int) || value.is(Tag::Float) || value.is(Tag::Bool);
}

Library library_of(const Value &left, const Value &right) {
  const Tensor *const tensor = tensor_in(left) != nullptr ? tensor_in(left) : tensor_in(right);
  const Library library = tensor != nullptr ? tensor->library : Library::Unknown;
  return is_of(left, library) && is_of(right, library) ? library : Library::Unknown;
}

void add_chains(Interpreter &in, Problem &problem, const Value &left, const Value &right) {
  for (const Value *operand : {&left, &right}) {
    if (const Tensor *const tensor = tensor_in(*operand)) {
      in.add_chain(problem, *tensor);
    }
  }
}

std::string_view inversion(Library library) {
  return library == Library::Torch   ? "invert a mask with `~mask`, or convert it first: mask.float()"
         : library == Library::Numpy ? "invert a mask with `~mask`, or compare with `^`"
         : library == Library::Jax   ? "invert a mask with `~mask`, or convert it first: mask.astype(jnp.float32)"
                                     : "cast it first: tf.cast(mask, tf.float32)";
}

bool is_subtraction(std::string_view what) {
  return what == "-" || what == "sub" || what == "subtract" || what == "rsub" || what == "sub_" || what == "subtract_";
}

} // namespace

bool check_operand_kinds(Interpreter &in, const Expr *node, std::string_view what, const Value &left,
                         const Value &right) {
  const Library library = library_of(left, right);
  const bool has_bool =
      (is_bool(left) && tensor_in(left) != nullptr) || (is_bool(right) && tensor_in(right) != nullptr);
  const bool are_bool = is_bool(left) && is_bool(right);
  if (has_bool && is_subtraction(what)) {
    const bool fails = library == Library::Torch                              ? has_bool_tensors(in)
                       : library == Library::Numpy || library == Library::Jax ? are_bool
                                                                              : false;
    if (!fails) {
      return true;
    }
    if (Problem *problem =
            in.report(Fault::DtypeMismatch, node,
                      fmt::format("subtraction is not defined for {}", are_bool                    ? "two bool tensors"
                                                                       : library == Library::Torch ? "a bool tensor"
                                                                                                   : "bool arrays"))) {
      add_chains(in, *problem, left, right);
      problem->advice = inversion(library);
    }
    return false;
  }
  const bool is_arithmetic = what == "-" || what == "+" || what == "*" || what == "/";
  if (has_bool && is_arithmetic && library == Library::TensorFlow && !in.is_promoting && !are_bool &&
      (tensor_in(left) == nullptr || tensor_in(right) == nullptr)) {
    if (Problem *problem =
            in.report(Fault::DtypeMismatch, node, fmt::format("{} of a bool tensor and a number is invalid", what))) {
      add_chains(in, *problem, left, right);
      problem->advice = inversion(library);
    }
    return false;
  }
  if (what == "&" || what == "|" || what == "^") {
    const auto is_float = [&](const Value &value) {
      const Tensor *const tensor = tensor_in(value);
      return value.is(Tag::Float) || (tensor != nullptr && is_floating(tensor->dtype) && !tensor->is_weak);
    };
    if ((library != Library::Torch && library != Library::Numpy) || (!is_float(left) && !is_float(right))) {
      return true;
    }
    const Value &wrong = is_float(left) ? left : right;
    const std::string_view dtype = wrong.is(Tag::Float) ? "float" : name_of(wrong.tensor->dtype);
    if (Problem *problem = in.report(Fault::DtypeMismatch, node,
                                     fmt::format("{} takes booleans or integers, but gets {}", what, dtype))) {
      add_chains(in, *problem, left, right);
      problem->advice = "compare first, in parentheses: (x > 0) & (y > 0)";
    }
    return false;
  }
  return true;
}

bool check_unary_kind(Interpreter &in, const Expr *node, UnaryOperator op, const Value &operand) {
  const Tensor *const tensor = tensor_in(operand);
  if (tensor == nullptr || tensor->is_weak) {
    return true;
  }
  const bool is_torch = tensor->library == Library::Torch;
  const bool is_numpy = tensor->library == Library::Numpy;
  const bool negates = op == UnaryOperator::USub && tensor->dtype == Dtype::Bool &&
                       (is_torch ? has_bool_tensors(in) : is_numpy || tensor->library == Library::Jax);
  const bool inverts = op == UnaryOperator::Invert && is_floating(tensor->dtype) && (is_torch || is_numpy);
  if (!negates && !inverts) {
    return true;
  }
  if (Problem *problem =
          in.report(Fault::DtypeMismatch, node,
                    negates ? std::string("negation is not defined for a bool tensor")
                            : fmt::format("~ takes booleans or integers, but gets {}", name_of(tensor->dtype)))) {
    in.add_chain(*problem, *tensor);
    problem->advice = negates ? inversion(tensor->library) : "compare first, or convert to bool: ~mask.bool()";
  }
  return false;
}

void check_truth_value(Interpreter &in, const Expr *node, const Value &value) {
  const Tensor *const tensor = tensor_in(value);
  const bool is_array = tensor != nullptr && (tensor->library == Library::Torch || tensor->library == Library::Numpy ||
                                              tensor->library == Library::Jax);
  if (!is_array || !tensor->shape.is_known() || !in.terms.is_at_least(numel(in, tensor->shape), 2)) {
    return;
  }
  if (Problem *problem =
          in.report(Fault::WrongRank, node,
                    fmt::format("the truth value of {} is ambiguous: it has several elements", in.text_of(*tensor)))) {
    in.add_chain(*problem, *tensor);
    problem->advice = "reduce it with .any() or .all(); compare with `is None` to ask whether there is a tensor";
  }
}

} // namespace deepperf::shapes
