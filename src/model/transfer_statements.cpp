// Statements and the flow between them: branches, loops, exceptions.
#include "base/known_names.h"
#include "base/name_table.h"
#include "model/context.h"
#include "model/guards.h"
#include "model/name_traits.h"
#include "model/transfer.h"

#include "python/call.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>

namespace deepperf::model {

using namespace python;

namespace {

// sys.exit(), exit(), quit()
bool ends_program(const Stmt *statement) {
  const auto *expression = as<ExprStmt>(statement);
  const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
  if (call == nullptr) {
    return false;
  }
  const std::string_view name = called_name(*call);
  const Expr *const receiver = receiver_of(*call);
  if (receiver == nullptr) {
    return name == "exit" || name == "quit";
  }
  const auto *module = as<Name>(receiver);
  return module != nullptr &&
         ((name == "exit" && module->id.text() == "sys") || (name == "_exit" && module->id.text() == "os"));
}

// Does the body leave the loop at the end of its first iteration, whatever happens?
bool leaves_at_once(const Block &body) {
  if (body.empty()) {
    return false;
  }
  const Stmt *last = body.back();
  return last->kind == NodeKind::Break || last->kind == NodeKind::Return || last->kind == NodeKind::Raise ||
         ends_program(last);
}

// Is something known of what the list or dictionary holds?
bool is_filled(const Value &container) {
  for (u32 i = 0; i < entry_count(container); ++i) {
    if (!entry_at(container, i).value.is_unknown()) {
      return true;
    }
  }
  const Value others = other_entries(container);
  return is_uniform(others) ? is_filled(others) : !others.is_unknown() && !others.is_bottom();
}

bool mentions_eager(const Node *node) {
  if (const auto *attribute = as<Attribute>(node)) {
    return has_trait(attribute->attr, kAsksForEager) || mentions_eager(attribute->value);
  }
  bool found = false;
  for_each_child(node, [&found](const Node *child) { found = found || mentions_eager(child); });
  return found;
}

// Does the branch never reach what comes after it?
bool leaves(const Block &body) {
  if (body.empty()) {
    return false;
  }
  const auto *inner = as<If>(body.back());
  return inner != nullptr ? leaves(inner->body) && leaves(inner->orelse)
                          : leaves_at_once(body) || body.back()->kind == NodeKind::Continue;
}

// With a result, and not with an error.
bool leaves_by_return(const Block &body) {
  const auto *inner = as<If>(body.back());
  return inner != nullptr ? leaves_by_return(inner->body) || leaves_by_return(inner->orelse)
                          : body.back()->kind == NodeKind::Return;
}

} // namespace

void Transfer::walk(const Block &block) {
  // Behind `if x in cache: return` the rest is a branch of its own.
  constexpr std::size_t kMostRests = 8; // each is looked through once
  std::vector<Guard> rests;
  const bool was_by_type = around_.by_type;
  const bool was_conditional = around_.conditional;
  for (u32 i = 0; i < block.size(); ++i) {
    if (i + 1 < block.size()) {
      __builtin_prefetch(block[i + 1]); // trees of large projects are in no cache
    }
    walk(block[i]);
    if (block[i]->kind == NodeKind::Raise || block[i]->kind == NodeKind::Return || ends_here(block[i])) {
      break; // what comes after it never runs
    }
    const auto *branch = recording() ? as<If>(block[i]) : nullptr;
    // In a forward pass it is a remainder of lengths.
    around_.conditional |= branch != nullptr && current_->name != known::sym_forward && skips_steps(*branch);
    if (branch == nullptr || !branch->orelse.empty() || !leaves(branch->body) || i + 1 == block.size()) {
      continue;
    }
    if (rests.size() < kMostRests) {
      begin_guard(branch->test, true, std::span(block.begin() + i + 1, block.end()), rests.emplace_back());
    }
    around_.by_type |= leaves_by_return(branch->body) && asks_for_type(branch->test, *current_);
  }
  around_.by_type = was_by_type;
  around_.conditional = was_conditional;
  for (Guard &rest : rests) {
    end_guard(rest);
  }
}

// A notebook goes on with its next cell.
bool Transfer::ends_here(const Stmt *statement) {
  if (!ends_program(statement) || (module_->parsed->source.is_notebook && current_->node == nullptr)) {
    return false;
  }
  const auto *call = static_cast<const Call *>(static_cast<const ExprStmt *>(statement)->value);
  const auto *name = as<Name>(call->func);
  return name == nullptr || !look_up(name->id).is(Value::Tag::Function); // one of the project's own
}

// What the statements do from here on, they do only once if the test guards them so: see spread.cpp.
void Transfer::begin_guard(const Expr *test, bool negated, std::span<Stmt *const> statements, Guard &guard) const {
  guard.test = test;
  guard.negated = negated;
  guard.loop = around_.loop;
  guard.statements = statements;
  guard.first_op = current_->ops.size();
  guard.first_call = current_->calls.size();
}

void Transfer::end_guard(Guard &guard) {
  guard.last_op = current_->ops.size();
  guard.last_call = current_->calls.size();
  const bool does_something = guard.last_op != guard.first_op || guard.last_call != guard.first_call;
  if (does_something && runs_first_time_only({guard.test, guard.negated, guard.loop, current_, nullptr, {}})) {
    current_->guards.push_back(guard); // whether it is what they write is asked later
  }
}

void Transfer::walk(const Stmt *statement) {
  switch (statement->kind) {
  case NodeKind::FunctionDef:
    return walk_function_definition(static_cast<const FunctionDef *>(statement));
  case NodeKind::ClassDef:
    return walk_class(static_cast<const ClassDef *>(statement));
  case NodeKind::Return: {
    const auto *result = static_cast<const Return *>(statement);
    if (result->value != nullptr) {
      const bool was_once = std::exchange(around_.once, around_.once || around_.loop != nullptr);
      give_return(eval(result->value));
      around_.once = was_once;
    } else {
      Value none;
      none.tag = Value::Tag::None;
      give_return(none);
    }
    reachable_ = false;
    return;
  }
  case NodeKind::Assign: {
    const auto *assignment = static_cast<const Assign *>(statement);
    const Expr *first_target = assignment->targets[0];
    if (const auto *name = as<Name>(first_target)) {
      around_.assigned = assignment->value;
      around_.target = name->id;
    }
    around_.stored = first_target->kind == NodeKind::Subscript || first_target->kind == NodeKind::Attribute
                         ? assignment->value
                         : nullptr;
    const Value value = eval(assignment->value);
    around_.assigned = around_.stored = nullptr;
    for (const Expr *target : assignment->targets) {
      assign(target, value);
    }
    return;
  }
  case NodeKind::AugAssign: {
    const auto *assignment = static_cast<const AugAssign *>(statement);
    const Value added = eval(assignment->value);
    const Value before = eval(assignment->target);
    assign(assignment->target, operated(assignment->op(), before, added));
    return;
  }
  case NodeKind::AnnAssign: {
    const auto *assignment = static_cast<const AnnAssign *>(statement);
    if (assignment->value == nullptr) {
      const Value value = annotation_value(assignment->annotation);
      if (value.known()) {
        assign(assignment->target, value);
      }
      return;
    }
    const Value given = eval(assignment->value);
    // An empty list or dictionary is there to be filled.
    const bool is_given =
        is_uniform(given) ? is_filled(given) : given.known() || given.is_bottom() || given.alternatives != nullptr;
    const Value value = is_given ? given : annotation_value(assignment->annotation);
    assign(assignment->target, value.known() ? value : given);
    return;
  }
  case NodeKind::For:
    return walk_for(static_cast<const For *>(statement));
  case NodeKind::While:
    return walk_while(static_cast<const While *>(statement));
  case NodeKind::If:
    return walk_if(static_cast<const If *>(statement));
  case NodeKind::With:
    return walk_with(static_cast<const With *>(statement));
  case NodeKind::Try:
    return walk_try(static_cast<const Try *>(statement));
  case NodeKind::Match:
    return walk_match(static_cast<const Match *>(statement));
  case NodeKind::Import:
    return walk_import(static_cast<const Import *>(statement));
  case NodeKind::ImportFrom:
    return walk_import_from(static_cast<const ImportFrom *>(statement));
  case NodeKind::Break:
    if (exits_ != nullptr && reachable_) {
      join_into(exits_->breaks, exits_->breaks_reached);
    }
    reachable_ = false;
    return;
  case NodeKind::Continue:
    if (exits_ != nullptr && reachable_) {
      join_into(exits_->continues, exits_->continues_reached);
    }
    reachable_ = false;
    return;
  case NodeKind::Raise:
    for_each_child(statement, [this](const Node *child) { eval(static_cast<const Expr *>(child)); });
    reachable_ = false;
    return;
  case NodeKind::Magic:
    return walk(static_cast<const Magic *>(statement)->body);
  case NodeKind::InvalidStmt:
    return walk(static_cast<const InvalidStmt *>(statement)->body);
  case NodeKind::Delete:
  case NodeKind::TypeAlias:
    return;
  case NodeKind::ExprStmt:
    around_.discarded = static_cast<const ExprStmt *>(statement)->value;
    eval(around_.discarded);
    around_.discarded = nullptr;
    reachable_ = reachable_ && !ends_here(statement);
    return;
  default: // those that only hold expressions
    for_each_child(statement, [this](const Node *child) { eval(static_cast<const Expr *>(child)); });
    return;
  }
}

// ---- Branches -------------------------------------------------------------------------------------------------------

// What a test always gives: `False`, `0`, `step % 30 == 450`.
std::optional<bool> Transfer::settled_test(const Expr *test) {
  if (is_constant(test, ConstantKind::False) || is_constant(test, ConstantKind::True)) {
    return is_constant(test, ConstantKind::True);
  }
  if (is_constant(test, ConstantKind::Int)) {
    const auto number = literal_number(test);
    return number.has_value() ? std::optional(*number != 0) : std::nullopt;
  }
  const auto *negation = as<UnaryOp>(test);
  if (negation != nullptr && negation->op() == UnaryOperator::Not) {
    const std::optional<bool> inner = settled_test(negation->operand);
    return inner.has_value() ? std::optional(!*inner) : std::nullopt;
  }
  const auto *compare = as<Compare>(test);
  const auto *rest = compare != nullptr && compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::Eq
                         ? as<BinOp>(compare->left)
                         : nullptr;
  if (rest == nullptr || rest->op() != Operator::Mod) {
    return std::nullopt;
  }
  const i64 divisor = literal_number(rest->right).value_or(0);
  const i64 wanted = literal_number(compare->rest[0].right).value_or(0);
  return divisor > 0 && wanted >= divisor ? std::optional(false) : std::nullopt;
}

// Whether `x is None` holds, or `x is not None`, by what the name holds here. Not of a parameter that may be left out.
std::optional<bool> Transfer::settled_by_value(const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test); negation != nullptr && negation->op() == UnaryOperator::Not) {
    const std::optional<bool> inner = settled_by_value(negation->operand);
    return inner.has_value() ? std::optional(!*inner) : std::nullopt;
  }
  const auto *compare = as<Compare>(test);
  const auto *name = compare != nullptr && compare->rest.size() == 1 ? as<Name>(compare->left) : nullptr;
  if (name == nullptr || !is_constant(compare->rest[0].right, ConstantKind::None) ||
      (compare->rest[0].op != CompareOperator::Is && compare->rest[0].op != CompareOperator::IsNot)) {
    return std::nullopt;
  }
  const u32 slot = slot_at(name);
  const u32 place = current_->place_of_param(name->id);
  if (slot == FunctionInfo::kNoSlot || class_body_ != nullptr ||
      (place != FunctionInfo::kNoParam && is_constant(current_->params[place]->default_value, ConstantKind::None))) {
    return std::nullopt;
  }
  const Value &value = environment_[slot];
  const bool is_something = value.known() && value.alternatives == nullptr && !value.open && !value.none;
  return is_something ? std::optional(compare->rest[0].op == CompareOperator::IsNot) : std::nullopt;
}

