#include "model/bind.h"
#include "model/guards.h"
#include "model/infer.h"
#include "model/name_traits.h"

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

// Does the body leave the loop at the end of its first turn, whatever happens?
bool leaves_at_once(const Block &body) {
  if (body.empty()) {
    return false;
  }
  const Stmt *last = body.back();
  return last->kind == NodeKind::Break || last->kind == NodeKind::Return || last->kind == NodeKind::Raise ||
         ends_program(last);
}

bool mentions_eager(const Node *node) {
  if (const auto *attribute = as<Attribute>(node)) {
    return has_trait(attribute->attr, kAsksForEager) || mentions_eager(attribute->value);
  }
  bool found = false;
  for_each_child(node, [&found](const Node *child) { found = found || mentions_eager(child); });
  return found;
}

} // namespace

namespace {

// Does the branch never reach what stands behind it?
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

void Inference::walk(const Block &block) {
  // Behind `if x in cache: return` the rest is a branch of its own.
  struct Rest {
    const Expr *test = nullptr;
    u32 from = 0;
    FactMark mark;
  };
  constexpr std::size_t kMostRests = 8; // each is looked through once
  std::vector<Rest> rests;
  const bool was_by_type = around_.by_type;
  for (u32 i = 0; i < block.size(); ++i) {
    walk(block[i]);
    if (block[i]->kind == NodeKind::Raise || block[i]->kind == NodeKind::Return || ends_here(block[i])) {
      break; // what stands behind it never runs
    }
    const auto *branch = as<If>(block[i]);
    if (!recording_ || branch == nullptr || !branch->orelse.empty() || !leaves(branch->body) || i + 1 == block.size()) {
      continue;
    }
    if (rests.size() < kMostRests) {
      rests.push_back({branch->test, i + 1, facts_so_far()});
    }
    around_.by_type |= leaves_by_return(branch->body) && asks_for_type(branch->test, *current_);
  }
  around_.by_type = was_by_type;
  for (const Rest &rest : rests) {
    mark_once(rest.test, true, std::span(block.begin() + rest.from, block.end()), rest.mark);
  }
}

// A notebook goes on with its next cell.
bool Inference::ends_here(const Stmt *statement) {
  if (!ends_program(statement) || (module_->parsed->source.is_notebook && current_->node == nullptr)) {
    return false;
  }
  const auto *call = static_cast<const Call *>(static_cast<const ExprStmt *>(statement)->value);
  const auto *name = as<Name>(call->func);
  return name == nullptr || !look_up(name->id).is(Value::Tag::Function); // one of the project's own
}

Inference::FactMark Inference::facts_so_far() const {
  return {current_->ops.size(), current_->calls.size(), project_.loops.size()};
}

// What the statements did since the mark, they do only once if the test guards them so.
void Inference::mark_once(const Expr *test, bool negated, std::span<Stmt *const> statements, const FactMark &since) {
  if (since.ops == current_->ops.size() && since.calls == current_->calls.size()) {
    return;
  }
  if (!runs_first_time_only({test, negated, around_.loop, current_, nullptr, {}})) {
    return; // whatever is written
  }
  Loop written;
  find_changes(statements, written);
  for (std::size_t i = since.calls; i < current_->calls.size(); ++i) {
    const std::vector<Symbol> &stores = current_->calls[i].callee->attribute_stores;
    written.attributes.insert(written.attributes.end(), stores.begin(), stores.end());
  }
  std::ranges::sort(written.attributes, {}, &Symbol::id);
  if (!runs_first_time_only({test, negated, around_.loop, current_, &written, statements})) {
    return;
  }
  for (std::size_t i = since.ops; i < current_->ops.size(); ++i) {
    current_->ops[i].once |= current_->ops[i].loop == around_.loop;
  }
  for (std::size_t i = since.calls; i < current_->calls.size(); ++i) {
    current_->calls[i].once |= current_->calls[i].loop == around_.loop;
  }
  for (std::size_t i = since.loops; i < project_.loops.size(); ++i) {
    Loop &loop = project_.loops[i];
    loop.once |= loop.parent == around_.loop && loop.function == current_;
  }
}

// Modules are no values that a call could change, though `tf.assign` and `np.sort` look like methods. What the methods
// of our own classes change is known better.
void Inference::find_loop_changes(const Node *node, Loop &loop) {
  find_changes(node, loop);
  std::erase_if(loop.mutated, [this](Symbol name) {
    const Value value = look_up(name);
    return value.is(Value::Tag::Api) || value.is(Value::Tag::Module) || value.is(Value::Tag::Object);
  });
}

void Inference::walk(const Stmt *statement) {
  switch (statement->kind) {
  case NodeKind::FunctionDef:
    return walk_function_definition(static_cast<const FunctionDef *>(statement));
  case NodeKind::ClassDef:
    return walk_class(static_cast<const ClassDef *>(statement));
  case NodeKind::Return: {
    const auto *result = static_cast<const Return *>(statement);
    if (result->value != nullptr) {
      const bool was_once = std::exchange(around_.once, around_.once || around_.loop != nullptr);
      const Value value = eval(result->value);
      around_.once = was_once;
      current_->returns = current_->returned ? join(current_->returns, value) : value;
      current_->returned = true;
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
    assign(assignment->target, combine(before, added));
    return;
  }
  case NodeKind::AnnAssign: {
    const auto *assignment = static_cast<const AnnAssign *>(statement);
    Value value = annotation_value(assignment->annotation);
    if (assignment->value != nullptr) {
      const Value given = eval(assignment->value);
      value = given.known() ? given : value;
    }
    assign(assignment->target, value);
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
  case NodeKind::Match: {
    const auto *match = static_cast<const Match *>(statement);
    eval(match->subject);
    if (!keeps_branches()) {
      for (const MatchCase &branch : match->cases) {
        walk(branch.body);
      }
      reachable_ = true;
      return;
    }
    const Snapshot before(*this);
    Snapshot behind(*this);
    for (const MatchCase &branch : match->cases) {
      environment_ = before.values;
      walk(branch.body);
      join_environment(behind.values, environment_);
    }
    environment_.swap(behind.values);
    reachable_ = true;
    return;
  }
  case NodeKind::Import:
    return walk_import(static_cast<const Import *>(statement));
  case NodeKind::ImportFrom:
    return walk_import_from(static_cast<const ImportFrom *>(statement));
  case NodeKind::Raise:
  case NodeKind::Break:
  case NodeKind::Continue:
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

// ---- Definitions ----------------------------------------------------------------------------------------------------

void Inference::walk_function_definition(const FunctionDef *definition) {
  FunctionInfo *function = function_for(definition);
  function->type = class_body_;
  for (const Expr *decorator : definition->decorators) {
    Value value = eval(decorator);
    if (value.is(Value::Tag::Partial) && value.receiver().is(Value::Tag::Api)) { // @partial(jax.jit, …)
      value = value.receiver();
    }
    const Symbol api = value.is(Value::Tag::Api) || value.is_kind(Kind::Function) ? value.name() : Symbol{};
    if (const ApiInfo *info = api ? find_api(api) : nullptr; info != nullptr && info->has(kCompiles)) {
      function->compiled_at = decorator;
      function->tracers |= api.text().starts_with("tensorflow.") ? kByTfFunction : kByJaxJit;
    }
    // @tf.py_function(Tout=…) waits for the function.
    if (const auto *maker = as<Call>(decorator); maker != nullptr && value.is_kind(Kind::Tensor)) {
      const ApiInfo *info = value.name() ? find_api(value.name()) : nullptr;
      if (info != nullptr && info->has(kPython)) {
        function->tracers |= kByPython;
      }
    }
    if ((value.is(Value::Tag::Api) || value.is_kind(Kind::TorchModule)) && value.name() &&
        value.name().text() == "torch.compile") { // also @torch.compile(…)
      function->traced = true;
      function->tracers |= kByTorch;
    }
    if (value.is(Value::Tag::Api)) {
      const std::string_view name = value.name().text();
      function->is_property |= name == "property" || name.ends_with("cached_property");
      function->is_static |= name == "staticmethod";
      function->is_class_method |= name == "classmethod";
      const ApiInfo *info = find_api(value.name());
      function->traced |= info != nullptr && info->has(kTraces);
      module_->v2 |= info != nullptr && info->has(kV2);
    } else if (value.is_kind(Kind::Function)) { // @tf.function(…)
      function->traced = true;
    } else if (value.is_kind(Kind::NoGrad)) { // @torch.no_grad()
      function->no_grad = true;
    } else if (const auto *attribute = as<Attribute>(decorator)) {
      function->is_property |= attribute->attr.text() == "setter";
    }
  }
  // What Keras and Estimators call to build a graph.
  const std::string_view name = definition->name.text();
  if (class_body_ != nullptr &&
      (class_body_->kind == Kind::KerasLayer || class_body_->kind == Kind::KerasModel ||
       class_body_->kind == Kind::KerasLoss || class_body_->kind == Kind::KerasMetric) &&
      (name == "call" || name == "build" || name == "train_step" || name == "test_step" || name == "predict_step" ||
       name == "update_state" || name == "result" || name == "compute_loss" || name == "__call__")) {
    function->traced = true;
  }
  function->traced |= class_body_ != nullptr && (name == "validation_step" || name == "train_step");
  function->traced |= name == "model_fn" || name == "_model_fn" || name == "input_fn" || name == "_input_fn";
  if (current_->traced && current_->node != nullptr) {
    function->traced = true;
    function->tracers |= current_->tracers;
  }
  const bool takes_nothing = definition->params.size() <= (class_body_ != nullptr ? 1 : 0);
  function->is_test = current_->is_test || (name.starts_with("test_") && takes_nothing);
  const Value value = Value::of(function);
  if (class_body_ != nullptr) {
    class_body_->members[definition->name.id] = value;
  } else {
    bind(definition->name, value);
  }
}

namespace {

// What people call an object of the class: of QNet it is `qnet` or `q_net`.
void note_class_names(ClassInfo &type, Module &module) {
  std::string plain;
  std::string with_underscores;
  const std::string_view text = type.name.text();
  const auto is_lower = [text](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_upper = text[i] >= 'A' && text[i] <= 'Z';
    const char lower = is_upper ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (is_upper && i > 0 && (is_lower(i - 1) || is_lower(i + 1)) && text[i - 1] != '_') {
      with_underscores += '_'; // a word begins
    }
    plain += lower;
    with_underscores += lower;
  }
  const auto add = [&](const std::string &name) {
    const u32 key = intern(name).id;
    module.class_of_name[key] = module.class_of_name.contains(key) ? nullptr : &type;
  };
  add(plain);
  if (with_underscores != plain) {
    add(with_underscores);
  }
}

} // namespace

void Inference::walk_class(const ClassDef *definition) {
  if (definition->fact == 0) {
    ClassInfo &made = project_.classes.emplace_back();
    made.name = definition->name;
    made.node = definition;
    made.module = module_;
    made.scope = current_;
    definition->fact = static_cast<u32>(project_.classes.size());
    note_class_names(made, *module_);
  }
  ClassInfo *const type = &project_.classes[definition->fact - 1];
  type->bases.clear();
  for (const Expr *base : definition->bases) {
    const Value value = eval(base);
    type->bases.push_back(value);
    if (value.is(Value::Tag::Api)) {
      if (const ApiInfo *info = find_api(value.name())) {
        type->kind = info->returns;
      }
    } else if (value.is(Value::Tag::Class)) {
      type->kind = type->kind == Kind::Unknown ? value.type->kind : type->kind;
      if (std::ranges::find(value.type->subclasses, type) == value.type->subclasses.end() && value.type != type) {
        value.type->subclasses.push_back(type);
      }
    }
  }
  ClassInfo *const outer = std::exchange(class_body_, type);
  walk(definition->body);
  class_body_ = outer;
  if (outer != nullptr) {
    outer->members[definition->name.id] = Value::of(type, Value::Tag::Class);
  } else {
    bind(definition->name, Value::of(type, Value::Tag::Class));
  }
}

// ---- Imports --------------------------------------------------------------------------------------------------------

namespace {

Value module_value(const Module *module) {
  Value value;
  value.tag = Value::Tag::Module;
  value.module = module;
  return value;
}

Value dotted_api(std::string_view dotted) {
  bool v1 = false;
  const Symbol name = canonical_name(dotted, &v1);
  return Value::api(name, v1);
}

} // namespace

void Inference::walk_import(const Import *statement) {
  for (const Alias *alias : statement->names) {
    const std::string_view dotted = alias->name.text();
    const std::string_view top = dotted.substr(0, dotted.find('.'));
    const Module *found = is_known_package(top) ? nullptr : index_.find(*module_, alias->name, {}, 0);
    if (found != nullptr) {
      module_->imported[alias->name.id] = found;
      if (found->body != nullptr) {
        evaluate(*found->body);
      }
    }
    if (alias->asname) {
      bind(alias->asname, found != nullptr ? module_value(found) : dotted_api(dotted));
    } else if (top.size() == dotted.size()) {
      bind(alias->name, found != nullptr ? module_value(found) : dotted_api(dotted));
    } else {
      bind(intern(top), Value::api(intern(top), false));
    }
  }
}

void Inference::walk_import_from(const ImportFrom *statement) {
  const std::string_view dotted = statement->module ? statement->module.text() : std::string_view{};
  const std::string_view top = dotted.substr(0, dotted.find('.'));
  const bool known = statement->level == 0 && is_known_package(top);
  const Module *package = known ? nullptr : index_.find(*module_, statement->module, {}, statement->level);
  if (package != nullptr && package->body != nullptr) {
    evaluate(*package->body);
  }
  for (const Alias *alias : statement->names) {
    const std::string_view name = alias->name.text();
    if (name == "*") {
      if (known && std::ranges::find(module_->stars, canonical_name(dotted)) == module_->stars.end()) {
        module_->stars.push_back(canonical_name(dotted));
      }
      if (package != nullptr && package->body != nullptr) {
        for (u32 slot = 0; slot < package->body->names.size(); ++slot) {
          const Symbol bound{package->body->names[slot]};
          if (is_exported(*package, bound)) {
            bind(bound, package->body->ever[slot]);
          }
        }
      }
      continue;
    }
    const Symbol target = alias->asname ? alias->asname : alias->name;
    Value value;
    if (package != nullptr && package->body != nullptr) {
      if (const u32 slot = package->body->slot_of(alias->name); slot != FunctionInfo::kNoSlot) {
        value = package->body->ever[slot];
      }
    }
    if (!value.known() && !known) { // a module of a package
      if (const Module *module = index_.find(*module_, statement->module, alias->name, statement->level)) {
        if (module->body != nullptr) {
          evaluate(*module->body);
        }
        value = module_value(module);
      }
    }
    if (!value.known() && package != nullptr) {
      value = star_attribute(*package, alias->name);
    }
    if (!value.known() && name == "tensorflow") { // through a module that imports it lazily
      value = dotted_api(name);
    }
    if (!value.known() && package == nullptr && statement->level == 0) {
      value = dotted_api(std::string(dotted) + "." + std::string(name));
    }
    bind(target, value);
  }
}

// ---- Branches and loops ---------------------------------------------------------------------------------------------

// What a test always gives: `False`, `0`, `step % 30 == 450`.
std::optional<bool> Inference::settled_test(const Expr *test) {
  if (is_constant(test, ConstantKind::False) || is_constant(test, ConstantKind::True)) {
    return is_constant(test, ConstantKind::True);
  }
  if (is_constant(test, ConstantKind::Int)) {
    const auto number = literal_number(test);
    return number.has_value() ? std::optional(*number != 0) : std::nullopt;
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

void Inference::walk_if(const If *statement) {
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
  const bool was_eager_test = around_.eager_test;
  const bool was_by_type = around_.by_type;
  Snapshot other(*this); // first what was before, then what is behind the body
  around_.eager_test = was_eager_test || mentions_eager(statement->test);
  around_.by_type |= recording_ && asks_for_type(statement->test, *current_);
  const Node *const outer_branch = std::exchange(around_.branch, statement);
  const auto walk_branch = [&](const Block &block, bool negated) {
    const FactMark mark = facts_so_far();
    narrow(statement->test, !negated);
    walk(block);
    if (recording_) {
      mark_once(statement->test, negated, std::span(block.begin(), block.end()), mark);
    }
  };
  walk_branch(statement->body, false);
  const bool body_reaches = reachable_;
  environment_.swap(other.values);
  reachable_ = true;
  walk_branch(statement->orelse, true);
  around_.eager_test = was_eager_test;
  around_.branch = outer_branch;
  around_.by_type = was_by_type;
  if (!reachable_) {
    environment_.swap(other.values);
    reachable_ = body_reaches;
  } else if (body_reaches) {
    join_environment(other.values, environment_);
    environment_.swap(other.values);
  }
}

// isinstance(x, tf.data.Dataset) tells what x is where it holds; `not` turns that around.
void Inference::narrow(const Expr *test, bool holds) {
  if (const auto *negation = as<UnaryOp>(test); negation != nullptr && negation->op() == UnaryOperator::Not) {
    return narrow(negation->operand, !holds);
  }
  const auto *call = as<Call>(test);
  const auto *function = call != nullptr ? as<Name>(call->func) : nullptr;
  if (!holds || function == nullptr || function->id.text() != "isinstance" || call->args.size() != 2) {
    return;
  }
  const auto *name = as<Name>(call->args[0]);
  if (name == nullptr || class_body_ != nullptr || call->args[1]->kind == NodeKind::Tuple) {
    return;
  }
  const Value value = annotation_value(call->args[1]);
  const u32 slot = current_->slot_of(name->id);
  if (value.is(Value::Tag::Instance) && slot != FunctionInfo::kNoSlot && !environment_[slot].known()) {
    environment_[slot] = value;
  }
}

// What happens in a loop happens in the one around it too.
void Inference::hand_to_parent(const Loop &loop) {
  Loop *const parent = loop.parent;
  if (parent == nullptr) {
    return;
  }
  if (loop.runs_session && !parent->runs_session) {
    parent->runs_session = true;
    parent->session_run = loop.session_run;
  }
  parent->makes_graph |= loop.makes_graph;
  parent->new_graph |= loop.new_graph;
  parent->trains |= loop.trains;
}

Loop &Inference::begin_loop(const Node *node) {
  Loop &loop = project_.loops.emplace_back();
  loop.node = node;
  loop.parent = around_.loop;
  loop.function = current_;
  if (recording_) {
    find_loop_changes(node, loop);
  }
  if (u32 *const place = loop_fact(node); last_pass_ && *place == 0) {
    *place = static_cast<u32>(project_.loops.size());
  }
  return loop;
}

template <class Body> void Inference::in_loop(const Node *node, Body body) {
  Loop &loop = begin_loop(node);
  const Surroundings outer = around_;
  around_.loop = &loop;
  around_.branch = node;
  around_.once = false;
  if (keeps_branches()) {
    const Snapshot before(*this);
    body(loop);
    join_environment(environment_, before.values);
  } else {
    body(loop);
  }
  around_ = outer;
  reachable_ = true;
  hand_to_parent(loop);
}

void Inference::walk_for(const For *statement) {
  const Value iterated = eval(statement->iter);
  in_loop(statement, [&](Loop &loop) {
    if (last_pass_) {
      loop.tiny = is_tiny(statement->iter) || leaves_at_once(statement->body);
      loop.turns = turns_of(statement->iter, iterated);
    }
    assign(statement->target, element_of(iterated));
    walk(statement->body);
    loop.tiny = loop.tiny && !may_be_long(loop, statement->iter);
  });
  walk(statement->orelse);
}

void Inference::walk_while(const While *statement) {
  in_loop(statement, [&](Loop &loop) {
    loop.tiny = leaves_at_once(statement->body);
    eval(statement->test);
    walk(statement->body);
  });
  walk(statement->orelse);
}

void Inference::walk_try(const Try *statement) {
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
  const Snapshot before(*this);
  walk(statement->body);
  walk(statement->orelse);
  bool reaches = reachable_;
  Snapshot behind(*this);
  for (const ExceptHandler *handler : statement->handlers) {
    environment_ = before.values;
    reachable_ = true;
    if (handler->type != nullptr) {
      eval(handler->type);
    }
    const bool was_once = std::exchange(around_.once, true); // no part of what a loop does in each turn
    walk(handler->body);
    around_.once = was_once;
    if (reachable_) {
      if (reaches) {
        join_environment(behind.values, environment_);
      } else {
        behind.values = environment_;
        reaches = true;
      }
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

} // namespace

void Inference::walk_with(const With *statement) {
  const Surroundings outer = around_;
  for (const WithItem &item : statement->items) {
    Value value = eval(item.context_expr);
    around_.in_tape |= value.is_kind(Kind::GradientTape);
    around_.no_grad |= value.is_kind(Kind::NoGrad);
    if (recording_ && scopes_operations(item.context_expr)) {
      around_.scope = project_.values.make<OpScope>(item.context_expr, around_.scope);
    }
    if (item.optional_vars != nullptr) {
      value = value.is(Value::Tag::Tuple) ? element_of(value) : value; // what a context manager yields
      assign(item.optional_vars, value);
    }
  }
  walk(statement->body);
  around_ = outer;
}

// ---- Assignment -----------------------------------------------------------------------------------------------------

void Inference::bind(Symbol name, const Value &value) { bind(name, current_->slot_of(name), value); }

void Inference::bind(Symbol name, u32 slot, const Value &value) {
  if (class_body_ != nullptr) {
    class_body_->members[name.id] = value;
    return;
  }
  FunctionInfo *scope = current_;
  if (slot != FunctionInfo::kNoSlot) {
    environment_[slot] = value;
    scope->ever[slot] = scope->ever[slot].known() ? join(scope->ever[slot], value) : value;
    return;
  }
  // Declared global or nonlocal.
  for (scope = scope->parent; scope != nullptr; scope = scope->parent) {
    slot = scope->slot_of(name);
    if (slot != FunctionInfo::kNoSlot) {
      scope->ever[slot] = join(scope->ever[slot], value);
      return;
    }
  }
}

void Inference::assign(const Expr *target, const Value &value) {
  switch (target->kind) {
  case NodeKind::Name:
    bind(static_cast<const Name *>(target)->id, slot_at(static_cast<const Name *>(target)), value);
    return;
  case NodeKind::Attribute:
    store_attribute(static_cast<const Attribute *>(target), value);
    return;
  case NodeKind::Starred:
    assign(static_cast<const Starred *>(target)->value, {});
    return;
  case NodeKind::Subscript:
    eval(static_cast<const Subscript *>(target)->slice);
    grow(static_cast<const Subscript *>(target)->value, value);
    return;
  case NodeKind::Tuple:
  case NodeKind::List: {
    const Array<Expr *> targets = target->kind == NodeKind::Tuple ? static_cast<const Tuple *>(target)->elts
                                                                  : static_cast<const List *>(target)->elts;
    for (u32 i = 0; i < targets.size(); ++i) {
      Value part;
      if (value.is(Value::Tag::Tuple)) {
        part = value.uniform ? value.items[0] : i < value.number ? value.items[i] : Value{};
      } else if (value.is(Value::Tag::Instance) && value.container) {
        part = value; // (train, test), info = tfds.load(…)
      }
      assign(targets[i], part);
    }
    return;
  }
  default:
    return;
  }
}

// One more element of a list or dict: what was written down is not all of it any more, and all elements are alike.
void Inference::grow(const Expr *container, const Value &added) {
  const Value before = eval(container);
  const bool is_list = before.is(Value::Tag::Tuple);
  if ((!is_list && (before.known() || !added.known())) ||
      (container->kind != NodeKind::Name && container->kind != NodeKind::Attribute)) {
    return;
  }
  const Value after = make_uniform(join(is_list ? element_of(before) : Value{}, added));
  if (const auto *name = as<Name>(container)) {
    if (current_->slot_of(name->id) != FunctionInfo::kNoSlot && class_body_ == nullptr) {
      bind(name->id, after);
    }
  } else {
    const auto *attribute = static_cast<const Attribute *>(container);
    const Value object = eval(attribute->value);
    if (object.is(Value::Tag::Object)) {
      Value &known = object.type->attributes[attribute->attr.id];
      known = join(known, after);
    }
  }
}

void Inference::store_attribute(const Attribute *target, const Value &value) {
  const Value object = eval(target->value);
  current_->effects = true;
  if (!object.is(Value::Tag::Object)) {
    return;
  }
  Value &known = object.type->attributes[target->attr.id];
  known = join(known, value);
  if (current_->type == object.type) {
    current_->attribute_stores.push_back(target->attr);
  }
}

} // namespace deepperf::model
