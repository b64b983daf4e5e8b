#include "rules/assignments.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::kl_divergence_input {

using namespace python;

namespace {

// What the numbers of an argument are, also under a name of the same function.
Output output_of(const Site &site, const Expr *expr) {
  const Output known = model::output_of(expr);
  return known != Output::Unknown ? known : model::output_of(written_value(site, expr));
}

void check(Site &site, const Call &call) {
  std::string_view api = called_api(site, call);
  const Call *maker = &call;
  if (api.empty()) {
    maker = maker_of_callee(site, call, &api);
  }
  const bool is_function = api == "torch.nn.functional.kl_div";
  if (maker == nullptr || (!is_function && api != "torch.nn.KLDivLoss") || has_hidden_arguments(call) ||
      has_hidden_arguments(*maker)) {
    return;
  }
  const Expr *const input = argument(call, 0, "input");
  const Expr *const target = argument(call, 1, "target");
  if (input == nullptr || target == nullptr) {
    return;
  }
  const std::string_view name = is_function ? "F.kl_div" : "nn.KLDivLoss";
  const Output given = output_of(site, input);
  if (given == Output::Softmax || given == Output::Sigmoid || given == Output::Scores) {
    report(site, *input,
           fmt::format("`{}` expects log-probabilities as its first argument, but gets {}", name,
                       given == Output::Scores ? "logits" : "probabilities"),
           "pass `log_softmax(…)`; the second argument takes the probabilities");
    return;
  }
  const Expr *const log_target = argument(*maker, is_function ? 5 : 3, "log_target");
  if (log_target == nullptr && output_of(site, target) == Output::LogSoftmax) {
    report(site, *target,
           fmt::format("`{}` expects probabilities as its second argument, but gets log-probabilities", name),
           "pass `softmax(…)`, or `log_target=True`");
    return;
  }
  // The mean over all elements divides by the number of classes as well.
  const Expr *const reduction = argument(*maker, is_function ? 4 : 2, "reduction");
  const bool is_old = argument(*maker, is_function ? 2 : 0, "size_average") != nullptr ||
                      argument(*maker, is_function ? 3 : 1, "reduce") != nullptr;
  if (!is_old && (reduction == nullptr || string_of(site, reduction) == "mean")) {
    Finding &finding = report(site, call,
                              fmt::format("`{}` with `reduction=\"mean\"` divides by the number of classes as well, so "
                                          "it is not the KL divergence",
                                          name),
                              "pass `reduction=\"batchmean\"`");
    finding.severity = Severity::Advice;
    if (maker != &call) {
      finding.notes.push_back({site_of(site, *maker).module->file, maker->span(), "the loss is created here"});
    }
  }
}

} // namespace

extern constinit const Rule kKlDivergenceInput = {
    .info = {.code = "DP908",
             .name = "kl-divergence-input",
             .summary = "`kl_div` of probabilities instead of log-probabilities, or averaged over the classes",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`F.kl_div` or `nn.KLDivLoss` whose first argument is a softmax or logits instead of a log-softmax, whose second argument is a log-softmax
without `log_target=True`, or whose reduction is the default `"mean"`.

## Why it is wrong

The loss computes `target * (log(target) - input)`: the first argument must be log-probabilities and the second one probabilities, in this
order. With anything else the loss can be negative, and its gradient points in a different direction. `"mean"` divides by the number of
elements, batch times classes, so that the term is a thousand times too small with a thousand classes.

## Bad

```python
import torch.nn.functional as F


def distill(student, teacher):
    return F.kl_div(F.softmax(student, dim=1), F.softmax(teacher, dim=1), reduction="batchmean")
```

## Good

```python
import torch.nn.functional as F


def distill(student, teacher):
    return F.kl_div(F.log_softmax(student, dim=1), F.softmax(teacher, dim=1), reduction="batchmean")
```

## When it is wrong

Where the weight of the loss was tuned with `"mean"`: then the loss is only scaled, and its reduction is advice.

## References

- PyTorch documentation of `torch.nn.KLDivLoss`
)"},
    .calls = "torch.nn.functional.kl_div TorchLoss.__call__",
    .on_call = check};

} // namespace deepperf::rules::kl_divergence_input
