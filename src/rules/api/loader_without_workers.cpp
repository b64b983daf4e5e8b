#include "model/classes.h"
#include "python/children.h"
#include "rules/site.h"

namespace deepperf::rules {

using namespace python;
using model::Value;

namespace {

// Does the function read files, decode, or call a transform: work that is worth another process?
bool works_hard(const model::Project &project, const Node *node, u32 depth) {
  if (const auto *call = as<Call>(node)) {
    const Value callee = project.callee_of(call);
    if (callee.is(Value::Tag::Api)) {
      const ApiInfo *info = find_api(callee.name());
      if (info != nullptr && info->has(kIo | kDecode) && callee.name().text() != "print") {
        return true;
      }
    } else if (depth < 3 && (callee.is(Value::Tag::Function) || callee.is(Value::Tag::Method))) {
      const FunctionDef *definition = callee.function->definition();
      if (definition != nullptr && definition != node && works_hard(project, definition, depth + 1)) {
        return true;
      }
    }
    const std::string_view method = called_method(*call);
    if (method == "transform" || method == "transforms" || method == "_transform" || method == "_transforms") {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || works_hard(project, child, depth); });
  return found;
}

enum class Cost { Nothing, Unknown, Much };

// What an element of the dataset costs.
Cost cost_of(const Site &site, const Expr *dataset, u32 depth = 0) {
  if (dataset == nullptr || depth > 4) {
    return Cost::Unknown;
  }
  if (dataset->kind == NodeKind::List || dataset->kind == NodeKind::ListComp || dataset->kind == NodeKind::Tuple) {
    return Cost::Nothing;
  }
  if (const auto *subscript = as<Subscript>(dataset)) {
    return cost_of(site, subscript->value, depth + 1) == Cost::Nothing ? Cost::Nothing : Cost::Unknown;
  }
  const Value value = value_of(site, dataset);
  if (value.is(Value::Tag::Tuple) || value.is_kind(Kind::List) || value.is_kind(Kind::TorchTensor) ||
      value.is_kind(Kind::NumpyArray)) {
    return Cost::Nothing;
  }
  if (value.is(Value::Tag::Object) && value.type->kind == Kind::TorchDataset) {
    static const Symbol kGetItem = intern("__getitem__");
    const model::FunctionInfo *const item = model::find_method_of(*value.type, kGetItem);
    const FunctionDef *method = item != nullptr ? item->definition() : nullptr;
    return method != nullptr && works_hard(site.project, method, 0) ? Cost::Much : Cost::Unknown;
  }
  if (!value.is_kind(Kind::TorchDataset) || value.call == nullptr || !value.name()) {
    return Cost::Unknown;
  }
  const std::string_view name = value.name().text();
  if (name == "torch.utils.data.TensorDataset") {
    return Cost::Nothing;
  }
  if (name.starts_with("torchvision.datasets.")) {
    return Cost::Much;
  }
  if ((name == "torch.utils.data.Subset" || name == "torch.utils.data.random_split") && !value.call->args.empty()) {
    return cost_of(site_of(site, *value.call), value.call->args[0], depth + 1);
  }
  return Cost::Unknown;
}

void check(Site &site, const Call &call) {
  constexpr u32 kWorkers = 5;
  if (has_hidden_arguments(call) || argument(call, kWorkers, "num_workers") != nullptr) {
    return;
  }
  // One batch, to look at.
  if (!site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::Call) {
    const std::string_view outer = called_api(site, *static_cast<const Call *>(site.ancestors.back()));
    if (outer == "iter" || outer == "next" || outer == "len") {
      return;
    }
  }
  const Cost cost = cost_of(site, argument(call, 0, "dataset"));
  if (cost == Cost::Nothing) {
    return;
  }
  Finding &finding = report(
      site, call,
      cost == Cost::Much
          ? "this DataLoader reads and prepares every sample in the training process, while the device waits"
          : "this DataLoader has no workers: samples are prepared in the training process, while the device waits",
      "give it num_workers=, a few per device, or num_workers=0 where that is meant");
  if (cost == Cost::Unknown) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kLoaderWithoutWorkers = {
    .info = {.code = "DP130",
             .name = "loader-without-workers",
             .summary = "a DataLoader that prepares its samples in the training process",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .tier = Tier::Hint,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A `torch.utils.data.DataLoader` without `num_workers`. It is a finding where the dataset is known to read, decode or transform
each sample (a dataset of torchvision, or a class whose `__getitem__` opens files or calls a transform), and a hint where nothing
is known of the dataset.

## Why it costs

The default is no worker: reading, decoding and augmenting happen between two training steps, and the device has nothing to
do meanwhile. With workers the next batches are prepared while the current one is computed.

## Bad

```python
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

images = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(images, batch_size=64, shuffle=True)
```

## Good

```python
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

images = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4)
```

## When it is wrong

Data that is in memory as tensors needs no workers, and starting them costs more than it gives; the rule is silent for
`TensorDataset` and lists. Write `num_workers=0` where one process is meant: that says so to readers too. `**kwargs` may hold the
argument, so such a call is never reported.

## References

- PyTorch performance tuning guide: enable asynchronous data loading and augmentation
- torch.utils.data: single- and multi-process data loading
)"},
    .calls = "torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules
