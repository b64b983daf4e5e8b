#include "model/bind.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/jax.h"
#include "rules/key_origins.h"
#include "rules/origin_bindings.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>
#include <vector>

namespace deepperf::rules::random_key_reused {

using namespace python;

namespace {

struct Use {
  Symbol key;
  const Call *call = nullptr;
};
using Uses = std::vector<Use>; // keys that were used on every way to here

// jax.random.normal(key, …), jax.random.split(key): what a key must be used for only once. fold_in makes others of it.
bool draws(std::string_view api) {
  constexpr std::string_view kPackage = "jax.random.";
  if (!api.starts_with(kPackage)) {
    return false;
  }
  const std::string_view name = api.substr(kPackage.size());
  return name != "PRNGKey" && name != "key" && name != "fold_in" && name != "key_data" && name != "wrap_key_data" &&
         name != "clone" && name != "key_impl" && name.find('.') == std::string_view::npos;
}

const Name *key_used_by(const Site &site, const Call &call) {
  return draws(called_api(site, call)) ? as<Name>(argument(call, 0, "key")) : nullptr;
}

// ---- The same key in every iteration
// ---------------------------------------------------------------------------------

// A name, an attribute, or a certain one of several keys: `keys[0]`.
bool is_key(const Expr *expr) {
  const auto *element = as<Subscript>(expr);
  return expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute ||
         (element != nullptr && element->value->kind == NodeKind::Name &&
          is_constant(element->slice, ConstantKind::Int));
}

// The keys in `rngs={"dropout": key}` and `rngs=key`, as `apply` of Flax takes them.
void add_rngs(const Call &call, std::vector<const Expr *> &keys) {
  const Keyword *given = keyword_argument(call, "rngs");
  if (given == nullptr) {
    return;
  }
  if (const auto *dict = as<Dict>(given->value)) {
    for (const DictItem &item : dict->items) {
      if (is_key(item.value)) {
        keys.push_back(item.value);
      }
    }
  } else if (called_method(call).starts_with("apply") && is_key(given->value)) {
    keys.push_back(given->value);
  }
}

// Which parameters of a function are keys that it draws with, or hands on to who does: as bits.
struct KeyParameters {
  u64 drawn = 0;
};

constexpr u32 kMostDepth = 3; // of calls between a loop and the draw

u64 parameters_drawn(const model::Project &project, Memory &memory, const model::FunctionInfo &function, u32 depth);

// The parameter that an argument is passed for.
u32 parameter_of(const model::FunctionInfo &function, bool is_bound, const Call &call, u32 position, Symbol keyword) {
  for (u32 i = 0; keyword && i < function.params.size(); ++i) {
    if (function.params[i]->name == keyword) {
      return i;
    }
  }
  const bool is_hidden = std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
  return keyword || is_hidden ? 64 : position + (is_bound ? 1 : 0);
}

// Calls `visit` with each key, a name or attribute, that a call takes and draws with, and with the function that does
// so.
template <class Visit>
void for_each_drawn(const model::Project &project, Memory &memory, const Call &call, u32 depth, Visit visit) {
  const model::Value callee = project.callee_of(&call);
  if (callee.is(model::Value::Tag::Api)) {
    const Expr *key = draws(callee.name().text()) ? argument(call, 0, "key") : nullptr;
    if (key != nullptr && is_key(key)) {
      visit(*key, nullptr);
    }
    return;
  }
  std::vector<const Expr *> rngs;
  add_rngs(call, rngs);
  for (const Expr *key : rngs) {
    visit(*key, nullptr);
  }
  const bool is_method = callee.is(model::Value::Tag::Method);
  if ((!is_method && !callee.is(model::Value::Tag::Function)) || depth >= kMostDepth) {
    return;
  }
  const u64 drawn = parameters_drawn(project, memory, *callee.function, depth + 1);
  // A function that a method returned and that became an attribute has no object.
  const bool is_bound = is_method && !callee.function->is_static && callee.function->type != nullptr;
  const auto look = [&](const Expr *value, u32 position, Symbol keyword) {
    const u32 parameter = parameter_of(*callee.function, is_bound, call, position, keyword);
    if (is_key(value) && parameter < 64 && (drawn >> parameter & 1U) != 0) {
      visit(*value, callee.function);
    }
  };
  for (u32 i = 0; drawn != 0 && i < call.args.size(); ++i) {
    look(call.args[i], i, {});
  }
  for (const Keyword *keyword : call.keywords) {
    if (drawn != 0 && keyword->name) {
      look(keyword->value, 0, keyword->name);
    }
  }
}

// The end of the first assignment to each parameter: after it, the name is another key.
std::vector<u32> first_rebinding(const model::FunctionInfo &function, const FunctionDef &definition) {
  std::vector<u32> ends(function.params.size(), std::numeric_limits<u32>::max());
  any_node_inside(&definition, [&](const Node *node) {
    const auto *const assignment = as<Assign>(node);
    for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
      for (u32 i = 0; i < ends.size(); ++i) {
        if (mentions(target, function.params[i]->name)) {
          ends[i] = std::min(ends[i], assignment->end);
        }
      }
    }
    return false;
  });
  return ends;
}

// `rng = key`, if the name is bound to nothing else: the other name.
const Expr *alias_of(const FunctionDef &definition, const Expr &key) {
  const auto *name = as<Name>(&key);
  const Expr *alias = nullptr;
  u32 bound = 0;
  if (name == nullptr) {
    return &key;
  }
  any_node_inside(&definition, [&](const Node *node) {
    const auto *use = as<Name>(node);
    bound += use != nullptr && use->id == name->id && use->context == Context::Store ? 1 : 0;
    const auto *assignment = as<Assign>(node);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr && target->id == name->id && assignment->value->kind == NodeKind::Name) {
      alias = assignment->value;
    }
    return false;
  });
  return bound == 1 && alias != nullptr ? alias : &key;
}