void Transfer::walk_if(const If *statement) {
  eval(statement->test);
  // `if False:` switches code off.
  if (const std::optional<bool> settled = settled_test(statement->test); settled.has_value()) {
    walk(*settled ? statement->body : statement->orelse);
    return;
  }
  if (!keeps_branches()) {
    walk(statement->body);
    walk(statement->orelse);
    reachable_ = true;
    return;
  }
  const bool was_reachable = reachable_;
  const std::optional<bool> by_value = settled_by_value(statement->test);
  const bool was_eager_test = around_.eager_test;
  const bool was_by_type = around_.by_type;
  Snapshot other(*this); // first what was before, then what is after the body
  around_.eager_test = was_eager_test || (recording() && mentions_eager(statement->test));
  around_.by_type |= recording() && asks_for_type(statement->test, *current_);
  const Node *const outer_branch = std::exchange(around_.branch, statement);
  const bool was_conditional = around_.conditional;
  around_.conditional |= recording() && !is_setting(statement->test, around_.loop, *current_);
  const std::optional<bool> asked_for_grad = asks_for_grad(statement->test);
  const auto walk_branch = [&](const Block &block, bool negated) {
    const bool was_no_grad = around_.no_grad;
    around_.no_grad |= asked_for_grad.has_value() && *asked_for_grad == negated;
    Guard guard;
    begin_guard(statement->test, negated, std::span(block.begin(), block.end()), guard);
    narrow(statement->test, !negated);
    walk(block);
    if (recording()) {
      end_guard(guard);
    }
    around_.no_grad = was_no_grad;
  };
  walk_branch(statement->body, false);
  const bool body_reaches = reachable_;
  environment_.swap(other.values);
  reachable_ = was_reachable;
  walk_branch(statement->orelse, true);
  around_.eager_test = was_eager_test;
  around_.branch = outer_branch;
  around_.by_type = was_by_type;
  around_.conditional = was_conditional;
  if (by_value == false && reachable_) {
    return; // what the body leaves in names is in none of them afterwards
  }
  if (!reachable_ || (by_value == true && body_reaches)) {
    environment_.swap(other.values);
    reachable_ = body_reaches;
  } else if (body_reaches) {
    join_environment(environment_, other.values);
  }
}

