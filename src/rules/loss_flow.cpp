#include "rules/loss_flow.h"

#include "base/steps.h"
#include "python/children.h"
#include "rules/tree.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace deepperf::rules {

using namespace python;

namespace {

// The simple statements of a function, in the order of its code, and which of them have a name in them.
struct SimpleStatements {
  std::vector<const Stmt *> all;
  std::unordered_map<u32, std::vector<const Stmt *>> with; // by name
};

void collect(const Node *node, std::vector<const Stmt *> &all) {
  switch (node->kind) {
  case NodeKind::FunctionDef:
  case NodeKind::ClassDef:
    return;
  case NodeKind::Assign:
  case NodeKind::AugAssign:
  case NodeKind::AnnAssign:
  case NodeKind::Return:
  case NodeKind::ExprStmt:
    all.push_back(static_cast<const Stmt *>(node));
    return;
  default:
    for_each_child(node, [&](const Node *child) {
      if (child->kind >= NodeKind::FunctionDef) {
        collect(child, all);
      }
    });
  }
}

SimpleStatements find_statements(const model::FunctionInfo &function) {
  SimpleStatements found;
  const FunctionDef *definition = function.definition();
  const bool is_body = function.node == nullptr && function.module != nullptr;
  const Block body = definition != nullptr ? definition->body : is_body ? function.module->parsed->tree.body : Block{};
  for (const Stmt *statement : body) {
    collect(statement, found.all);
  }
  for (const Stmt *statement : found.all) {
    any_node_inside(statement, [&](const Node *node) {
      if (const auto *name = as<Name>(node)) {
        std::vector<const Stmt *> &with = found.with[name->id.id];
        if (with.empty() || with.back() != statement) {
          with.push_back(statement);
        }
      }
      return false;
    });
  }
  return found;
}

const SimpleStatements &statements_of(Memory &memory, const model::FunctionInfo &function) {
  return memory.recall<SimpleStatements>(&function, [&] { return find_statements(function); });
}

// What is followed: an expression, or the value of a name. Of a call that returns a tuple, one element.
struct Followed {
  const Expr *expr = nullptr;
  Symbol name = {};
  std::optional<u32> element = {};
  // The call through which the function was entered, where its value is a parameter: it returns to that call alone.
  const model::CallSite *entered = nullptr;
};

bool is_followed(const Expr *expr, const Followed &followed) {
  if (expr == followed.expr) {
    return !followed.element.has_value();
  }
  const auto *name = as<Name>(expr);
  return name != nullptr && followed.name && name->id == followed.name;
}

// Methods whose result has no graph, or another meaning.
bool cuts(std::string_view method) {
  return method == "item" || method == "detach" || method == "numpy" || method == "tolist" || method == "size" ||
         method == "dim" || method == "append" || method == "extend";
}

class Search {
public:
  Search(Memory &memory, const model::Project &project, Way way) : memory_(memory), project_(project), way_(way) {}

  const Call *follow(const model::FunctionInfo &function, const Followed &followed, u32 from, u32 depth) {
    constexpr u32 kMostDepth = 10;    // names and returns on the way
    constexpr u32 kMostFollowed = 64; // functions that call each other lead to very many ways
    if (depth > kMostDepth || ++followed_ > kMostFollowed) {
      return nullptr;
    }
    for (const Stmt *statement : statements_with(function, followed, from)) {
      take_steps();
      if (const Call *found = through_calls(function, *statement, followed, depth)) {
        return found;
      }
      if (const auto *declared = as<AnnAssign>(statement)) {
        const auto *target = as<Name>(declared->target);
        if (target != nullptr && declared->value != nullptr && is_carried(declared->value, followed)) {
          if (const Call *found = follow(function, from_here(followed, target->id), statement->end, depth + 1)) {
            return found;
          }
        }
        continue;
      }
      if (const auto *assignment = as<Assign>(statement)) {
        if (const Call *found = through_assignment(function, *assignment, followed, depth)) {
          return found;
        }
        if (followed.name && binds(*assignment, followed.name) && !is_carried(assignment->value, followed)) {
          return nullptr; // from here on it is something else
        }
        continue;
      }
      if (const auto *sum = as<AugAssign>(statement)) {
        const auto *target = as<Name>(sum->target);
        if (target != nullptr && way_ == Way::Alone && followed.name && target->id == followed.name &&
            sum->op() == Operator::Add) {
          return nullptr; // something with a graph may be added
        }
        if (target != nullptr && adds_terms() && is_carried(sum->value, followed)) {
          if (const Call *found = follow(function, from_here(followed, target->id), statement->end, depth + 1)) {
            return found;
          }
        }
        continue;
      }
      if (const auto *result = as<Return>(statement); result != nullptr && result->value != nullptr) {
        if (const Call *found = through_return(function, *result, followed, depth)) {
          return found;
        }
        continue;
      }
      if (const auto *expression = as<ExprStmt>(statement)) {
        if (const Call *call = as<Call>(expression->value); call != nullptr && walks(*call, followed)) {
          return call;
        }
      }
    }
    return nullptr;
  }

private:
  // Those after the offset that have what is followed in them.
  std::span<const Stmt *const> statements_with(const model::FunctionInfo &function, const Followed &followed,
                                               u32 from) const {
    const auto end_of = [](const Stmt *statement) { return statement->end; };
    const SimpleStatements &statements = statements_of(memory_, function);
    if (!followed.name) {
      const auto around = std::ranges::upper_bound(statements.all, followed.expr->start, {}, end_of);
      return around != statements.all.end() ? std::span<const Stmt *const>{around, 1} : std::span<const Stmt *const>{};
    }
    const auto known = statements.with.find(followed.name.id);
    if (known == statements.with.end()) {
      return {};
    }
    return {std::ranges::upper_bound(known->second, from, {}, end_of), known->second.end()};
  }

