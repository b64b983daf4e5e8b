#include "model/classes.h"
#include "model/definitions.h"
#include "rules/lightning.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace deepperf::rules::metric_never_reset {

using namespace python;

namespace {

bool is_inside(const Node &inner, const Node &outer) { return outer.start <= inner.start && inner.end <= outer.end; }

// Does Lightning call the function once per epoch?
bool is_epoch_end(const model::FunctionInfo &function) {
  const std::string_view name = function.name ? function.name.text() : std::string_view{};
  return function.type != nullptr && name.ends_with("_epoch_end") && is_lightning_module(*function.type);
}

// Is a new object of the class made where its method is called: once for each fold or trial?
bool is_made_there(const Site &site, const model::ClassInfo &type, const model::Loop &loop) {
  const auto &constructions = model::definitions_of(site.project).constructions;
  const auto known = constructions.find(&type);
  return known == constructions.end() || std::ranges::any_of(known->second, [&loop](const model::CallPlace &place) {
           return place.function == loop.function && is_inside(*place.call, *loop.node);
         });
}

// A loop that computes the metric again and again, while the object stays the same: around the place, or around a call
// of its function.
const Node *repeated_by(const Site &site, const Call &maker) {
  const model::FunctionInfo *made_in = site.project.caller_of(&maker);
  const bool is_own = made_in != nullptr && made_in->type != nullptr && made_in->type == site.function->type &&
                      made_in->name.text() == "__init__";
  const bool is_same = made_in == site.function || made_in == nullptr || made_in->node == nullptr || is_own;
  for (const model::Loop *loop = loop_around(site); loop != nullptr && is_same; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    const bool runs_again =
        statement != nullptr ? statement->body[0]->start <= site.node->start : loop->node->kind == NodeKind::While;
    // A value after each batch runs on within its epoch, as it should.
    if (runs_again && !loop->few_iterations && !goes_over_data(site, *loop) &&
        (made_in != site.function || !is_inside(maker, *loop->node))) {
      return loop->node;
    }
  }
  if (made_in == nullptr || made_in == site.function || site.function->node == nullptr) {
    return nullptr;
  }
  const model::ClassInfo *type = site.function->type;
  if (type != nullptr ? made_in->type != type || made_in->name.text() != "__init__" : made_in->node != nullptr) {
    return nullptr;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    for (const model::Loop *loop = caller->loop; loop != nullptr; loop = loop->parent) {
      if (!loop->few_iterations && !caller->once && (type == nullptr || !is_made_there(site, *type, *loop))) {
        return caller->call;
      }
    }
  }
  return nullptr;
}

// Is the metric logged as an object, so that Lightning resets it?
bool is_logged(const Site &site, const Node &type, std::string_view metric) {
  return any_node_inside(&type, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    return (method == "log" || method == "log_dict") &&
           (std::ranges::any_of(call->args, [&](const Expr *value) { return text_of(site, value) == metric; }) ||
            std::ranges::any_of(call->keywords,
                                [&](const Keyword *keyword) { return text_of(site, keyword->value) == metric; }));
  });
}

// What is reset: Keras metrics by the calls that make them, or by what they are called in a class; and something that
// may be any metric.
struct Resets {
  bool any = false;
  std::unordered_set<const Call *> makers;
  std::set<std::pair<const model::ClassInfo *, std::string>> texts;
};

struct AllResets {
  Resets of_project;                                                   // where TensorFlow is used
  std::unordered_map<const model::FunctionInfo *, Resets> of_function; // with those of functions inside
};

void add_reset(const Site &there, const Attribute &name, Resets &into) {
  const bool is_plain = name.value->kind == NodeKind::Name || name.value->kind == NodeKind::Attribute;
  const model::Value metric = is_plain ? value_of(there, name.value) : model::Value{};
  if (!metric.is_kind(Kind::KerasMetric) || metric.many || metric.maker() == nullptr) {
    into.any = true;
    return;
  }
  into.makers.insert(metric.maker());
  into.texts.emplace(there.function->type, text_of(there, name.value));
}

const AllResets &all_resets(const Site &site) {
  return site.memory.recall<AllResets>(&site.project, [&] {
    AllResets found;
    for (const model::FunctionInfo &function : site.project.functions) {
      if (function.module == nullptr || function.module->parsed == nullptr) {
        continue;
      }
      const Site there = site_of_origin(site, function);
      const auto look = [&](const Node *node) {
        const auto *name = as<Attribute>(node);
        if (name != nullptr && name->attr.text().starts_with("reset")) {
          if (function.module->tensorflow) {
            add_reset(there, *name, found.of_project);
          }
          add_reset(there, *name, found.of_function[&function]);
          if (function.parent != nullptr) {
            add_reset(there, *name, found.of_function[function.parent]);
          }
        }
        return false;
      };
      const FunctionDef *definition = function.definition();
      const Lambda *lambda = function.lambda();
      if (lambda != nullptr) {
        any_node(lambda->body, look);
      } else {
        any_node(definition != nullptr ? definition->body : function.module->parsed->tree.body, look);
      }
    }
    return found;
  });
}

// Does anything reset the Keras metric that `maker` made, or may it? Others may be reset by their own names.
bool may_reset_keras(const Site &site, const Call &maker, std::string_view text) {
  const AllResets &all = all_resets(site);
  // What a function made itself, it resets itself.
  const bool is_own = site.function->node != nullptr && site.project.caller_of(&maker) == site.function;
  const auto own = is_own ? all.of_function.find(site.function) : all.of_function.end();
  if (is_own && own == all.of_function.end()) {
    return false;
  }
  const Resets &resets = is_own ? own->second : all.of_project;
  return resets.any || resets.makers.contains(&maker) ||
         resets.texts.contains({site.function->type, std::string(text)});
}

// Several epochs, however few: from the second one on, the value is wrong.
bool has_iterations(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *range = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  const bool counts = range != nullptr && range->args.size() == 1 && called_api(site, *range) == "range";
  const bool is_left =
      statement != nullptr && !statement->body.empty() &&
      (statement->body.back()->kind == NodeKind::Break || statement->body.back()->kind == NodeKind::Return);
  return !loop.few_iterations || (counts && !is_left && integer_of(site, range->args[0]).value_or(2) >= 2);
}

// A loop over batches, or one that adds to metrics of Keras in each iteration.
bool goes_over_batches(const Site &site, const model::Loop &loop) {
  static constexpr std::string_view kUpdates[] = {".update_state("};
  return loop.steps || loop.evaluates || goes_over_data(site, loop) ||
         ((loop.node->kind == NodeKind::For || loop.node->kind == NodeKind::While) &&
          (node_has_word(site, *loop.node, kUpdates) || reaches_word(site, *loop.node, kUpdates)));
}

// The loop around the place, without those over a few metrics: `{k: m.result() for k, m in metrics.items()}`.
const model::Loop *long_loop_of(const Site &site) {
  const model::Loop *loop = loop_around(site);
  while (loop != nullptr && (loop->few_iterations || loop->iterations == model::Iterations::Few ||
                             (loop->node->kind != NodeKind::For && loop->node->kind != NodeKind::While))) {
    loop = loop->parent;
  }
  return loop;
}

// A loop over epochs around the place: it has another loop inside, which goes over the batches.
const Node *epochs_around(const Site &site, const Call &maker) {
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    const auto *statement = as<For>(loop->node);
    const bool has_batches = std::ranges::any_of(site.function->loops, [&](const model::Loop *inner) {
      return inner->parent == loop && !is_inside(*site.node, *inner->node) && goes_over_batches(site, *inner);
    });
    if (has_batches && statement != nullptr && has_iterations(site, *loop) && !is_inside(maker, *loop->node) &&
        statement->body[0]->start <= site.node->start) {
      return loop->node;
    }
  }
  return nullptr;
}

