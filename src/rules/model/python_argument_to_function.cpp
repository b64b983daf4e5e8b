#include "base/symbol_list.h"
#include "model/classes.h"
#include "model/variance.h"
#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/origins.h"
#include "rules/static_arguments.h"
#include "rules/step_number.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::python_argument_to_function {

using namespace python;

namespace {

// The name of the Python number that a loop counts with: `i` of `for i in range(n)` and of `for i, x in enumerate(xs)`.
Symbol counter_of(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *iterated = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  if (iterated == nullptr) {
    return {};
  }
  const std::string_view api = called_api(site, *iterated);
  const Expr *target = statement->target;
  if (api == "enumerate") {
    const auto *pair = as<Tuple>(target);
    target = pair != nullptr && pair->elts.size() == 2 ? pair->elts[0] : nullptr;
  } else if (api != "range" && api != "xrange") {
    return {};
  }
  const auto *name = as<Name>(target);
  return name != nullptr ? name->id : Symbol{};
}

// Names that a loop counts with: by its head, or by `step += 1` of a number that begins as a constant.
struct Counters {
  std::unordered_set<u32> names;
  std::unordered_set<u32> attributes; // of self: self.step += 1

  [[nodiscard]] bool has(Symbol name) const { return names.contains(name.id); }
};

bool begins_as_constant(const Site &site, const Expr *counter) {
  bool is_literal = false;
  bool is_other = false;
  for_each_alternative(value_of(site, counter), [&](const model::Value &one) {
    (one.is(model::Value::Tag::Literal) || one.is_kind(Kind::Number) ? is_literal : is_other) = true;
  });
  return is_literal && !is_other;
}

// `beta = min(1.0, beta + 1e-5)`, `lr *= 0.99`: a number of Python that the one before and constants give.
bool is_next_number(const Site &site, const Expr *expr, Symbol name, bool &mentions_it) {
  if (const auto *plain = as<Name>(expr)) {
    mentions_it |= plain->id == name;
    return plain->id == name || number_of(site, expr).has_value();
  }
  if (const auto *operation = as<BinOp>(expr)) {
    return is_next_number(site, operation->left, name, mentions_it) &&
           is_next_number(site, operation->right, name, mentions_it);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    return (api == "min" || api == "max" || api.starts_with("math.")) && call->keywords.empty() &&
           std::ranges::all_of(call->args,
                               [&](const Expr *arg) { return is_next_number(site, arg, name, mentions_it); });
  }
  return number_of(site, expr).has_value();
}

// Where a function or module first gives a name a number that is written down, and where something else.
struct FirstValues {
  struct First {
    u32 number = ~0U;
    u32 other = ~0U;
  };
  std::unordered_map<u32, First> of_name;
};

const FirstValues &first_values(const Site &site, const void *about, const Block &scope) {
  return site.memory.recall<FirstValues>(about, [&] {
    FirstValues found;
    any_node(scope, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
        if (const auto *bound = as<Name>(target)) {
          FirstValues::First &first = found.of_name[bound->id.id];
          u32 &place = number_of(site, assignment->value).has_value() ? first.number : first.other;
          place = std::min(place, assignment->start);
        }
      }
      return false;
    });
    return found;
  });
}

// Is the first value of the name, before the loop, a number that is written down?
bool starts_as_number(const Site &site, const model::Loop &loop, const Name &name) {
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const FirstValues &all = definition != nullptr ? first_values(site, definition, definition->body)
                                                 : first_values(site, site.module, site.module->parsed->tree.body);
  const auto found = all.of_name.find(name.id.id);
  return found != all.of_name.end() && found->second.number < loop.node->start &&
         found->second.other >= loop.node->start;
}

