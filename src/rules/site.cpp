#include "rules/site.h"

#include "model/context.h"
#include "model/guards.h"

#include "python/children.h"
#include "python/literals.h"
#include "rules/answers.h"
#include "rules/copies.h"
#include "rules/thin.h"

#include <algorithm>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;
using model::Value;

// ---- What is called, and with what ----------------------------------------------------------------------------------

std::string_view answers::called_api(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  return callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
}

const model::FunctionInfo *answers::called_function(const Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  return callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method) ? callee.function : nullptr;
}

const Call *answers::maker_of_callee(const Site &site, const Call &call, std::string_view *api) {
  const Value callee = site.project.callee_of(&call);
  if (!callee.is(Value::Tag::Instance) || callee.kind == Kind::Dataset || callee.maker() == nullptr) {
    return nullptr;
  }
  if (api != nullptr) {
    *api = callee.name() ? callee.name().text() : std::string_view{};
  }
  return callee.maker();
}

model::Scope scope_of(const Site &site) {
  return {&site.project, site.module, site.function != nullptr ? site.function : site.module->body};
}

Value answers::value_of(const Site &site, const Expr *expr) { return model::value_of(scope_of(site), expr); }

// ---- Constants ------------------------------------------------------------------------------------------------------

std::optional<model::ConstantValue> setting_of(const Site &site, const Expr *expr) {
  return expr != nullptr ? model::constant_of(scope_of(site), expr) : std::nullopt;
}

std::optional<model::ConstantValue> setting_of(const Site &site, const model::Argument &argument,
                                               const model::ConstantValue &otherwise) {
  return model::constant_of(site.project, argument, otherwise);
}

model::Argument argument_of(const Site &site, const Call &call, u32 position, std::string_view keyword) {
  return model::argument_of(scope_of(site), call, position, keyword);
}

namespace {

std::optional<model::ConstantValue> certain(const Site &site, const Expr *expr) {
  std::optional<model::ConstantValue> value = setting_of(site, expr);
  return value.has_value() && !value->overridable ? value : std::nullopt;
}

} // namespace

std::optional<double> answers::number_of(const Site &site, const Expr *expr) {
  const auto value = certain(site, expr);
  return value.has_value() ? value->as_number() : std::nullopt;
}

std::optional<i64> answers::integer_of(const Site &site, const Expr *expr) {
  const auto value = certain(site, expr);
  return value.has_value() ? value->as_integer() : std::nullopt;
}

std::optional<bool> answers::bool_of(const Site &site, const Expr *expr) {
  const auto value = certain(site, expr);
  return value.has_value() ? value->as_bool() : std::nullopt;
}

std::optional<std::string> answers::string_of(const Site &site, const Expr *expr) {
  const auto value = certain(site, expr);
  return value.has_value() ? value->as_string() : std::nullopt;
}

bool is_none(const Expr *expr) { return is_constant(expr, ConstantKind::None); }

namespace {

bool starts_with_one(const Site &site, const Call &call, u32 first) {
  const Expr *shape = argument(call, first, "shape");
  if (const auto *tuple = as<Tuple>(shape)) {
    shape = tuple->elts.empty() ? nullptr : tuple->elts[0];
  } else if (const auto *list = as<List>(shape)) {
    shape = list->elts.empty() ? nullptr : list->elts[0];
  }
  return shape != nullptr && integer_of(site, shape) == 1;
}

bool adds_first_axis(const Site &site, const Expr *slice) {
  if (const auto *parts = as<Tuple>(slice)) {
    slice = parts->elts.empty() ? nullptr : parts->elts[0];
  }
  const auto *attribute = as<Attribute>(slice);
  return slice != nullptr && (is_none(slice) || (attribute != nullptr && attribute->attr.text() == "newaxis" &&
                                                 value_of(site, attribute->value).is(Value::Tag::Api)));
}

// How many assignments are followed to see what a name is: `x = x.float()` leads to itself.
constexpr u32 kMostSteps = 8;

bool is_one(const Site &site, const Expr *expr, u32 steps);

bool makes_batch_of_one(const Site &site, const Call &call, u32 steps) {
  const std::string_view api = called_api(site, call);
  const std::string_view method = called_method(call);
  if (api.ends_with(".expand_dims")) {
    return integer_of(site, argument(call, 1, "axis")) == 0 || integer_of(site, argument(call, 1, "dim")) == 0;
  }
  if (api == "numpy.array" || api == "numpy.asarray" || api.ends_with(".convert_to_tensor") ||
      api.ends_with(".constant") || api == "torch.tensor") {
    const auto *list = as<List>(argument(call, 0, "object"));
    return list != nullptr && list->elts.size() == 1 && list->elts[0]->kind != NodeKind::Starred;
  }
  if (method == "unsqueeze") {
    return integer_of(site, argument(call, 0, "dim")) == 0;
  }
  if (method == "reshape" || method == "view") {
    return starts_with_one(site, call, api.empty() ? 0 : 1);
  }
  // What keeps the first axis of what it is given.
  const Expr *inner = method == "astype" || method == "float" || method == "to" ? receiver_of(call) : nullptr;
  return is_one(site, inner, steps + 1);
}

bool is_one(const Site &site, const Expr *expr, u32 steps) {
  if (expr == nullptr || steps > kMostSteps) {
    return false;
  }
  if (const auto *list = as<List>(expr)) {
    return list->elts.size() == 1 && list->elts[0]->kind != NodeKind::Starred;
  }
  if (const auto *subscript = as<Subscript>(expr)) {
    return adds_first_axis(site, subscript->slice);
  }
  if (const auto *call = as<Call>(expr)) {
    return makes_batch_of_one(site, *call, steps);
  }
  if (expr->kind == NodeKind::Name) {
    const Value value = value_of(site, expr);
    return value.is(Value::Tag::Instance) && value.kind != Kind::Dataset && value.maker() != nullptr &&
           makes_batch_of_one(site_of(site, *value.maker()), *value.maker(), steps);
  }
  return false;
}

} // namespace

bool answers::is_batch_of_one(const Site &site, const Expr *expr) { return is_one(site, expr, 0); }

namespace {

// The plain assignments among the children of a node, or of a module, by name and place.
struct AssignmentsByName {
  std::unordered_map<u32, std::vector<const Assign *>> of_name;

  void add(const Node *statement) {
    const auto *assignment = as<Assign>(statement);
    const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr) {
      of_name[target->id.id].push_back(assignment);
    }
  }

  // The value of the last one that ends before the name.
  [[nodiscard]] const Expr *before(const Name &name) const {
    const auto known = of_name.find(name.id.id);
    if (known == of_name.end()) {
      return nullptr;
    }
    const auto behind = std::ranges::upper_bound(known->second, name.start, {}, &Assign::end);
    return behind != known->second.begin() ? (*(behind - 1))->value : nullptr;
  }
};

} // namespace

const Expr *answers::last_assigned(const Site &site, const Name &name) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *const around = site.ancestors[i];
    if (around->kind == NodeKind::Lambda) {
      return nullptr;
    }
    if (around->kind < NodeKind::FunctionDef) {
      continue; // an expression
    }
    const auto find = [around] {
      AssignmentsByName all;
      for_each_child(around, [&all](const Node *child) { all.add(child); });
      return all;
    };
    const Expr *const found = site.memory.recall<AssignmentsByName>(around, find).before(name);
    if (found != nullptr || around->kind == NodeKind::FunctionDef) {
      return run_by(site, found);
    }
  }
  const auto find = [&site] {
    AssignmentsByName all;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      all.add(statement);
    }
    return all;
  };
  return run_by(site, site.memory.recall<AssignmentsByName>(site.module, find).before(name));
}

bool mentions(const Node *node, Symbol name) {
  if (const auto *plain = as<Name>(node)) {
    return plain->id == name;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || mentions(child, name); });
  return found;
}

// ---- Where it stands ------------------------------------------------------------------------------------------------