// A function that goes over the batches of one epoch, and that a loop over epochs calls, while the metric stays the
// same: one of the module, or of an object that is made outside of that loop.
const Node *epochs_of_callers(const Site &site, const Call &maker) {
  const model::FunctionInfo *made_in = site.project.caller_of(&maker);
  const model::ClassInfo *type = site.function->type;
  const bool is_kept = made_in != nullptr && made_in != site.function &&
                       (made_in->node == nullptr ||
                        (type != nullptr && made_in->type != nullptr && made_in->name.text() == "__init__" &&
                         std::ranges::any_of(type->mro, [made_in](const auto &one) { return one == made_in->type; })));
  const bool has_batches = std::ranges::any_of(site.function->loops, [&](const model::Loop *inner) {
    return inner->parent == nullptr && !is_inside(*site.node, *inner->node) && goes_over_batches(site, *inner);
  });
  if (!is_kept || !has_batches || long_loop_of(site) != nullptr) {
    return nullptr;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    const model::Loop *loop = caller->loop;
    if (loop != nullptr && has_iterations(site_of_origin(site, *caller->caller), *loop) && !caller->once &&
        loop->node->kind == NodeKind::For && (type == nullptr || !is_made_there(site, *type, *loop))) {
      return caller->call;
    }
  }
  return nullptr;
}

// ---- Metrics that an object of their own keeps ----------------------------------------------------------------------

bool calls_reset(const Node *node) {
  return any_node_inside(node, [](const Node *part) {
    const auto *name = as<Attribute>(part);
    return name != nullptr && name->attr.text().starts_with("reset");
  });
}

// The calls that make the object, if all of them are seen.
std::vector<const Call *> constructions_of(const Site &site, const Expr *object) {
  std::vector<const Call *> made;
  const bool complete = visit_origins(site, *site.function, object, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    made.push_back(call != nullptr && site.project.callee_of(call).is(model::Value::Tag::Class) ? call : nullptr);
    return Onward::Stop;
  });
  return complete && std::ranges::find(made, nullptr) == made.end() ? made : std::vector<const Call *>{};
}

// `x.reset_states()`, or `x.method()` of a method that does so, of whatever class.
struct ResetPlaces {
  struct Place {
    const model::FunctionInfo *function = nullptr;
    const Attribute *name = nullptr;
  };
  std::vector<Place> all;
};

const ResetPlaces &reset_places(const Site &site) {
  return site.memory.recall<ResetPlaces>(&site.project, [&] {
    std::unordered_set<u32> resetting;
    for (const model::FunctionInfo &function : site.project.functions) {
      if (function.type != nullptr && function.definition() != nullptr && calls_reset(function.definition())) {
        resetting.insert(function.name.id);
      }
    }
    ResetPlaces found;
    for (const model::FunctionInfo &function : site.project.functions) {
      const FunctionDef *definition = function.definition();
      if ((definition == nullptr && function.node != nullptr) || !function.module->tensorflow) {
        continue;
      }
      any_node(definition != nullptr ? definition->body : function.module->parsed->tree.body, [&](const Node *node) {
        const auto *name = as<Attribute>(node);
        if (name != nullptr && (name->attr.text().starts_with("reset") || resetting.contains(name->attr.id))) {
          found.all.push_back({&function, name});
        }
        return false;
      });
    }
    return found;
  });
}

// May anything reset the object that `maker` made: a method of its class that does so, called on it, or a metric of it?
bool may_reset_bundle(const Site &site, const model::ClassInfo &type, const Call &maker) {
  constexpr std::size_t kMostPlaces = 256; // many objects may be asked about
  const std::vector<ResetPlaces::Place> &places = reset_places(site).all;
  return places.size() > kMostPlaces || std::ranges::any_of(places, [&](const ResetPlaces::Place &place) {
           if (place.function->type == &type) {
             return false;
           }
           const model::FunctionInfo *method = model::find_method_of(type, place.name->attr);
           const bool resets = method != nullptr ? method->definition() != nullptr && calls_reset(method->definition())
                                                 : place.name->attr.text().starts_with("reset");
           if (!resets) {
             return false;
           }
           const std::vector<const Call *> objects =
               constructions_of(site_of_origin(site, *place.function), place.name->value);
           return objects.empty() || std::ranges::find(objects, &maker) != objects.end();
         });
}

