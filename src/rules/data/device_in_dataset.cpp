#include "rules/dataset_item.h"
#include "rules/device.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::device_in_dataset {

using namespace python;

namespace {

// A GPU of whatever make.
bool goes_to_gpu(const Site &site, const Call &move) {
  const Expr *target = argument(move, 0, "device");
  const std::optional<std::string> name = target != nullptr ? string_of(site, target) : std::nullopt;
  return is_surely_gpu(site, move) || (name.has_value() && name->starts_with("mps"));
}

// A collate_fn that moves the batch runs in the workers, where CUDA cannot be used after a fork.
void check_collate(Site &site, const Call &loader) {
  const Expr *const given = argument(loader, 6, "collate_fn");
  const model::Value function = given != nullptr ? value_of(site, given) : model::Value{};
  const auto workers = setting_of(site, argument_of(site, loader, 5, "num_workers"), model::ConstantValue::of(i64{0}));
  if (!function.is(model::Value::Tag::Function) || function.function->definition() == nullptr || !workers.has_value() ||
      workers->as_integer().value_or(0) == 0 || site.module->is_test) {
    return;
  }
  Site there = site;
  there.function = function.function;
  there.module = function.function->module;
  there.type = function.function->type;
  there.ancestors = {function.function->node};
  const Call *move = nullptr;
  any_node(function.function->definition()->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (move == nullptr && (method == "cuda" || method == "to") && goes_to_gpu(there, *call)) {
      move = call;
    }
    return move != nullptr;
  });
  if (move == nullptr) {
    return;
  }
  Finding &finding =
      report(site.findings, *site.rule, *there.module, move->span(),
             "the workers of the loader copy each batch to the GPU, but a forked process cannot use CUDA",
             "return tensors on the CPU, and move the batch in the training loop");
  finding.notes.push_back({site.module->file, loader.span(), "this loader has workers"});
  if (workers->overridable) {
    finding.tier = Tier::Hint;
  }
}

const FunctionDef *item_of(const model::ClassInfo &type) {
  for (const Stmt *statement : type.node->body) {
    const auto *definition = as<FunctionDef>(statement);
    if (definition != nullptr && definition->name.text() == "__getitem__") {
      return definition;
    }
  }
  return nullptr;
}

bool reads_attribute(const FunctionDef &function, Symbol attribute) {
  return any_node(function.body, [&](const Node *node) {
    const auto *read = as<Attribute>(node);
    const auto *owner = read != nullptr ? as<Name>(read->value) : nullptr;
    return owner != nullptr && owner->id.text() == "self" && read->attr == attribute && read->context == Context::Load;
  });
}

// What the constructor of the dataset puts on the GPU, and its items read; null if there is nothing.
struct KeptOnGpu {
  const model::FunctionInfo *function = nullptr;
  const Call *move = nullptr;
  Symbol attribute;
};

KeptOnGpu kept_on_gpu(const Site &site, const model::ClassInfo &type) {
  const FunctionDef *item = item_of(type);
  const model::FunctionInfo *constructor = nullptr;
  for (const Stmt *statement : type.node->body) {
    const auto *definition = as<FunctionDef>(statement);
    constructor = definition != nullptr && definition->name.text() == "__init__" ? site.project.function_at(definition)
                                                                                 : constructor;
  }
  KeptOnGpu found;
  if (item == nullptr || constructor == nullptr) {
    return found;
  }
  const Site inside = site_of_origin(site, *constructor);
  any_node(constructor->definition()->body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Attribute>(assignment->targets[0]) : nullptr;
    const auto *move = target != nullptr ? as<Call>(assignment->value) : nullptr;
    const std::string_view method = move != nullptr ? called_method(*move) : std::string_view{};
    if ((method == "cuda" || method == "to") && goes_to_gpu(inside, *move) && reads_attribute(*item, target->attr)) {
      found = {constructor, move, target->attr};
    }
    return found.move != nullptr;
  });
  return found;
}

// Tensors that the dataset keeps on the GPU, and that its workers would read.
void check_kept(Site &site, const Call &loader) {
  const Expr *const given = argument(loader, 0, "dataset");
  const model::Value dataset = given != nullptr ? value_of(site, given) : model::Value{};
  const auto workers = setting_of(site, argument_of(site, loader, 5, "num_workers"), model::ConstantValue::of(i64{0}));
  if (!dataset.is(model::Value::Tag::Object) || dataset.open || !workers.has_value() ||
      workers->as_integer().value_or(0) == 0 || site.module->is_test ||
      project_has_word(site, {"spawn", "forkserver"})) {
    return;
  }
  const KeptOnGpu kept = kept_on_gpu(site, *dataset.type.get());
  if (kept.move == nullptr) {
    return;
  }
  Finding &finding =
      report(site, loader,
             fmt::format("the workers of this loader read `self.{}`, which is on the GPU, but a forked process cannot "
                         "use CUDA",
                         kept.attribute.text()),
             "keep the tensors of the dataset on the CPU, and move the batch in the training loop");
  finding.severity = Severity::Warning;
  finding.notes.push_back({kept.function->module->file, kept.move->span(), "it is moved to the GPU here"});
  if (workers->overridable) {
    finding.tier = Tier::Hint;
  }
}

void check(Site &site, const Call &call) {
  if (called_method(call) != "to" && called_method(call) != "cuda") {
    check_collate(site, call);
    check_kept(site, call);
    return;
  }
  const Expr *receiver = receiver_of(call);
  if (receiver == nullptr || (!in_dataset_item(site) && !context_of(site).per_sample) ||
      model::kind_of(receiver) == Kind::TorchModule || !goes_to_gpu(site, call)) {
    return;
  }
  report(site, call, "every sample is copied to the device separately, in the code that prepares it",
         "return tensors on the CPU, and move the whole batch in the training loop");
}

} // namespace

extern constinit const Rule kDeviceInDataset = {
    .info = {.code = "DP414",
             .name = "device-in-dataset",
             .summary = "a dataset that copies each sample to the GPU",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization, Program Crash",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`.cuda()` or `.to(device)` in the `__getitem__` of a dataset, or in the `collate_fn` of a loader with workers. Also
tensors that a dataset keeps on the GPU, where the loader has workers.

## Why it costs

Each sample takes one small copy that waits for the device, instead of one copy for each batch, and the batch is then
assembled on the GPU from its samples. It also rules out workers: a forked process cannot use CUDA, so `num_workers=2`
fails.

## Bad

```python
import torch
from torch.utils.data import Dataset


class Samples(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index]).cuda()
```

## Good

```python
import torch
from torch.utils.data import Dataset


class Samples(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index])


def train(step, loader):
    for batch in loader:
        step(batch.cuda(non_blocking=True))
```

## When it is wrong

Where the sample is computed on the GPU, as by a simulation or a feature extractor. Doing that for whole batches is
better still.

## References

- `torch.utils.data`: returning CUDA tensors from multi-process loading is not recommended
)"},
    .calls = "*.cuda *.to torch.utils.data.DataLoader",
    .on_call = check};

} // namespace deepperf::rules::device_in_dataset
