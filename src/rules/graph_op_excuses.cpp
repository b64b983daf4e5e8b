#include "rules/graph_op_excuses.h"

#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"
#include "rules/graph_op.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::Loop;
using model::OpFact;

namespace {

bool draws_in(const Node *node) {
  const auto *call = as<Call>(node);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const auto *object = method != nullptr ? as<Name>(method->value) : nullptr;
  bool found = object != nullptr && object->id.text() == "plt";
  for_each_child(node, [&found](const Node *child) { found = found || draws_in(child); });
  return found;
}

// An iteration is a whole pass through the data, next to which a cast is nothing.
bool goes_by_epochs(const Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *name = statement != nullptr ? as<Name>(statement->target) : nullptr;
  return name != nullptr && name->id.text().find("epoch") != std::string_view::npos;
}

// container[key] = name
bool is_kept(const Block &body, Symbol name) {
  const auto keeps = [name](const auto &self, const Node *node) -> bool {
    if (const auto *assignment = as<Assign>(node)) {
      const auto *value = as<Name>(assignment->value);
      return value != nullptr && value->id == name && assignment->targets[0]->kind == NodeKind::Subscript;
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
    return found;
  };
  return std::ranges::any_of(body, [&](const Stmt *statement) { return keeps(keeps, statement); });
}

bool mentions_any(const Node *node, const std::vector<Symbol> &names) {
  const auto *name = as<Name>(node);
  bool found = name != nullptr && std::ranges::binary_search(names, name->id.id, {}, &Symbol::id);
  for_each_child(node, [&](const Node *child) { found = found || mentions_any(child, names); });
  return found;
}

// for i in range(100000)
bool counts_to_many(const Loop &loop, const For &statement) {
  constexpr i64 kMany = 64;
  const auto *range = as<Call>(statement.iter);
  const Expr *const last = range != nullptr && called_name(*range) == "range" && !range->args.empty()
                               ? range->args[range->args.size() == 1 ? 0 : 1]
                               : nullptr;
  return is_constant(last, ConstantKind::Int) &&
         int_value(loop.function->module->parsed->source.part(last->start, last->end)).value_or(0) > kMany;
}

// What a loop does with an object that it makes.
class ObjectUse {
public:
  explicit ObjectUse(const Call *made) : made_(made) {}

  bool is_kept(const Node *loop) {
    look(loop);
    return kept_ && bindings_ <= 1 && looked_ <= kMostNodes;
  }

private:
  static constexpr u32 kMostNodes = 2000; // what is longer builds more than a few objects

  [[nodiscard]] bool is_object(const Expr *expr) const {
    const auto *plain = as<Name>(expr);
    return expr == made_ || (plain != nullptr && name_ && plain->id == name_);
  }

  void look(const Node *node) {
    if (++looked_ > kMostNodes) {
      return;
    }
    if (const auto *assignment = as<Assign>(node)) {
      const auto *target = as<Name>(assignment->targets[0]);
      name_ = assignment->value == made_ && target != nullptr ? target->id : name_;
      kept_ |= assignment->targets[0]->kind == NodeKind::Subscript && is_object(assignment->value);
      bindings_ += target != nullptr && name_ && target->id == name_ ? 1 : 0;
    } else if (const auto *call = as<Call>(node)) {
      const Keyword *const target = keyword_argument(*call, "target"); // Thread(target=worker.work)
      const auto *run = target != nullptr ? as<Attribute>(target->value) : nullptr;
      kept_ |= (called_method(*call) == "append" &&
                std::ranges::any_of(call->args, [this](const Expr *arg) { return is_object(arg); })) ||
               (run != nullptr && is_object(run->value));
    }
    for_each_child(node, [this](const Node *child) { look(child); });
  }

  const Call *made_;
  Symbol name_; // that it is put under
  u32 bindings_ = 0;
  u32 looked_ = 0;
  bool kept_ = false;
};

} // namespace

bool GraphOpExcuses::is_minor(const OpFact &op, const Loop &loop) {
  const bool is_comprehension = loop.node->kind != NodeKind::For && loop.node->kind != NodeKind::While;
  const std::string_view name = op.api.text();
  // What only fills a place with a start value, or costs nothing.
  const bool fills = name == "tensorflow.zeros" || name == "tensorflow.ones" || name == "tensorflow.fill" ||
                     name == "tensorflow.zeros_like" || name == "tensorflow.ones_like";
  return ((op.traits & kConstant) != 0 &&
          (is_comprehension || name == "tensorflow.constant" || name == "tensorflow.convert_to_tensor")) ||
         (fills && (op.stored || op.target)) || loop.iterations == model::Iterations::Few ||
         ((loop.iterations == model::Iterations::Collection || goes_by_epochs(loop)) &&
          (is_light(op) || (!is_comprehension && is_formula(op)))) ||
         op.discarded || is_free(op) || draws(loop);
}

bool GraphOpExcuses::keeps_variable_of_entry(const OpFact &op, const Loop &loop) {
  const auto *statement = as<For>(loop.node);
  if (statement == nullptr || (op.traits & kVariable) == 0 || loop.iterations == model::Iterations::Many) {
    return false;
  }
  const auto [known, is_new] = keeping_variables_.try_emplace(&loop, false);
  if (is_new) {
    known->second = std::ranges::any_of(loop.function->ops, [&](const OpFact &other) {
      return other.loop == &loop && (other.traits & kVariable) != 0 &&
             (other.stored || (other.target && is_kept(statement->body, other.target)));
    });
  }
  return known->second;
}

// A loop that draws waits for that, and for somebody to look at it.
bool GraphOpExcuses::draws(const Loop &loop) {
  const auto [known, is_new] = drawing_.try_emplace(&loop, false);
  if (is_new) {
    known->second = draws_in(loop.node);
  }
  return known->second;
}

bool sets_each_variable(const OpFact &op, const Loop &loop) {
  const auto *call = as<Call>(op.call);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  if (method == nullptr || method->attr.text() != "assign" || loop.function->in_loop) {
    return false;
  }
  const bool is_function = op.api.text().find('.') != std::string_view::npos; // tf.assign(variable, …)
  const Expr *const variable = !is_function ? method->value : call->args.empty() ? nullptr : call->args[0];
  bool is_of_iteration = false;
  for (const Loop *around = &loop; around != nullptr; around = around->parent) {
    if (around->iterations == model::Iterations::Many) {
      return false;
    }
    is_of_iteration |= variable != nullptr && mentions_any(variable, around->assigned);
  }
  return is_of_iteration;
}

bool goes_over_variables(const Loop &loop) {
  const auto *statement = as<For>(loop.node);
  if (statement == nullptr || loop.parent != nullptr || loop.function->in_loop) {
    return false;
  }
  const auto lists_variables = [](const auto &self, const Node *node) -> bool {
    const auto *call = as<Call>(node);
    bool found = call != nullptr && called_name(*call).ends_with("variables");
    for_each_child(node, [&](const Node *child) { found = found || self(self, child); });
    return found;
  };
  return lists_variables(lists_variables, statement->iter);
}

bool keeps_object(const model::CallSite &site, const Loop &loop) {
  if (site.callee->name.text() != "__init__") {
    return false;
  }
  if (loop.node->kind == NodeKind::ListComp) {
    return static_cast<const ListComp *>(loop.node)->elt == site.call;
  }
  if (loop.node->kind == NodeKind::DictComp) {
    return static_cast<const DictComp *>(loop.node)->value == site.call;
  }
  const auto *statement = as<For>(loop.node);
  return statement != nullptr && !counts_to_many(loop, *statement) && ObjectUse(site.call).is_kept(statement);
}

} // namespace deepperf::rules
