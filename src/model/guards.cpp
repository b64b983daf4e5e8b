#include "model/guards.h"

#include "base/name_table.h"
#include "base/symbol_list.h"
#include "model/bind.h"
#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

bool is_param(const FunctionInfo &function, Symbol name) { return function.has_param(name); }

// How often something in the node binds the name.
u32 count_bindings(const Node *node, Symbol name) {
  const auto *plain = as<Name>(node);
  u32 count = plain != nullptr && plain->id == name && plain->context != Context::Load ? 1 : 0;
  for_each_child(node, [&](const Node *child) { count += count_bindings(child, name); });
  return count;
}

class Reader {
public:
  explicit Reader(const GuardedBranch &branch) : branch_(branch) {}

  [[nodiscard]] bool once(const Expr *test, bool negated) const {
    if (const auto *unary = as<UnaryOp>(test); unary != nullptr && unary->op() == UnaryOperator::Not) {
      return once(unary->operand, !negated);
    }
    if (const auto *several = as<BoolOp>(test)) {
      const bool all_hold = (several->op() == BoolOperator::And) != negated;
      const auto part = [&](const Expr *value) { return once(value, negated); };
      return all_hold ? std::ranges::any_of(several->values, part) : std::ranges::all_of(several->values, part);
    }
    if (const auto *both = as<BinOp>(test);
        both != nullptr && (both->op() == Operator::BitAnd || both->op() == Operator::BitOr)) {
      const bool all_hold = (both->op() == Operator::BitAnd) != negated;
      const bool left = once(both->left, negated);
      const bool right = once(both->right, negated);
      return all_hold ? left || right : left && right;
    }
    if (const auto *compare = as<Compare>(test)) {
      return compare->rest.size() == 1 && compares_once(compare->left, compare->rest[0], negated);
    }
    if (const auto *call = as<Call>(test)) {
      return negated && asks_for_existence(call) && !asks_for_each_iteration(call);
    }
    // A flag that the branch turns for good, or `else` of `if i:`, which is the first iteration.
    return (is_written(test) && !is_turned_back(test) && !is_set_sometimes(test)) || (negated && is_counter(test));
  }

private:
  [[nodiscard]] bool compares_once(const Expr *left, const CompareItem &item, bool negated) const {
    const bool is_false = is_constant(item.right, ConstantKind::False);
    if (is_false || is_constant(item.right, ConstantKind::True)) { // flag == False
      const bool differs = item.op == CompareOperator::NotEq || item.op == CompareOperator::IsNot;
      return once(left, negated != (is_false != differs));
    }
    switch (item.op) {
    case CompareOperator::Is:
    case CompareOperator::IsNot:
      return negated == (item.op == CompareOperator::IsNot) && is_constant(item.right, ConstantKind::None) &&
             is_written(left) && !is_new_in_each_call(left);
    case CompareOperator::In:
    case CompareOperator::NotIn:
      return negated == (item.op == CompareOperator::In) && is_written(item.right);
    case CompareOperator::Eq:
    case CompareOperator::NotEq:
      return negated == (item.op == CompareOperator::NotEq) &&
             (is_constant(item.right, ConstantKind::None) ? is_written(left) : is_one_iteration(left, item.right));
    case CompareOperator::Lt:
    case CompareOperator::LtE: // the first few iterations
      return !negated && is_counter(left) && is_few(item.right);
    case CompareOperator::Gt:
    case CompareOperator::GtE:
      return negated && is_counter(left) && is_few(item.right);
    default:
      return false;
    }
  }

  // `def attend(q, mask=None): if mask is None: mask = …`: the next call starts with None again.
  [[nodiscard]] bool is_new_in_each_call(const Expr *expr) const {
    const auto *name = as<Name>(expr);
    return name != nullptr && branch_.loop == nullptr && is_param(*branch_.function, name->id);
  }

  // What the loop counts or goes through is equal to something that stays: one iteration of many.
  [[nodiscard]] bool is_one_iteration(const Expr *left, const Expr *right) const {
    const Name *root = root_name(left);
    if (root == nullptr || (left->kind != NodeKind::Name && left->kind != NodeKind::Attribute)) {
      return false;
    }
    if (branch_.loop != nullptr && contains(branch_.loop->assigned, root->id)) {
      return !changes_freely(right);
    }
    // The caller's counter: `def step(i): if i == 0:`.
    const bool is_counted = left->kind == NodeKind::Attribute || is_param(*branch_.function, root->id);
    return branch_.loop == nullptr && is_counted && is_constant(right, ConstantKind::Int);
  }

  // Does the loop write something of it that does not come off a list of iterations: `if i == next: …; next =
  // steps.pop()`?
  [[nodiscard]] bool changes_freely(const Node *node) const {
    if (const auto *name = as<Name>(node)) {
      return contains(branch_.loop->assigned, name->id) && !is_popped(name->id);
    }
    bool found = false;
    for_each_child(node, [&](const Node *child) { found = found || changes_freely(child); });
    return found;
  }

  [[nodiscard]] bool is_popped(Symbol name) const {
    u32 popped = 0;
    const auto count = [&](const auto &self, const Node *node) -> void {
      const auto *assignment = as<Assign>(node);
      const auto *call = assignment != nullptr ? as<Call>(assignment->value) : nullptr;
      const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
      const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
      popped += method != nullptr && method->attr.text() == "pop" && target != nullptr && target->id == name ? 1 : 0;
      for_each_child(node, [&](const Node *child) { self(self, child); });
    };
    count(count, branch_.loop->node);
    return popped == 1 && count_bindings(branch_.loop->node, name) == 1;
  }

  [[nodiscard]] bool is_counter(const Expr *expr) const {
    const auto *name = as<Name>(expr);
    const auto *loop = branch_.loop != nullptr ? as<For>(branch_.loop->node) : nullptr;
    const auto binds = [name](const auto &self, const Node *target) -> bool {
      if (const auto *plain = as<Name>(target)) {
        return plain->id == name->id;
      }
      bool found = false;
      for_each_child(target, [&](const Node *child) { found = found || self(self, child); });
      return found;
    };
    return name != nullptr && loop != nullptr && binds(binds, loop->target);
  }

  [[nodiscard]] bool is_few(const Expr *expr) const {
    constexpr i64 kFew = 10;
    if (!is_constant(expr, ConstantKind::Int)) {
      return false;
    }
    const std::string_view text = branch_.function->module->parsed->source.text();
    const auto number = int_value(text.substr(expr->start, expr->end - expr->start));
    return number.has_value() && *number <= kFew;
  }

  // `if done: …; done = False` with another `done = …` in the loop: it runs again and again.
  [[nodiscard]] bool is_turned_back(const Expr *flag) const {
    const auto *name = as<Name>(flag);
    if (name == nullptr || branch_.loop == nullptr) {
      return false;
    }
    return count_bindings(branch_.loop->node, name->id) > 1;
  }

  // `if not done: …; if small: done = True`: it runs until then.
  [[nodiscard]] bool is_set_sometimes(const Expr *flag) const {
    bool always = false;
    bool sometimes = false;
    const auto look = [&](const auto &self, const Node *node, bool is_nested) -> void {
      if (const auto *assignment = as<Assign>(node)) {
        const bool sets =
            std::ranges::any_of(assignment->targets, [&](const Expr *target) { return same(target, flag); });
        (is_nested ? sometimes : always) |= sets;
      }
      for_each_child(node, [&](const Node *child) { self(self, child, is_nested || node->kind == NodeKind::If); });
    };
    for (const Stmt *statement : branch_.statements) {
      look(look, statement, false);
    }
    return sometimes && !always;
  }

  // The same name, or an attribute of the same name.
  static bool same(const Expr *a, const Expr *b) {
    const auto *name = as<Name>(a);
    const auto *attribute = as<Attribute>(a);
    const auto *other_name = as<Name>(b);
    const auto *other_attribute = as<Attribute>(b);
    return (name != nullptr && other_name != nullptr && name->id == other_name->id) ||
           (attribute != nullptr && other_attribute != nullptr && attribute->attr == other_attribute->attr);
  }

  // Does the branch write what the test reads?
  [[nodiscard]] bool is_written(const Expr *expr) const {
    if (const auto *call = as<Call>(expr)) { // cache.keys(), self.cache.get(key)
      const auto *method = as<Attribute>(call->func);
      return method != nullptr && is_written(method->value);
    }
    if (branch_.written == nullptr) {
      return expr->kind == NodeKind::Attribute || expr->kind == NodeKind::Subscript || expr->kind == NodeKind::Name;
    }
    if (const auto *attribute = as<Attribute>(expr)) {
      return contains(branch_.written->attributes, attribute->attr);
    }
    if (const auto *subscript = as<Subscript>(expr)) {
      return is_written(subscript->value);
    }
    const auto *name = as<Name>(expr);
    return name != nullptr &&
           (contains(branch_.written->assigned, name->id) || contains(branch_.written->mutated, name->id));
  }

  static bool asks_for_existence(const Call *call) {
    const std::string_view name = called_name(*call);
    return name == "hasattr" || name == "exists" || name == "isfile" || name == "isdir";
  }

  // A file for each item, `if not target.exists()`: each is written once, but there are as many as iterations.
  [[nodiscard]] bool asks_for_each_iteration(const Node *node) const {
    if (branch_.loop == nullptr) {
      return false;
    }
    const auto *name = as<Name>(node);
    bool found = name != nullptr && contains(branch_.loop->assigned, name->id);
    for_each_child(node, [&](const Node *child) { found = found || asks_for_each_iteration(child); });
    return found;
  }

  const GuardedBranch &branch_;
};

} // namespace

bool runs_first_time_only(const GuardedBranch &branch) { return Reader(branch).once(branch.test, branch.negated); }

bool asks_for_type(const Expr *test, const FunctionInfo &function) {
  if (const auto *unary = as<UnaryOp>(test); unary != nullptr && unary->op() == UnaryOperator::Not) {
    return asks_for_type(unary->operand, function);
  }
  if (const auto *several = as<BoolOp>(test)) {
    return std::ranges::any_of(several->values, [&](const Expr *part) { return asks_for_type(part, function); });
  }
  if (const auto *compare = as<Compare>(test)) { // type(x) is list
    return asks_for_type(compare->left, function);
  }
  const auto *call = as<Call>(test);
  if (call == nullptr || call->args.empty()) {
    return false;
  }
  const std::string_view name = called_name(*call);
  const Name *root = root_name(call->args[0]);
  return root != nullptr && function.slot_of(root->id) != FunctionInfo::kNoSlot &&
         (name == "isinstance" || name == "issubclass" || name == "callable" || name == "hasattr" || name == "type" ||
          name.starts_with("is_"));
}

bool counts_steps(const Expr *test) {
  bool found = false;
  const auto look = [&found](const auto &self, const Node *node) -> void {
    const auto *operation = as<BinOp>(node);
    // `"…" % name` is a text, and no test of a number.
    found |=
        operation != nullptr && operation->op() == Operator::Mod && !is_constant(operation->left, ConstantKind::Str);
    if (!found) {
      for_each_child(node, [&](const Node *child) { self(self, child); });
    }
  };
  look(look, test);
  return found;
}

namespace {

bool is_remainder(const Expr *expr) {
  const auto *operation = as<BinOp>(expr);
  return operation != nullptr && operation->op() == Operator::Mod && !is_constant(operation->left, ConstantKind::Str);
}

// Does the block do nothing, or nothing but leave?
bool is_pass(const Block &block) {
  return std::ranges::all_of(block, [](const Stmt *one) { return one->kind == NodeKind::Pass; });
}

bool leaves_step(const Block &block) {
  return !block.empty() && (block.back()->kind == NodeKind::Return || block.back()->kind == NodeKind::Continue);
}

} // namespace

std::optional<bool> holds_seldom(const Expr *test) {
  if (const auto *unary = as<UnaryOp>(test); unary != nullptr && unary->op() == UnaryOperator::Not) {
    const std::optional<bool> seldom = holds_seldom(unary->operand);
    return seldom.has_value() ? std::optional(!*seldom) : std::nullopt;
  }
  if (const auto *compare = as<Compare>(test)) {
    if (compare->rest.size() != 1 || !is_remainder(compare->left)) {
      return std::nullopt;
    }
    const CompareOperator op = compare->rest[0].op;
    return op == CompareOperator::Eq                                   ? std::optional(true)
           : op == CompareOperator::NotEq || op == CompareOperator::Gt ? std::optional(false)
                                                                       : std::nullopt;
  }
  if (const auto *several = as<BoolOp>(test)) {
    // `step % 100 == 0 and ready` holds seldom, and `step % 100 or busy` mostly.
    const bool wanted = several->op() == BoolOperator::And;
    const bool is_decided =
        std::ranges::any_of(several->values, [wanted](const Expr *part) { return holds_seldom(part) == wanted; });
    return is_decided ? std::optional(wanted) : std::nullopt;
  }
  return is_remainder(test) ? std::optional(false) : std::nullopt;
}

bool skips_steps(const If &statement) {
  const std::optional<bool> seldom = holds_seldom(statement.test);
  return seldom.has_value() && (*seldom ? is_pass(statement.body) && leaves_step(statement.orelse)
                                        : leaves_step(statement.body) && is_pass(statement.orelse));
}

bool asks_for_layout(const Expr *test, const FunctionInfo &function) {
  static const NameTable kLayouts({"is_sparse", "is_sparse_csr", "is_nested", "is_quantized", "is_mkldnn"});
  if (const auto *negation = as<UnaryOp>(test); negation != nullptr && negation->op() == UnaryOperator::Not) {
    return asks_for_layout(negation->operand, function);
  }
  const auto *attribute = as<Attribute>(test);
  const auto *name = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return name != nullptr && kLayouts.has(attribute->attr) && is_param(function, name->id);
}

std::optional<bool> asks_for_grad(const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test); negation != nullptr && negation->op() == UnaryOperator::Not) {
    const std::optional<bool> asked = asks_for_grad(negation->operand);
    return asked.has_value() ? std::optional(!*asked) : std::nullopt;
  }
  const auto *call = as<Call>(test);
  return call != nullptr && call->args.empty() && called_name(*call) == "is_grad_enabled" ? std::optional(true)
                                                                                          : std::nullopt;
}

} // namespace deepperf::model
