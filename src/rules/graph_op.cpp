#include "rules/graph_op.h"

#include "python/children.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::OpFact;

namespace {

bool has_call(const Node *node) {
  bool found = node->kind == NodeKind::Call;
  for_each_child(node, [&found](const Node *child) { found = found || has_call(child); });
  return found;
}

} // namespace

bool needs_session(const OpFact &op) {
  const std::string_view name = op.api.text();
  return name == "update_state" || name == "value" || name == "read_value" || name == "call" || name == "sample" ||
         name == "log_prob" || name == "entropy";
}

bool is_tensorflow(const OpFact &op) {
  const std::string_view name = op.api.text();
  if (name.starts_with("tensorflow.keras.ops.")) { // which may be those of another backend
    return false;
  }
  return name.starts_with("tensorflow.") || name == "operator" || name.starts_with("assign") || name == "minimize" ||
         name == "apply_gradients" || name == "compute_gradients" || name == "get_next" || needs_session(op);
}

bool is_light(const OpFact &op) { return (op.traits & kCheap) != 0 && (op.traits & kCopies) == 0; }

bool is_formula(const OpFact &op) {
  const ApiInfo *const info = find_api(op.api);
  return info != nullptr && is_arithmetic(*info, op.api.text());
}

bool is_free(const OpFact &op) {
  const std::string_view name = op.api.text();
  const auto *call = as<Call>(op.call);
  return call != nullptr &&
         (name == "tensorflow.rank" || name == "tensorflow.reshape" || name == "tensorflow.identity" ||
          name == "tensorflow.squeeze" || name == "tensorflow.expand_dims") &&
         std::ranges::none_of(call->args, has_call);
}

std::string op_name(const OpFact &op) {
  std::string name(op.api.text());
  if (name == "operator") {
    return "this operator on a tensor";
  }
  if (name == "call") {
    return "calling a layer or model";
  }
  if (name.starts_with("tensorflow.")) {
    name = "tf." + name.substr(std::string_view("tensorflow.").size());
  }
  return "`" + name + "`";
}

} // namespace deepperf::rules