// Arithmetic of numbers and of what the function was passed: it gives a number if it was passed numbers. Numbers are
// also constants and settings under a name (`MAX_BETA`, `self.warmup`), and what the function computed from all of
// these.
bool is_arithmetic(const Site &inside, const Expr *expr, u32 depth) {
  constexpr u32 kMostDepth = 12;
  if (expr == nullptr || depth == kMostDepth) {
    return false;
  }
  const auto is_part = [&](const Expr *part) { return is_arithmetic(inside, part, depth + 1); };
  if (const auto *operation = as<BinOp>(expr)) {
    return is_part(operation->left) && is_part(operation->right);
  }
  if (const auto *unary = as<UnaryOp>(expr)) {
    return is_part(unary->operand);
  }
  if (const auto *choice = as<IfExp>(expr)) {
    return is_part(choice->body) && is_part(choice->orelse);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(inside, *call);
    return (api.starts_with("math.") || api == "min" || api == "max" || api == "float" || api == "int" ||
            api == "round" || api == "abs") &&
           std::ranges::all_of(call->args, is_part);
  }
  if (is_constant(expr, ConstantKind::Int) || is_constant(expr, ConstantKind::Float)) {
    return true;
  }
  const auto *name = as<Name>(expr);
  if (name != nullptr && inside.function->has_param(name->id)) {
    return true;
  }
  if (const std::optional<model::ConstantValue> known = setting_of(inside, expr)) {
    return known->as_number().has_value();
  }
  if (expr->kind == NodeKind::Attribute) { // math.pi
    const model::Value value = value_of(inside, expr);
    return value.is(model::Value::Tag::Api) && value.name().text().starts_with("math.");
  }
  const Expr *const made = name != nullptr ? assigned_to(inside, *name) : nullptr;
  return made != nullptr && is_part(made);
}

struct GivesNumber {
  bool answer = false;
};

// `def cosine(step, total): … return base * (1 + math.cos(…))`: all that it returns is arithmetic.
bool gives_number(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || function.compiled_at != nullptr || !definition->decorators.empty()) {
    return false;
  }
  return site.memory
      .recall<GivesNumber>(&function,
                           [&] {
                             const auto *type = as<Name>(definition->returns);
                             if (type != nullptr && (type->id.text() == "float" || type->id.text() == "int")) {
                               return GivesNumber{true};
                             }
                             const Site inside = site_inside(site, function);
                             u32 results = 0;
                             u32 numbers = 0;
                             any_node(definition->body, [&](const Node *node) {
                               if (const auto *result = as<Return>(node)) {
                                 ++results;
                                 numbers += is_arithmetic(inside, result->value, 0) ? 1 : 0;
                               }
                               return false;
                             });
                             return GivesNumber{results > 0 && results == numbers};
                           })
      .answer;
}

// `step` of `self.step`
Symbol attribute_of_self(const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  return object != nullptr && object->id.text() == "self" ? attribute->attr : Symbol{};
}

// What a search for a number has found so far.
struct NumberSearch {
  bool varies = false; // it is computed from a counter
  u32 looks = 0;       // at expressions
};

bool is_number(const Site &site, const Expr *expr, const Counters &counters, NumberSearch &search, u32 depth);

struct Returned {
  std::vector<const Expr *> values; // null for `return`
};

const Returned &returned_by(const Site &site, const FunctionDef &definition) {
  return site.memory.recall<Returned>(&definition, [&] {
    Returned found;
    any_node(definition.body, [&](const Node *node) {
      if (const auto *result = as<Return>(node)) {
        found.values.push_back(result->value);
      }
      return false;
    });
    return found;
  });
}

