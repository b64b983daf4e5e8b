#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::metric_arguments {

using namespace python;

namespace {

constexpr u32 kMostDepth = 8;

// Is the value made of hard decisions: argmax, a threshold, rounding? Through lists that a loop fills.
bool is_hard(const Site &site, const Expr *expr, u32 depth) {
  if (depth > kMostDepth) {
    return false;
  }
  if (const auto *name = as<Name>(expr)) {
    bool is_found = false;
    bool is_other = false;
    any_node(body_around(site), [&](const Node *node) {
      if (const auto *assignment = as<Assign>(node); assignment != nullptr && assignment->end <= expr->start) {
        for (const Expr *target : assignment->targets) {
          const auto *bound = as<Name>(target);
          if (bound != nullptr && bound->id == name->id && assignment->value->kind != NodeKind::List) {
            (is_hard(site, assignment->value, depth + 1) ? is_found : is_other) = true;
          }
          const auto *pair = as<Tuple>(target);
          const auto *values = pair != nullptr ? as<Tuple>(assignment->value) : nullptr;
          for (u32 i = 0; values != nullptr && i < pair->elts.size() && i < values->elts.size(); ++i) {
            const auto *part = as<Name>(pair->elts[i]);
            if (part != nullptr && part->id == name->id && values->elts[i]->kind != NodeKind::List) {
              (is_hard(site, values->elts[i], depth + 1) ? is_found : is_other) = true;
            }
          }
          // `_, pred = torch.max(out, 1)`
          const auto *call = as<Call>(run_by(assignment->value));
          const auto *second = pair != nullptr && pair->elts.size() == 2 ? as<Name>(pair->elts[1]) : nullptr;
          if (second != nullptr && second->id == name->id && call != nullptr &&
              (called_api(site, *call) == "torch.max" || called_method(*call) == "max")) {
            is_found = true;
          }
        }
      }
      const auto *call = as<Call>(node);
      const auto *list = call != nullptr && call->args.size() == 1 && call->end <= expr->start
                             ? as<Name>(receiver_of(*call))
                             : nullptr;
      if (list != nullptr && list->id == name->id &&
          (called_method(*call) == "append" || called_method(*call) == "extend")) {
        (is_hard(site, call->args[0], depth + 1) ? is_found : is_other) = true;
      }
      const auto *sum = as<AugAssign>(node); // preds += x.tolist()
      const auto *added = sum != nullptr ? as<Name>(sum->target) : nullptr;
      if (added != nullptr && added->id == name->id && sum->end <= expr->start) {
        (is_hard(site, sum->value, depth + 1) ? is_found : is_other) = true;
      }
      return false;
    });
    return is_found && !is_other;
  }
  if (expr->kind == NodeKind::Compare) {
    return true;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    if (const auto *element = as<Subscript>(expr)) {
      const auto *best = as<Call>(element->value); // out.max(1)[1]
      return best != nullptr && integer_of(site, element->slice) == 1 &&
             (called_api(site, *best) == "torch.max" || called_method(*best) == "max");
    }
    return false;
  }
  const std::string_view name = called_name(*call);
  if (name == "argmax" || name == "round" || name == "gt" || name == "ge") {
    return true;
  }
  static constexpr std::string_view kKeep[] = {"numpy",  "cpu",     "detach", "tolist", "flatten",
                                               "view",   "reshape", "int",    "long",   "float",
                                               "astype", "squeeze", "ravel",  "to",     "bool"};
  if (receiver_of(*call) != nullptr && std::ranges::find(kKeep, called_method(*call)) != std::end(kKeep)) {
    return is_hard(site, receiver_of(*call), depth + 1);
  }
  const std::string_view api = called_api(site, *call);
  if ((api == "torch.cat" || api == "torch.stack" || api == "numpy.concatenate" || api == "numpy.hstack" ||
       api == "numpy.array" || api == "numpy.asarray" || api == "torch.tensor" || api == "numpy.vstack" ||
       api == "torch.concat") &&
      !call->args.empty()) {
    return is_hard(site, call->args[0], depth + 1);
  }
  return false;
}

void check_scores(Site &site, const Call &call) {
  const Expr *score = argument(call, 1, "y_score");
  if (score == nullptr) {
    score = argument(call, 1, "y_prob");
  }
  if (score == nullptr || !is_hard(site, score, 0)) {
    return;
  }
  report(site, *score,
         fmt::format("`{}` ranks samples by their scores, but `{}` holds decisions, so all samples of a class tie",
                     called_name(call), text_of(site, score)),
         "pass the probabilities or logits themselves");
}

void check_order(Site &site, const Call &call) {
  if (call.args.size() < 2) {
    return;
  }
  if (is_hard(site, call.args[0], 0) && !is_hard(site, call.args[1], 0) && call.args[1]->kind != NodeKind::Constant) {
    report(
        site, call,
        fmt::format("`{}` takes the true labels first, so predictions and labels are swapped here", called_name(call)),
        fmt::format("write `{}({}, {}, …)`", called_name(call), text_of(site, call.args[1]),
                    text_of(site, call.args[0])));
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test) {
    return;
  }
  const std::string_view name = called_name(call);
  if (name == "roc_auc_score" || name == "average_precision_score" || name == "roc_curve" ||
      name == "precision_recall_curve" || name == "log_loss") {
    check_scores(site, call);
  } else {
    check_order(site, call);
  }
}

// `out.max(1)[0] == y`: scores compared with labels
void check_comparison(Site &site, const Node &node) {
  const auto &test = static_cast<const Compare &>(node);
  if (test.rest.size() != 1 || test.rest[0].op != CompareOperator::Eq || site.module->is_test) {
    return;
  }
  for (const Expr *side : {static_cast<const Expr *>(test.left), static_cast<const Expr *>(test.rest[0].right)}) {
    const Expr *written = written_value(site, side);
    const auto *element = as<Subscript>(written);
    const auto *values = as<Attribute>(written);
    const auto *best = as<Call>(element != nullptr ? element->value : values != nullptr ? values->value : nullptr);
    const bool takes_values = (element != nullptr && integer_of(site, element->slice) == 0) ||
                              (values != nullptr && values->attr.text() == "values");
    if (best == nullptr || !takes_values) {
      continue;
    }
    const bool is_function = called_api(site, *best) == "torch.max";
    const bool is_method = called_method(*best) == "max" && model::kind_of(receiver_of(*best)) == Kind::TorchTensor;
    const Expr *of = is_function ? argument(*best, 0, "input") : is_method ? receiver_of(*best) : nullptr;
    const Expr *dim = is_function ? argument(*best, 1, "dim") : argument(*best, 0, "dim");
    if (of == nullptr || dim == nullptr || model::output_of(of) == Output::Unknown) {
      continue;
    }
    Finding &finding = report(site, test, "this compares the largest scores with the labels, not the classes",
                              "take the indices: `argmax(1)`");
    add_note(finding, site, *written, "these are the scores themselves");
    return;
  }
}

} // namespace