u64 parameters_drawn(const model::Project &project, Memory &memory, const model::FunctionInfo &function, u32 depth) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || !function.module->jax) {
    return 0;
  }
  return memory
      .recall<KeyParameters>(
          &function,
          [&] {
            u64 drawn = 0;
            u64 folded = 0;
            const std::vector<u32> rebound = first_rebinding(function, *definition);
            const auto bit_of = [&](const Expr &key) {
              const auto *name = as<Name>(alias_of(*definition, key));
              for (u32 i = 0; name != nullptr && i < function.params.size() && i < 64; ++i) {
                if (function.params[i]->name == name->id && key.start < rebound[i]) {
                  return u64{1} << i;
                }
              }
              return u64{0};
            };
            any_node_inside(definition, [&](const Node *node) {
              const auto *call = as<Call>(node);
              if (call == nullptr) {
                return false;
              }
              for_each_drawn(project, memory, *call, depth,
                             [&](const Expr &key, const model::FunctionInfo *) { drawn |= bit_of(key); });
              const model::Value callee = project.callee_of(call);
              const auto *key = call->args.empty() ? nullptr : as<Name>(call->args[0]);
              if (key != nullptr && callee.is(model::Value::Tag::Api) && callee.name().text() == "jax.random.fold_in") {
                folded |= bit_of(*key); // with the number of the step, for instance
              }
              return false;
            });
            return KeyParameters{drawn & ~folded};
          })
      .drawn;
}

// Is the attribute set in the constructor only, so that every call of a method sees the same key?
bool is_set_once(const model::ClassInfo &type, Symbol name) {
  return std::ranges::all_of(type.mro, [name](const model::ClassInfo *at) {
    return std::ranges::all_of(at->members, [name](const auto &member) {
      const model::Value &value = member.second;
      return !value.is(model::Value::Tag::Function) || value.function->name.text() == "__init__" ||
             std::ranges::find(value.function->own_stores, name) == value.function->own_stores.end();
    });
  });
}