std::string_view text_of(const Site &site, const Node *node) {
  node = original_of(site, node);
  return site.module->parsed->source.part(node->start, node->end);
}

Site site_of(const Site &site, const Call &call) {
  const model::FunctionInfo *const function = site.project.caller_of(&call);
  Site other{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  other.function = function != nullptr ? function : site.function;
  other.module = function != nullptr ? function->module : site.module;
  other.type = other.function != nullptr ? other.function->type : nullptr;
  other.trace = site.trace;
  return other;
}

Site site_at(const Site &site, const model::FunctionInfo &function, const Node &node) {
  Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
  there.function = &function;
  there.module = function.module;
  there.type = function.type;
  there.trace = site.trace;
  there.node = &node;
  const Node *at = function.node;
  const auto is_around = [&node](const Node *one) {
    return one != &node && one->start <= node.start && node.end <= one->end;
  };
  if (at == nullptr) {
    for (const Stmt *statement : function.module->parsed->tree.body) {
      at = is_around(statement) ? statement : at;
    }
  }
  while (at != nullptr) {
    there.ancestors.push_back(at);
    const Node *inner = nullptr;
    for_each_child(at, [&](const Node *child) { inner = is_around(child) ? child : inner; });
    at = inner;
  }
  return there;
}

namespace {

bool starts_function(const Node *node) {
  return node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda || node->kind == NodeKind::ClassDef;
}

bool is_statement_loop(const Node *node) { return node->kind == NodeKind::For || node->kind == NodeKind::While; }

bool is_comprehension(const Node *node) {
  return node->kind == NodeKind::ListComp || node->kind == NodeKind::SetComp || node->kind == NodeKind::DictComp ||
         node->kind == NodeKind::GeneratorExp;
}

// The ancestor at that depth, after the last one the node itself.
const Node *at_depth(const Site &site, std::size_t depth) {
  return depth < site.ancestors.size() ? site.ancestors[depth] : site.node;
}

// Is the place what a condition at that depth always evaluates, rather than what it decides about: its test, or the
// first of what `and` and `or` connect?
bool is_test(const Site &site, std::size_t condition_at) {
  const Node *const condition = site.ancestors[condition_at];
  const Node *const child = at_depth(site, condition_at + 1);
  switch (condition->kind) {
  case NodeKind::If:
    return child == static_cast<const If *>(condition)->test;
  case NodeKind::IfExp:
    return child == static_cast<const IfExp *>(condition)->test;
  case NodeKind::BoolOp:
    return child == static_cast<const BoolOp *>(condition)->values[0];
  default:
    return false;
  }
}

// Is the place part of what the loop runs again and again, not of what it runs over?
bool is_in_iteration(const Site &site, std::size_t loop_at) {
  const Node *child = at_depth(site, loop_at + 1);
  if (child == nullptr) {
    return true;
  }
  if (const auto *loop = as<For>(site.ancestors[loop_at])) {
    return child != loop->iter && (loop->orelse.empty() || child->start < loop->orelse.front()->start);
  }
  if (const auto *loop = as<While>(site.ancestors[loop_at])) {
    return loop->orelse.empty() || child->start < loop->orelse.front()->start;
  }
  return true;
}

const model::Loop *find_loop(const Site &site, const Node *node) { return site.project.loop_at(node); }

} // namespace

const model::Loop *answers::loop_around(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && !starts_function(site.ancestors[i]);) {
    const Node *node = site.ancestors[i];
    if ((is_statement_loop(node) || is_comprehension(node)) && is_in_iteration(site, i)) {
      if (const model::Loop *loop = find_loop(site, node)) {
        return loop;
      }
    }
  }
  return nullptr;
}

const model::Loop *answers::long_loop_around(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && !starts_function(site.ancestors[i]);) {
    const Node *node = site.ancestors[i];
    if (is_statement_loop(node) && is_in_iteration(site, i)) {
      const model::Loop *loop = find_loop(site, node);
      if (loop != nullptr && !loop->few_iterations) {
        return loop;
      }
    }
  }
  return nullptr;
}

