// Which names, containers and attributes hold a graph after each statement?
#include "base/name_table.h"
#include "model/constants.h"
#include "model/facts.h"
#include "model/graph_flow_walker.h"
#include "python/children.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

// `x = x + y` and `x = y + x`.
const Expr *added(const Expr *target, const Expr *value) {
  const auto *sum = as<BinOp>(value);
  const auto *name = as<Name>(target);
  if (sum == nullptr || name == nullptr || sum->op() != Operator::Add) {
    return nullptr;
  }
  const auto *left = as<Name>(sum->left);
  const auto *right = as<Name>(sum->right);
  return left != nullptr && left->id == name->id     ? sum->right
         : right != nullptr && right->id == name->id ? sum->left
                                                     : nullptr;
}

// Does a sum, also of scaled terms or in one branch of a choice, have the attribute as a part: `self.x + y`,
// `0.9 * self.x + 0.1 * y`?
bool has_part(const Expr *value, const Attribute &part) {
  if (const auto *sum = as<BinOp>(value)) {
    return has_part(sum->left, part) || has_part(sum->right, part);
  }
  if (const auto *choice = as<IfExp>(value)) {
    return has_part(choice->body, part) || has_part(choice->orelse, part);
  }
  const auto *attribute = as<Attribute>(value);
  const auto *owner = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  const auto *wanted = as<Name>(part.value);
  return owner != nullptr && wanted != nullptr && attribute->attr == part.attr && owner->id == wanted->id;
}

} // namespace

// Puts a tensor into a list, dict or the like, or into an attribute.
void GraphFlowWalker::add_to(const Expr *holder, u64 bits, u16 how) {
  while (const auto *subscript = as<Subscript>(holder)) {
    holder = subscript->value;
  }
  if (u64 *const known = slot(holder)) {
    *known |= bits;
  } else if (holder->kind == NodeKind::Attribute) {
    use(bits, Flow::kStored | how);
  } else {
    use(bits, Flow::kEscapes);
  }
}

void GraphFlowWalker::assign(const Expr *target, u64 bits, const Expr *value) {
  switch (target->kind) {
  case NodeKind::Name:
    if (u64 *const known = slot(target)) {
      *known = bits;
    }
    if (is_shared(static_cast<const Name *>(target)->id)) {
      use(bits, Flow::kEscapes);
    }
    return;
  case NodeKind::Tuple:
  case NodeKind::List: {
    const auto &parts = static_cast<const Tuple *>(target)->elts;
    const auto *values = as<Tuple>(value);
    for (u32 i = 0; i < parts.size(); ++i) {
      if (values != nullptr && values->elts.size() == parts.size()) {
        assign(parts[i], eval(values->elts[i]), values->elts[i]);
      } else {
        assign(parts[i], bits, nullptr);
      }
    }
    return;
  }
  case NodeKind::Starred:
    return assign(static_cast<const Starred *>(target)->value, bits, nullptr);
  case NodeKind::Subscript:
    eval(static_cast<const Subscript *>(target)->slice);
    return add_to(target, bits, 0);
  default:
    use(bits, Flow::kStored);
    return;
  }
}

void GraphFlowWalker::walk(const Block &block) {
  for (const Stmt *statement : block) {
    walk(statement);
  }
}

void GraphFlowWalker::walk_branches(const Block &first, const Block &second) {
  const std::vector<u64> before = environment_;
  walk(first);
  std::vector<u64> after = std::exchange(environment_, before);
  walk(second);
  join(after);
}

namespace {

bool names_tensor(const Expr *type) {
  if (const auto *types = as<Tuple>(type)) {
    return std::ranges::any_of(types->elts, names_tensor);
  }
  const auto *attribute = as<Attribute>(type);
  const auto *name = as<Name>(type);
  return (attribute != nullptr && attribute->attr.text() == "Tensor") ||
         (name != nullptr && name->id.text() == "Tensor");
}

// What a test asks for being a tensor: `isinstance(x, torch.Tensor)`, `torch.is_tensor(x)`.
const Expr *asked_for_tensor(const Expr *test) {
  const auto *call = as<Call>(test);
  if (call == nullptr || call->args.empty()) {
    return nullptr;
  }
  const auto *name = as<Name>(call->func);
  const auto *method = as<Attribute>(call->func);
  const bool is_instance =
      name != nullptr && name->id.text() == "isinstance" && call->args.size() == 2 && names_tensor(call->args[1]);
  return is_instance || (method != nullptr && method->attr.text() == "is_tensor") ? call->args[0] : nullptr;
}

} // namespace

