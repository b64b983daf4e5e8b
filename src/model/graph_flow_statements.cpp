// Which names, containers and attributes hold a graph after each statement?
#include "base/known_names.h"
#include "base/name_table.h"
#include "model/classes.h"
#include "model/constants.h"
#include "model/facts.h"
#include "model/graph_flow_walker.h"
#include "model/guards.h"
#include "python/children.h"

#include <algorithm>
#include <bit>

namespace deepperf::model {

using namespace python;

namespace {

// Two ways to the same place: `total`, `self.sums[name]`. What stands in brackets has to be a name or constant.
bool is_same_place(const Source &source, const Expr *left, const Expr *right) {
  if (left->kind != right->kind) {
    return false;
  }
  switch (left->kind) {
  case NodeKind::Name:
    return static_cast<const Name *>(left)->id == static_cast<const Name *>(right)->id;
  case NodeKind::Constant:
    return source.part(left->start, left->end) == source.part(right->start, right->end);
  case NodeKind::Attribute: {
    const auto *one = static_cast<const Attribute *>(left);
    const auto *other = static_cast<const Attribute *>(right);
    return one->attr == other->attr && is_same_place(source, one->value, other->value);
  }
  case NodeKind::Subscript: {
    const auto *one = static_cast<const Subscript *>(left);
    const auto *other = static_cast<const Subscript *>(right);
    return is_same_place(source, one->slice, other->slice) && is_same_place(source, one->value, other->value);
  }
  default:
    return false;
  }
}

// Is the part what was at the place before: `sums[name]`, also as `sums.get(name, 0)`?
bool reads_place(const Source &source, const Expr *part, const Expr *place) {
  const auto *call = as<Call>(part);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const auto *entry = as<Subscript>(place);
  if (method != nullptr && entry != nullptr && !call->args.empty() && method->attr.text() == "get") {
    return is_same_place(source, method->value, entry->value) && is_same_place(source, call->args[0], entry->slice);
  }
  return is_same_place(source, part, place);
}

// Does a sum, also of scaled terms or in one branch of a choice, have the place as a part: `self.x + y`,
// `0.9 * self.x + 0.1 * y`?
bool has_part(const Source &source, const Expr *value, const Expr *place) {
  if (const auto *sum = as<BinOp>(value)) {
    return has_part(source, sum->left, place) || has_part(source, sum->right, place);
  }
  if (const auto *choice = as<IfExp>(value)) {
    return has_part(source, choice->body, place) || has_part(source, choice->orelse, place);
  }
  return reads_place(source, value, place);
}

// `x = x + y` and `x = y + x`: what is added.
const Expr *added(const Source &source, const Expr *target, const Expr *value) {
  const auto *sum = as<BinOp>(value);
  if (sum == nullptr || sum->op() != Operator::Add || target->kind == NodeKind::Attribute) {
    return nullptr;
  }
  return reads_place(source, sum->left, target)    ? sum->right
         : reads_place(source, sum->right, target) ? sum->left
                                                   : nullptr;
}

// The container that a place belongs to: `history` of `history[name]` and of `history.setdefault(name, [])`.
const Expr *container_of(const Expr *place) {
  static const NameTable kEntries({"setdefault", "get"});
  while (true) {
    const auto *call = as<Call>(place);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    if (const auto *subscript = as<Subscript>(place)) {
      place = subscript->value;
    } else if (method != nullptr && kEntries.has(method->attr)) {
      place = method->value;
    } else {
      return place;
    }
  }
}

} // namespace

// Puts a tensor into a list, dict or the like, or into an attribute.
void GraphFlowWalker::add_to(const Expr *holder, u64 bits, u16 how) {
  holder = container_of(holder);
  if (u64 *const known = slot(holder)) {
    if ((how & Flow::kSummed) != 0) {
      note_additions(holder, *known, bits);
    }
    *known |= bits;
  } else if (holder->kind == NodeKind::Attribute) {
    use(bits, Flow::kStored | how);
  } else {
    use(bits, Flow::kEscapes);
  }
}

// What was passed for a parameter is added to what was passed for another.
void GraphFlowWalker::note_additions(const Expr *holder, u64 holder_bits, u64 bits) {
  const u32 place = holder->kind == NodeKind::Name ? function_.place_of_param(static_cast<const Name *>(holder)->id)
                                                   : FunctionInfo::kNoParam;
  if (place >= first_ || (holder_bits >> place & 1U) == 0) {
    return; // made here
  }
  const u64 params = first_ < 64 ? (u64{1} << first_) - 1 : ~u64{0};
  for (u64 values = bits & params & ~(u64{1} << place); values != 0; values &= values - 1) {
    const Flow::Addition addition{static_cast<u32>(std::countr_zero(values)), place};
    if (std::ranges::find(flow_.additions, addition) == flow_.additions.end()) {
      flow_.additions.push_back(addition);
    }
  }
}

// Which elements of a result may hang on a graph, where the function that gives it lists them; all if it does not.
u64 GraphFlowWalker::parts_with_graph(const Expr *value, u32 count) {
  const auto *call = as<Call>(value);
  const Value callee = call != nullptr ? project_.callee_of(call) : Value{};
  const bool is_called = callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method);
  const bool is_module = callee.is(Value::Tag::Object) && callee.type->kind == Kind::TorchModule;
  const FunctionInfo *const function = is_called   ? callee.function.get()
                                       : is_module ? find_method_of(*callee.type, known::sym_forward)
                                                   : nullptr;
  if (function == nullptr) {
    return ~u64{0};
  }
  const GraphFlow &flow = graph_flow_of(project_, *function);
  return flow.part_count == count ? flow.parts : ~u64{0};
}

