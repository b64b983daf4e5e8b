#include "rules/origin_bindings.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::schedule_in_epochs {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

// Where a schedule gets its length.
struct Length {
  u32 position = 0;
  std::string_view keyword;
};

Length length_of(std::string_view api) {
  const std::string_view name = api.substr(api.rfind('.') + 1);
  if (api.starts_with("optax.")) {
    return name == "cosine_decay_schedule"          ? Length{1, "decay_steps"}
           : name == "warmup_cosine_decay_schedule" ? Length{3, "decay_steps"}
           : name == "linear_schedule"              ? Length{2, "transition_steps"}
                                                    : Length{};
  }
  return name == "CosineDecay" || name == "PolynomialDecay" ? Length{1, "decay_steps"} : Length{};
}

// What a number is written as, once all names for it are followed: a constant, a parameter, or an attribute of a kind
// of object, such as an option of the command line.
struct Quantity {
  const void *node = nullptr; // the constant or parameter
  Symbol attribute;
  Symbol key;                  // of an entry of it
  const void *owner = nullptr; // the class of the object, if it is one of the project
  friend bool operator==(const Quantity &, const Quantity &) = default;
};

std::vector<Quantity> quantities(const Site &site, const FunctionInfo &function, const Expr *expr) {
  std::vector<Quantity> found;
  bool is_other = false;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    const bool is_part = origin.path.size() == 1 && origin.path[0].key;
    const Symbol key = is_part ? origin.path[0].key : Symbol{};
    if (origin.parameter_of != nullptr) {
      if (!origin.parameter_of->called_by.empty()) {
        return Onward::Through;
      }
      found.push_back({.node = origin.parameter_of->params[origin.parameter], .attribute = {}, .key = key});
      return Onward::Stop;
    }
    if (const auto *attribute = as<Attribute>(origin.expr); attribute != nullptr && (origin.path.empty() || is_part)) {
      const Value object = value_of(site_of_origin(site, *origin.function), attribute->value);
      found.push_back(
          {.attribute = attribute->attr, .key = key, .owner = object.is(Value::Tag::Object) ? object.type : nullptr});
    } else if (origin.expr->kind == NodeKind::Constant && origin.path.empty()) {
      found.push_back({.node = origin.expr, .attribute = {}, .key = {}});
    } else {
      is_other = true;
    }
    return Onward::Stop;
  });
  return is_other ? std::vector<Quantity>{} : found;
}

// How many epochs there are: `epochs=` of fit(), and the range of a loop around the loop whose iterations are steps.
struct EpochCount {
  const FunctionInfo *function = nullptr;
  const Expr *expr = nullptr;
};
struct EpochCounts : std::vector<EpochCount> {};

struct HashQuantity {
  std::size_t operator()(const Quantity &one) const {
    std::size_t hash = std::hash<const void *>{}(one.node) ^ (std::hash<const void *>{}(one.owner) << 1U);
    hash = hash * 31 + one.attribute.id;
    return hash * 31 + one.key.id;
  }
};
// The counts, and the first of them that each quantity is.
struct CountedEpochs {
  EpochCounts counts;
  std::unordered_map<Quantity, std::size_t, HashQuantity> first;
};

EpochCounts find_epoch_counts(const Site &site) {
  EpochCounts counts;
  for (const model::Loop &loop : site.project.loops) {
    const auto *statement = as<For>(loop.node);
    const auto *range = statement != nullptr ? as<Call>(statement->iter) : nullptr;
    const bool is_range = range != nullptr && range->args.size() == 1 && called_name(*range).ends_with("range");
    if (!is_range || loop.function == nullptr || loop.steps || !loop.trains) {
      continue;
    }
    const bool has_steps = std::ranges::any_of(
        loop.function->loops, [&](const model::Loop *inner) { return inner->parent == &loop && inner->steps; });
    const auto calls = model::calls_inside(*loop.function, *loop.node); // self.train_epoch(data)
    const bool calls_steps = std::ranges::any_of(calls, [](const model::CallSite *call) {
      return std::ranges::any_of(call->callee->loops, [](const model::Loop *inner) { return inner->steps; });
    });
    if (has_steps || calls_steps) {
      counts.push_back({loop.function, range->args[0]});
    }
  }
  for (const FunctionInfo &function : site.project.functions) {
    const Site there = site_of_origin(site, function);
    const auto look = [&](const Node *node) {
      const auto *call = as<Call>(node);
      const Keyword *epochs = call != nullptr && called_method(*call) == "fit" && there.module->tensorflow
                                  ? keyword_argument(*call, "epochs")
                                  : nullptr;
      if (epochs != nullptr) {
        counts.push_back({&function, epochs->value});
      }
      return false;
    };
    if (function.definition() != nullptr) {
      any_node(function.definition()->body, look);
    } else if (function.node == nullptr) {
      for (const Stmt *statement : function.module->parsed->tree.body) {
        any_node(statement, look);
      }
    }
  }
  return counts;
}

