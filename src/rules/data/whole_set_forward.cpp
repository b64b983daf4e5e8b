#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::whole_set_forward {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMostDepth = 6;

bool is_convolution(std::string_view api) {
  return api == "torch.nn.Conv2d" || api == "torch.nn.Conv3d" || api == "torch.nn.ConvTranspose2d";
}

// Has the model convolutions over images, whose activations are many times the size of what goes in?
bool has_convolutions(const Site &site, const Value &model, u32 depth = 0) {
  bool found = false;
  for_each_alternative(model, [&](const Value &one) {
    if (found || depth > 3) {
      return;
    }
    if (one.is(Value::Tag::Object) || one.is(Value::Tag::Class)) {
      for (const model::ClassInfo *type : one.type->mro) {
        for (const auto &[name, cell] : type->attributes) {
          found = found || has_convolutions(site, cell.value, depth + 1);
        }
      }
      return;
    }
    const std::string_view name = one.is(Value::Tag::Instance) && one.name() ? one.name().text() : std::string_view{};
    if (is_convolution(name) || (name.starts_with("torchvision.models.") && name.find("weights") == name.npos)) {
      found = true;
    } else if (name == "torch.nn.Sequential" && one.maker() != nullptr) {
      const Site there = site_of(site, *one.maker());
      found = any_node(static_cast<const Node *>(one.maker()), [&](const Node *node) {
        const auto *layer = as<Call>(node);
        if (layer == nullptr || layer == one.maker()) {
          return false;
        }
        const Value made = site.project.callee_of(layer);
        return is_convolution(called_api(there, *layer)) ||
               (made.is(Value::Tag::Class) && has_convolutions(there, made, depth + 1));
      });
    }
  });
  return found;
}

// Everything that a file holds, with nothing taken out of it: `torch.from_numpy(np.load("test.npy"))`, also scaled and
// on a device.
const Call *whole_file(const Site &site, const Expr *expr, u32 depth = 0) {
  if (expr == nullptr || depth > kMostDepth) {
    return nullptr;
  }
  if (expr->kind == NodeKind::Name) {
    const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), expr);
    if (written.size() != 1 || written[0].expr == expr || written[0].expr == nullptr ||
        written[0].scope.function == nullptr) {
      return nullptr;
    }
    Site there = site;
    there.function = written[0].scope.function;
    there.module = written[0].scope.module;
    there.type = there.function->type;
    there.ancestors.clear();
    return whole_file(there, written[0].expr, depth + 1);
  }
  if (const auto *operation = as<BinOp>(expr)) {
    return whole_file(site, operation->left, depth + 1);
  }
  if (const auto *part = as<Subscript>(expr)) { // an array of an archive
    return string_of(site, part->slice).has_value() ? whole_file(site, part->value, depth + 1) : nullptr;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return nullptr;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "numpy.load" || api == "torch.load") {
    return call;
  }
  if (api == "torch.from_numpy" || api == "torch.tensor" || api == "torch.as_tensor" || api == "torch.FloatTensor") {
    return !call->args.empty() ? whole_file(site, call->args[0], depth + 1) : nullptr;
  }
  constexpr std::string_view kSame[] = {"to",      "cuda",      "float", "div",       "div_",      "sub",
                                        "permute", "unsqueeze", "half",  "transpose", "astype",    "view",
                                        "reshape", "type",      "sub_",  "copy",      "contiguous"};
  if (receiver_of(*call) != nullptr && std::ranges::find(kSame, called_method(*call)) != std::end(kSame)) {
    return whole_file(site, receiver_of(*call), depth + 1);
  }
  // prep(x), which does the same to its argument
  const model::FunctionInfo *const function = called_function(site, *call);
  const Expr *const returned = returned_at_end(site, *call);
  if (function == nullptr || returned == nullptr || call->args.size() != 1 || function->params.size() != 1 ||
      function->definition()->body.size() > 2) {
    return nullptr;
  }
  const Expr *inner = returned;
  for (u32 i = 0; i < kMostDepth; ++i) {
    const auto *operation = as<BinOp>(inner);
    const auto *method = as<Call>(inner);
    const bool is_same = method != nullptr && receiver_of(*method) != nullptr &&
                         std::ranges::find(kSame, called_method(*method)) != std::end(kSame);
    inner = operation != nullptr ? operation->left : is_same ? receiver_of(*method) : inner;
  }
  const auto *name = as<Name>(inner);
  return name != nullptr && name->id == function->params[0]->name ? whole_file(site, call->args[0], depth + 1)
                                                                  : nullptr;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->torch || site.module->is_test || call.args.size() != 1 || !call.keywords.empty() ||
      site.function == nullptr || (site.type != nullptr && site.type->kind == Kind::TorchModule)) {
    return; // whoever calls the whole model is asked
  }
  const Kind kind = model::kind_of(call.func);
  const Value callee = site.project.callee_of(&call);
  const bool is_model =
      kind == Kind::TorchModule || (callee.is(Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
  // What is trained in batches is too large to go through at once.
  if (!is_model || !file_has_word(site, {"TensorDataset("}) || !file_has_word(site, {"DataLoader("}) ||
      !file_has_word(site, {".backward("}) || !under_no_grad(site)) {
    return;
  }
  const Call *const file = whole_file(site, call.args[0]);
  if (file == nullptr || !has_convolutions(site, value_of(site, call.func))) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("all of `{}` goes through the model at once, so memory holds the activations of "
                         "all samples",
                         text_of(site, call.args[0])),
             "run it in batches, as in training: `torch.cat([model(part) for part in x.split(256)])`");
  finding.notes.push_back({site_of(site, *file).module->file, file->span(), "the whole file is used"});
}

} // namespace

extern constinit const Rule kWholeSetForward = {
    .info = {.code = "DP436",
             .name = "whole-set-forward",
             .summary = "an evaluation that runs a convolutional model on a whole file of samples at once",
             .root_cause = "Data: Inefficient Data Batching",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A model with convolutions that is called on everything that a file holds, in a program that trains it in batches of a `TensorDataset`.

## Why it costs

The activations of a convolution are many times as large as the images that go in, and all of them are needed at the same time. Memory grows
with the size of the test set, and the largest test set that fits is a small one. In batches it stays the same.

## Bad

```python
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.from_numpy(np.load("x.npy")), torch.from_numpy(np.load("y.npy"))
test = torch.from_numpy(np.load("test.npy"))


def train():
    for images, labels in DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def predict():
    return model(test).argmax(1)
```

## Good

```python
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.from_numpy(np.load("x.npy")), torch.from_numpy(np.load("y.npy"))
test = torch.from_numpy(np.load("test.npy"))


def train():
    for images, labels in DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def predict():
    return torch.cat([model(part).argmax(1) for part in test.split(64)])
```

## When it is wrong

For a file of a few samples.

## References

- `torch.split`
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::whole_set_forward
