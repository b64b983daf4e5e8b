#include "base/symbol_list.h"
#include "rules/lightning.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::batch_metric_averaged {

using namespace python;

namespace {

// The mean over batches of such a metric is not the metric over all of them. `api` without `torchmetrics.`.
bool is_not_a_mean(const Site &site, std::string_view name, const Call &maker) {
  static constexpr std::string_view kNever[] = {
      "AUROC",           "AveragePrecision", "CohenKappa",   "MatthewsCorrCoef",    "R2Score",
      "PearsonCorrCoef", "SpearmanCorrCoef", "JaccardIndex", "KendallRankCorrCoef", "ConcordanceCorrCoef",
      "CalibrationError"};
  static constexpr std::string_view kRatios[] = {"F1Score", "FBetaScore", "Precision", "Recall", "Specificity"};
  const auto ends_with = [name](std::string_view end) { return name.ends_with(end); };
  if (std::ranges::any_of(kNever, ends_with)) {
    return true;
  }
  if (!std::ranges::any_of(kRatios, ends_with)) {
    return false;
  }
  const Site made = site_of(site, maker);
  if (const Keyword *average = keyword_argument(maker, "average")) {
    const auto text = string_of(made, average->value);
    return text == "macro" || text == "weighted"; // micro: of several classes it is the accuracy, which is a mean
  }
  if (name.starts_with("Binary") || name.starts_with("Multiclass") || name.starts_with("Multilabel")) {
    return true; // macro, if nothing is said
  }
  const Keyword *task = keyword_argument(maker, "task");
  return task != nullptr && string_of(made, task->value) == "binary";
}

// The call of a metric that the expression is, perhaps under a name; its maker and API in `*maker` and `*api`.
const Call *metric_call(const Site &site, const Expr *expr, const Call **maker, std::string_view *api) {
  if (const auto *name = as<Name>(expr)) {
    expr = last_assigned(site, *name);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || model::kind_of(call->func) != Kind::TorchMetric) {
    return nullptr;
  }
  *maker = maker_of_callee(site, *call, api);
  return *maker != nullptr ? call : nullptr;
}

// Does Lightning average what is logged here over the epoch?
bool is_averaged(const Site &site, const Call &log) {
  if (const Keyword *on_epoch = keyword_argument(log, "on_epoch")) {
    return bool_of(site, on_epoch->value) == true;
  }
  const std::string_view name = site.function->name ? site.function->name.text() : std::string_view{};
  return name == "validation_step" || name == "test_step";
}

// A value that is logged, and averaged.
void lint(Site &site, const Expr *value) {
  const Call *maker = nullptr;
  std::string_view api;
  const Call *call = metric_call(site, value, &maker, &api);
  constexpr std::string_view kPackage = "torchmetrics.";
  if (call == nullptr || !api.starts_with(kPackage) || !is_not_a_mean(site, api.substr(kPackage.size()), *maker)) {
    return;
  }
  Finding &finding =
      report(site, *value,
             fmt::format("Lightning averages the `{}` of each batch, which is not the `{}` of the whole data set",
                         api.substr(kPackage.size()), api.substr(kPackage.size())),
             fmt::format("update the metric, then log the object: `self.log(…, {})`", text_of(site, call->func)));
  if (call != value) {
    add_note(finding, site, *call, "this returns the value for one batch");
  }
}

// Where the values of the batches go: a list, a sum, or an object that averages.
struct Sink {
  const Expr *place = nullptr; // null if they go elsewhere
  bool is_meter = false;
};

// Is the value that of the metric, perhaps as a number or weighted by the size of the batch?
bool is_metric(const Expr *expr, const Call &metric, Symbol name) {
  if (expr == &metric) {
    return true;
  }
  if (const auto *used = as<Name>(expr)) {
    return name && used->id == name;
  }
  if (const auto *call = as<Call>(expr)) {
    const bool is_number = called_method(*call) == "item" || called_name(*call) == "float";
    const Expr *const inner = receiver_of(*call) != nullptr ? receiver_of(*call)
                              : call->args.size() == 1      ? call->args[0]
                                                            : nullptr;
    return is_number && inner != nullptr && is_metric(inner, metric, name);
  }
  if (const auto *element = as<Subscript>(expr)) { // metric.compute(…)["f1"]
    return is_metric(element->value, metric, name);
  }
  const auto *product = as<BinOp>(expr);
  return product != nullptr && product->op() == Operator::Mult &&
         (is_metric(product->left, metric, name) || is_metric(product->right, metric, name));
}

// Does the class add up what its method is given, and divide the sum?
bool is_averager(const model::ClassInfo &type) {
  bool adds = false;
  bool divides = false;
  any_node_inside(type.node, [&](const Node *node) {
    const auto *sum = as<AugAssign>(node);
    const auto *ratio = as<BinOp>(node);
    adds = adds || (sum != nullptr && sum->op() == Operator::Add && sum->target->kind == NodeKind::Attribute);
    divides = divides || (ratio != nullptr && ratio->op() == Operator::Div && ratio->left->kind == NodeKind::Attribute);
    return false;
  });
  return adds && divides;
}

// An object that averages what `update` gives it: of a class that does so, also out of a dictionary of them.
bool is_meter(const Site &site, const Expr *owner) {
  const model::Value value = value_of(site, owner);
  if (value.is(model::Value::Tag::Object)) {
    return is_averager(*value.type);
  }
  const auto *element = as<Subscript>(owner);
  const auto written = model::written_as(scope_of(site), element != nullptr ? element->value : owner);
  return written.size() == 1 && any_node_inside(static_cast<const Node *>(written[0].expr), [&](const Node *node) {
           const auto *name = as<Name>(node);
           if (name == nullptr) {
             return false;
           }
           const model::Value named = value_of(site, name);
           return named.is(model::Value::Tag::Class)
                      ? is_averager(*named.type)
                      : named.is(model::Value::Tag::Api) && named.name().text().ends_with("AverageMeter");
         });
}

// Where the loop puts the value of the metric.
Sink sink_of(const Site &site, const model::Loop &loop, const Call &metric) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *bound =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const Symbol name = bound != nullptr ? bound->id : Symbol{};
  Sink sink;
  any_node(loop.node, [&](const Node *node) {
    if (const auto *sum = as<AugAssign>(node)) {
      if (sum->op() == Operator::Add && is_metric(sum->value, metric, name)) {
        sink.place = sum->target;
      }
    } else if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      if (call->args.empty() || !is_metric(call->args[0], metric, name)) {
        return false;
      }
      if (method == "append") {
        sink.place = receiver_of(*call);
      } else if ((method == "update" || method == "add") && is_meter(site, receiver_of(*call))) {
        sink = {.place = receiver_of(*call), .is_meter = true};
      }
    }
    return sink.place != nullptr;
  });
  return sink;
}

