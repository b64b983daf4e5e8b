// What does a call do with the graphs of its arguments, and does it record one itself?
#include "base/known_names.h"
#include "base/name_table.h"
#include "model/bind.h"
#include "model/facts.h"
#include "model/graph_flow_walker.h"
#include "python/call.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

bool is_tensor(const Expr *expr) { return kind_of(expr) == Kind::TorchTensor; }

bool is_adding(Symbol name) {
  static const NameTable kAdding({"append", "extend", "insert", "add", "appendleft", "update", "setdefault"});
  return kAdding.has(name);
}

bool is_part_of_forward(Symbol name) {
  static const NameTable kParts(
      {"forward_features", "forward_head", "encode_image", "encode_text", "get_image_features", "get_text_features"});
  return kParts.has(name);
}

bool is_module(const Value &callee) {
  const Kind kind = callee.is(Value::Tag::Object) ? callee.type->kind : callee.kind;
  return (callee.is(Value::Tag::Object) || callee.is(Value::Tag::Instance)) &&
         (kind == Kind::TorchModule || kind == Kind::TorchLoss || kind == Kind::HfModel);
}

} // namespace

u64 GraphFlowWalker::call(const Call *expr, bool is_discarded) {
  const Value callee = project_.callee_of(expr);
  const auto *method = as<Attribute>(expr->func);
  const std::string_view name = called_name(*expr);
  const u64 receiver = method != nullptr                    ? eval(method->value)
                       : expr->func->kind == NodeKind::Name ? u64{0}
                                                            : eval(expr->func);
  u64 all = 0;
  std::vector<u64> given;
  given.reserve(expr->args.size() + expr->keywords.size());
  for (const Expr *arg : expr->args) {
    given.push_back(eval(arg));
    all |= given.back();
  }
  for (const Keyword *keyword : expr->keywords) {
    given.push_back(eval(keyword->value));
    all |= given.back();
  }
  if (name == "backward" || name == "manual_backward" || name == "scale_loss" || name == "scale") {
    use(receiver | all, Flow::kWalked);
    return receiver | all;
  }
  // `unwrapped(model, "parameters")()`: what such a function finds may as well be a method of the model.
  const bool is_found = expr->func->kind == NodeKind::Call && callee.open;
  if ((records_graph(project_, callee) && !is_found) || is_forward_of_model(callee, method)) {
    return computed(all | (grad_ == Grad::On ? origin(expr, Flow::What::Forward, is_discarded) : 0));
  }
  if (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method)) {
    return function(expr, *callee.function, callee.is(Value::Tag::Method) && !callee.function->is_static, given,
                    is_discarded);
  }
  if (is_module(callee)) { // a loss, an activation
    return computed(all);
  }
  if (receiver != 0 && method != nullptr) {
    static const NameTable kOfLists({"append", "extend", "insert", "appendleft"});
    if (receiver >> first_ == 0 && !is_tensor(method->value) && !kOfLists.has(method->attr)) { // it may be anything
      use(all, Flow::kEscapes);
      all = 0;
    }
    return method_of_tensor(expr, *method, receiver, all);
  }
  if (all != 0 && method != nullptr && expr->args.size() <= 2 && is_adding(method->attr) &&
      !callee.is(Value::Tag::Api)) {
    const Expr *const value = expr->args.empty() ? nullptr : expr->args[expr->args.size() - 1];
    if (value != nullptr && name != "update" && name != "setdefault") {
      all |= keep(expr, method->value, value, all);
    }
    add_to(method->value, all, Flow::kSummed);
    return 0;
  }
  if (callee.is(Value::Tag::Api)) {
    return api(callee.name(), all);
  }
  if (callee.is(Value::Tag::ApiMethod)) {
    const ApiInfo *info = find_method(callee.receiver().kind, callee.name());
    if (info != nullptr && info->returns == Kind::TorchTensor && !info->has(kNoGrads)) {
      return computed(all);
    }
    use(all, info != nullptr ? Flow::kNumbers : Flow::kEscapes);
    return 0;
  }
  return unknown(expr, callee, method, all, is_discarded);
}

// model.forward(x), and the other ways into the models of libraries: forward_features() of timm, encode_image() of
// CLIP.
bool GraphFlowWalker::is_forward_of_model(const Value &callee, const Attribute *method) {
  return method != nullptr && (method->attr == known::sym_forward || is_part_of_forward(method->attr)) &&
         callee.is(Value::Tag::ApiMethod) && records_graph(project_, callee.receiver());
}