  // Is the value of the expression that of what is followed, as it goes its way?
  bool is_carried(const Expr *expr, const Followed &followed) const {
    if (is_followed(expr, followed)) {
      return true;
    }
    if (const auto *call = as<Call>(expr)) {
      const Expr *receiver = receiver_of(*call);
      if (receiver != nullptr && !cuts(called_method(*call)) && is_carried(receiver, followed)) {
        return true;
      }
      if (way_ == Way::Alone && (call->args.size() != 1 || !call->keywords.empty())) {
        return false; // a loss has a meaning of its own
      }
      const model::Value callee = project_.callee_of(call);
      if (adds_terms() && call->args.size() == 1 && adds_up(*call, callee)) {
        return holds(call->args[0], followed);
      }
      return callee.is(model::Value::Tag::Api) && callee.name().text().starts_with("torch.") && !call->args.empty() &&
             !is_layer(callee.name().text()) && model::kind_of(call) == Kind::TorchTensor &&
             is_carried(call->args[0], followed);
    }
    if (const auto *element = as<Subscript>(expr)) {
      return is_carried(element->value, followed);
    }
    if (const auto *unary = as<UnaryOp>(expr)) {
      return is_carried(unary->operand, followed);
    }
    const auto *operation = as<BinOp>(expr);
    if (operation == nullptr) {
      return false;
    }
    const bool is_left = is_carried(operation->left, followed);
    const bool is_right = !is_left && operation->op() != Operator::Div && operation->op() != Operator::Pow &&
                          is_carried(operation->right, followed);
    const Expr *other = is_left ? operation->right : operation->left;
    if (!is_left && !is_right) {
      return false;
    }
    switch (way_) {
    case Way::Alone:
      return !may_have_graph(other);
    case Way::Term:
      return true;
    case Way::Addend:
      break;
    }
    return operation->op() == Operator::Add || operation->op() == Operator::Sub || !model::has_grad(other);
  }

  [[nodiscard]] bool adds_terms() const { return way_ != Way::Alone; }

  // The same as calling a network: F.linear(x, w).
  static bool is_layer(std::string_view api) {
    return api == "torch.nn.functional.linear" || api.starts_with("torch.nn.functional.conv");
  }

  // sum([a, b]), torch.stack([a, b])
  static bool adds_up(const Call &call, const model::Value &callee) {
    const auto *name = as<Name>(call.func);
    return (name != nullptr && name->id.text() == "sum") ||
           (callee.is(model::Value::Tag::Api) &&
            (callee.name().text() == "torch.stack" || callee.name().text() == "torch.cat"));
  }

  bool holds(const Expr *list, const Followed &followed) const {
    const auto *items = as<List>(list);
    const auto *tuple = as<Tuple>(list);
    const auto is_it = [&](const Expr *part) { return is_carried(part, followed); };
    return (items != nullptr && std::ranges::any_of(items->elts, is_it)) ||
           (tuple != nullptr && std::ranges::any_of(tuple->elts, is_it));
  }

  static bool may_have_graph(const Expr *expr) {
    const Kind kind = model::kind_of(expr);
    return model::has_grad(expr) ||
           (expr->kind != NodeKind::Constant && kind != Kind::Number && kind != Kind::TorchTensor);
  }

  // `x.backward()`, `scaler.scale(x).backward()`, `accelerator.backward(x)`
  bool walks(const Call &call, const Followed &followed) const {
    if (called_method(call) != "backward") {
      return false;
    }
    const Expr *receiver = receiver_of(call);
    const auto *scaled = as<Call>(receiver);
    if (scaled != nullptr && called_method(*scaled) == "scale" && scaled->args.size() == 1) {
      receiver = scaled->args[0];
    }
    if (model::kind_of(receiver) == Kind::Accelerator && call.args.size() == 1) {
      receiver = call.args[0];
    }
    return is_carried(receiver, followed);
  }

