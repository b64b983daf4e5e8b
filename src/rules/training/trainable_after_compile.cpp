#include "model/classes.h"
#include "model/variance.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace deepperf::rules::trainable_after_compile {

using namespace python;
using model::FunctionInfo;

namespace {

// A model or layer under its name: a local one of a function, or an attribute of whatever object.
struct Key {
  const void *scope = nullptr;
  Symbol name;

  bool operator==(const Key &other) const { return scope == other.scope && name == other.name; }
};

struct Place {
  Key key;
  const Node *node = nullptr;
  const FunctionInfo *function = nullptr;
};

// What has happened so far on the way through the program.
struct State {
  std::optional<Place> compiled;
  std::optional<Place> switched; // after that

  bool same_compile(const State &other) const {
    return compiled.has_value() == other.compiled.has_value() &&
           (!compiled.has_value() || compiled->node == other.compiled->node);
  }
};

struct Frame {
  const FunctionInfo *function = nullptr;
  std::vector<std::pair<Symbol, Key>> parameters; // what the caller calls them
};

// Goes through a function and what it calls, in the order in which it runs.
class Run {
public:
  explicit Run(Site &site) : site_(site) {}

  void block(const Frame &frame, const Block &body, State &state, u32 depth) {
    for (const Stmt *statement : body) {
      if (++steps_ > kMostSteps) {
        state = {};
        return;
      }
      visit(frame, *statement, state, depth);
    }
  }

private:
  static constexpr u32 kMostSteps = 3000;
  static constexpr u32 kMostDepth = 5;

  [[nodiscard]] Key key_of(const Frame &frame, const Expr *expr) const {
    if (const auto *attribute = as<Attribute>(expr)) {
      return {nullptr, attribute->attr};
    }
    const auto *name = as<Name>(expr);
    if (name == nullptr) {
      return {};
    }
    for (const auto &[symbol, key] : frame.parameters) {
      if (symbol == name->id) {
        return key;
      }
    }
    const FunctionInfo *owner = frame.function;
    while (owner->parent != nullptr && owner->slot_of(name->id) == FunctionInfo::kNoSlot) {
      owner = owner->parent;
    }
    return {owner, name->id};
  }

  // `base` of `base.layers[:100]`, `self.base.get_layer("x")`, `base.layers[-1]`.
  static const Expr *whole_of(const Expr *expr) {
    while (expr != nullptr) {
      if (const auto *part = as<Subscript>(expr)) {
        expr = part->value;
      } else if (const auto *call = as<Call>(expr); call != nullptr && called_method(*call) == "get_layer") {
        expr = receiver_of(*call);
      } else if (const auto *layers = as<Attribute>(expr); layers != nullptr && layers->attr.text() == "layers") {
        expr = layers->value;
      } else {
        return expr;
      }
    }
    return nullptr;
  }

  static bool stores_trainable(const Node *node) {
    const auto *attribute = as<Attribute>(node);
    return attribute != nullptr && attribute->attr.text() == "trainable" && attribute->context == Context::Store;
  }

  // What the statement freezes or unfreezes; null if it is something else.
  static const Expr *switched_by(const Stmt &statement) {
    if (const auto *loop = as<For>(&statement)) {
      const auto *call = as<Call>(loop->iter); // enumerate(base.layers)
      const Expr *over = call != nullptr && !call->args.empty() ? call->args[0] : loop->iter;
      const auto *layers =
          as<Attribute>(over->kind == NodeKind::Subscript ? static_cast<const Subscript *>(over)->value : over);
      const bool is_layers = layers != nullptr && layers->attr.text() == "layers";
      return is_layers && any_node(loop->body, stores_trainable) ? whole_of(over) : nullptr;
    }
    const auto *assignment = as<Assign>(&statement);
    const auto *attribute =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
    return attribute != nullptr && attribute->attr.text() == "trainable" ? whole_of(attribute->value) : nullptr;
  }

  [[nodiscard]] bool is_keras(const Frame &frame, const Expr *expr) const {
    const model::Value value = model::value_of(model::scope_of(site_.project, *frame.function), expr);
    return value.is_kind(Kind::KerasModel) || value.is_kind(Kind::KerasLayer) ||
           (value.is(model::Value::Tag::Object) && value.type->kind == Kind::KerasModel);
  }

  // Is the part called, or listed, where a model is made?
  [[nodiscard]] bool is_built_in(const Key &part) const {
    const std::string name(part.name.text());
    const auto has = [&](const std::string &word) { return text_.find(word) != std::string_view::npos; };
    return has(name + "(") || has(name + ".output") || has(name + ",") || has("(" + name) || has(name + "]");
  }

  void note_switch(const Frame &frame, const Stmt &statement, State &state) {
    const Expr *part = switched_by(statement);
    if (part == nullptr || !state.compiled.has_value() || state.switched.has_value()) {
      return;
    }
    const Key key = key_of(frame, part);
    if (!key.name || (!is_keras(frame, part) && statement.kind != NodeKind::For)) {
      return;
    }
    if (key == state.compiled->key || is_built_in(key)) {
      state.switched = Place{key, &statement, frame.function};
    }
  }