const Expr *answers::iterated_by(const Site &site, const model::Loop &loop) {
  return model::iterated_by(site.project, loop);
}

bool answers::goes_over_data(const Site &site, const model::Loop &loop) {
  return model::goes_over_data(site.project, loop);
}

PlaceContext context_of(const Site &site) {
  PlaceContext context;
  const model::FunctionInfo *const function = site.function;
  const u16 bits = function != nullptr ? function->context : u16{0};
  context.in_training_step = (bits & model::kPerTrainingStep) != 0;
  context.in_evaluation_step = (bits & model::kPerEvaluationStep) != 0;
  context.per_sample = (bits & model::kPerSample) != 0;
  context.runs_once = (bits & model::kRunsOnce) != 0;
  context.callers_unknown = (bits & model::kCallersUnknown) != 0;
  context.run_by_script = (bits & model::kRunByScript) != 0;
  context.repeated = function != nullptr && function->in_loop;
  for (const model::Loop *loop = rules::loop_around(site); loop != nullptr; loop = loop->parent) {
    context.in_training_step |= loop->steps;
    context.in_evaluation_step |= loop->evaluates;
    context.repeated |= !loop->few_iterations;
    context.runs_once &= loop->few_iterations;
  }
  context.no_grad = under_no_grad(site) ? PlaceContext::NoGrad::Always
                    : (bits & model::kGradMaybeOff) != 0 || (function != nullptr && function->sometimes_no_grad)
                        ? PlaceContext::NoGrad::Sometimes
                        : PlaceContext::NoGrad::Never;
  return context;
}

namespace {

// Where the first `if …: continue` of a loop stands, at the loop's own level.
struct FirstContinue {
  u32 place = ~0U;
};

FirstContinue first_continue(const model::Loop &loop) {
  const Block body = loop.node->kind == NodeKind::For     ? static_cast<const For *>(loop.node)->body
                     : loop.node->kind == NodeKind::While ? static_cast<const While *>(loop.node)->body
                                                          : Block{};
  const auto found = std::ranges::find_if(body, [](const Stmt *statement) {
    const auto *guard = as<If>(statement);
    return guard != nullptr && !guard->body.empty() && guard->body.back()->kind == NodeKind::Continue;
  });
  return {found != body.end() ? (*found)->start : ~0U};
}

} // namespace

bool answers::runs_every_iteration(const Site &site, const model::Loop &loop) {
  std::size_t at = site.ancestors.size();
  while (at > 0 && site.ancestors[at - 1] != loop.node) {
    const Node *node = site.ancestors[--at];
    if (node->kind == NodeKind::ExceptHandler) {
      return false;
    }
    if ((node->kind == NodeKind::If || node->kind == NodeKind::IfExp) && !is_test(site, at)) {
      return false;
    }
  }
  // `if step % 10: continue` before it does the same as an `if` around it.
  const u32 place = at < site.ancestors.size() ? site.ancestors[at]->start : ~0U;
  return place <= site.memory.recall<FirstContinue>(&loop, [&loop] { return first_continue(loop); }).place;
}

bool answers::in_training_step(const Site &site) { return context_of(site).in_training_step; }

const Node *answers::enclosing(const Site &site, NodeKind kind) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    if (site.ancestors[i]->kind == kind && !is_test(site, i)) {
      return site.ancestors[i];
    }
    if (starts_function(site.ancestors[i])) {
      return nullptr;
    }
  }
  return nullptr;
}

bool answers::inside_with(const Site &site, Kind kind) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && !starts_function(site.ancestors[i]);) {
    if (const auto *with = as<With>(site.ancestors[i])) {
      for (const WithItem &item : with->items) {
        if (model::kind_of(item.context_expr) == kind) {
          return true;
        }
      }
    }
  }
  return false;
}