// `self.beta()`, or `self.beta` where that is a property: all that the method returns is a number that is computed from
// numbers and counting attributes of the same object.
bool gives_counted(const Site &site, const model::FunctionInfo *method, const Counters &counters, NumberSearch &search,
                   u32 depth) {
  const FunctionDef *definition = method != nullptr ? method->definition() : nullptr;
  if (definition == nullptr || method->type == nullptr || method->params.size() != 1 ||
      method->compiled_at != nullptr || (!definition->decorators.empty() && !method->is_property)) {
    return false;
  }
  const Site inside = {.project = site.project,
                       .findings = site.findings,
                       .memory = site.memory,
                       .rule = site.rule,
                       .module = method->module,
                       .function = method,
                       .type = method->type};
  const Counters own = {.names = {}, .attributes = counters.attributes};
  const std::vector<const Expr *> &results = returned_by(site, *definition).values;
  return !results.empty() && std::ranges::all_of(results, [&](const Expr *result) {
    return is_number(inside, result, own, search, depth + 1);
  });
}

// `i`, `i + 1`, `min(1.0, i / total)`, `schedule(i)`: a Python number, which varies if it is computed from a counter.
bool is_number(const Site &site, const Expr *expr, const Counters &counters, NumberSearch &search, u32 depth) {
  constexpr u32 kMostDepth = 8;
  constexpr u32 kMostLooks = 500;
  if (expr == nullptr || depth > kMostDepth || ++search.looks > kMostLooks) {
    return false;
  }
  const auto is_part = [&](const Expr *part) { return is_number(site, part, counters, search, depth + 1); };
  if (const auto *name = as<Name>(expr); name != nullptr && counters.has(name->id)) {
    search.varies = true;
    return true;
  }
  const Symbol attribute = attribute_of_self(expr);
  if (attribute && counters.attributes.contains(attribute.id)) {
    search.varies = true;
    return true;
  }
  if (attribute && site.type != nullptr && !counters.attributes.empty()) {
    const model::FunctionInfo *method = model::find_method_of(*site.type, attribute);
    if (method != nullptr && method->is_property) {
      return gives_counted(site, method, counters, search, depth);
    }
  }
  if (const auto *operation = as<BinOp>(expr)) {
    return is_part(operation->left) && is_part(operation->right);
  }
  if (const auto *unary = as<UnaryOp>(expr)) {
    return is_part(unary->operand);
  }
  if (const auto *choice = as<IfExp>(expr)) {
    return is_part(choice->body) && is_part(choice->orelse);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    if (api == "len") {
      return true;
    }
    const model::FunctionInfo *function = called_function(site, *call);
    if (api == "float" || api == "int" || (function != nullptr && gives_number(site, *function))) {
      std::ranges::for_each(call->args, is_part);
      std::ranges::for_each(call->keywords, [&](const Keyword *keyword) { is_part(keyword->value); });
      return true;
    }
    if (attribute_of_self(call->func) && call->args.empty() && call->keywords.empty() && !counters.attributes.empty()) {
      return gives_counted(site, function, counters, search, depth);
    }
    return (api.starts_with("math.") || api == "min" || api == "max" || api == "round" || api == "abs") &&
           !call->args.empty() && std::ranges::all_of(call->args, is_part);
  }
  if (const std::optional<model::ConstantValue> known = setting_of(site, expr)) {
    return known->as_number().has_value();
  }
  if (expr->kind == NodeKind::Attribute) { // math.pi
    const model::Value value = value_of(site, expr);
    return value.is(model::Value::Tag::Api) && value.name().text().starts_with("math.");
  }
  const auto *name = as<Name>(expr);
  const Expr *made = name != nullptr ? last_assigned(site, *name) : nullptr;
  return made != nullptr && is_part(made);
}

bool is_number_from(const Site &site, const Expr *expr, const Counters &counters) {
  NumberSearch search;
  return is_number(site, expr, counters, search, 0) && search.varies;
}

// `beta = min(1.0, step / warmup)` in the loop: names that hold nothing else there than numbers from its counters.
void add_computed(const Site &site, const Block &body, Counters &counters) {
  std::unordered_set<u32> others;
  std::unordered_set<u32> found;
  any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr) {
      return false;
    }
    const auto *name = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (name == nullptr || counters.has(name->id)) {
      return false;
    }
    NumberSearch search;
    if (!is_number(site, assignment->value, counters, search, 0)) {
      others.insert(name->id.id);
    } else if (search.varies) {
      found.insert(name->id.id);
    }
    return false;
  });
  std::erase_if(found, [&others](u32 name) { return others.contains(name); });
  counters.names.merge(found);
}