// Is the mean of what was collected taken: `sum(scores) / len(scores)`, `np.mean(scores)`, `total / len(loader)`, and
// the same for each entry of a dictionary?
bool is_mean_taken(const Site &site, const model::Loop &loop, const Expr *collected) {
  const auto *element = as<Subscript>(collected);
  const Name *const root = as<Name>(element != nullptr ? element->value : collected);
  const std::string_view text = text_of(site, collected);
  const auto is_it = [&](const Node *node) { return node->kind == collected->kind && text_of(site, node) == text; };
  const auto is_count = [&](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && contains(loop.assigned, name->id);
  };
  const auto divides = [&](const Node *node, const auto &is_dividend) {
    if (const auto *ratio = as<BinOp>(node); ratio != nullptr && ratio->op() == Operator::Div) {
      return any_node_inside(ratio->left, is_dividend) &&
             (has_word(text_of(site, ratio->right), {"len("}) || any_node_inside(ratio->right, is_count));
    }
    const auto *call = as<Call>(node);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    return (name == "mean" || name == "fmean") && !call->args.empty() && any_node_inside(call->args[0], is_dividend);
  };
  const auto takes_mean = [&](const Node *node) {
    const auto *entries = as<DictComp>(node);
    if (entries != nullptr && element != nullptr && root != nullptr && entries->generators.size() == 1 &&
        mentions(entries->generators[0]->iter, root->id)) {
      return any_node_inside(node, [&](const Node *part) {
        return divides(part, [](const Node *one) { return one->kind == NodeKind::Name; });
      });
    }
    return divides(node, is_it);
  };
  if (root == nullptr && site.function->type != nullptr) { // self.scores, which another method may read
    return any_node_inside(site.function->type->node, takes_mean);
  }
  const FunctionDef *const definition = site.function->definition();
  return definition != nullptr ? any_node(definition->body, takes_mean)
                               : any_node(site.module->parsed->tree.body, takes_mean);
}

