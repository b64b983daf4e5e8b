#include "python/children.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules {

using namespace python;

namespace {

// Does the file use a GPU at all? On a CPU there is nothing to wait for.
bool uses_gpu(const Site &site) { return file_has_word(site, {"cuda", ".to(device", ".device)"}); }

// Only the last link of `loss.detach().cpu().numpy()` is reported.
bool is_inside_longer_chain(const Site &site) {
  const auto *attribute = site.ancestors.empty() ? nullptr : as<Attribute>(site.ancestors.back());
  if (attribute == nullptr) {
    return false;
  }
  const std::string_view next = attribute->attr.text();
  return next == "numpy" || next == "item" || next == "tolist" || next == "cpu";
}

// Has the loop an earlier wait of this kind? One finding per loop is enough.
struct FirstWait {
  u32 place = ~0U;
};

bool is_first_in_loop(const Site &site, const model::Loop &loop, const Call &place) {
  const auto find = [&] {
    FirstWait first;
    const auto visit = [&](const auto &self, const Node *node) -> void {
      const auto *call = as<Call>(node);
      const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
      if (callee.is(model::Value::Tag::ApiMethod) && callee.receiver().kind == Kind::TorchTensor) {
        const std::string_view name = callee.name().text();
        if (name == "item" || name == "cpu" || name == "tolist" || name == "numpy") {
          first.place = std::min(first.place, call->start);
        }
      }
      for_each_child(node, [&](const Node *child) { self(self, child); });
    };
    visit(visit, loop.node);
    return first;
  };
  return site.memory.recall<FirstWait>(&loop, find).place >= place.start;
}

void check(Site &site, const Call &call) {
  const model::Loop *loop = long_loop_around(site);
  if (loop == nullptr || !loop->steps || is_inside_longer_chain(site) || !runs_every_turn(site, *loop) ||
      !uses_gpu(site) || !is_first_in_loop(site, *loop, call)) {
    return;
  }
  report(site, call,
         fmt::format(".{}() makes the program wait for the device in every training step", called_method(call)),
         "add up on the device (total += loss.detach()) and read the value every few hundred steps");
}

} // namespace

extern constinit const Rule kSyncEveryStep = {
    .info = {.code = "DP402",
             .name = "sync-every-step",
             .summary = "a value is read back from the device in every training step",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .tier = Tier::Hint,
             .documentation = R"(## What it finds

`.item()`, `.cpu()`, `.numpy()` or `.tolist()` on a tensor in every turn of a training loop of a program that uses a GPU; the first one of
each loop.

## Why it costs

PyTorch starts work on the device and goes on; reading a value back waits until all of it is done. The CPU then cannot prepare the next
step while the device computes this one, and the device is idle until it does.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    return total
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, criterion, optimizer: torch.optim.Optimizer):
    total = torch.zeros((), device="cuda")
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
    return total.item()
```

## When it is wrong

Where the steps are long, one wait per step costs next to nothing; that is why this is a hint. Behind `if step % 100 == 0` it is
silent.

## References

- PyTorch performance tuning guide: avoid unnecessary CPU-GPU synchronization
)"},
    .calls = "TorchTensor.item TorchTensor.cpu TorchTensor.numpy TorchTensor.tolist",
    .on_call = check};

} // namespace deepperf::rules
