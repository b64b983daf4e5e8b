#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const auto *model = as<Name>(receiver_of(call));
  if (model == nullptr) {
    return;
  }
  const std::string_view source = site.module->parsed->source.text();
  // Whatever trains sets the mode somewhere, or goes on from a checkpoint.
  if (file_has_word(site, {".eval(", ".train(", ".backward(", "optimizer", "Trainer", "training", "finetune"}) ||
      site.module->is_test) {
    return;
  }
  const std::string_view function = site.function->node != nullptr ? text_of(*site.function) : source;
  const std::string asked = fmt::format("{}(", model->id.text());
  const std::size_t from = site.function->node != nullptr ? call.end - site.function->node->start : call.end;
  for (std::size_t at = function.find(asked, from); at != std::string_view::npos; at = function.find(asked, at + 1)) {
    const char before = at > 0 ? function[at - 1] : ' ';
    if (before == ' ' || before == '(' || before == '=' || before == '[' || before == ',') {
      report(
          site, call, fmt::format("`{}` is loaded and asked, but never put into evaluation mode", model->id.text()),
          fmt::format("call {}.eval() after loading: dropout and batch normalisation behave as in training until then",
                      model->id.text()));
      return;
    }
  }
}

} // namespace

extern constinit const Rule kLoadWithoutMode = {.info = {.code = "DP813",
                                                         .name = "load-without-mode",
                                                         .summary = "a model that is loaded and asked without eval()",
                                                         .root_cause = "Training: Wrong Mode",
                                                         .symptoms = "Wrong Result",
                                                         .stage = "Prediction",
                                                         .frameworks = "PyTorch",
                                                         .tier = Tier::Hint,
                                                         .fix = FixKind::None,
                                                         .documentation = R"(## What it finds

`model.load_state_dict(…)` followed by a call of the model in the same function, in a file that trains nothing and never calls
`eval()`.

## Why it costs

Modules are made in training mode. Dropout then removes random features from each prediction, and batch normalisation uses the batch
instead of what was learned: results are worse, and differ with what else is in the batch.

## Bad

```python
import torch


def predict(model, x):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    return model(x)
```

## Good

```python
import torch


def predict(model, x):
    model.load_state_dict(torch.load("weights.pt", weights_only=True))
    model.eval()
    return model(x)
```

## When it is wrong

For models without dropout and normalisation, and where the model sets its mode itself.

## References

- PyTorch tutorial, saving and loading models: remember that you must call model.eval()
- SonarPython: S6982
)"},
                                                .calls = "*.load_state_dict",
                                                .on_call = check};

} // namespace deepperf::rules