  void visit(const Frame &frame, const Stmt &statement, State &state, u32 depth) {
    switch (statement.kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
      return;
    case NodeKind::If: {
      const auto &branch = static_cast<const If &>(statement);
      State other = state;
      block(frame, branch.body, state, depth);
      block(frame, branch.orelse, other, depth);
      const bool leaves = !branch.body.empty() && (branch.body[branch.body.size() - 1]->kind == NodeKind::Return ||
                                                   branch.body[branch.body.size() - 1]->kind == NodeKind::Raise);
      if (leaves) {
        state = other;
      } else if (!state.same_compile(other)) {
        state = {};
      } else if (!state.switched.has_value()) {
        state.switched = other.switched;
      }
      return;
    }
    case NodeKind::For: {
      const auto &loop = static_cast<const For &>(statement);
      if (switched_by(statement) != nullptr) {
        note_switch(frame, statement, state);
      } else {
        block(frame, loop.body, state, depth);
      }
      return;
    }
    case NodeKind::While:
      block(frame, static_cast<const While &>(statement).body, state, depth);
      return;
    case NodeKind::With:
      block(frame, static_cast<const With &>(statement).body, state, depth);
      return;
    case NodeKind::Try:
      block(frame, static_cast<const Try &>(statement).body, state, depth);
      return;
    default:
      break;
    }
    note_switch(frame, statement, state);
    any_node(static_cast<const Node *>(&statement), [&](const Node *node) {
      if (const auto *call = as<Call>(node)) {
        visit_call(frame, *call, state, depth);
      }
      return false;
    });
    if (const auto *assignment = as<Assign>(&statement);
        assignment != nullptr && !take_result(frame, *assignment, state)) {
      for (const Expr *target : assignment->targets) {
        const Key key = key_of(frame, target);
        if (key.name && state.compiled.has_value() && key == state.compiled->key) {
          state = {};
        } else if (key.name && state.switched.has_value() && key == state.switched->key) {
          state.switched.reset();
        }
      }
    }
  }

  // `base, model = build()`: what the function called its models is what the caller calls them from here on. False if
  // none of them is the compiled one.
  bool take_result(const Frame &frame, const Assign &assignment, State &state) {
    const auto *call = as<Call>(assignment.value);
    const FunctionInfo *callee = call != nullptr ? called_function(site_of(site_, *call), *call) : nullptr;
    const FunctionDef *definition = callee != nullptr ? callee->definition() : nullptr;
    const auto *result = definition != nullptr && !definition->body.empty()
                             ? as<Return>(definition->body[definition->body.size() - 1])
                             : nullptr;
    if (result == nullptr || result->value == nullptr || assignment.targets.size() != 1 ||
        !state.compiled.has_value()) {
      return false;
    }
    const auto parts = [](const Expr *expr) {
      const auto *tuple = as<Tuple>(expr);
      return tuple != nullptr ? std::vector<const Expr *>(tuple->elts.begin(), tuple->elts.end())
                              : std::vector<const Expr *>{expr};
    };
    const std::vector<const Expr *> given = parts(result->value);
    const std::vector<const Expr *> taken = parts(assignment.targets[0]);
    bool found = false;
    for (std::size_t i = 0; i < given.size() && given.size() == taken.size(); ++i) {
      const Key inner = key_of({callee, {}}, given[i]);
      const Key outer = key_of(frame, taken[i]);
      if (!inner.name || !outer.name) {
        continue;
      }
      if (inner == state.compiled->key) {
        state.compiled->key = outer;
        found = true;
      } else if (state.switched.has_value() && inner == state.switched->key) {
        state.switched->key = outer;
      }
    }
    return found;
  }

  void visit_call(const Frame &frame, const Call &call, State &state, u32 depth) {
    const std::string_view method = called_method(call);
    const Site there = site_of(site_, call);
    const FunctionInfo *callee = called_function(there, call);
    const std::span<const model::CallSite *const> known = model::calls_inside(*frame.function, call);
    const auto at = std::ranges::find(known, &call, &model::CallSite::call);
    if (callee == nullptr && at != known.end()) {
      callee = (*at)->callee; // the constructor of a class
    }
    if (callee != nullptr && callee->definition() != nullptr) {
      if (depth < kMostDepth && callee != frame.function) {
        Frame inner{callee, {}};
        for (u32 i = 0; at != known.end() && i < callee->params.size(); ++i) {
          const Expr *given = model::passed_argument(**at, i);
          const Key key = given != nullptr ? key_of(frame, given) : Key{};
          if (key.name) {
            inner.parameters.emplace_back(callee->params[i]->name, key);
          }
        }
        block(inner, callee->definition()->body, state, depth + 1);
      } else {
        state = {};
      }
      return;
    }
    if (method == "compile" && receiver_of(call) != nullptr) {
      const Key key = key_of(frame, receiver_of(call));
      state = {};
      if (key.name && is_keras(frame, receiver_of(call))) {
        state.compiled = Place{key, &call, frame.function};
      }
      return;
    }
    if (method == "fit" && state.switched.has_value() && key_of(frame, receiver_of(call)) == state.compiled->key) {
      add_finding(frame, call, state);
      state.switched.reset();
      return;
    }
    // A function that is not known may compile what it is given.
    if (state.compiled.has_value() && called_api(there, call).empty() && method.empty()) {
      const bool is_given =
          std::ranges::any_of(call.args, [&](const Expr *arg) { return key_of(frame, arg) == state.compiled->key; });
      if (is_given) {
        state = {};
      }
    }
  }