// Is the schedule handed to a function that may ask it for a number: one of the project that calls what it is given, or
// one that nobody knows?
bool is_handed_to_who_asks(const Site &site, const Call &use, Symbol schedule) {
  for (u32 i = 0; i < use.args.size(); ++i) {
    const auto *given = as<Name>(use.args[i]);
    if (given == nullptr || given->id != schedule) {
      continue;
    }
    const model::FunctionInfo *const function = called_function(site, use);
    if (function == nullptr) {
      return called_api(site, use).empty();
    }
    const u32 place = i + (site.project.callee_of(&use).is(model::Value::Tag::Method) ? 1 : 0);
    const Symbol parameter = place < function->params.size() ? function->params[place]->name : Symbol{};
    return !parameter || function->node == nullptr || any_node_inside(function->node, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const auto *name = call != nullptr ? as<Name>(call->func) : nullptr;
      return name != nullptr && name->id == parameter;
    });
  }
  return false;
}

// What a function or file calls, and the calls that it gives each name to.
struct CalledNames {
  std::unordered_set<u32> names;
  std::unordered_set<u32> attributes;
  std::unordered_map<u32, std::vector<const Call *>> given;
};

// Of the whole file if `function` is null.
const CalledNames &called_names(const Site &site, const Node *function) {
  const void *const about = function != nullptr ? static_cast<const void *>(function) : site.module;
  return site.memory.recall<CalledNames>(about, [&] {
    CalledNames found;
    const auto look = [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr) {
        return false;
      }
      if (const auto *name = as<Name>(call->func)) {
        found.names.insert(name->id.id);
      } else if (const auto *attribute = as<Attribute>(call->func)) {
        found.attributes.insert(attribute->attr.id);
      }
      for (const Expr *arg : call->args) {
        if (const auto *given = as<Name>(arg)) {
          found.given[given->id.id].push_back(call);
        }
      }
      return false;
    };
    if (function != nullptr) {
      any_node_inside(function, look);
    } else {
      for (const Stmt *statement : site.module->parsed->tree.body) {
        any_node_inside(statement, look);
      }
    }
    return found;
  });
}

// Does somebody ask the schedule for a number himself, perhaps once per epoch?
bool is_called_by_hand(const Site &site, const Call &call) {
  if (!site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Return) {
    return std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
      const FunctionDef *definition = caller->caller->definition();
      const std::vector<const OriginBinding *> bound = bindings_of_value(site, *caller->caller, caller->call);
      return std::ranges::any_of(bound, [&](const OriginBinding *one) {
        return definition == nullptr || any_node_inside(definition, [&](const Node *node) {
                 const auto *use = as<Call>(node);
                 const auto *plain = use != nullptr ? as<Name>(use->func) : nullptr;
                 return plain != nullptr && plain->id == one->name;
               });
      });
    });
  }
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (assignment == nullptr || assignment->targets.size() != 1) {
    return site.ancestors.empty() || site.ancestors.back()->kind == NodeKind::Lambda;
  }
  const Expr *target = assignment->targets[0];
  const auto *attribute = as<Attribute>(target);
  const auto *name = as<Name>(target);
  const Symbol symbol = attribute != nullptr ? attribute->attr : name != nullptr ? name->id : Symbol{};
  if (!symbol || assignment->value != &call) {
    return true;
  }
  const CalledNames &called = called_names(site, attribute == nullptr ? site.function->node : nullptr);
  if (attribute != nullptr) {
    return called.attributes.contains(symbol.id);
  }
  const auto uses = called.given.find(symbol.id);
  return called.names.contains(symbol.id) ||
         (uses != called.given.end() && std::ranges::any_of(uses->second, [&](const Call *use) {
            return is_handed_to_who_asks(site, *use, symbol);
          }));
}