// One element of what is iterated: the key of an entry and the number of an element hang on nothing.
void GraphFlowWalker::assign_element(const Expr *target, u64 bits, const Expr *iterated) {
  const auto *call = as<Call>(iterated);
  const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
  const auto *name = call != nullptr ? as<Name>(call->func) : nullptr;
  const bool has_number = (method != nullptr && call->args.empty() && method->attr.text() == "items") ||
                          (name != nullptr && name->id.text() == "enumerate");
  const auto *pair = as<Tuple>(target);
  if (has_number && pair != nullptr && pair->elts.size() == 2) {
    assign(pair->elts[0], 0, nullptr);
    const bool is_nested = method == nullptr && !call->args.empty();
    return is_nested ? assign_element(pair->elts[1], bits, call->args[0]) : assign(pair->elts[1], bits, nullptr);
  }
  assign(target, bits, nullptr);
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
    const u64 with_graph = bits != 0 ? parts_with_graph(value, parts.size()) : ~u64{0};
    for (u32 i = 0; i < parts.size(); ++i) {
      if (values != nullptr && values->elts.size() == parts.size()) {
        assign(parts[i], eval(values->elts[i]), values->elts[i]);
      } else {
        assign(parts[i], i >= 64 || (with_graph >> i & 1U) != 0 ? bits : 0, nullptr);
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
  const Grad outer = grad_;
  const std::optional<bool> asked_for_grad = asks_for_grad(statement->test);
  grad_ = asked_for_grad == false ? Grad::Off : outer;
  walk(statement->body);
  grad_ = asked_for_grad == true ? Grad::Off : outer;
  std::vector<u64> after = std::exchange(environment_, before);
  if (u64 *const other = asked != nullptr ? slot(asked) : nullptr; other != nullptr) {
    *other = is_negated ? carried : 0;
  }
  walk(statement->orelse);
  grad_ = outer;
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
  const Source &source = function_.module->parsed->source;
  if (const Expr *more = targets.size() == 1 && grad_ != Grad::Off ? added(source, targets[0], value) : nullptr) {
    if (const u64 more_bits = eval(more); more_bits != 0) {
      bits |= keep(statement, targets[0], more, more_bits);
    }
  }
  const Expr *const kept = targets.size() == 1 && targets[0]->kind != NodeKind::Name ? targets[0] : nullptr;
  if (kept != nullptr && bits != 0 && has_part(source, value, kept)) { // self.x = self.x + y
    return add_to(kept, bits, Flow::kSummed);
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
      give_result(value);
    }
    return;
  case NodeKind::If:
    return walk_if(static_cast<const If *>(statement));
  case NodeKind::For: {
    const auto *loop = static_cast<const For *>(statement);
    const u64 iterated = eval(loop->iter);
    walk_loop(loop, [&] {
      assign_element(loop->target, iterated, loop->iter);
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