// `jax.random.categorical(self.key, logits)` in a method that a loop calls.
void check_direct(Site &site, const Call &call) {
  const Expr *key = draws(called_api(site, call)) ? argument(call, 0, "key") : nullptr;
  const auto *attribute = key != nullptr ? as<Attribute>(key) : nullptr;
  if (attribute == nullptr || site.function == nullptr || site.function->type == nullptr ||
      site.function->name.text() == "__init__" || !model::is_own_object(*site.function, attribute->value) ||
      !is_set_once(*site.function->type, attribute->attr) || called_api(site, call).ends_with("split")) {
    return;
  }
  const Repetition repetition = repetition_of(site);
  if (!repetition.through_calls() || !stays_same(site, repetition, key)) {
    return;
  }
  Finding &finding =
      report(site, *key,
             fmt::format("`{}` is the same key in every call, so the same random numbers are drawn each time",
                         text_of(site, key)),
             fmt::format("split it: `{0}, subkey = jax.random.split({0})`", text_of(site, key)));
  add_note(finding, site, repetition);
}

// A key that the training step takes from its state, or from wherever, and that nothing changes between steps.
void check_kept(Site &site, const Call &call) {
  const Keyword *const rngs = keyword_argument(call, "rngs");
  const bool is_drawn = draws(called_api(site, call)) && !called_api(site, call).ends_with("split");
  const Expr *const keys = is_drawn ? argument(call, 0, "key") : rngs != nullptr ? rngs->value : nullptr;
  if (keys == nullptr || site.function == nullptr || !context_of(site).in_training_step) {
    return;
  }
  const Call *made = nullptr;
  const model::Loop *const loop = loop_with_same_key(site, keys, &made);
  if (loop == nullptr) {
    return;
  }
  Finding &finding =
      report(site, *keys,
             fmt::format("`{}` is the same key in every training step, so the same random numbers are drawn each time",
                         text_of(site, keys)),
             "derive a key for each step: `jax.random.fold_in(key, step)`, or split it and keep the new one");
  finding.notes.push_back(
      {loop->function->module->file, {loop->node->start, loop->node->start + 3}, "the training loop"});
  if (const model::FunctionInfo *maker = site.project.caller_of(made)) {
    finding.notes.push_back({maker->module->file, made->span(), "the key is created here, before the loop"});
  }
}

