#include "base/name_table.h"
#include "rules/lightning.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::metric_shared_by_stages {

using namespace python;

namespace {

// `self.accuracy` of `self.accuracy(y, t)` and of `self.accuracy.update(y, t)`; nothing if it is no metric of the
// object.
const Attribute *updated_metric(const Call &call) {
  const bool updates = called_method(call) == "update" || called_method(call) == "forward";
  const auto *metric = as<Attribute>(updates ? receiver_of(call) : call.func);
  return metric != nullptr && metric->value->kind == NodeKind::Name && model::kind_of(metric) == Kind::TorchMetric
             ? metric
             : nullptr;
}

// Where another method of the class updates the same metric.
const Call *updated_in(const FunctionDef &method, const Attribute &metric) {
  const Call *found = nullptr;
  any_node(method.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Attribute *const other = call != nullptr ? updated_metric(*call) : nullptr;
    if (other != nullptr && other->attr == metric.attr) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

const FunctionDef *method_of(const model::ClassInfo &type, std::string_view name) {
  for (const Stmt *statement : type.node->body) {
    const auto *method = as<FunctionDef>(statement);
    if (method != nullptr && method->name.text() == name) {
      return method;
    }
  }
  return nullptr;
}

// Is what it has collected ever read: `self.log("name", self.metric)`, `self.metric.compute()`? The value of one batch
// alone does not depend on the others.
bool is_read_as_whole(const model::ClassInfo &type, const Attribute &metric) {
  const auto is_it = [&metric](const Expr *expr) {
    const auto *attribute = as<Attribute>(expr);
    return attribute != nullptr && attribute->attr == metric.attr;
  };
  return any_node_inside(type.node, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method == "compute") {
      return is_it(receiver_of(*call));
    }
    const Expr *const value = method == "log"        ? argument(*call, 1, "value")
                              : method == "log_dict" ? argument(*call, 0, "dictionary")
                                                     : nullptr;
    return value != nullptr && is_it(value);
  });
}

void check(Site &site, const Call &call) {
  const Attribute *const metric = updated_metric(call);
  if (metric == nullptr || site.function == nullptr || site.function->type == nullptr || site.module->is_test ||
      !site.function->name || !is_lightning_module(*site.function->type) ||
      !is_read_as_whole(*site.function->type, *metric)) {
    return;
  }
  const std::string_view name = site.function->name.text();
  const std::string written(text_of(site, metric));
  if (name == "validation_step") {
    const FunctionDef *const training = method_of(*site.function->type, "training_step");
    const Call *const other = training != nullptr ? updated_in(*training, *metric) : nullptr;
    if (other == nullptr) {
      return;
    }
    Finding &finding =
        report(site, call, fmt::format("`{}` also collects the training batches, so its result mixes both", written),
               "use one metric for each stage: `metric.clone()`");
    add_note(finding, site, *other, "training updates it here");
    return;
  }
  // A step that both stages share, without asking which one it is.
  const auto comes_from = [&](std::string_view stage) {
    return std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
      return caller->caller->name && caller->caller->name.text() == stage && caller->caller->type != nullptr;
    });
  };
  if (enclosing(site, NodeKind::If) == nullptr && comes_from("training_step") && comes_from("validation_step")) {
    report(site, call, fmt::format("`{}` collects training and validation batches, so its result mixes both", written),
           "use one metric for each stage: `metric.clone()`");
  }
}

// ---- One object under the names of several stages -------------------------------------------------------------------

// Do the names stand for training and for something else?
struct Stages {
  bool has_training = false;
  bool has_other = false;

  void add(std::string_view name) {
    const bool is_training = name.find("train") != std::string_view::npos || name == "fit";
    const bool is_other = name.find("val") != std::string_view::npos || name.find("test") != std::string_view::npos ||
                          name.find("eval") != std::string_view::npos || name == "dev";
    has_training |= is_training && !is_other;
    has_other |= is_other && !is_training;
  }
  [[nodiscard]] bool are_several() const { return has_training && has_other; }
};

// A metric that exists already: no call that makes or copies one.
bool is_metric(const Expr *expr) {
  return (expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute) &&
         model::kind_of(expr) == Kind::TorchMetric;
}

// The texts of a tuple or list that is written down, also under a name.
Stages stages_of(const Site &site, const Expr *collection) {
  Stages stages;
  for (const model::Argument::Given &given : model::written_as(scope_of(site), collection)) {
    const auto *tuple = as<Tuple>(given.expr);
    const auto *list = as<List>(given.expr);
    const Array<Expr *> parts = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
    for (const Expr *part : parts) {
      stages.add(string_of(site, part).value_or(""));
    }
  }
  return stages;
}