extern constinit const Rule kMetricArguments = {
    .info = {.code = "DP273",
             .name = "metric-arguments",
             .summary = "a metric that receives decisions instead of scores, or predictions instead of labels",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`roc_auc_score` and other ranking metrics of scikit-learn on predictions that were thresholded or reduced by `argmax`; `precision_score(predictions, labels)`, where the labels
come first; and `logits.max(1)[0] == labels`, which compares scores with classes.

## Why it is wrong

A ranking metric needs scores: of decisions it sees only two values, and the area under the curve is that of a single threshold. With labels and predictions swapped,
precision becomes recall and the confusion matrix is transposed.

## Bad

```python
import torch
from sklearn.metrics import roc_auc_score


def evaluate(logits: torch.Tensor, labels: torch.Tensor):
    predictions = (logits.sigmoid() > 0.5).cpu().numpy()
    return roc_auc_score(labels.cpu().numpy(), predictions)
```

## Good

```python
import torch
from sklearn.metrics import roc_auc_score


def evaluate(logits: torch.Tensor, labels: torch.Tensor):
    return roc_auc_score(labels.cpu().numpy(), logits.sigmoid().cpu().numpy())
```

## When it is wrong

Where the swap is intended, and for symmetric metrics.
)"},
    .calls = "sklearn.metrics.roc_auc_score sklearn.metrics.average_precision_score sklearn.metrics.roc_curve "
             "sklearn.metrics.precision_recall_curve sklearn.metrics.log_loss sklearn.metrics.precision_score "
             "sklearn.metrics.recall_score sklearn.metrics.confusion_matrix sklearn.metrics.classification_report "
             "sklearn.metrics.precision_recall_fscore_support",
    .on_call = check,
    .nodes = {NodeKind::Compare},
    .on_node = check_comparison};

} // namespace deepperf::rules::metric_arguments
