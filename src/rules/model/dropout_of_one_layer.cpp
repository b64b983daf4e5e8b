#include "rules/site.h"

namespace deepperf::rules::dropout_of_one_layer {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  constexpr u32 kLayers = 2; // its position, after the two sizes
  const Keyword *dropout = keyword_argument(call, "dropout");
  const std::optional<double> rate = dropout != nullptr ? number_of(site, dropout->value) : std::nullopt;
  const Expr *layers = argument(call, kLayers, "num_layers");
  if (!rate.has_value() || *rate <= 0 || has_hidden_arguments(call) ||
      (layers != nullptr && integer_of(site, layers) != 1)) {
    return;
  }
  report(site, *dropout, "`dropout=` has no effect: it applies between stacked layers, and this module has only one",
         "apply `nn.Dropout` to the input or output, or pass `num_layers=2` or more");
}

} // namespace

extern constinit const Rule kDropoutOfOneLayer = {
    .info = {.code = "DP244",
             .name = "dropout-of-one-layer",
             .summary = "`dropout=` on a recurrent module with one layer, which ignores it",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`nn.LSTM`, `nn.GRU` or `nn.RNN` with `dropout=` and one layer.

## Why it costs

The dropout is applied to the output of every layer but the last. With one layer nothing is dropped, and PyTorch only warns.

## Bad

```python
from torch import nn

layer = nn.LSTM(128, 256, dropout=0.5, batch_first=True)
```

## Good

```python
from torch import nn

layer = nn.LSTM(128, 256, num_layers=2, dropout=0.5, batch_first=True)
```

## When it is wrong

Where `num_layers` is changed later. The argument has no effect with one layer.

## References

- PyTorch documentation: `torch.nn.LSTM`, `dropout`
)"},
    .calls = "torch.nn.LSTM torch.nn.GRU torch.nn.RNN",
    .on_call = check};

} // namespace deepperf::rules::dropout_of_one_layer