// `_step(state, batch, self.key)` in a method that a training loop calls.
void check_method(Site &site, const Call &call) {
  const std::size_t before = site.findings.size();
  check_direct(site, call);
  if (site.findings.size() == before) {
    check_kept(site, call);
  }
  if (site.findings.size() != before) {
    return;
  }
  if (site.function == nullptr || site.function->type == nullptr || site.function->compiled_at != nullptr ||
      !context_of(site).in_training_step || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  bool is_reported = false;
  for_each_drawn(site.project, site.memory, call, 0, [&](const Expr &key, const model::FunctionInfo *step) {
    const auto *attribute = as<Attribute>(&key);
    if (is_reported || attribute == nullptr || step == nullptr ||
        !model::is_own_object(*site.function, attribute->value) ||
        !is_set_once(*site.function->type, attribute->attr)) {
      return;
    }
    is_reported = true;
    report(site, key,
           fmt::format("`{}` is the same key in every step, so the same random numbers are drawn each time",
                       text_of(site, &key)),
           fmt::format("split it: `{0}, subkey = jax.random.split({0})`", text_of(site, &key)));
  });
}

// `key = drop_key`: the key that a name is another name for.
const Expr &renamed_in(const Site &site, const Expr &key) {
  const auto *name = as<Name>(&key);
  bool is_settled = false;
  const std::vector<const OriginBinding *> bound =
      name != nullptr ? bindings_before(site, *site.function, name->id, name->start, is_settled)
                      : std::vector<const OriginBinding *>{};
  const bool is_alias = is_settled && bound.size() == 1 && bound[0]->path.empty() && is_key(bound[0]->value) &&
                        bound[0]->value->kind != NodeKind::Subscript;
  return is_alias ? *bound[0]->value : key;
}

// `jax.vmap(sample, in_axes=(None, 0))(key, xs)`: every element gets the same key.
void check_mapped(Site &site, const Call &call) {
  const auto *mapped = as<Call>(call.func);
  if (mapped == nullptr || mapped->args.empty() || called_api(site, *mapped) != "jax.vmap") {
    return;
  }
  const auto *axes = as<Tuple>(argument(*mapped, 1, "in_axes"));
  const model::Value value = mapped->args[0]->kind == NodeKind::Lambda
                                 ? model::Value::of(site.project.function_at(mapped->args[0]))
                                 : value_of(site, mapped->args[0]);
  if (axes == nullptr || !value.is(model::Value::Tag::Function) || value.function == nullptr) {
    return;
  }
  const u64 drawn = parameters_drawn(site.project, site.memory, *value.function, 1);
  for (u32 i = 0; i < axes->elts.size() && i < call.args.size() && i < 64; ++i) {
    if (is_none(axes->elts[i]) && (drawn >> i & 1U) != 0) {
      Finding &finding = report(site, *call.args[i],
                                fmt::format("every element of the mapped function gets the same key `{}`, so all of "
                                            "them draw the same random numbers",
                                            text_of(site, call.args[i])),
                                fmt::format("pass one key for each: `jax.random.split({}, n)`, and map over them",
                                            text_of(site, call.args[i])));
      add_note(finding, site, *axes->elts[i], "`None` marks what all elements share");
      return;
    }
  }
}

void check_call(Site &site, const Call &call) {
  if (site.module->jax && !site.module->is_test && call.func->kind == NodeKind::Call) {
    check_mapped(site, call);
  }
  const model::Loop *loop = loop_around(site);
  if (site.module->jax && !site.module->is_test && loop == nullptr && call.fact != 0) {
    return check_method(site, call);
  }
  const bool is_list = loop != nullptr && (loop->node->kind == NodeKind::ListComp ||
                                           loop->node->kind == NodeKind::DictComp); // weights of all layers, samples
  if (!site.module->jax || site.module->is_test || site.function == nullptr || loop == nullptr ||
      loop->few_iterations || (!is_list && loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While) ||
      (!is_list && !runs_every_iteration(site, *loop)) || enclosing(site, NodeKind::IfExp) != nullptr) {
    return;
  }
  const auto *statement = as<For>(loop->node);
  const auto *each = is_list ? static_cast<const ComprehensionExpr *>(loop->node) : nullptr;
  const Expr *iter = statement != nullptr ? statement->iter : each != nullptr ? each->generators[0]->iter : nullptr;
  if (iter != nullptr && contains(iter, &call)) {
    return;
  }
  const bool is_drawn_here = draws(called_api(site, call));
  bool is_reported = false;
  for_each_drawn(site.project, site.memory, call, 0, [&](const Expr &key, const model::FunctionInfo *step) {
    const Expr &origin = renamed_in(site, key);
    const auto *element = as<Subscript>(&origin);
    const auto *name = as<Name>(element != nullptr ? element->value : &origin);
    const bool is_new = name != nullptr ? is_bound_in(*loop, name->id) ||
                                              site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot
                                        : model::varies(site.project, *loop, &origin);
    if (is_reported || is_new) {
      return;
    }
    is_reported = true;
    Finding &finding =
        report(site, key,
               fmt::format("`{}` is the same key in every iteration, so the same random numbers are drawn each time",
                           text_of(site, &key)),
               fmt::format("split it in the loop: `{0}, subkey = jax.random.split({0})`", text_of(site, &key)));
    add_note(finding, site, *loop->node, "nothing in this loop changes it");
    const bool is_step = step != nullptr && step->compiled_at != nullptr && loop->steps;
    // Weights of layers, samples: numbers that are kept, and meant to differ.
    const bool is_kept = is_drawn_here && (statement != nullptr || is_list) &&
                         !called_api(site, call).ends_with("split") &&
                         !called_api(site, call).ends_with("permutation") &&
                         !function_has_word(site, {"benchmark", "timeit", "block_until_ready", "perf_counter"});
    finding.tier = is_step || is_kept ? Tier::On : Tier::Hint;
  });
}

// ---- Twice on the same way ------------------------------------------------------------------------------------------

class KeyWalk {
public:
  explicit KeyWalk(Site &site) : site_(site) {}

  void block(const Block &statements, Uses &uses) {
    const std::vector<std::pair<Symbol, Symbol>> before = renamed_;
    for (const Stmt *statement : statements) {
      this->statement(statement, uses);
    }
    // Only what still holds whichever way was taken.
    std::erase_if(renamed_, [&](const auto &pair) { return std::ranges::find(before, pair) == before.end(); });
  }

private:
  void statement(const Stmt *node, Uses &uses) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::Import:
    case NodeKind::ImportFrom:
      return;
    case NodeKind::If: {
      const auto &branch = static_cast<const If &>(*node);
      expression(branch.test, uses);
      Uses other = uses;
      block(branch.body, uses);
      block(branch.orelse, other);
      // What follows `if …: return` is reached the other way only.
      if (leaves(branch.body)) {
        uses = other;
      } else if (!leaves(branch.orelse)) {
        std::erase_if(uses, [&other](const Use &use) {
          return std::ranges::none_of(other, [&use](const Use &one) { return one.key == use.key; });
        });
      }
      return;
    }
    case NodeKind::For: {
      const auto &loop = static_cast<const For &>(*node);
      expression(loop.iter, uses);
      Uses inside = uses;
      forget(loop.target, inside);
      block(loop.body, inside);
      forget_assigned(node, uses);
      return;
    }
    case NodeKind::While: {
      Uses inside = uses;
      block(static_cast<const While &>(*node).body, inside);
      forget_assigned(node, uses);
      return;
    }
    case NodeKind::With:
      block(static_cast<const With &>(*node).body, uses);
      return;
    case NodeKind::Try: {
      Uses inside = uses;
      block(static_cast<const Try &>(*node).body, inside);
      forget_assigned(node, uses);
      return;
    }
    case NodeKind::Assign: {
      const auto &assignment = static_cast<const Assign &>(*node);
      expression(assignment.value, uses);
      for (const Expr *target : assignment.targets) {
        forget(target, uses);
        rename(target, assignment.value);
      }
      return;
    }
    case NodeKind::Match:
      uses.clear();
      return;
    default:
      for_each_child(node, [&](const Node *child) { expression(child, uses); });
      forget_assigned(node, uses);
    }
  }

  static bool leaves(const Block &block) {
    return !block.empty() && (block.back()->kind == NodeKind::Return || block.back()->kind == NodeKind::Raise ||
                              block.back()->kind == NodeKind::Continue || block.back()->kind == NodeKind::Break);
  }

  // `a = b = key`: names of one key. What a branch or loop renames is forgotten after it.
  void rename(const Expr *target, const Expr *value) {
    const auto *name = as<Name>(target);
    const auto *key = as<Name>(value);
    if (name == nullptr) {
      if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List || target->kind == NodeKind::Starred) {
        for_each_child(target, [this](const Node *child) { rename(static_cast<const Expr *>(child), nullptr); });
      }
      return;
    }
    std::erase_if(renamed_, [&](const auto &pair) { return pair.first == name->id || pair.second == name->id; });
    if (key != nullptr && key->id != name->id) {
      renamed_.emplace_back(name->id, original(key->id));
    }
  }

  [[nodiscard]] Symbol original(Symbol name) const {
    const auto found = std::ranges::find(renamed_, name, &std::pair<Symbol, Symbol>::first);
    return found != renamed_.end() ? found->second : name;
  }

  // A function that draws numbers itself, and does not make other keys.
  [[nodiscard]] bool draws(const Call &call) const { return is_draw(called_api(site_, call)); }

  static bool is_draw(std::string_view api) {
    return api.starts_with("jax.random.") && !api.ends_with("split") && !api.ends_with("fold_in") &&
           !api.ends_with("key") && !api.ends_with("Key");
  }

  // Conditional parts of an expression may not run; lambdas run later.
  void expression(const Node *node, Uses &uses) {
    if (node->kind == NodeKind::Lambda || node->kind == NodeKind::IfExp || node->kind == NodeKind::BoolOp ||
        node->kind == NodeKind::ListComp || node->kind == NodeKind::DictComp || node->kind == NodeKind::GeneratorExp ||
        node->kind == NodeKind::SetComp || node->kind == NodeKind::FunctionDef) {
      return;
    }
    for_each_child(node, [&](const Node *child) { expression(child, uses); });
    const auto *call = as<Call>(node);
    const Name *key = call != nullptr ? key_used_by(site_, *call) : nullptr;
    if (key == nullptr && call != nullptr && call->fact != 0) {
      helper(*call, uses);
      return;
    }
    if (key == nullptr) {
      return;
    }
    const Symbol own = original(key->id);
    const auto before = std::ranges::find(uses, own, &Use::key);
    if (before == uses.end()) {
      uses.push_back({own, call});
      return;
    }
    Finding &finding =
        report(site_, *call, "this key was used before, so these random numbers depend on the earlier ones",
               "split it first, `key, subkey = jax.random.split(key)`, and use each key once");
    if (!draws(*call) || !draws(*before->call)) {
      finding.tier = Tier::Hint;
    }
    add_note(finding, site_, *before->call, "first used here");
  }

  // `init_layer(key, 784, 256)` twice: a function of the project that draws with the key it gets. Compiled functions
  // and losses are often called with the same key on purpose, to compare what they give. Two functions that draw with
  // the same key in every step give numbers that depend on each other; in code that runs once that matters little.
  void helper(const Call &call, Uses &uses) {
    for_each_drawn(site_.project, site_.memory, call, 0, [&](const Expr &given, const model::FunctionInfo *drawing) {
      const auto *name = as<Name>(&given);
      if (name == nullptr || drawing == nullptr) {
        return;
      }
      const Symbol own = original(name->id);
      const auto before = std::ranges::find(uses, own, &Use::key);
      if (before == uses.end()) {
        uses.push_back({own, &call});
        return;
      }
      if (drawing->compiled_at != nullptr || drawing->definition() == nullptr || !draws_itself(*drawing)) {
        return;
      }
      const bool is_again = called_function(site_, *before->call) == drawing;
      if (!is_again && (!runs_in_steps() || !draws_numbers(*drawing, name->id, call) || !draws_before(*before))) {
        return;
      }
      Finding &finding =
          report(site_, call,
                 is_again ? fmt::format("`{}` gets the same key a second time, so it draws the same numbers again",
                                        text_of(site_, call.func))
                          : fmt::format("`{}` gets a key that was used before, so its random numbers depend on the "
                                        "earlier ones",
                                        text_of(site_, call.func)),
                 "split it first, `key, subkey = jax.random.split(key)`, and use each key once");
      add_note(finding, site_, *before->call, "first used here");
    });
  }

  // In its own body, with a parameter as it came.
  [[nodiscard]] bool draws_itself(const model::FunctionInfo &function) const {
    return any_node(function.definition()->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const model::Value callee = call != nullptr ? site_.project.callee_of(call) : model::Value{};
      return callee.is(model::Value::Tag::Api) && callee.name().text().starts_with("jax.random.");
    });
  }

  // The code around runs again and again, with a new key each time: it is differentiated or compiled, or part of a
  // step.
  [[nodiscard]] bool runs_in_steps() const {
    const model::FunctionInfo *const function = site_.project.function_at(site_.node);
    return function != nullptr && (function->traced || function->in_loop || function->steps);
  }

  // Does the function draw with the key itself, rather than split it or pass it on?
  [[nodiscard]] bool draws_numbers(const model::FunctionInfo &function, Symbol key, const Call &call) const {
    const auto known =
        std::ranges::find_if(function.called_by, [&](const model::CallSite *one) { return one->call == &call; });
    if (known == function.called_by.end() || function.definition() == nullptr) {
      return false;
    }
    const auto is_key = [key](const Expr *expr) {
      const auto *name = as<Name>(expr);
      return name != nullptr && name->id == key;
    };
    for (u32 i = 0; i < function.params.size(); ++i) {
      if (!is_key(model::passed_argument(**known, i))) {
        continue;
      }
      const Symbol own = function.params[i]->name;
      u32 mentioned = 0;
      u32 drawn = 0;
      any_node(function.definition()->body, [&](const Node *node) {
        const auto *name = as<Name>(node);
        mentioned += name != nullptr && name->id == own ? 1 : 0;
        const auto *inner = as<Call>(node);
        const model::Value callee = inner != nullptr ? site_.project.callee_of(inner) : model::Value{};
        const auto *with = inner != nullptr ? as<Name>(argument(*inner, 0, "key")) : nullptr;
        const std::string_view api = callee.is(model::Value::Tag::Api) ? callee.name().text() : std::string_view{};
        drawn += with != nullptr && with->id == own && is_draw(api) ? 1 : 0;
        return false;
      });
      return mentioned == 1 && drawn == 1;
    }
    return false;
  }

  [[nodiscard]] bool draws_before(const Use &before) const {
    const model::FunctionInfo *const function = called_function(site_, *before.call);
    return function != nullptr ? draws_numbers(*function, key_passed(*before.call, before.key), *before.call)
                               : draws(*before.call);
  }

  // The name under which the call gets the key.
  [[nodiscard]] Symbol key_passed(const Call &call, Symbol key) const {
    const auto is_it = [&](const Expr *expr) {
      const auto *name = as<Name>(expr);
      return name != nullptr && original(name->id) == key;
    };
    const auto positional = std::ranges::find_if(call.args, is_it);
    if (positional != call.args.end()) {
      return as<Name>(*positional)->id;
    }
    const auto named = std::ranges::find_if(call.keywords, [&](const Keyword *one) { return is_it(one->value); });
    return named != call.keywords.end() ? as<Name>((*named)->value)->id : Symbol{};
  }

  static void forget(const Node *target, Uses &uses) {
    if (const auto *name = as<Name>(target)) {
      std::erase_if(uses, [name](const Use &use) { return use.key == name->id; });
    } else if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List || target->kind == NodeKind::Starred) {
      for_each_child(target, [&uses](const Node *child) { forget(child, uses); });
    }
  }

  static void forget_assigned(const Node *node, Uses &uses) {
    if (const auto *name = as<Name>(node); name != nullptr && name->context != Context::Load) {
      std::erase_if(uses, [name](const Use &use) { return use.key == name->id; });
    }
    for_each_child(node, [&uses](const Node *child) { forget_assigned(child, uses); });
  }

  Site &site_;
  std::vector<std::pair<Symbol, Symbol>> renamed_;
};