namespace {

// `list`, or `(int, float)`: types of Python, of which a tensor is none.
bool names_builtin_types(const Expr *type) {
  static const NameTable kBuiltins({"list", "tuple", "dict", "set", "str", "bytes", "int", "float", "bool", "range"});
  if (const auto *several = as<Tuple>(type)) {
    return !several->elts.empty() && std::ranges::all_of(several->elts, names_builtin_types);
  }
  const auto *name = as<Name>(type);
  return name != nullptr && kBuiltins.has(name->id);
}

} // namespace

// What is left of a value that is no tensor.
void Transfer::forget_tensor(u32 slot) {
  if (slot == FunctionInfo::kNoSlot) {
    return;
  }
  const Value before = environment_[slot];
  Value rest = Value::bottom();
  bool is_changed = false;
  for_each_alternative(before, [&](const Value &one) {
    const bool is_tensor = one.is(Value::Tag::Instance) && one.is_kind(Kind::TorchTensor) && !one.container;
    is_changed |= is_tensor;
    rest = is_tensor ? rest : join(rest, one);
  });
  if (is_changed) {
    environment_[slot] = rest.is_bottom() ? Value{} : rest;
  }
}

// isinstance(x, tf.data.Dataset) tells what x is where it holds; `not` turns that around.
void Transfer::narrow(const Expr *test, bool holds) {
  if (const auto *negation = as<UnaryOp>(test); negation != nullptr && negation->op() == UnaryOperator::Not) {
    return narrow(negation->operand, !holds);
  }
  const auto *call = as<Call>(test);
  const auto *function = call != nullptr ? as<Name>(call->func) : nullptr;
  const auto *name = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
  if (name == nullptr || class_body_ != nullptr) {
    return;
  }
  const u32 slot = current_->slot_of(name->id);
  if (call->args.size() == 1 && called_name(*call) == "is_tensor") {
    return holds ? void() : forget_tensor(slot);
  }
  if (function == nullptr || function->id.text() != "isinstance" || call->args.size() != 2) {
    return;
  }
  if (holds && names_builtin_types(call->args[1])) {
    return forget_tensor(slot);
  }
  if (call->args[1]->kind == NodeKind::Tuple) {
    return;
  }
  const Value value = annotation_value(call->args[1]);
  if (!holds) {
    return value.is(Value::Tag::Instance) && value.is_kind(Kind::TorchTensor) ? forget_tensor(slot) : void();
  }
  if (value.is(Value::Tag::Instance) && slot != FunctionInfo::kNoSlot && environment_[slot].is_unknown()) {
    environment_[slot] = value;
  }
}