u64 GraphFlowWalker::method_of_tensor(const Call *expr, const Attribute &method, u64 receiver, u64 all) {
  static const NameTable kHooks({"register_hook", "retain_grad", "requires_grad_"});
  static const NameTable kAbout({"size", "dim", "numel", "nelement", "stride", "ndimension", "is_contiguous",
                                 "element_size", "get_device", "keys", "__len__", "is_floating_point"});
  const std::string_view name = method.attr.text();
  if (kAbout.has(method.attr)) {
    return 0;
  }
  if (kHooks.has(method.attr)) {
    use(receiver, Flow::kWalked);
    return receiver;
  }
  if (name == "numpy" || name == "__array__") {
    use(receiver, Flow::kNeedsNoGraph);
    return 0;
  }
  if (is_adding(method.attr) && all != 0 && expr->args.size() <= 2 && name != "add") {
    const Expr *const value = expr->args.empty() ? nullptr : expr->args[expr->args.size() - 1];
    if (value != nullptr && name != "update" && name != "setdefault") {
      all |= keep(expr, method.value, value, all);
    }
    add_to(method.value, all, Flow::kSummed);
    return receiver | all;
  }
  const bool is_distribution = kind_of(method.value) == Kind::TorchDistribution;
  const ApiInfo *info = find_method(is_distribution ? Kind::TorchDistribution : Kind::TorchTensor, method.attr);
  if (info != nullptr && (info->has(kNoGrads) || info->returns != Kind::TorchTensor)) {
    const bool is_detached = name == "detach" || name == "detach_";
    use(receiver | all, Flow::kNumbers | (is_detached ? Flow::kDetached : 0));
    return 0;
  }
  return computed(receiver | all);
}

u64 GraphFlowWalker::api(Symbol api, u64 all) {
  static const NameTable kNumbersOnly({"float", "int", "bool", "str", "repr", "print", "format"});
  static const NameTable kAbout(
      {"len", "isinstance", "type", "id", "hasattr", "range", "callable", "torch.is_tensor", "torch.numel"});
  static const NameTable kPassing({"sum", "max", "min", "abs", "round", "list", "tuple", "dict", "set", "zip",
                                   "enumerate", "sorted", "reversed", "map", "filter", "iter", "next", "getattr"});
  if (all == 0 || kAbout.has(api)) {
    return 0;
  }
  const std::string_view name = api.text();
  if (kNumbersOnly.has(api) || name.starts_with("math.") || name.starts_with("logging.") || name == "torch.save" ||
      name == "pickle.dump" || name.starts_with("torch.distributed.") || name == "torchvision.utils.save_image" ||
      name == "wandb.log" || name.starts_with("mlflow.")) {
    use(all, Flow::kNumbers);
    return 0;
  }
  if (name.starts_with("torch.autograd.") && name != "torch.autograd.Variable") {
    use(all, Flow::kWalked);
    return all;
  }
  if (name.starts_with("numpy.") || name.starts_with("sklearn.") || name.starts_with("matplotlib.") ||
      name.starts_with("scipy.") || name.starts_with("cv2.") || name.starts_with("PIL.")) {
    use(all, Flow::kNeedsNoGraph);
    return 0;
  }
  const ApiInfo *info = find_api(api);
  if (info != nullptr && info->returns == Kind::TorchTensor && info->has(kNoGrads)) {
    use(all, Flow::kNumbers);
    return 0;
  }
  if (kPassing.has(api)) {
    return all;
  }
  if (name.starts_with("torch") || (info != nullptr && info->has(kPassesOn))) {
    return computed(all);
  }
  use(all, Flow::kEscapes);
  return 0;
}