// A metric of one batch in a loop over batches, whose mean is taken.
void check_loop(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  if (loop == nullptr || site.function == nullptr || site.module->is_test || !goes_over_data(site, *loop)) {
    return;
  }
  std::string_view api = called_api(site, call);
  std::string loaded;
  if (called_method(call) == "compute") { // an object of evaluate
    const Expr *const owner = receiver_of(call);
    const auto written = model::written_as(scope_of(site), owner);
    const auto *load = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
    const auto metric = load != nullptr && called_name(*load) == "load" && !load->args.empty()
                            ? string_of(site, load->args[0])
                            : std::nullopt;
    constexpr std::string_view kNoMeans[] = {"bleu",      "sacrebleu", "f1",       "wer",
                                             "cer",       "chrf",      "roc_auc",  "matthews_correlation",
                                             "precision", "recall",    "mean_iou", "ter"};
    if (!metric.has_value() || std::ranges::find(kNoMeans, *metric) == std::end(kNoMeans)) {
      return;
    }
    loaded = *metric;
    api = loaded;
  } else if (api.empty()) { // an object of torchmetrics
    const Call *const maker = maker_of_callee(site, call, &api);
    constexpr std::string_view kPackage = "torchmetrics.";
    if (maker == nullptr || !api.starts_with(kPackage) || !is_not_a_mean(site, api.substr(kPackage.size()), *maker)) {
      return;
    }
  } else if (keyword_argument(call, "average") != nullptr &&
             string_of(site, keyword_argument(call, "average")->value) == "micro") {
    return;
  }
  const Sink sink = sink_of(site, *loop, call);
  if (sink.place == nullptr || (!sink.is_meter && !is_mean_taken(site, *loop, sink.place))) {
    return;
  }
  const std::string name(api.substr(api.rfind('.') + 1));
  Finding &finding = report(
      site, call, fmt::format("the mean of the `{0}` of each batch is not the `{0}` of the whole data set", name),
      "collect the predictions and labels of all batches, and compute it once at the end");
  add_note(finding, site, *loop->node, "each iteration computes it for one batch");
  if (sink.is_meter && loop->steps) {
    finding.tier = Tier::Hint; // how a training loop shows its progress
  }
}

void check(Site &site, const Call &log) {
  if (called_method(log) != "log" && called_method(log) != "log_dict") {
    check_loop(site, log);
    return;
  }
  const auto *self = as<Name>(receiver_of(log));
  if (site.function == nullptr || site.function->type == nullptr || self == nullptr || site.function->params.empty() ||
      site.function->params[0]->name != self->id || !is_lightning_module(*site.function->type) ||
      !is_averaged(site, log) || keyword_argument(log, "reduce_fx") != nullptr) {
    return;
  }
  if (called_method(log) == "log") {
    if (const Expr *value = argument(log, 1, "value")) {
      lint(site, value);
    }
    return;
  }
  const auto *dictionary = as<Dict>(argument(log, 0, "dictionary"));
  for (u32 i = 0; dictionary != nullptr && i < dictionary->items.size(); ++i) {
    lint(site, dictionary->items[i].value);
  }
}

} // namespace

extern constinit const Rule kBatchMetricAveraged = {
    .info = {.code = "DP835",
             .name = "batch-metric-averaged",
             .summary = "a metric that is averaged over batches but must be computed over the whole data set",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`self.log("auc", self.auc(scores, labels))`, or the same with `log_dict`, in a LightningModule, where the value is logged per epoch and the
metric is not a mean over samples: AUROC, average precision, F1, precision, recall, Jaccard index, correlations.

## Why it is wrong

Calling a torchmetrics metric returns its value for that batch, and Lightning averages these values. The mean of a batch's AUROC, or of a
ratio such as F1, differs from the value over the data set; it depends on the batch size and is undefined for batches with one class only.
If the metric object is logged, Lightning computes it over all batches and processes, and resets it.

## Bad

```python
import pytorch_lightning as pl
from torchmetrics.classification import BinaryAUROC


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.auc = BinaryAUROC()

    def validation_step(self, batch, index):
        x, y = batch
        auc = self.auc(self(x), y)
        self.log("auc", auc)
```

## Good

```python
import pytorch_lightning as pl
from torchmetrics.classification import BinaryAUROC


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.auc = BinaryAUROC()

    def validation_step(self, batch, index):
        x, y = batch
        self.auc.update(self(x), y)
        self.log("auc", self.auc)
```

## When it is wrong

If there is only one batch. Accuracy and errors that are means over samples are not reported.

## References

- torchmetrics documentation: TorchMetrics in PyTorch Lightning
)"},
    .calls = "*.log *.log_dict TorchMetric.__call__ sklearn.metrics.f1_score sklearn.metrics.roc_auc_score "
             "sklearn.metrics.precision_score sklearn.metrics.recall_score sklearn.metrics.average_precision_score "
             "sklearn.metrics.matthews_corrcoef sklearn.metrics.cohen_kappa_score sklearn.metrics.r2_score "
             "sklearn.metrics.balanced_accuracy_score sklearn.metrics.jaccard_score sklearn.metrics.fbeta_score "
             "torchmetrics.functional.f1_score torchmetrics.functional.auroc torchmetrics.functional.precision "
             "torchmetrics.functional.recall torchmetrics.functional.jaccard_index *.compute",
    .on_call = check};

} // namespace deepperf::rules::batch_metric_averaged
