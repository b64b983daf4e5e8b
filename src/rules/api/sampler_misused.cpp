#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::sampler_misused {

using namespace python;

namespace {

constexpr u32 kMostDepth = 8;

// Does the expression hold one number for each class: what bincount() counts, one entry for each class of a
// comprehension, or a quotient of such?
bool is_per_class(const Site &site, const Expr *expr, u32 depth) {
  if (depth > kMostDepth) {
    return false;
  }
  expr = written_value(site, expr);
  if (const auto *quotient = as<BinOp>(expr)) {
    const bool is_scaled = quotient->op() == Operator::Div || quotient->op() == Operator::Mult ||
                           quotient->op() == Operator::Add || quotient->op() == Operator::Pow;
    return is_scaled &&
           (is_per_class(site, quotient->left, depth + 1) || is_per_class(site, quotient->right, depth + 1));
  }
  if (const auto *list = as<ListComp>(expr); list != nullptr && list->generators.size() == 1) {
    const Expr *over = written_value(site, list->generators[0]->iter);
    const auto *call = as<Call>(over);
    const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
    if (api == "numpy.unique" || api == "torch.unique" || (call != nullptr && called_method(*call) == "unique")) {
      return true;
    }
    return is_per_class(site, list->generators[0]->iter, depth + 1); // [1 / n for n in counts]
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  const std::string_view method = called_method(*call);
  if (api == "torch.bincount" || api == "numpy.bincount" || (method == "bincount" && call->args.empty()) ||
      api.ends_with("compute_class_weight")) {
    return true;
  }
  if (method == "value_counts") {
    return true;
  }
  const bool keeps = api == "torch.from_numpy" || api == "torch.tensor" || api == "torch.as_tensor" ||
                     api == "torch.DoubleTensor" || api == "torch.FloatTensor" || api == "torch.Tensor" ||
                     api == "numpy.array" || api == "numpy.asarray" || api == "torch.reciprocal" || api == "list" ||
                     api == "torch.sqrt" || api == "numpy.sqrt";
  if (keeps && !call->args.empty()) {
    return is_per_class(site, call->args[0], depth + 1);
  }
  const bool keeps_receiver = method == "float" || method == "double" || method == "reciprocal" || method == "numpy" ||
                              method == "tolist" || method == "clamp" || method == "to" || method == "astype" ||
                              method == "sqrt" || method == "pow" || method == "to_numpy" || method == "sort_index";
  return keeps_receiver && receiver_of(*call) != nullptr && is_per_class(site, receiver_of(*call), depth + 1);
}

void check(Site &site, const Call &call) {
  const Expr *weights = argument(call, 0, "weights");
  if (weights == nullptr || !is_per_class(site, weights, 0)) {
    return;
  }
  report(
      site, call,
      "these are the weights of the classes, but `WeightedRandomSampler` takes one weight for each sample, so only the "
      "first few samples are ever drawn",
      fmt::format("look up the weight of each sample's label: `{}[labels]`", text_of(site, weights)));
}

} // namespace

extern constinit const Rule kSamplerMisused = {
    .info = {.code = "DP171",
             .name = "sampler-misused",
             .summary = "a `WeightedRandomSampler` with weights of classes",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `WeightedRandomSampler` that gets one weight for each class, such as `1 / bincount(labels)`.

## Why it is wrong

The sampler draws numbers of samples with these weights. With ten weights it only draws the samples 0 to 9, again and again, and the model never sees the
others.

## Bad

```python
import torch
from torch.utils.data import WeightedRandomSampler


def make_sampler(labels: torch.Tensor):
    weights = 1.0 / torch.bincount(labels)
    return WeightedRandomSampler(weights, len(labels))
```

## Good

```python
import torch
from torch.utils.data import WeightedRandomSampler


def make_sampler(labels: torch.Tensor):
    weights = 1.0 / torch.bincount(labels)
    return WeightedRandomSampler(weights[labels], len(labels))
```

## When it is wrong

Where the data set has one sample for each class.

## References

- PyTorch documentation of `torch.utils.data.WeightedRandomSampler`
)"},
    .calls = "torch.utils.data.WeightedRandomSampler torch.utils.data.sampler.WeightedRandomSampler",
    .on_call = check};

} // namespace deepperf::rules::sampler_misused