  void add_finding(const Frame &frame, const Call &fit, const State &state) {
    const Place &switched = *state.switched;
    Span span{switched.node->start, switched.node->end};
    if (switched.node->kind == NodeKind::For) {
      span.end = static_cast<const For *>(switched.node)->iter->end;
    }
    Finding &finding = report(site_.findings, *site_.rule, *switched.function->module, span,
                              fmt::format("`trainable` is changed after `{}.compile()`, so it has no effect on `fit()`",
                                          state.compiled->key.name.text()),
                              "set it before `compile()`, or compile again afterwards");
    finding.notes.push_back({state.compiled->function->module->file, state.compiled->node->span(),
                             "the trainable weights are collected here"});
    finding.notes.push_back({frame.function->module->file, fit.span(), "trained here"});
  }

  Site &site_;
  u32 steps_ = 0;

public:
  std::string_view text_; // of the file
};

// A callback runs inside of fit(), whose step was made when the model was compiled.
void check_callback(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = assignment.targets.size() == 1 ? as<Attribute>(assignment.targets[0]) : nullptr;
  if (target == nullptr || target->attr.text() != "trainable" || site.type == nullptr || site.function == nullptr ||
      !site.function->name || !site.function->name.text().starts_with("on_") || site.module->is_test) {
    return;
  }
  const bool is_callback = std::ranges::any_of(site.type->mro, [](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [](const model::Value &base) {
      return base.is(model::Value::Tag::Api) && base.name().text() == "tensorflow.keras.callbacks.Callback";
    });
  });
  // Whoever compiles again there, or makes the step again, knows.
  constexpr std::string_view kCompiles[] = {"compile(", "make_train_function", "train_function"};
  if (!is_callback || has_word(text_of(site, site.type->node), Words(kCompiles)) ||
      reaches_word(site, *site.function->node, Words(kCompiles))) {
    return;
  }
  report(site, node, "`trainable` is changed while `fit()` runs, so it has no effect until the model is compiled again",
         "train in two calls of `fit()`, with `compile()` between them");
}

bool is_looked_at(const Site &site) {
  return site.module->tensorflow && !site.module->is_test && file_has_word(site, {".trainable"});
}

void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::Assign) {
    return check_callback(site, node);
  }
  const FunctionInfo *function = site.project.function_at(&node);
  const FunctionDef *definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || !is_looked_at(site)) {
    return;
  }
  Run run(site);
  run.text_ = site.module->parsed->source.text();
  State state;
  // A method finds its object as the constructor left it.
  if (function->type != nullptr && definition->name.text() != "__init__") {
    const FunctionInfo *made = model::find_method_of(*function->type, intern("__init__"));
    if (made != nullptr && made->definition() != nullptr) {
      run.block({made, {}}, made->definition()->body, state, 1);
      state.switched.reset();
    }
  }
  run.block({function, {}}, definition->body, state, 0);
}

void check_module(Site &site) {
  if (is_looked_at(site) && !site.module->parsed->source.is_notebook) {
    Run run(site);
    run.text_ = site.module->parsed->source.text();
    State state;
    run.block({site.module->body, {}}, site.module->parsed->tree.body, state, 0);
  }
}

} // namespace

extern constinit const Rule kTrainableAfterCompile = {
    .info = {.code = "DP913",
             .name = "trainable-after-compile",
             .summary = "layers that are frozen or unfrozen after `compile`, without effect",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`base.trainable = False` (or True, or a loop over `base.layers`) between `model.compile(…)` and `model.fit(…)`, with no other `compile` in
between. Functions and methods of the project are followed in the order in which they run. The same in a method of a callback, which runs
inside of `fit()`.

## Why it is wrong

`compile` decides which weights are trained. A change after that has no effect until the model is compiled again: a pretrained base that was
meant to be frozen is trained, and its weights are destroyed by the large gradients of the new head, or fine-tuning trains nothing new.

## Bad

```python
from tensorflow import keras

base = keras.applications.ResNet50(include_top=False, pooling="avg")
model = keras.Sequential([base, keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
base.trainable = False
model.fit(dataset, epochs=5)
```

## Good

```python
from tensorflow import keras

base = keras.applications.ResNet50(include_top=False, pooling="avg")
base.trainable = False
model = keras.Sequential([base, keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=5)
```

## When it is wrong

Where a function that the rule does not see compiles the model again.

## References

- Keras guide "Transfer learning and fine-tuning": important note about `compile()` and `trainable`
)"},
    .nodes = {NodeKind::FunctionDef, NodeKind::Assign},
    .on_node = check,
    .on_module = check_module};

} // namespace deepperf::rules::trainable_after_compile