// Is it an object that is made with such a number: `Hyper(step=step)`, `config._replace(step=step)`? As a static
// argument it is another one in every iteration.
bool holds_number_from(const Site &site, const model::Loop &loop, const Expr *expr, const Counters &counters) {
  const auto *name = as<Name>(expr);
  const Expr *made = name != nullptr && contains(loop.assigned, name->id) ? last_assigned(site, *name) : expr;
  const auto is_from = [&](const Expr *part) { return is_number_from(site, part, counters); };
  if (const auto *tuple = as<Tuple>(made)) {
    return std::ranges::any_of(tuple->elts, is_from);
  }
  const auto *call = as<Call>(made);
  if (call == nullptr) {
    return false;
  }
  const model::Value callee = site.project.callee_of(call);
  const bool makes_object = callee.is(model::Value::Tag::Class) || called_method(*call) == "_replace" ||
                            called_api(site, *call) == "dataclasses.replace";
  return makes_object &&
         (std::ranges::any_of(call->args, is_from) || std::ranges::any_of(call->keywords, [&](const Keyword *keyword) {
            return keyword->name && is_from(keyword->value);
          }));
}

const Counters &counters_of(const Site &site, const model::Loop &loop) {
  return site.memory.recall<Counters>(&loop, [&] {
    Counters counters;
    if (const Symbol counter = counter_of(site, loop)) {
      counters.names.insert(counter.id);
    }
    const auto *statement = as<For>(loop.node);
    const auto *repeated = as<While>(loop.node);
    if (statement == nullptr && repeated == nullptr) {
      return counters;
    }
    for (const Stmt *one : statement != nullptr ? statement->body : repeated->body) {
      const auto *assignment = as<Assign>(one);
      const auto *next =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      bool goes_on = false;
      if (next != nullptr && is_next_number(site, assignment->value, next->id, goes_on) && goes_on &&
          starts_as_number(site, loop, *next)) {
        counters.names.insert(next->id.id);
      }
      const auto *increment = as<AugAssign>(one);
      const auto *name = increment != nullptr ? as<Name>(increment->target) : nullptr;
      const bool is_step = increment != nullptr && (is_constant(increment->value, ConstantKind::Int) ||
                                                    is_constant(increment->value, ConstantKind::Float));
      if (const Symbol attribute = is_step ? attribute_of_self(increment->target) : Symbol{};
          attribute && begins_as_constant(site, increment->target)) {
        counters.attributes.insert(attribute.id);
      }
      if (is_step && name != nullptr && (begins_as_constant(site, name) || starts_as_number(site, loop, *name))) {
        counters.names.insert(name->id.id);
      }
    }
    if (!counters.names.empty() || !counters.attributes.empty()) {
      add_computed(site, statement != nullptr ? statement->body : repeated->body, counters);
    }
    return counters;
  });
}

// `[vocabulary[word] for word in text.split()]`, here or under a name that the loop assigns: numbers of Python, each of
// which is part of what tf.function looks its graphs up by.
bool is_list_of_loop(const Site &site, const model::Loop &loop, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const Expr *made = name != nullptr && contains(loop.assigned, name->id) ? last_assigned(site, *name) : expr;
  const auto *list = as<ListComp>(made);
  if (list == nullptr || !contains(loop.node, list) || list->generators.size() != 1) {
    return false;
  }
  const Expr *element = list->elt;
  const Kind kind = model::kind_of(element);
  // Entries of a dictionary or converted numbers; tensors in a list would be tensors.
  const auto *call = as<Call>(element);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  const auto *entry = as<Subscript>(element);
  const auto *words = as<Call>(list->generators[0]->iter);
  const std::string_view method = words != nullptr ? called_method(*words) : std::string_view{};
  const bool is_number = api == "int" || api == "float" || api == "len" || kind == Kind::Number ||
                         (entry != nullptr && (method == "split" || method == "tokenize") &&
                          !any_node(entry->slice, [](const Node *node) { return node->kind == NodeKind::Slice; }));
  const auto *statement = as<For>(loop.node);
  return is_number && statement != nullptr && any_node(list->generators[0]->iter, [&](const Node *node) {
           const auto *mentioned = as<Name>(node);
           return mentioned != nullptr && contains(loop.assigned, mentioned->id);
         });
}