// `bundle.results()` in each epoch, of an object that keeps metrics and is never told to reset them.
void check_bundle(Site &site, const Call &call) {
  const model::ClassInfo *type = site.function->type;
  if (type == nullptr || type->kind != Kind::Unknown || site.function->definition() == nullptr ||
      calls_reset(site.function->definition())) {
    return;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    const Expr *object = receiver_of(*caller->call);
    if (object == nullptr || caller->caller->type == type || caller->caller->node == nullptr) {
      continue;
    }
    const Site there = site_at(site, *caller->caller, *caller->call);
    const std::vector<const Call *> made = constructions_of(there, object);
    if (made.size() != 1) {
      continue;
    }
    const Node *const own = epochs_around(there, *made[0]);
    const Node *const epochs = own != nullptr ? own : epochs_of_callers(there, *made[0]);
    if (epochs == nullptr || may_reset_bundle(site, *type, *made[0])) {
      continue;
    }
    Site place = there;
    Finding &finding =
        report(place, *caller->call,
               fmt::format("the metrics of `{}` are never reset, so each epoch's values include all earlier epochs",
                           text_of(there, object)),
               fmt::format("reset the metrics of `{}` at the start of each epoch", text_of(there, object)));
    add_note(finding, site, call, "the metric is read here");
  }
}

// The call that makes the metric, where it is an entry or field: `parts["metric"].result()`.
const Call *maker_of(const Site &site, const Expr *receiver) {
  const Call *made = nullptr;
  u32 count = 0;
  const bool complete = visit_origins(site, *site.function, receiver, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr || origin.expr->kind == NodeKind::Attribute) {
      return Onward::Through;
    }
    const auto *call = as<Call>(origin.expr);
    const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
    const ApiInfo *info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
    made = info != nullptr && info->returns == Kind::KerasMetric ? call : nullptr;
    ++count;
    return Onward::Stop;
  });
  return complete && count == 1 ? made : nullptr;
}