void Transfer::walk_match(const Match *statement) {
  eval(statement->subject);
  if (!keeps_branches()) {
    for (const MatchCase &branch : statement->cases) {
      walk(branch.body);
    }
    reachable_ = true;
    return;
  }
  const bool was_reachable = reachable_;
  const Snapshot before(*this);
  Snapshot behind(*this);
  bool reaches = was_reachable; // where no case fits
  for (const MatchCase &branch : statement->cases) {
    environment_ = before.values;
    reachable_ = was_reachable;
    walk(branch.body);
    if (reachable_) {
      join_into(behind.values, reaches);
    }
  }
  environment_.swap(behind.values);
  reachable_ = reaches;
}

void Transfer::walk_try(const Try *statement) {
  if (!keeps_branches()) {
    walk(statement->body);
    for (const ExceptHandler *handler : statement->handlers) {
      walk(handler->body);
    }
    walk(statement->orelse);
    walk(statement->finalbody);
    reachable_ = true;
    return;
  }
  const bool was_reachable = reachable_;
  const Snapshot before(*this);
  walk(statement->body);
  // An exception may come from anywhere in the body.
  Snapshot raised(*this);
  join_environment(raised.values, before.values);
  walk(statement->orelse);
  bool reaches = reachable_;
  Snapshot behind(*this);
  for (const ExceptHandler *handler : statement->handlers) {
    environment_ = raised.values;
    reachable_ = was_reachable;
    if (handler->type != nullptr) {
      eval(handler->type);
    }
    const bool was_once = std::exchange(around_.once, true); // no part of what a loop does in each iteration
    walk(handler->body);
    around_.once = was_once;
    if (reachable_) {
      join_into(behind.values, reaches);
    }
  }
  environment_.swap(behind.values);
  reachable_ = reaches;
  walk(statement->finalbody);
}