// What is no tensor has no graph.
void GraphFlowWalker::walk_if(const If *statement) {
  use(eval(statement->test), Flow::kNumbers);
  const auto *negation = as<UnaryOp>(statement->test);
  const bool is_negated = negation != nullptr && negation->op() == UnaryOperator::Not;
  const Expr *const asked = asked_for_tensor(is_negated ? negation->operand : statement->test);
  u64 *const bits = asked != nullptr ? slot(asked) : nullptr;
  const u64 carried = bits != nullptr ? *bits : 0;
  const std::vector<u64> before = environment_;
  if (bits != nullptr && is_negated) {
    *bits = 0;
  }
  walk(statement->body);
  std::vector<u64> after = std::exchange(environment_, before);
  if (u64 *const other = asked != nullptr ? slot(asked) : nullptr; other != nullptr) {
    *other = is_negated ? carried : 0;
  }
  walk(statement->orelse);
  join(after);
}

void GraphFlowWalker::join(const std::vector<u64> &other) {
  for (std::size_t i = 0; i < environment_.size(); ++i) {
    environment_[i] |= other[i];
  }
}

template <class Body> void GraphFlowWalker::walk_loop(const Node *node, Body body) {
  const Loop *const outer = loop_;
  const Loop *const known = project_.loop_at(node);
  loop_ = known != nullptr ? known : loop_;
  ++depth_;
  for (int pass = depth_ > 3 ? 1 : 0; pass < 2; ++pass) {
    const std::vector<u64> before = environment_;
    body();
    join(before);
  }
  --depth_;
  loop_ = outer;
}

void GraphFlowWalker::walk_assignment(const Stmt *statement, std::span<Expr *const> targets, const Expr *value) {
  u64 bits = eval(value);
  if (const Expr *more = targets.size() == 1 && grad_ != Grad::Off ? added(targets[0], value) : nullptr) {
    if (const u64 more_bits = eval(more); more_bits != 0) {
      bits |= keep(statement, targets[0], more, more_bits);
    }
  }
  const auto *kept = targets.size() == 1 ? as<Attribute>(targets[0]) : nullptr;
  if (kept != nullptr && bits != 0 && has_part(value, *kept)) {
    use(bits, Flow::kStored | Flow::kSummed); // self.x = self.x + y
  }
  for (const Expr *target : targets) {
    assign(target, bits, value);
  }
}

namespace {

bool is_same_attribute(const Node *node, const Attribute &target) {
  const auto *other = as<Attribute>(node);
  const auto *object = other != nullptr ? as<Name>(other->value) : nullptr;
  const auto *owner = as<Name>(target.value);
  return object != nullptr && owner != nullptr && other->attr == target.attr && object->id == owner->id;
}

// `self.mean = 0.9 * self.mean + 0.1 * loss`: what was there before stays part of it.
bool is_running_average(const Assign &assignment) {
  const auto *target = assignment.targets.size() == 1 ? as<Attribute>(assignment.targets[0]) : nullptr;
  const auto *sum = as<BinOp>(assignment.value);
  if (target == nullptr || sum == nullptr || sum->op() != Operator::Add) {
    return false;
  }
  const auto has_target = [target](const Expr *part) {
    const auto *scaled = as<BinOp>(part);
    return is_same_attribute(part, *target) ||
           (scaled != nullptr && scaled->op() == Operator::Mult &&
            (is_same_attribute(scaled->left, *target) || is_same_attribute(scaled->right, *target)));
  };
  return has_target(sum->left) || has_target(sum->right);
}

} // namespace