// What the callee puts into a container that was passed to it stays there: `record(history, losses)`.
void GraphFlowWalker::add_to_holders(const Call *expr, const FunctionInfo &callee, bool is_bound, const GraphFlow &flow,
                                     const std::vector<u64> &given) {
  const auto argument_at = [&](u32 param) -> u32 {
    const u32 position = param - (is_bound ? 1 : 0);
    const bool is_listed =
        std::ranges::none_of(expr->args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
    if (is_listed && position < expr->args.size()) {
      return position;
    }
    for (u32 i = 0; i < expr->keywords.size(); ++i) {
      if (expr->keywords[i]->name && expr->keywords[i]->name == callee.params[param]->name) {
        return expr->args.size() + i;
      }
    }
    return ~0U;
  };
  const auto expr_at = [&](u32 at) {
    return at < expr->args.size() ? expr->args[at] : expr->keywords[at - expr->args.size()]->value;
  };
  for (const GraphFlow::Addition &addition : flow.additions) {
    const u32 value = argument_at(addition.value);
    const u32 holder = argument_at(addition.holder);
    if (value == ~0U || given[value] == 0) {
      continue;
    }
    if (holder == ~0U) {
      use(given[value], Flow::kEscapes);
    } else {
      const u64 bits = given[value] | keep(expr, expr_at(holder), expr_at(value), given[value]);
      add_to(expr_at(holder), bits, Flow::kSummed);
    }
  }
}

// A function of the project: what it does with its parameters it does with what it is given here.
u64 GraphFlowWalker::function(const Call *expr, const FunctionInfo &callee, bool is_bound,
                              const std::vector<u64> &given, bool is_discarded) {
  const GraphFlow &flow = graph_flow_of(project_, callee);
  u64 result = 0;
  const auto pass = [&](u32 place, u64 bits) {
    const u16 uses = place < flow.params.size() ? flow.params[place] : u16{Flow::kEscapes};
    use(bits, static_cast<u16>(uses & ~Flow::kReturned));
    result |= (uses & Flow::kReturned) != 0 ? bits : 0;
  };
  u32 position = is_bound ? 1 : 0;
  for (u32 i = 0; i < expr->args.size(); ++i) {
    const ParamKind kind = position < callee.params.size() ? callee.params[position]->param_kind() : ParamKind::KwArgs;
    const bool is_one = expr->args[i]->kind != NodeKind::Starred;
    const bool is_rest = is_one && kind == ParamKind::VarArgs; // `*values` takes this argument and all that follow
    pass(is_one && kind <= ParamKind::Regular ? position++ : is_rest ? position : ~0U, given[i]);
  }
  for (u32 i = 0; i < expr->keywords.size(); ++i) {
    pass(place_of_keyword(callee, expr->keywords[i]->name), given[expr->args.size() + i]);
  }
  add_to_holders(expr, callee, is_bound, flow, given);
  if (flow.returns_graph && grad_ == Grad::On && !callee.no_grad) {
    result |= origin(expr, Flow::What::Helper, is_discarded);
  } else if (flow.returns_assumed && grad_ == Grad::On && !callee.no_grad) {
    result |= origin(expr, Flow::What::Assumed, is_discarded);
  }
  return computed(result);
}

// Something that nobody tells us. A loss that was passed in computes; so does most of what is called for its result.
u64 GraphFlowWalker::unknown(const Call *expr, const Value &callee, const Attribute *method, u64 all,
                             bool is_discarded) {
  static const NameTable kReporting({"log", "log_dict", "log_metric", "log_metrics", "add_scalar", "add_scalars",
                                     "set_postfix", "set_postfix_str", "set_description", "write", "info", "debug",
                                     "warning", "add_image", "add_images", "add_histogram", "add_text", "format"});
  const auto *name = as<Name>(expr->func);
  if (method != nullptr && kReporting.has(method->attr)) {
    use(all, Flow::kNumbers);
    return 0;
  }
  const bool is_own = method != nullptr && is_own_object(function_, method->value);
  const bool is_local = name != nullptr && function_.slot_of(name->id) != FunctionInfo::kNoSlot;
  if (callee.is(Value::Tag::Class) || is_discarded || (name == nullptr && !is_own)) {
    use(all, Flow::kEscapes);
    return callee.is(Value::Tag::Class) ? all : 0;
  }
  if (!is_local && !is_own) {
    use(all, Flow::kUnsure);
  }
  // A parameter or attribute that is called may be a model; what its result is used for will tell.
  const bool may_be_model = all >> first_ == 0 && !expr->args.empty() && grad_ == Grad::On && callee.is_unknown() &&
                            function_.module->torch && (is_own || (is_local && function_.has_param(name->id)));
  return computed(all | (may_be_model ? origin(expr, Flow::What::Assumed, is_discarded) : 0));
}

} // namespace deepperf::model