void check_node(Site &site, const Node &node) {
  if (const auto *call = as<Call>(&node)) {
    return check_call(site, *call);
  }
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (!site.module->jax || site.module->is_test) {
    return;
  }
  Uses uses;
  KeyWalk(site).block(definition.body, uses);
}

void check_module(Site &site) {
  if (site.module->jax && !site.module->is_test) {
    Uses uses;
    KeyWalk(site).block(site.module->parsed->tree.body, uses);
  }
}

} // namespace

extern constinit const Rule kRandomKeyReused = {.info = {.code = "DP825",
                                                         .name = "random-key-reused",
                                                         .summary = "a JAX random key that is used twice",
                                                         .root_cause = "Training: Wrong Random Numbers",
                                                         .symptoms = "Wrong Result",
                                                         .stage = "Training",
                                                         .frameworks = "JAX",
                                                         .severity = Severity::Error,
                                                         .tier = Tier::On,
                                                         .documentation = R"(## What it finds

Two calls of `jax.random` functions with the same key on the same path through a function, without a new value for the key in between.
`split` counts as a use, `fold_in` does not. It is a hint unless both calls draw numbers.

A key that is used in every iteration of a loop that never changes it: by `jax.random` itself, as `rngs={"dropout": key}`, or by a function
that receives the key and draws with it; also `keys[0]`, and an attribute that only the constructor sets. Numbers that `jax.random` draws there,
and training loops that call a compiled step, are reported by default.

## Why it is wrong

A key determines all numbers that are drawn with it. Two draws with one key return the same numbers, or numbers that depend on each other:
weights start alike, dropout masks repeat, noise is correlated with the data. JAX does not report it unless `jax_debug_key_reuse` is
enabled.

## Bad

```python
import jax


def init(key):
    w = jax.random.normal(key, (64, 64))
    b = jax.random.normal(key, (64,))
    return w, b
```

## Good

```python
import jax


def init(key):
    w_key, b_key = jax.random.split(key)
    w = jax.random.normal(w_key, (64, 64))
    b = jax.random.normal(b_key, (64,))
    return w, b
```

## When it is wrong

Where the same numbers are needed twice, as when two implementations are compared.

## References

- JAX documentation "Pseudorandom numbers"
)"},

                                                .nodes = {NodeKind::FunctionDef, NodeKind::Call},
                                                .on_node = check_node,
                                                .on_module = check_module};

} // namespace deepperf::rules::random_key_reused