namespace {

// A context that is part of what is made in it: on which device, under which variables.
bool scopes_operations(const Expr *context) {
  const auto *call = as<Call>(context);
  const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
  return name == "device" || name == "variable_scope" || name == "name_scope" || name == "scope" ||
         name == "control_dependencies" || name == "arg_scope" || name == "colocate_with";
}

// `torch.set_grad_enabled(is_training)`
bool may_switch_gradients(const Expr *context) {
  const auto *call = as<Call>(context);
  return call != nullptr && called_name(*call) == "set_grad_enabled" && call->args.size() == 1 &&
         !is_constant(call->args[0], ConstantKind::True);
}

} // namespace

void Transfer::walk_with(const With *statement) {
  const Surroundings outer = around_;
  for (const WithItem &item : statement->items) {
    Value value = eval(item.context_expr);
    around_.in_tape |= value.is_kind(Kind::GradientTape);
    around_.no_grad |= value.is_kind(Kind::NoGrad);
    around_.maybe_no_grad |= may_switch_gradients(item.context_expr);
    if (recording() && scopes_operations(item.context_expr)) {
      around_.scope = arena_.make<OpScope>(item.context_expr, around_.scope);
    }
    if (item.optional_vars != nullptr) {
      value = value.is(Value::Tag::Tuple) ? element_of(value) : value; // what a context manager yields
      assign(item.optional_vars, value);
    }
  }
  walk(statement->body);
  around_ = outer;
}

