#include "rules/host_use.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/classes.h"
#include "model/lookup.h"
#include "rules/tree.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kMostHandedOn = 4; // times that it is passed on

// Where a value goes in one function: under which names, and what they are used for.
class HostUse {
public:
  HostUse(const model::Project &project, const model::FunctionInfo &function, u32 depth = 0)
      : project_(project), function_(function), depth_(depth) {}

  void follow(const Node &read) {
    read_ = &read;
    walk();
  }

  void follow(Symbol name) {
    names_.insert(name.id);
    walk();
  }

  [[nodiscard]] const HostUses &uses() const { return uses_; }

private:
  void walk() {
    const FunctionDef *const definition = function_.definition();
    if (definition != nullptr) {
      any_node(definition->body, [this](const Node *node) { return look(node); });
    } else if (function_.node == nullptr && function_.module->parsed != nullptr) {
      any_node(function_.module->parsed->tree.body, [this](const Node *node) { return look(node); });
    }
  }

  // Is the expression the value itself, or computed from it with nothing but Python's operators and conversions?
  [[nodiscard]] bool carries(const Expr *expr) const {
    if (expr == nullptr) {
      return false;
    }
    if (expr == read_) {
      return true;
    }
    const auto is_carrier = [this](const Expr *part) { return carries(part); };
    switch (expr->kind) {
    case NodeKind::Name:
      return names_.contains(static_cast<const Name *>(expr)->id.id);
    case NodeKind::BinOp:
      return carries(static_cast<const BinOp *>(expr)->left) || carries(static_cast<const BinOp *>(expr)->right);
    case NodeKind::UnaryOp:
      return carries(static_cast<const UnaryOp *>(expr)->operand);
    case NodeKind::BoolOp:
      return std::ranges::any_of(static_cast<const BoolOp *>(expr)->values, is_carrier);
    case NodeKind::Compare: {
      const auto *compare = static_cast<const Compare *>(expr);
      return carries(compare->left) ||
             std::ranges::any_of(compare->rest, [this](const auto &part) { return carries(part.right); });
    }
    case NodeKind::Subscript:
      return carries(static_cast<const Subscript *>(expr)->value);
    case NodeKind::Starred:
      return carries(static_cast<const Starred *>(expr)->value);
    case NodeKind::Tuple:
      return std::ranges::any_of(static_cast<const Tuple *>(expr)->elts, is_carrier);
    case NodeKind::List:
      return std::ranges::any_of(static_cast<const List *>(expr)->elts, is_carrier);
    case NodeKind::Call: {
      const auto *call = static_cast<const Call *>(expr);
      static const NameTable kConversions({"int", "list", "tuple", "enumerate", "zip", "reversed", "sorted", "sum",
                                           "numpy.array", "numpy.asarray", "numpy.cumsum"});
      static const NameTable kMethods({"cpu", "numpy", "tolist", "item", "detach", "long", "int", "astype", "cumsum",
                                       "argsort", "flatten", "reshape"});
      const model::Value callee = project_.callee_of(call);
      const std::string_view method = called_method(*call);
      return (callee.is(model::Value::Tag::Api) && kConversions.has(callee.name()) &&
              std::ranges::any_of(call->args, is_carrier)) ||
             (!method.empty() && kMethods.has(intern(method)) && carries(receiver_of(*call)));
    }
    default:
      return false;
    }
  }

  void take_names(const Expr *target) {
    if (const auto *name = as<Name>(target)) {
      names_.insert(name->id.id);
    } else if (const auto *parts = as<Tuple>(target)) {
      std::ranges::for_each(parts->elts, [this](const Expr *part) { take_names(part); });
    }
  }

  void take_elements(const Expr *target, const Expr *iterated) {
    if (!carries(iterated)) {
      return;
    }
    const auto *counted = as<Call>(iterated);
    const auto *pair = as<Tuple>(target);
    if (counted != nullptr && pair != nullptr && pair->elts.size() == 2 &&
        project_.callee_of(counted).is(model::Value::Tag::Api) &&
        project_.callee_of(counted).name().text() == "enumerate") {
      target = pair->elts[1];
    }
    take_names(target);
  }