void report_shared(Site &site, const Expr &metric) {
  if (!site.module->is_test) {
    report(site, metric,
           fmt::format("`{}` is one metric for all stages, so its result mixes the batches of all of them",
                       text_of(site, &metric)),
           "use one metric for each stage: `metric.clone()`");
  }
}

// `metrics` of a loop over `metrics`
bool mentions_target(const Expr *target, const Expr *value) {
  return any_node(target, [value](const Node *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && mentions(value, name->id);
  });
}

// {stage: metric for stage in ("train", "val")}
void check_comprehension(Site &site, const DictComp &node) {
  if (node.generators.size() == 1 && is_metric(node.value) &&
      !mentions_target(node.generators[0]->target, node.value) &&
      stages_of(site, node.generators[0]->iter).are_several()) {
    report_shared(site, *node.value);
  }
}

// {"train": metric, "val": metric}
void check_dict(Site &site, const Dict &node) {
  for (const DictItem &item : node.items) {
    if (item.key == nullptr || !is_metric(item.value)) {
      continue;
    }
    Stages stages;
    for (const DictItem &other : node.items) {
      if (other.key != nullptr && text_of(site, other.value) == text_of(site, item.value)) {
        stages.add(string_of(site, other.key).value_or(""));
      }
    }
    if (stages.are_several()) {
      return report_shared(site, *item.value);
    }
  }
}

// self.train_accuracy = self.val_accuracy = Accuracy()
void check_assignment(Site &site, const Assign &node) {
  if (node.targets.size() < 2 || model::kind_of(node.value) != Kind::TorchMetric) {
    return;
  }
  Stages stages;
  for (const Expr *target : node.targets) {
    if (const auto *attribute = as<Attribute>(target)) {
      stages.add(attribute->attr.text());
    }
  }
  if (stages.are_several() && !site.module->is_test) {
    report(site, node, "this is one metric for all stages, so its result mixes the batches of all of them",
           "use one metric for each stage: `metric.clone()`");
  }
}

void check_node(Site &site, const Node &node) {
  if (const auto *comprehension = as<DictComp>(&node)) {
    check_comprehension(site, *comprehension);
  } else if (const auto *dictionary = as<Dict>(&node)) {
    check_dict(site, *dictionary);
  } else {
    check_assignment(site, static_cast<const Assign &>(node));
  }
}

// dict.fromkeys(("train", "val"), metric)
void check_fromkeys(Site &site, const Call &call) {
  if (call.args.size() == 2 && is_metric(call.args[1]) && stages_of(site, call.args[0]).are_several()) {
    report_shared(site, *call.args[1]);
  }
}

void check_call(Site &site, const Call &call) {
  if (called_method(call) == "fromkeys") {
    check_fromkeys(site, call);
  } else {
    check(site, call);
  }
}

} // namespace

extern constinit const Rule kMetricSharedByStages = {
    .info = {.code = "DP818",
             .name = "metric-shared-by-stages",
             .summary = "one metric object that collects training and validation batches",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A metric of torchmetrics that both `training_step` and `validation_step` of a LightningModule update, and one metric that is stored under the
names of several stages: `{stage: metric for stage in ("train", "val")}`.

## Why it is wrong

A metric keeps all that it has seen until it is reset. Validation runs before the training epoch ends, so the validation value includes the
training batches, and resetting it loses them for the training value.

## Bad

```python
import lightning as L
from torchmetrics.classification import MulticlassAccuracy


class Net(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.accuracy = MulticlassAccuracy(10)

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        self.accuracy(out, y)
        self.log("train_accuracy", self.accuracy)
        return out.mean()

    def validation_step(self, batch, index):
        x, y = batch
        self.accuracy(self.net(x), y)
        self.log("val_accuracy", self.accuracy)
```

## Good

```python
import lightning as L
from torchmetrics.classification import MulticlassAccuracy


class Net(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.train_accuracy = MulticlassAccuracy(10)
        self.val_accuracy = MulticlassAccuracy(10)

    def training_step(self, batch, index):
        x, y = batch
        out = self.net(x)
        self.train_accuracy(out, y)
        self.log("train_accuracy", self.train_accuracy)
        return out.mean()

    def validation_step(self, batch, index):
        x, y = batch
        self.val_accuracy(self.net(x), y)
        self.log("val_accuracy", self.val_accuracy)
```

## When it is wrong

Where it is reset before and after each stage.

## References

- TorchMetrics: in PyTorch Lightning, common pitfalls
)"},
    .calls = "TorchMetric.__call__ TorchMetric.update TorchMetric.forward *.fromkeys",
    .on_call = check_call,
    .nodes = {NodeKind::DictComp, NodeKind::Dict, NodeKind::Assign},
    .on_node = check_node};

} // namespace deepperf::rules::metric_shared_by_stages