void GraphFlowWalker::walk(const Stmt *statement) {
  switch (statement->kind) {
  case NodeKind::Assign: {
    const auto *assignment = static_cast<const Assign *>(statement);
    if (is_running_average(*assignment)) {
      return add_to(assignment->targets[0], computed(eval(assignment->value)), Flow::kSummed);
    }
    return walk_assignment(statement, std::span(assignment->targets.begin(), assignment->targets.end()),
                           assignment->value);
  }
  case NodeKind::AnnAssign: {
    const auto *assignment = static_cast<const AnnAssign *>(statement);
    if (assignment->value != nullptr) {
      Expr *const target = assignment->target;
      walk_assignment(statement, std::span(&target, 1), assignment->value);
    }
    return;
  }
  case NodeKind::AugAssign: {
    const auto *assignment = static_cast<const AugAssign *>(statement);
    u64 bits = computed(eval(assignment->value));
    if (bits != 0 && assignment->op() == Operator::Add) {
      bits |= keep(statement, assignment->target, assignment->value, bits);
    }
    return add_to(assignment->target, bits, Flow::kSummed);
  }
  case NodeKind::ExprStmt: {
    const Expr *const value = static_cast<const ExprStmt *>(statement)->value;
    if (const auto *called = as<Call>(value)) {
      call(called, true);
    } else {
      eval(value);
    }
    return;
  }
  case NodeKind::Return:
    if (const Expr *value = static_cast<const Return *>(statement)->value) {
      give(eval(value));
    }
    return;
  case NodeKind::If:
    return walk_if(static_cast<const If *>(statement));
  case NodeKind::For: {
    const auto *loop = static_cast<const For *>(statement);
    const u64 iterated = eval(loop->iter);
    walk_loop(loop, [&] {
      assign(loop->target, iterated, nullptr);
      walk(loop->body);
    });
    return walk(loop->orelse);
  }
  case NodeKind::While: {
    const auto *loop = static_cast<const While *>(statement);
    walk_loop(loop, [&] {
      use(eval(loop->test), Flow::kNumbers);
      walk(loop->body);
    });
    return walk(loop->orelse);
  }
  case NodeKind::With:
    return walk_with(static_cast<const With *>(statement));
  case NodeKind::Try: {
    const auto *attempt = static_cast<const Try *>(statement);
    walk(attempt->body);
    walk(attempt->orelse);
    for (const ExceptHandler *handler : attempt->handlers) {
      walk_branches(handler->body, {});
    }
    return walk(attempt->finalbody);
  }
  case NodeKind::Match: {
    const auto *match = static_cast<const Match *>(statement);
    use(eval(match->subject), Flow::kEscapes);
    for (const MatchCase &branch : match->cases) {
      walk_branches(branch.body, {});
    }
    return;
  }
  case NodeKind::FunctionDef: // it may read what is around it at any time
  case NodeKind::ClassDef:
    return capture(statement);
  case NodeKind::Assert:
    use(eval(static_cast<const Assert *>(statement)->test), Flow::kNumbers);
    return;
  case NodeKind::Print:
    for (const Expr *value : static_cast<const Print *>(statement)->values) {
      use(eval(value), Flow::kNumbers);
    }
    return;
  case NodeKind::Magic:
    return walk(static_cast<const Magic *>(statement)->body);
  case NodeKind::InvalidStmt:
    return walk(static_cast<const InvalidStmt *>(statement)->body);
  case NodeKind::Raise:
    for_each_child(statement, [this](const Node *child) { eval(static_cast<const Expr *>(child)); });
    return;
  default:
    return;
  }
}

namespace {

// `with self.lock:`, which has nothing to do with gradients.
bool is_lock(const Project &project, const FunctionInfo &function, const Expr *context) {
  if (context->kind != NodeKind::Name && context->kind != NodeKind::Attribute) {
    return false;
  }
  const auto written = written_as(scope_of(project, function), context);
  return !written.empty() && std::ranges::all_of(written, [&project](const Argument::Given &given) {
    const auto *made = as<Call>(given.expr);
    const Value callee = made != nullptr ? project.callee_of(made) : Value{};
    const std::string_view api = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
    return api.starts_with("threading.") || api.starts_with("asyncio.") || api.starts_with("multiprocessing.");
  });
}

} // namespace

void GraphFlowWalker::walk_with(const With *statement) {
  static const NameTable kHarmless({"open", "tqdm", "trange", "autocast", "device", "record_function", "profile",
                                    "Timer", "catch_warnings", "SummaryWriter", "progress_bar", "join", "Progress"});
  const Grad outer = grad_;
  for (const WithItem &item : statement->items) {
    const u64 bits = eval(item.context_expr);
    const Kind kind = kind_of(item.context_expr);
    const auto *made = as<Call>(item.context_expr);
    const auto *name = made != nullptr ? as<Name>(made->func) : nullptr;
    const auto *method = made != nullptr ? as<Attribute>(made->func) : nullptr;
    const Symbol called = name != nullptr ? name->id : method != nullptr ? method->attr : Symbol{};
    if (kind == Kind::NoGrad) {
      grad_ = Grad::Off;
      flow_.has_no_grad = true;
    } else if (called && called.text() == "enable_grad") {
      grad_ = Grad::On;
    } else if (kind == Kind::Unknown && grad_ == Grad::On && !(called && kHarmless.has(called)) &&
               !is_lock(project_, function_, item.context_expr)) {
      grad_ = Grad::Maybe;
    }
    if (item.optional_vars != nullptr) {
      assign(item.optional_vars, bits, nullptr);
    }
  }
  walk(statement->body);
  grad_ = outer;
}

// A function or class inside: what it mentions is out of sight.
void GraphFlowWalker::capture(const Node *node) {
  if (const auto *name = as<Name>(node)) {
    if (const u64 *const known = slot(name)) {
      use(*known, Flow::kEscapes);
    }
  }
  for_each_child(node, [this](const Node *child) { capture(child); });
}

} // namespace deepperf::model