  // Returns whether there is nothing more to find out.
  bool look(const Node *node) {
    switch (node->kind) {
    case NodeKind::Assign: {
      const auto &assignment = static_cast<const Assign &>(*node);
      if (carries(assignment.value)) {
        std::ranges::for_each(assignment.targets, [this](const Expr *target) { take_names(target); });
      }
      break;
    }
    case NodeKind::AugAssign: {
      const auto &assignment = static_cast<const AugAssign &>(*node);
      if (carries(assignment.value)) {
        take_names(assignment.target);
      }
      break;
    }
    case NodeKind::For:
      take_elements(static_cast<const For &>(*node).target, static_cast<const For &>(*node).iter);
      break;
    case NodeKind::ListComp:
    case NodeKind::GeneratorExp:
      for (const Comprehension *generator : static_cast<const ComprehensionExpr &>(*node).generators) {
        take_elements(generator->target, generator->iter);
      }
      break;
    case NodeKind::Return:
      uses_.is_returned |= carries(static_cast<const Return &>(*node).value);
      break;
    case NodeKind::If: {
      const auto &branch = static_cast<const If &>(*node);
      uses_.for_step |= carries(branch.test) && (takes_step(branch.body) || takes_step(branch.orelse));
      break;
    }
    case NodeKind::Subscript:
      uses_.as_place |= is_place(static_cast<const Subscript &>(*node));
      break;
    case NodeKind::Call:
      look_at_call(static_cast<const Call &>(*node));
      break;
    default:
      break;
    }
    return uses_.as_place && uses_.for_step && uses_.is_returned;
  }

  static bool takes_step(const Block &block) {
    return any_node(block, [](const Node *node) {
      const auto *call = as<Call>(node);
      return call != nullptr && called_method(*call) == "step" && call->args.empty();
    });
  }

  // `x[start:start + n]`, and `self.priorities[index] = …` of something that is no tensor.
  [[nodiscard]] bool is_place(const Subscript &subscript) const {
    const auto is_bound = [this](const Expr *part) {
      const auto *slice = as<Slice>(part);
      return slice != nullptr && (carries(slice->lower) || carries(slice->upper));
    };
    const auto *parts = as<Tuple>(subscript.slice);
    if (is_bound(subscript.slice) || (parts != nullptr && std::ranges::any_of(parts->elts, is_bound))) {
      return true;
    }
    return subscript.context == Context::Store && subscript.value->kind == NodeKind::Attribute &&
           model::kind_of(subscript.value) != Kind::TorchTensor && carries(subscript.slice);
  }

  void look_at_call(const Call &call) {
    const auto is_carrier = [this](const Expr *part) { return carries(part); };
    const auto is_given = [this](const Keyword *keyword) { return carries(keyword->value); };
    if (std::ranges::none_of(call.args, is_carrier) && std::ranges::none_of(call.keywords, is_given)) {
      return;
    }
    const model::Value callee = project_.callee_of(&call);
    const std::string_view method = called_method(call);
    static const NameTable kSized({"torch.split", "torch.split_with_sizes", "torch.distributed.all_to_all_single",
                                   "torch.distributed.nn.functional.all_to_all_single"});
    if ((callee.is(model::Value::Tag::Api) && kSized.has(callee.name())) || method == "split" ||
        method == "split_with_sizes") {
      uses_.as_place = true;
      return;
    }
    if (depth_ >= kMostHandedOn) {
      return;
    }
    for (const model::CallSite *site : model::calls_inside(function_, call)) {
      if (site->call == &call) {
        pass(call, *site->callee, site->bound ? 1 : 0);
      }
    }
    // `Exchange.apply(x, sizes)` of an autograd.Function calls its forward(ctx, …).
    const Expr *const owner = method == "apply" ? receiver_of(call) : nullptr;
    const model::Value type =
        owner != nullptr ? model::value_of(model::scope_of(project_, function_), owner) : model::Value{};
    const model::FunctionInfo *const forward =
        type.is(model::Value::Tag::Class) ? model::find_method_of(*type.type, known::sym_forward) : nullptr;
    if (forward != nullptr) {
      pass(call, *forward, 1);
    }
  }

  // What becomes of it in a function that gets it.
  void pass(const Call &call, const model::FunctionInfo &callee, u32 first) {
    const auto enter = [&](const Param &param) {
      HostUse inside(project_, callee, depth_ + 1);
      inside.follow(param.name);
      uses_.as_place |= inside.uses().as_place;
      uses_.for_step |= inside.uses().for_step;
    };
    for (u32 i = 0; i < call.args.size() && i + first < callee.params.size(); ++i) {
      if (carries(call.args[i])) {
        enter(*callee.params[i + first]);
      }
    }
    for (const Keyword *keyword : call.keywords) {
      const u32 place = keyword->name && carries(keyword->value) ? callee.place_of_param(keyword->name)
                                                                 : model::FunctionInfo::kNoParam;
      if (place != model::FunctionInfo::kNoParam) {
        enter(*callee.params[place]);
      }
    }
  }

  const model::Project &project_;
  const model::FunctionInfo &function_;
  const u32 depth_;
  const Node *read_ = nullptr;
  std::unordered_set<u32> names_; // that hold it
  HostUses uses_;
};

} // namespace

HostUses uses_on_host(const model::Project &project, const model::FunctionInfo &function, const Node &read) {
  HostUse use(project, function);
  use.follow(read);
  return use.uses();
}

} // namespace deepperf::rules