  static bool binds(const Assign &assignment, Symbol name) {
    for (const Expr *target : assignment.targets) {
      if (mentions(target, name) && (target->kind == NodeKind::Name || target->kind == NodeKind::Tuple)) {
        return true;
      }
    }
    return false;
  }

  const Call *through_assignment(const model::FunctionInfo &function, const Assign &assignment,
                                 const Followed &followed, u32 depth) {
    if (assignment.targets.size() != 1) {
      return nullptr;
    }
    const Expr *target = assignment.targets[0];
    if (followed.element.has_value() && assignment.value == followed.expr) {
      const auto *pattern = as<Tuple>(target);
      if (pattern == nullptr || *followed.element >= pattern->elts.size()) {
        return nullptr;
      }
      target = pattern->elts[*followed.element];
    } else if (!is_carried(assignment.value, followed)) {
      return nullptr;
    }
    if (const auto *pattern = as<Tuple>(target)) { // (gradient,) = torch.autograd.grad(…)
      for (const Expr *part : pattern->elts) {
        if (const Call *found = through_name(function, part, followed, assignment.end, depth)) {
          return found;
        }
      }
      return nullptr;
    }
    return through_name(function, target, followed, assignment.end, depth);
  }

  const Call *through_name(const model::FunctionInfo &function, const Expr *target, const Followed &followed, u32 from,
                           u32 depth) {
    const auto *name = as<Name>(target);
    if (name == nullptr || (followed.name && name->id == followed.name)) {
      return nullptr;
    }
    return follow(function, from_here(followed, name->id), from, depth + 1);
  }

  static Followed from_here(const Followed &followed, Symbol name) {
    return {.name = name, .entered = followed.entered};
  }

  // `update(loss, optimizer)`: into functions of the project that get the value.
  const Call *through_calls(const model::FunctionInfo &function, const Stmt &statement, const Followed &followed,
                            u32 depth) {
    for (const model::CallSite *site : model::calls_inside(function, statement)) {
      const model::FunctionInfo &callee = *site->callee;
      const bool is_network = callee.type != nullptr && callee.type->kind == Kind::TorchModule;
      if (callee.definition() == nullptr || &callee == &function || is_network || has_hidden_arguments(*site->call)) {
        continue; // what a network computes of it is another value
      }
      const u32 first = site->bound ? 1 : 0;
      for (u32 i = first; i < callee.params.size(); ++i) {
        const Expr *given = argument(*site->call, i - first, callee.params[i]->name.text());
        if (given == nullptr || !is_carried(given, followed)) {
          continue;
        }
        if (const Call *found = follow(callee, {.name = callee.params[i]->name, .entered = site}, 0, depth + 1)) {
          return found;
        }
      }
    }
    return nullptr;
  }

  // `return loss` in training, and predictions otherwise: which of them a caller gets is not known.
  [[nodiscard]] bool returns_something_else(const model::FunctionInfo &function, const Followed &followed) const {
    return std::ranges::any_of(statements_of(memory_, function).all, [&](const Stmt *statement) {
      const auto *other = as<Return>(statement);
      if (other == nullptr || other->value == nullptr || other->value->kind == NodeKind::Constant) {
        return false;
      }
      return !any_node(other->value, [&](const Node *node) {
        return node->kind < NodeKind::FunctionDef && is_carried(static_cast<const Expr *>(node), followed);
      });
    });
  }

  const Call *through_return(const model::FunctionInfo &function, const Return &result, const Followed &followed,
                             u32 depth) {
    std::optional<u32> element;
    bool is_returned = is_carried(result.value, followed);
    if (const auto *tuple = as<Tuple>(result.value)) {
      for (u32 i = 0; i < tuple->elts.size() && !is_returned; ++i) {
        if (is_carried(tuple->elts[i], followed)) {
          is_returned = true;
          element = i;
        }
      }
    }
    if (!is_returned || (way_ == Way::Addend && returns_something_else(function, followed))) {
      return nullptr;
    }
    if (followed.entered != nullptr) {
      const model::CallSite &site = *followed.entered;
      return follow(*site.caller, {.expr = site.call, .element = element}, 0, depth + 1);
    }
    constexpr std::size_t kMostCallers = 8;
    for (std::size_t i = 0; i < function.called_by.size() && i < kMostCallers; ++i) {
      const model::CallSite &site = *function.called_by[i];
      if (site.caller == &function) {
        continue;
      }
      if (const Call *found = follow(*site.caller, {.expr = site.call, .element = element}, 0, depth + 1)) {
        return found;
      }
    }
    return nullptr;
  }

  Memory &memory_;
  const model::Project &project_;
  Way way_;
  u32 followed_ = 0;
};

} // namespace

const Call *backward_of(Memory &memory, const model::Project &project, const model::FunctionInfo &function,
                        const Expr *value, Way way, std::optional<u32> element) {
  return Search(memory, project, way).follow(function, {.expr = value, .element = element}, value->start, 0);
}

} // namespace deepperf::rules
