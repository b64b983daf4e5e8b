#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

// The local name that the module is given; it is used at once if that is empty and `called` is true.
struct Use {
  bool called = false;
  Symbol name;
};

Use use_of(const Site &site, const Call &call) {
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  if (const auto *outer = as<Call>(parent)) {
    if (outer->func == &call) {
      return {true, {}};
    }
    // nn.Linear(…).to(device)(x) and such: the module is the receiver of a method, which is the parent's function.
  }
  if (const auto *assignment = as<Assign>(parent); assignment != nullptr && assignment->targets.size() == 1) {
    const auto *name = as<Name>(assignment->targets[0]);
    return {false, name != nullptr ? name->id : Symbol{}};
  }
  const auto *method = as<Attribute>(parent);
  const std::size_t depth = site.ancestors.size();
  if (method != nullptr && depth >= 3 && (method->attr.text() == "to" || method->attr.text() == "cuda")) {
    const auto *moved = as<Call>(site.ancestors[depth - 2]);
    const auto *outer = as<Call>(site.ancestors[depth - 3]);
    return {moved != nullptr && outer != nullptr && outer->func == moved, {}};
  }
  return {};
}

// Is more done to the module than calling and moving it: its weights set, its mode, or handed to somebody?
bool is_set_up(const FunctionDef &function, Symbol name) {
  const auto is_it = [name](const Node *node) {
    const auto *mentioned = as<Name>(node);
    return mentioned != nullptr && mentioned->id == name && mentioned->context == Context::Load;
  };
  u32 mentions = 0;
  u32 calls = 0;
  any_node(function.body, [&](const Node *node) {
    mentions += is_it(node) ? 1 : 0;
    if (const auto *call = as<Call>(node)) {
      calls += is_it(call->func) ? 1 : 0;
    } else if (const auto *attribute = as<Attribute>(node)) {
      calls += is_it(attribute->value) && (attribute->attr.text() == "to" || attribute->attr.text() == "cuda") ? 1 : 0;
    }
    return false;
  });
  return mentions != calls;
}

bool is_false(const Site &site, const Call &call, std::string_view keyword) {
  const Keyword *given = keyword_argument(call, keyword);
  return given != nullptr && bool_of(site, given->value) == false;
}

void check(Site &site, const Call &call) {
  const FunctionDef *function = site.function->definition();
  if (function == nullptr || !in_method(site, Kind::TorchModule, "forward")) {
    return;
  }
  const Use use = use_of(site, call);
  if (!use.called && (!use.name || is_set_up(*function, use.name))) {
    return;
  }
  std::string_view name = called_api(site, call);
  name.remove_prefix(name.rfind('.') + 1);
  const ApiInfo *info = find_api(intern(called_api(site, call)));
  if (name.find("Dropout") != std::string_view::npos) {
    const Expr *rate = argument(call, 0, "p");
    if (under_no_grad(site) || (rate != nullptr && number_of(site, rate) == 0.0)) {
      return;
    }
    report(site, call, fmt::format("this {} is new in every forward pass, so that eval() never switches it off", name),
           "make it in __init__, or use torch.nn.functional.dropout with training=self.training");
    return;
  }
  const bool has_weights = info != nullptr && info->has(kWeights) && !is_false(site, call, "affine") &&
                           !is_false(site, call, "elementwise_affine");
  if (has_weights || name.starts_with("BatchNorm")) {
    report(site, call,
           fmt::format("this {} is new in every forward pass: its weights are never trained and never saved", name),
           "make it in __init__ and call it here");
    return;
  }
  Finding &finding = report(site, call, fmt::format("this {} is made in every forward pass", name),
                            "make it in __init__, or use the function of torch.nn.functional");
  finding.tier = Tier::Hint;
}

} // namespace

extern constinit const Rule kModuleInForward = {
    .info = {.code = "DP236",
             .name = "module-in-forward",
             .summary = "a layer that is made anew in every forward pass",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.Linear(…)`, `nn.Dropout(…)` and other layers that are made inside `forward` and used there. Layers without weights, such as
`nn.Softmax`, are hints.

## Why it costs

The weights are allocated on the CPU and filled with random numbers in every call. Worse, they are new each time: the optimizer
never sees them, they are in no checkpoint, and the layer is random noise. A `Dropout` that is made there is always in training mode, also
after `model.eval()`. One without weights only costs the time to make a module, some microseconds.

## Bad

```python
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return nn.Linear(self.size, self.size)(x)
```

## Good

```python
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.out = nn.Linear(size, size)

    def forward(self, x):
        return self.out(x)
```

## When it is wrong

A random projection that is meant to be new each time. A layer that is kept in an attribute, or whose weights are set before it is
used, is not reported.

## References

- PyTorch documentation: nn.Module, nn.Dropout
)"},
    .calls = "torch.nn.Linear torch.nn.Bilinear torch.nn.LazyLinear torch.nn.Conv1d torch.nn.Conv2d torch.nn.Conv3d "
             "torch.nn.ConvTranspose1d torch.nn.ConvTranspose2d torch.nn.ConvTranspose3d torch.nn.BatchNorm1d "
             "torch.nn.BatchNorm2d torch.nn.BatchNorm3d torch.nn.LayerNorm torch.nn.GroupNorm torch.nn.RMSNorm "
             "torch.nn.InstanceNorm1d torch.nn.InstanceNorm2d torch.nn.InstanceNorm3d torch.nn.Embedding "
             "torch.nn.EmbeddingBag torch.nn.LSTM torch.nn.GRU torch.nn.RNN torch.nn.LSTMCell torch.nn.GRUCell "
             "torch.nn.RNNCell torch.nn.MultiheadAttention torch.nn.PReLU torch.nn.TransformerEncoderLayer "
             "torch.nn.TransformerDecoderLayer torch.nn.Dropout torch.nn.Dropout1d torch.nn.Dropout2d "
             "torch.nn.Dropout3d torch.nn.AlphaDropout torch.nn.ReLU torch.nn.LeakyReLU torch.nn.GELU torch.nn.SiLU "
             "torch.nn.ELU torch.nn.Sigmoid torch.nn.Tanh torch.nn.Softmax torch.nn.LogSoftmax torch.nn.MaxPool1d "
             "torch.nn.MaxPool2d torch.nn.AvgPool1d torch.nn.AvgPool2d torch.nn.AdaptiveAvgPool1d "
             "torch.nn.AdaptiveAvgPool2d torch.nn.AdaptiveMaxPool2d torch.nn.Upsample torch.nn.Flatten "
             "torch.nn.ZeroPad2d torch.nn.ReflectionPad2d "
             "torch.nn.CosineSimilarity",
    .on_call = check};

} // namespace deepperf::rules