// tf.function(…, input_signature=…) makes tensors of its arguments.
bool has_signature(const model::FunctionInfo &function) {
  const auto *made = as<Call>(function.compiled_at);
  return made != nullptr && (keyword_argument(*made, "input_signature") != nullptr || has_hidden_arguments(*made));
}

// Is the parameter one that jax.jit compiles the function again for?
bool is_static(const Site &place, const model::FunctionInfo &function, u32 position) {
  const Site site = site_around(place, function);
  // Equinox takes everything that is no array for static.
  const Expr *compiler = function.compiled_at;
  const auto *made = as<Call>(compiler);
  const auto is_filter = [&](const Expr *expr) {
    const model::Value value = value_of(site, expr);
    return value.is(model::Value::Tag::Api) && value.name().text() == "equinox.filter_jit";
  };
  if (is_filter(compiler) || (made != nullptr && is_filter(made->func))) {
    return true;
  }
  return position < 63 && (static_parameters(place, function).bits >> position & 1U) != 0;
}

// A loop, and the names that hold a number of its own where the call stands.
struct Counting {
  const model::Loop *loop = nullptr;
  const Counters *counters = nullptr;
};

struct CountingCallers {
  struct Caller {
    const model::Loop *loop = nullptr;
    Counters counters;
  };
  std::vector<Caller> callers;
};

// Loops of other functions that call this one in each iteration with such a number: its parameter counts as well. None
// if there are very many.
const CountingCallers &counting_callers(const Site &site, const model::FunctionInfo &function) {
  constexpr std::size_t kMostCallers = 64;
  return site.memory.recall<CountingCallers>(&function, [&] {
    CountingCallers found;
    if (function.called_by.size() > kMostCallers) {
      return found;
    }
    for (const model::CallSite *caller : function.called_by) {
      const model::Loop *loop = caller->loop;
      if (loop == nullptr || loop->few_iterations || loop->iterations == model::Iterations::Few || caller->once ||
          caller->behind_guard || caller->conditional || caller->caller->module->is_test) {
        continue;
      }
      const Site there = site_of_origin(site, *caller->caller);
      const Counters &counters = counters_of(there, *loop);
      Counters own;
      for (u32 i = 0; i < function.params.size(); ++i) {
        const Expr *given = model::passed_argument(*caller, i);
        if (given != nullptr && function.params[i]->name && is_number_from(there, given, counters)) {
          own.names.insert(function.params[i]->name.id);
        }
      }
      if (!own.names.empty()) {
        found.callers.push_back({loop, std::move(own)});
      }
    }
    return found;
  });
}

void note_loop(Finding &finding, const model::Loop &loop) {
  finding.notes.push_back({loop.function->module->file, loop.node->span(), "the loop"});
}

// What a call passes for a parameter: an argument of its own, or an entry or element of what it unpacks.
struct Passed {
  const Expr *expr = nullptr;
  std::vector<OriginPart> path;
};