// metric.result() in each epoch, of a metric that was updated in all epochs before.
void check_keras(Site &site, const Call &call) {
  const Expr *receiver = receiver_of(call);
  const model::Value metric = receiver != nullptr ? value_of(site, receiver) : model::Value{};
  if (site.function == nullptr || site.module->is_test || site.module->jax || tracers_at(site) != 0) {
    return; // with JAX, the state of metrics is passed around
  }
  // One of several in a dictionary or list, which are made together.
  const Call *maker = metric.is_kind(Kind::KerasMetric) ? metric.maker() : maker_of(site, receiver);
  for_each_alternative(metric, [&](const model::Value &one) { maker = maker == nullptr ? one.maker() : maker; });
  if (maker == nullptr || metric.open) {
    return;
  }
  const Node *const own = epochs_around(site, *maker);
  const Node *const epochs = own != nullptr ? own : epochs_of_callers(site, *maker);
  if (epochs == nullptr) {
    check_bundle(site, call);
    return;
  }
  if (may_reset_keras(site, *maker, text_of(site, receiver))) {
    return;
  }
  Finding &finding = report(site, call, "this metric is never reset, so each epoch's value includes all earlier epochs",
                            fmt::format("call `{}.reset_state()` at the start of each epoch", text_of(site, receiver)));
  if (own != nullptr) {
    finding.notes.push_back({site.module->file, {epochs->start, epochs->start + 3}, "in this loop"});
    return;
  }
  const model::FunctionInfo *caller = site.project.caller_of(static_cast<const Call *>(epochs));
  finding.notes.push_back(
      {caller != nullptr ? caller->module->file : site.module->file, epochs->span(), "called here, once per epoch"});
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "result") {
    check_keras(site, call);
    return;
  }
  const Expr *receiver = receiver_of(call);
  const model::Value metric = receiver != nullptr ? value_of(site, receiver) : model::Value{};
  if (site.function == nullptr || !metric.is_kind(Kind::TorchMetric) || site.module->is_test) {
    return;
  }
  // One of several in a dictionary, which are made together.
  const Call *made = nullptr;
  bool are_together = true;
  for_each_alternative(metric, [&](const model::Value &one) {
    const Call *const own = one.is_kind(Kind::TorchMetric) && !one.many ? one.maker() : nullptr;
    are_together = are_together && own != nullptr &&
                   (made == nullptr || site.project.caller_of(made) == site.project.caller_of(own));
    made = own;
  });
  if (made == nullptr || !are_together) {
    return;
  }
  const std::string_view maker = called_api(site, *made);
  if (maker.find(".Running") != std::string_view::npos) {
    return; // a window that forgets by itself
  }
  // Whoever may reset it: here, or who is given the metric.
  if (project_has_word(site, {".reset(", ".reset)", "\"reset\"", "'reset'", "_reset"})) {
    return;
  }
  const std::string_view text = text_of(site, receiver);
  const Node *again = nullptr;
  if (is_epoch_end(*site.function)) {
    const model::FunctionInfo *made_in = site.project.caller_of(made);
    const bool is_own = made_in != nullptr && made_in->type != nullptr && made_in->name.text() == "__init__";
    again = is_own && !is_logged(site, *site.function->type->node, text) ? site.function->node : nullptr;
    if (again == nullptr) {
      return;
    }
  } else if (again = repeated_by(site, *made); again == nullptr) {
    return;
  }
  Finding &finding = report(site, call, "this metric is never reset, so each epoch's value includes all earlier epochs",
                            "call `reset()` on the metric after `compute()`");
  if (!is_epoch_end(*site.function)) {
    const bool is_here = again->kind != NodeKind::Call;
    const model::FunctionInfo *place =
        is_here ? site.function : site.project.caller_of(static_cast<const Call *>(again));
    if (place != nullptr) {
      finding.notes.push_back(
          {place->module->file, again->span(), is_here ? "in this loop" : "called repeatedly here"});
    }
  }
}

} // namespace

extern constinit const Rule kMetricNeverReset = {
    .info = {.code = "DP836",
             .name = "metric-never-reset",
             .summary = "a metric of torchmetrics or Keras that is computed every epoch and never reset",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result, Memory Leak",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`compute()` of a torchmetrics metric that lives longer than an epoch, in a program that never calls `reset()`: in a loop, in a function that
is called from one, or in a hook that Lightning calls at the end of each epoch. Also `result()` of a Keras metric in a loop over epochs, where
nothing resets that metric.

## Why it is wrong

A metric accumulates what `update()` receives until it is reset. Without a reset, the value of epoch ten covers all ten epochs: it reacts
slowly, and the best epoch is found too late. Metrics that keep all predictions, such as AUROC, also need more memory with every epoch.

## Bad

```python
from torchmetrics.classification import BinaryAUROC


def train(model, loader, epochs):
    auc = BinaryAUROC()
    for epoch in range(epochs):
        for x, y in loader:
            auc.update(model(x), y)
        print(epoch, auc.compute())
```

## Good

```python
import torch
from torchmetrics.classification import BinaryAUROC


@torch.no_grad()
def evaluate(model, loader, epochs):
    auc = BinaryAUROC()
    for epoch in range(epochs):
        for x, y in loader:
            auc.update(model(x), y)
        print(epoch, auc.compute())
        auc.reset()
```

## When it is wrong

Where a running value over the whole training is intended.

## References

- torchmetrics: Metric.reset
)"},
    .calls = "TorchMetric.compute KerasMetric.result",
    .on_call = check};

} // namespace deepperf::rules::metric_never_reset
