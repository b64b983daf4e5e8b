#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::cell_loop {

using namespace python;

namespace {

// The layer that runs a cell over all steps; empty if the API is no such cell.
std::string_view fused_layer(std::string_view cell) {
  if (cell == "torch.nn.LSTMCell") {
    return "nn.LSTM";
  }
  if (cell == "torch.nn.GRUCell") {
    return "nn.GRU";
  }
  if (cell == "torch.nn.RNNCell") {
    return "nn.RNN";
  }
  if (cell == "tensorflow.keras.layers.LSTMCell") {
    return "tf.keras.layers.LSTM";
  }
  if (cell == "tensorflow.keras.layers.GRUCell") {
    return "tf.keras.layers.GRU";
  }
  return cell == "tensorflow.keras.layers.SimpleRNNCell" ? "tf.keras.layers.SimpleRNN" : "";
}

bool binds(const Node *target, Symbol name) {
  if (const auto *plain = as<Name>(target)) {
    return plain->id == name;
  }
  bool found = false;
  for_each_child(target, [&](const Node *child) { found = found || binds(child, name); });
  return found;
}

// How the loop binds a name: how often, and to what if by a plain assignment.
struct Binding {
  Symbol name;
  u32 count = 0;
  const Expr *value = nullptr;

  void look(const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        if (binds(target, name)) {
          value = assignment->value;
        }
      }
    }
    if (const auto *plain = as<Name>(node); plain != nullptr && plain->context == Context::Store && plain->id == name) {
      ++count;
    }
    for_each_child(node, [this](const Node *child) { look(child); });
  }
};

// Is the expression known before the loop starts, but for which step it is? Then all steps can be handed over at once.
bool is_given(const For &loop, const Node *node, Symbol state, u32 depth = 0) {
  if (const auto *name = as<Name>(node)) {
    if (name->id == state) {
      return false;
    }
    if (binds(loop.target, name->id)) {
      return true;
    }
    Binding binding{.name = name->id};
    binding.look(&loop);
    return binding.count == 0 || (binding.count == 1 && binding.value != nullptr && depth < 8 &&
                                  is_given(loop, binding.value, state, depth + 1));
  }
  bool given = true;
  for_each_child(node, [&](const Node *child) { given = given && is_given(loop, child, state, depth + 1); });
  return given;
}

void check(Site &site, const Call &call) {
  std::string_view cell;
  if (maker_of_callee(site, call, &cell) == nullptr) {
    return;
  }
  const std::string_view layer = fused_layer(cell);
  const Expr *input = argument(call, 0, "input");
  const Expr *state = argument(call, 1, cell.starts_with("torch") ? "hx" : "states");
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const model::Loop *around = long_loop_around(site);
  const auto *loop = around != nullptr ? as<For>(around->node) : nullptr;
  if (layer.empty() || input == nullptr || state == nullptr || assignment == nullptr || loop == nullptr ||
      assignment->targets.size() != 1 || !runs_every_iteration(site, *around)) {
    return;
  }
  // The state that one step hands to the next as it is, and nobody else touches.
  const auto *states = as<Tuple>(state);
  const auto is_name = [](const Expr *part) { return part->kind == NodeKind::Name; };
  if (!is_name(state) && (states == nullptr || !std::ranges::all_of(states->elts, is_name))) {
    return;
  }
  bool carried = false;
  const Expr *target = assignment->targets[0];
  const auto follow = [&](const Expr *part) {
    const auto *name = as<Name>(part);
    if (name == nullptr) {
      return false;
    }
    Binding binding{.name = name->id};
    binding.look(loop);
    carried = carried || mentions(state, name->id);
    return binding.count == 1 && is_given(*loop, input, name->id);
  };
  if (const auto *parts = as<Tuple>(target)) {
    if (!std::ranges::all_of(parts->elts, follow)) {
      return;
    }
  } else if (!follow(target)) {
    return;
  }
  if (!carried) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` is stepped in a Python loop, though all of its inputs are known before the loop",
                         text_of(site, call.func)),
             fmt::format("pass the whole sequence to `{}`, which runs all time steps in one call", layer));
  add_note(finding, site, *loop, "one iteration for each time step");
}

} // namespace

extern constinit const Rule kCellLoop = {
    .info = {.code = "DP143",
             .name = "cell-loop",
             .summary = "an RNN cell stepped in a Python loop where the fused layer would do",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch, TensorFlow, Keras",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`nn.LSTMCell`, `nn.GRUCell`, `nn.RNNCell` or the Keras cells, called in a loop over time, where the input of each step
is known before the loop and only the cell changes the state.

## Why it costs

Each time step launches several small kernels, and the device waits for Python in between. `nn.LSTM` computes the input
projection for all time steps in one matrix product, and cuDNN runs the whole recurrence in a few kernels.

## Bad

```python
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(64, 128)

    def forward(self, x, h, c):
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
        return h
```

## Good

```python
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(64, 128)

    def forward(self, x, h, c):
        _, (h, c) = self.rnn(x, (h, c))
        return h[-1]
```

## When it is wrong

A loop is needed where the next input depends on the last output (decoding, attention), or where the state is masked or
reset between steps; the rule is silent there. On a CPU and for short sequences the difference is small.

## References

- `torch.nn.LSTM`; Keras: built-in RNN layers and the cuDNN kernel
)"},
    .calls = "TorchModule.__call__ KerasLayer.__call__",
    .on_call = check};

} // namespace deepperf::rules::cell_loop