Passed passed_for(const Call &call, const model::FunctionInfo &callee, bool is_bound, u32 index) {
  const u32 position = index - (is_bound ? 1 : 0);
  const auto is_star = [](const Expr *given) { return given->kind == NodeKind::Starred; };
  const auto star = std::ranges::find_if(call.args, is_star);
  if (star != call.args.end() && static_cast<u32>(star - call.args.begin()) <= position) {
    const u32 first = static_cast<u32>(star - call.args.begin());
    return first + 1 == call.args.size() ? Passed{static_cast<const Starred *>(*star)->value,
                                                  {{.key = {}, .index = static_cast<i32>(position - first)}}}
                                         : Passed{};
  }
  if (const Expr *given = model::passed_argument(call, callee, is_bound, index)) {
    return {given, {}};
  }
  for (const Keyword *keyword : call.keywords) {
    if (!keyword->name) {
      return {keyword->value, {{.key = callee.params[index]->name}}};
    }
  }
  return {};
}

// The same number, wherever it is computed.
void check_origins(Site &site, const Call &call, const model::FunctionInfo &callee, bool is_jax) {
  const bool is_bound = site.project.callee_of(&call).is(model::Value::Tag::Method) && !callee.is_static;
  std::vector<const model::Loop *> loops;
  for (u32 i = is_bound ? 1 : 0; i < callee.params.size(); ++i) {
    if (is_jax && !is_static(site, callee, i)) {
      continue;
    }
    const Passed passed = passed_for(call, callee, is_bound, i);
    if (passed.expr == nullptr || passed.expr->kind == NodeKind::Constant) {
      continue;
    }
    if (loops.empty() && (loops = loops_coming_to(site)).empty()) {
      return;
    }
    const model::Loop *loop = counting_loop_of(site, *site.function, passed.expr, passed.path, loops);
    if (loop == nullptr) {
      continue;
    }
    const std::string_view name = callee.params[i]->name.text();
    const std::string_view function = callee.name ? callee.name.text() : "the function";
    Finding &finding = report(
        site, *passed.expr,
        is_jax ? fmt::format("`{}` has a different value in every iteration and is a static argument of `{}`, so JAX "
                             "compiles the function again every time",
                             name, function)
               : fmt::format("`{}` is a different Python number in every iteration, so `{}` is traced again every time",
                             name, function),
        is_jax ? std::string("pass it as an ordinary argument, which is traced; if a shape depends on it, pad to a "
                             "fixed shape")
               : fmt::format("pass a tensor for `{}`: `tf.constant(…)`", name));
    note_loop(finding, *loop);
    return;
  }
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.fact == 0 || (!site.module->tensorflow && !site.module->jax)) {
    return;
  }
  const model::FunctionInfo *callee =
      call.args.empty() && call.keywords.empty() ? nullptr : called_function(site, call);
  if (callee == nullptr || callee->compiled_at == nullptr || is_traced(site)) {
    return;
  }
  const bool is_jax = (callee->tracers & model::kByJaxJit) != 0;
  if (!is_jax && ((callee->tracers & model::kByTfFunction) == 0 || has_signature(*callee))) {
    return;
  }
  std::vector<Counting> places;
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    if (!loop->few_iterations && runs_every_iteration(site, *loop)) {
      places.push_back({loop, &counters_of(site, *loop)});
    }
  }
  // Of callers, only what runs in every call.
  if (loop_around(site) == nullptr && site.function != nullptr && enclosing(site, NodeKind::If) == nullptr) {
    for (const CountingCallers::Caller &caller : counting_callers(site, *site.function).callers) {
      places.push_back({caller.loop, &caller.counters});
    }
  }
  for (const Counting &place : places) {
    const model::Loop *const loop = place.loop;
    const Counters &counters = *place.counters;
    const auto is_counter = [&](const Expr *arg) {
      return is_number_from(site, arg, counters) || (is_jax && holds_number_from(site, *loop, arg, counters));
    };
    const Expr *given = nullptr;
    for (u32 i = 0; !is_jax && i < call.args.size() && given == nullptr; ++i) {
      given = is_list_of_loop(site, *loop, call.args[i]) ? call.args[i] : nullptr;
    }
    if (given != nullptr) {
      Finding &finding =
          report(site, *given,
                 fmt::format("`{}` is a different Python list in every iteration, so `{}` is traced again for each",
                             text_of(site, given), callee->name ? callee->name.text() : "tf.function"),
                 fmt::format("pass a tensor: `tf.constant({})`", text_of(site, given)));
      note_loop(finding, *loop);
      return;
    }
    for (u32 i = 0; i < call.args.size() && given == nullptr; ++i) {
      const bool is_method = callee->type != nullptr && !callee->is_static;
      const u32 position = i + (is_method ? 1 : 0);
      if (is_counter(call.args[i]) && (!is_jax || is_static(site, *callee, position))) {
        given = call.args[i];
      }
    }
    for (const Keyword *keyword : call.keywords) {
      if (given == nullptr && keyword->name && is_counter(keyword->value) &&
          (!is_jax || is_static(site, *callee, callee->place_of_param(keyword->name)))) {
        given = keyword->value;
      }
    }
    if (given == nullptr) {
      continue;
    }
    if (is_jax) {
      Finding &finding =
          report(site, *given,
                 fmt::format("`{}` has a different value in every iteration and is a static argument of `{}`, so JAX "
                             "compiles the function again every time",
                             text_of(site, given), callee->name ? callee->name.text() : "jax.jit"),
                 "pass it as an ordinary argument, which is traced; if a shape depends on it, pad to a fixed shape");
      note_loop(finding, *loop);
      return;
    }
    Finding &finding =
        report(site, *given,
               fmt::format("`{}` is a different Python number in every iteration, so `{}` is traced again every time",
                           text_of(site, given), callee->name ? callee->name.text() : "tf.function"),
               fmt::format("pass a tensor: `tf.constant({})`", text_of(site, given)));
    note_loop(finding, *loop);
    return;
  }
  check_origins(site, call, *callee, is_jax);
}

} // namespace