// ---- Loops ----------------------------------------------------------------------------------------------------------

// Modules are no values that a call could change, though `tf.assign` and `np.sort` look like methods. What the methods
// of our own classes change is known better.
Loop &Transfer::loop_of(const Node *node) {
  Loop &loop = project_.loops[*loop_fact(node) - 1];
  if (recording()) {
    loop.mutated = loop.maybe_mutated;
    std::erase_if(loop.mutated, [this](Symbol name) {
      const Value value = look_up(name);
      return value.is(Value::Tag::Api) || value.is(Value::Tag::Module) || value.is(Value::Tag::Object);
    });
  }
  return loop;
}

template <class Body> void Transfer::in_loop(const Node *node, Body body) {
  Loop &loop = loop_of(node);
  const Surroundings outer = around_;
  around_.loop = &loop;
  around_.branch = node;
  around_.once = false;
  if (!keeps_branches()) {
    body(loop);
    around_ = outer;
    reachable_ = true;
    return;
  }
  const bool was_reachable = reachable_;
  // What the iteration before left behind.
  const auto known = std::ranges::find(back_edges_, node, &BackEdge::loop);
  if (known != back_edges_.end()) {
    for (const auto &[slot, value] : known->values) {
      environment_[slot] = join(environment_[slot], value);
    }
  }
  Snapshot head(*this);
  Exits exits;
  Exits *const outer_exits = std::exchange(exits_, &exits);
  body(loop);
  exits_ = outer_exits;
  if (exits.continues_reached) {
    if (reachable_) {
      join_environment(environment_, exits.continues);
    } else {
      environment_.swap(exits.continues);
      reachable_ = true;
    }
  }
  if (reachable_ && !peeking_) {
    BackEdge found{node, {}};
    for (u32 slot = 0; slot < environment_.size(); ++slot) {
      if (is_identical(head.values[slot], environment_[slot])) {
        continue;
      }
      if (head.values[slot].is_bottom() && read_unbound_[slot] == 0) {
        continue; // each iteration binds it again before it is read
      }
      const Value both = join(head.values[slot], environment_[slot]);
      if (!(both == head.values[slot])) {
        found.values.emplace_back(slot, both);
      }
    }
    if (!found.values.empty()) {
      back_edge_changed_ = true;
      const auto place = std::ranges::find(back_edges_, node, &BackEdge::loop);
      if (place == back_edges_.end()) {
        back_edges_.push_back(std::move(found));
      } else {
        for (const auto &[slot, value] : found.values) {
          const auto same = std::ranges::find(place->values, slot, &std::pair<u32, Value>::first);
          if (same == place->values.end()) {
            place->values.emplace_back(slot, value);
          } else {
            same->second = join(same->second, value);
          }
        }
      }
    }
  }
  if (reachable_) {
    join_environment(environment_, head.values);
  } else {
    environment_.swap(head.values);
  }
  if (exits.breaks_reached) {
    join_environment(environment_, exits.breaks);
  }
  around_ = outer;
  reachable_ = was_reachable;
}

void Transfer::walk_for(const For *statement) {
  const Value iterated = eval(statement->iter);
  in_loop(statement, [&](Loop &loop) {
    if (recording()) {
      loop.few_iterations = has_few_iterations(statement->iter) || leaves_at_once(statement->body);
      loop.iterations = iterations_of(statement->iter, iterated);
    }
    assign(statement->target, element_of(iterated));
    walk(statement->body);
  });
  walk(statement->orelse);
}

void Transfer::walk_while(const While *statement) {
  in_loop(statement, [&](Loop &loop) {
    if (recording()) {
      loop.few_iterations = leaves_at_once(statement->body);
    }
    eval(statement->test);
    walk(statement->body);
  });
  walk(statement->orelse);
}

} // namespace deepperf::model