namespace {

// In the branch of `torch.is_grad_enabled()` that runs without gradients.
bool is_grad_ruled_out(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0 && !starts_function(site.ancestors[i]);) {
    const auto *branch = as<If>(site.ancestors[i]);
    const std::optional<bool> asked = branch != nullptr ? model::asks_for_grad(branch->test) : std::nullopt;
    const Node *child = at_depth(site, i + 1);
    if (asked.has_value() && child != nullptr && child != branch->test) {
      const bool is_else = !branch->orelse.empty() && child->start >= branch->orelse.front()->start;
      return is_else == *asked;
    }
  }
  return false;
}

} // namespace

bool answers::under_no_grad(const Site &site) {
  if (rules::inside_with(site, Kind::NoGrad) || is_grad_ruled_out(site)) {
    return true;
  }
  for (const model::FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->no_grad) {
      return true;
    }
  }
  return false;
}

bool answers::in_method(const Site &site, Kind kind, std::string_view name) {
  for (const model::FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->type != nullptr && function->name && function->name.text() == name) {
      for (Kind at = function->type->kind; at != Kind::Unknown; at = parent_of(at)) {
        if (at == kind) {
          return true;
        }
      }
    }
  }
  return false;
}

bool answers::is_traced(const Site &site) {
  for (const model::FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (function->traced) {
      return true;
    }
  }
  return false;
}

// ---- Saying so ------------------------------------------------------------------------------------------------------

namespace {

// `def test(): assert torch.allclose(kernel(x), reference(x))` below the kernel that it tests. Many an evaluation is
// called test() as well, but does not compare results.
bool compares_results(const Site &site, const model::FunctionInfo &function) {
  struct ComparesResults {
    bool value = false;
  };
  return site.memory
      .recall<ComparesResults>(&function,
                               [&] {
                                 return ComparesResults{
                                     function.params.size() == 0 && function.name.text().starts_with("test") &&
                                     has_word(text_of(function), {"allclose(", "assert_close(", "assert_allclose(",
                                                                  "assert_almost_equal(", "assert_array_"})};
                               })
      .value;
}

// Is it a test, or called by nothing but tests of its own file, as the reference that a kernel is compared with? What
// other files test may be there for everybody.
bool serves_tests(const Site &site, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kDeepest = 3;
  if (function.node == nullptr || function.definition() == nullptr) {
    return false;
  }
  if (function.is_test || compares_results(site, function)) {
    return true;
  }
  return depth < kDeepest && function.type == nullptr && !function.called_by.empty() && !function.passed &&
         std::ranges::all_of(function.called_by, [&](const model::CallSite *caller) {
           return caller->caller != &function && caller->caller->module == function.module &&
                  serves_tests(site, *caller->caller, depth + 1);
         });
}

} // namespace

Finding &report(Findings &findings, const Rule &rule, const model::Module &module, Span place, std::string message,
                std::string advice) {
  Finding &finding = findings.emplace_back();
  finding.rule = &rule.info;
  finding.file = module.file;
  finding.span = place;
  // An exception that a notebook shows under its cell is there for everybody to see.
  const bool is_shown = rule.info.severity == Severity::Error && module.parsed->source.shows_error_at(place.start);
  finding.tier = (module.is_test || is_shown) && rule.info.tier == Tier::On ? Tier::Hint : rule.info.tier;
  finding.message = std::move(message);
  finding.advice = std::move(advice);
  return finding;
}

Finding &report(Site &site, Span place, std::string message, std::string advice) {
  Finding &finding = report(site.findings, *site.rule, *site.module, place, std::move(message), std::move(advice));
  if (finding.tier == Tier::On && site.function != nullptr && serves_tests(site, *site.function, 0)) {
    finding.tier = Tier::Hint;
  }
  return finding;
}

Finding &report(Site &site, const Node &place, std::string message, std::string advice) {
  const Node *const written = original_of(site, &place);
  Finding &finding = report(site, written->span(), std::move(message), std::move(advice));
  if (written != &place && !site.is_copy) {
    finding.notes.push_back({site.module->file, place.span(), "called here"});
  }
  return finding;
}

void add_note(Finding &finding, const Site &site, const Node &place, std::string message) {
  finding.notes.push_back({site.module->file, original_of(site, &place)->span(), std::move(message)});
}

} // namespace deepperf::rules