extern constinit const Rule kPythonArgumentToFunction = {
    .info = {.code = "DP207",
             .name = "python-argument-to-function",
             .summary = "a Python number that changes in a loop is passed to a `tf.function`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Increasing Time Over Time, Memory Leak",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .posts = "55711115",
             .documentation = R"(## What it finds

A call of a `tf.function` in a loop over `range` or `enumerate` that passes the loop's counter or a value computed from it. Also a number
that the loop changes itself (`step += 1`, `beta = min(1.0, beta + 1e-5)`), and what is computed from such numbers by arithmetic alone
(`beta = min(1.0, step / 1000)`), also where the number is an attribute (`self.step += 1`) that a method computes with. Likewise such a number, or an object created with it (`Hyper(step=step)`), as a static argument of a function
under `jax.jit`, and any such argument of a function under `eqx.filter_jit`. The loop may be in another function that passes the number on.

## Why it costs

`tf.function` keeps one graph for each Python value that it is passed, but a single graph for all tensors of one shape and dtype. A number
that is new in every iteration causes a new trace in every iteration, and each graph stays in memory.

## Bad

```python
import tensorflow as tf

@tf.function
def train_step(batch, step):
    return tf.cast(step, tf.float32) * tf.reduce_mean(batch)

for step, batch in enumerate(dataset):
    train_step(batch, step)
```

## Good

```python
import tensorflow as tf

@tf.function
def train_step(batch, step):
    return tf.cast(step, tf.float32) * tf.reduce_mean(batch)

for step, batch in enumerate(dataset):
    train_step(batch, tf.constant(step, tf.int64))
```

## When it is wrong

Where the number determines a shape, it has to be traced. A function with an `input_signature` converts the number to a tensor and is not
reported; neither are loops of up to ten iterations.

## References

- TensorFlow guide "Better performance with tf.function": passing Python arguments
- Stack Overflow 55711115, from the study
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::python_argument_to_function