void check(Site &site, const Call &call) {
  const Length length = length_of(called_api(site, call));
  // A callback calls the schedule with the number of the epoch.
  if (length.keyword.empty() || site.module->is_test || site.function == nullptr ||
      project_has_word(site, {"LearningRateScheduler", "MultiSteps"}) || is_called_by_hand(site, call)) {
    return;
  }
  const model::Argument given = argument_of(site, call, length.position, length.keyword);
  if (given.unknown || given.may_be_absent || given.given.size() != 1 || given.given[0].scope.function == nullptr) {
    return;
  }
  const FunctionInfo &owner = *given.given[0].scope.function;
  const Expr *steps = given.given[0].expr;
  const std::vector<Quantity> counted = quantities(site, owner, steps);
  if (counted.empty()) {
    return;
  }
  const CountedEpochs &epochs = site.memory.recall<CountedEpochs>(&site.project, [&] {
    CountedEpochs found{.counts = find_epoch_counts(site), .first = {}};
    for (std::size_t i = 0; i < found.counts.size(); ++i) {
      for (const Quantity &one : quantities(site, *found.counts[i].function, found.counts[i].expr)) {
        found.first.try_emplace(one, i);
      }
    }
    return found;
  });
  std::size_t first = epochs.counts.size();
  for (const Quantity &one : counted) {
    const auto known = epochs.first.find(one);
    first = known != epochs.first.end() ? std::min(first, known->second) : first;
  }
  if (first < epochs.counts.size()) {
    const EpochCount &count = epochs.counts[first];
    Site place = site_of_origin(site, owner);
    Finding &finding = report(
        place, *steps,
        fmt::format("`{}` counts epochs, but `{}` advances with every optimizer step, so the schedule ends after that "
                    "many batches",
                    text_of(place, steps), called_name(call)),
        "multiply it by the number of steps per epoch");
    finding.notes.push_back({site.module->file, call.func->span(), "the schedule"});
    finding.notes.push_back({count.function->module->file, count.expr->span(), "the same number counts epochs here"});
  }
}

} // namespace

extern constinit const Rule kScheduleInEpochs = {
    .info = {.code = "DP980",
             .name = "schedule-in-epochs",
             .summary =
                 "a learning rate schedule whose length is the number of epochs, but which advances with every step",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Slow Convergence, Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A schedule of Keras (`CosineDecay`, `PolynomialDecay`) or Optax (`cosine_decay_schedule`, `warmup_cosine_decay_schedule`, `linear_schedule`)
whose length is the same number that counts epochs elsewhere: it is passed to `fit(epochs=…)`, or is the range of a loop around the loop over
batches. The number is followed through names, arguments, options and fields of configuration objects.

## Why it is wrong

These schedules count optimizer steps. With 60 epochs, the learning rate is at its end after 60 batches, and almost all of the training runs
with the smallest one.

## Bad

```python
import tensorflow as tf

EPOCHS = 60


def train(model, batches):
    schedule = tf.keras.optimizers.schedules.CosineDecay(1e-3, decay_steps=EPOCHS)
    model.compile(optimizer=tf.keras.optimizers.Adam(schedule), loss="mse")
    model.fit(batches, epochs=EPOCHS)
```

## Good

```python
import tensorflow as tf

EPOCHS = 60


def train(model, batches):
    schedule = tf.keras.optimizers.schedules.CosineDecay(1e-3, decay_steps=EPOCHS * len(batches))
    model.compile(optimizer=tf.keras.optimizers.Adam(schedule), loss="mse")
    model.fit(batches, epochs=EPOCHS)
```

## When it is wrong

Where an epoch is a single step, as in training on the whole set at once. A schedule that the program calls itself is not reported.

## References

- Keras documentation, "Learning rate schedules"; Optax documentation, "Optimizer schedules"
)"},
    .calls = "tensorflow.keras.optimizers.schedules.CosineDecay tensorflow.keras.optimizers.schedules.PolynomialDecay "
             "tensorflow.optimizers.schedules.CosineDecay tensorflow.optimizers.schedules.PolynomialDecay "
             "optax.cosine_decay_schedule optax.warmup_cosine_decay_schedule optax.linear_schedule",
    .on_call = check};

} // namespace deepperf::rules::schedule_in_epochs
