#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::numpy_in_forward {

using namespace python;

namespace {

bool mentions_training(const Node *node) {
  if (const auto *attribute = as<Attribute>(node)) {
    return attribute->attr.text() == "training" || mentions_training(attribute->value);
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || mentions_training(child); });
  return found;
}

// `x.cpu().numpy()`, `x.detach().numpy()`, or of what is known to be a tensor.
bool leaves_torch(const Call &call) {
  if (called_method(call) != "numpy" || !call.args.empty()) {
    return false;
  }
  const Expr *receiver = receiver_of(call);
  if (model::kind_of(receiver) == Kind::TorchTensor) {
    return !model::is_on_cpu(receiver) || as<Call>(receiver) == nullptr ||
           called_method(*as<Call>(receiver)) == "cpu" ||
           called_method(*as<Call>(receiver)) == "to"; // what is made there has nothing to wait for
  }
  const auto *before = as<Call>(receiver);
  const std::string_view method = before != nullptr ? called_method(*before) : std::string_view{};
  return method == "cpu" || method == "detach";
}

// Is there such a call in the expression?
bool comes_from_torch(const Node *node) {
  if (const auto *call = as<Call>(node); call != nullptr && leaves_torch(*call)) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || comes_from_torch(child); });
  return found;
}

// numpy.finfo(torch.tensor(0, dtype=x.dtype).numpy().dtype).min: no number of a tensor is needed for that.
bool asks_for_type(std::string_view api) {
  static constexpr std::string_view kNames[] = {"numpy.finfo",       "numpy.iinfo",    "numpy.dtype",
                                                "numpy.result_type", "numpy.can_cast", "numpy.issubdtype"};
  return std::ranges::find(kNames, api) != std::end(kNames);
}

// torch.is_tensor(x), isinstance(x, torch.Tensor)
bool asks_for_tensor(const Site &site, const Expr *test) {
  const auto *call = as<Call>(test);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  if (api == "isinstance" && call->args.size() == 2) {
    const model::Value type = value_of(site, call->args[1]);
    return type.is(model::Value::Tag::Api) && type.name().text() == "torch.Tensor";
  }
  return api == "torch.is_tensor";
}

class Search {
public:
  Search(Site &site, Kind tensor) : site_(site), tensor_(tensor) {}

  void look(const Node *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::Lambda:
    case NodeKind::ClassDef:
    case NodeKind::Assert:
    case NodeKind::Raise:
      return;
    case NodeKind::With: {
      const auto *with = static_cast<const With *>(node);
      if (std::ranges::any_of(with->items,
                              [](const WithItem &item) { return model::kind_of(item.context_expr) == Kind::NoGrad; })) {
        return;
      }
      break;
    }
    case NodeKind::If: {
      // What is done only outside of training is post-processing.
      const auto *branch = static_cast<const If *>(node);
      // `if not torch.is_tensor(x): x = numpy.asarray(x)`
      if (const auto *negated = as<UnaryOp>(branch->test);
          negated != nullptr && negated->op() == UnaryOperator::Not && asks_for_tensor(site_, negated->operand)) {
        for (const Stmt *statement : branch->orelse) {
          look(statement);
        }
        return;
      }
      if (mentions_training(branch->test)) {
        const auto *negation = as<UnaryOp>(branch->test);
        const bool is_negated = negation != nullptr && negation->op() == UnaryOperator::Not;
        for (const Stmt *statement : is_negated ? branch->orelse : branch->body) {
          look(statement);
        }
        return;
      }
      break;
    }
    case NodeKind::Call:
      if (look_call(*static_cast<const Call *>(node))) {
        return;
      }
      break;
    default:
      break;
    }
    for_each_child(node, [this](const Node *child) { look(child); });
  }

private:
  bool look_call(const Call &call) {
    const std::string_view api = called_api(site_, call);
    if (asks_for_type(api)) {
      return true;
    }
    if (api.starts_with("numpy.")) {
      const bool of_tensor = std::ranges::any_of(call.args, [this](const Expr *arg) {
        return model::kind_of(arg) == tensor_ || (tensor_ == Kind::TorchTensor && comes_from_torch(arg));
      });
      if (of_tensor) {
        report(
            site_, call,
            fmt::format(
                "`{}` computes on the CPU, so the forward pass waits for the device and no gradient flows through it",
                text_of(site_, call.func)),
            tensor_ == Kind::TorchTensor ? "use the equivalent function of `torch`, and keep the tensor on its device"
                                         : "use the equivalent function of `tf`, and keep the tensor on its device");
        return true;
      }
    } else if (tensor_ == Kind::TorchTensor && leaves_torch(call)) {
      // Perhaps for another library, which nothing of torch can replace.
      Finding &finding =
          report(site_, call,
                 "every forward pass waits for the device here, copies the tensor to the CPU and loses its gradient",
                 "use functions of `torch`; put code that only produces output under `torch.no_grad()`");
      finding.tier = Tier::Hint;
      return true;
    }
    return false;
  }

  Site &site_;
  Kind tensor_;
};

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  const std::string_view name = definition.name.text();
  if (site.type == nullptr || (name != "forward" && name != "call")) {
    return;
  }
  const Kind kind = site.type->kind;
  const bool is_torch = name == "forward" && kind == Kind::TorchModule;
  const bool is_keras = name == "call" && (kind == Kind::KerasLayer || kind == Kind::KerasModel);
  if (!is_torch && !is_keras) {
    return;
  }
  const auto *function = site.project.function_at(&node);
  if (function == nullptr || function->no_grad) {
    return;
  }
  Search search(site, is_torch ? Kind::TorchTensor : Kind::Tensor);
  for (const Stmt *statement : definition.body) {
    search.look(statement);
  }
}

} // namespace

extern constinit const Rule kNumpyInForward = {.info = {.code = "DP140",
                                                        .name = "numpy-in-forward",
                                                        .summary = "NumPy on tensors inside `forward()` or `call()`",
                                                        .root_cause = "API: Not Using Efficient API",
                                                        .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
                                                        .stage = "Model Building",
                                                        .frameworks = "PyTorch, TensorFlow, Keras",
                                                        .severity = Severity::Warning,
                                                        .tier = Tier::On,
                                                        .fix = FixKind::None,
                                                        .documentation = R"(## What it finds

In the `forward` of a PyTorch module or the `call` of a Keras layer: a NumPy function that is given a tensor or
`x.cpu().numpy()`. Converting a tensor to an array without a NumPy call is a hint, because the array may be for another
library.

## Why it costs

The program waits until the device has computed the tensor, copies it to the CPU, computes there, and copies the result
back. No gradient flows through, and a compiler or exporter (`torch.compile`, `tf.function`) breaks the graph there or
fails.

## Bad

```python
import numpy as np
import torch
from torch import nn


class Top(nn.Module):
    def forward(self, x):
        order = np.argsort(x.detach().cpu().numpy(), axis=1)
        return x.gather(1, torch.from_numpy(order).to(x.device))
```

## Good

```python
import torch
from torch import nn


class Top(nn.Module):
    def forward(self, x):
        return x.gather(1, torch.argsort(x, dim=1))
```

## When it is wrong

Some algorithms exist only on the CPU. The rule is silent for arithmetic on shapes, for code under `torch.no_grad()`,
and for code that runs only outside of training.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
- Trail of Bits' Semgrep rule for NumPy in PyTorch modules
)"},
                                               .nodes = {NodeKind::FunctionDef},
                                               .on_node = check};

} // namespace deepperf::rules::numpy_in_forward
