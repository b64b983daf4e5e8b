#include "rules/math_call.h"

namespace deepperf::rules {

using namespace python;
using model::Value;

MathCall math_call(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return {};
  }
  const Value callee = site.project.callee_of(call);
  MathCall result;
  if (callee.is(Value::Tag::ApiMethod)) {
    const Kind kind = callee.receiver().kind;
    result.package = kind == Kind::TorchTensor  ? "torch"
                     : kind == Kind::NumpyArray ? "numpy"
                     : kind == Kind::JaxArray   ? "jax.numpy"
                                                : "";
    result.function = callee.name().text();
    result.operand = receiver_of(*call);
    result.is_method = true;
  } else if (callee.is(Value::Tag::Api)) {
    const std::string_view api = callee.name().text();
    const std::size_t dot = api.rfind('.');
    if (dot == std::string_view::npos) {
      return {};
    }
    const std::string_view package = api.substr(0, dot);
    result.function = api.substr(dot + 1);
    if (package == "tensorflow" || package == "tensorflow.math" || package == "tensorflow.keras.backend" ||
        package == "tensorflow.keras.ops") {
      result.package = "tensorflow";
      if (result.function.starts_with("reduce_")) {
        result.function.remove_prefix(std::string_view("reduce_").size());
      }
    } else if (package == "torch" || package == "numpy" || package == "jax.numpy") {
      result.package = package;
    } else if (package == "jax.lax") {
      result.package = "jax.numpy";
    }
    result.operand = call->args.empty() ? nullptr : argument(*call, 0, {});
  }
  if (result.package.empty() || result.operand == nullptr) {
    return {};
  }
  result.call = call;
  return result;
}

bool is_number(const Site &site, const Expr *expr, double number) {
  return expr->kind == NodeKind::Constant && number_of(site, expr) == number;
}

} // namespace deepperf::rules
