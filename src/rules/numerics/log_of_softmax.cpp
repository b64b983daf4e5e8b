#include "rules/assignments.h"
#include "rules/math_call.h"

#include <fmt/format.h>

namespace deepperf::rules::log_of_softmax {

using namespace python;

namespace {

// The function that does both at once, of the framework that the softmax or sigmoid comes from.
std::string_view better_function(std::string_view package, bool is_softmax) {
  if (package == "torch") {
    return is_softmax ? "torch.nn.functional.log_softmax" : "torch.nn.functional.logsigmoid";
  }
  if (package == "tensorflow") {
    return is_softmax ? "tensorflow.nn.log_softmax" : "tensorflow.math.log_sigmoid";
  }
  return is_softmax ? "jax.nn.log_softmax" : "jax.nn.log_sigmoid";
}

// How to write it in this file; for what has no name here, how it is usually written.
std::string usual_spelling(std::string_view api) {
  for (const auto &[from, to] :
       {std::pair{std::string_view("torch.nn.functional."), "F."}, std::pair{std::string_view("tensorflow."), "tf."}}) {
    if (api.starts_with(from)) {
      return to + std::string(api.substr(from.size()));
    }
  }
  return std::string(api);
}

// `F.log_softmax(x, dim=1)` for `torch.log(F.softmax(x, dim=1))`: the same arguments under another name.
std::optional<Edit> edit_for(const Site &site, const Call &log, const Call &inner, const std::string &name,
                             bool is_softmax) {
  if (name.empty() || !log.keywords.empty() || log.args.size() > 1) {
    return std::nullopt;
  }
  const std::string_view api = called_api(site, inner);
  if (!api.empty() && !inner.args.empty()) {
    const bool keeps_arguments = is_softmax ? true : inner.args.size() == 1 && inner.keywords.empty();
    const std::string_view text = site.module->parsed->source.text();
    if (!keeps_arguments || keyword_argument(inner, "_stacklevel") != nullptr) {
      return std::nullopt;
    }
    return Edit{log.start, log.end, name + std::string(text.substr(inner.func->end, inner.end - inner.func->end))};
  }
  return std::nullopt;
}

void check(Site &site, const Call &call) {
  const MathCall log = math_call(site, &call);
  if (!log || log.package == "numpy") {
    return;
  }
  const Output output = model::output_of(log.operand);
  if (output != Output::Softmax && output != Output::Sigmoid) {
    return;
  }
  // sigmoid(arange(-6, 6, 0.01)) is a table of numbers that are written down.
  const auto *squashed = as<Call>(written_value(site, log.operand));
  const auto *numbers =
      squashed != nullptr && !squashed->args.empty() ? as<Call>(written_value(site, squashed->args[0])) : nullptr;
  if (const ApiInfo *info = numbers != nullptr ? find_api(canonical_name(called_api(site, *numbers))) : nullptr;
      info != nullptr && info->has(kConstant)) {
    return;
  }
  const bool is_softmax = output == Output::Softmax;
  const std::string_view what = is_softmax ? "softmax" : "sigmoid";
  const std::string_view better = better_function(log.package, is_softmax);
  const std::string name = spelling_of(site, better);
  Finding &finding = report(
      site, call, fmt::format("the logarithm of a {} is -inf where the {} rounds to 0", what, what),
      fmt::format("compute both in one step from the logits: `{}(…)`", name.empty() ? usual_spelling(better) : name));
  if (const auto *inner = as<Call>(log.operand)) {
    if (const std::optional<Edit> edit = edit_for(site, call, *inner, name, is_softmax)) {
      set_fix(finding, false, {*edit}); // other numbers come out, if only in their last digits
    }
  }
}

} // namespace

extern constinit const Rule kLogOfSoftmax = {
    .info = {.code = "DP701",
             .name = "log-of-softmax",
             .summary = "`log(softmax(x))` or `log(sigmoid(x))`, which is -inf where `log_softmax` is exact",
             .root_cause = "Numerics: Unstable Computation",
             .symptoms = "Not a Number, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

The logarithm of a softmax or sigmoid: `torch.log(F.softmax(x, dim=1))`, `tf.math.log(tf.nn.softmax(x))`, `jnp.log(jax.nn.softmax(x))`, also
where the probabilities pass through a variable or come from a model whose last layer is one.

## Why it costs

A softmax rounds to 0 once two logits differ by about 104 in float32, or by about 17 in float16, and the logarithm of 0 is -inf. The loss
becomes inf and the gradients NaN. The combined function subtracts in the logarithmic domain and stays exact:
`F.log_softmax(torch.tensor([0., 200.]), 0)` is (-200, 0), while `torch.log(F.softmax(…))` is (-inf, 0). It is also one kernel instead of
two.

## Bad

```python
import torch
import torch.nn.functional as F


def loss(scores, target):
    return F.nll_loss(torch.log(F.softmax(scores, dim=1)), target)
```

## Good

```python
import torch
import torch.nn.functional as F


def loss(scores, target):
    return F.nll_loss(F.log_softmax(scores, dim=1), target)
```

## When it is wrong

Where only probabilities are available, because another program computed them. Logits that differ by a few units cannot underflow, and the
two forms then agree up to rounding.

## References

- PyTorch documentation of `torch.nn.functional.softmax`: use log_softmax instead, it is faster and has better numerical properties
- TensorFlow documentation of `tf.nn.log_softmax`
)"},
    .calls = "torch.log TorchTensor.log tensorflow.math.log tensorflow.log tensorflow.keras.backend.log jax.numpy.log "
             "jax.lax.log",
    .on_call = check};

} // namespace deepperf::rules::log_of_softmax
