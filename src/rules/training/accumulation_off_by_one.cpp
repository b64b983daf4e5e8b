#include "rules/site.h"
#include "rules/step_order.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::accumulation_off_by_one {

using namespace python;

namespace {

// `i` of `for i, batch in enumerate(loader)` or `for i in range(n)`: a name that is 0 in the first iteration.
const Name *counter_from_zero(const Site &site, const model::Loop &loop) {
  const auto *statement = as<For>(loop.node);
  const auto *call = statement != nullptr ? as<Call>(statement->iter) : nullptr;
  if (call == nullptr || !call->keywords.empty() || call->args.size() != 1) {
    return nullptr;
  }
  const std::string_view api = called_api(site, *call);
  const auto *targets = as<Tuple>(statement->target);
  if (api == "enumerate" && targets != nullptr && !targets->elts.empty()) {
    return as<Name>(targets->elts[0]);
  }
  return api == "range" ? as<Name>(statement->target) : nullptr;
}

// `n` of the test `i % n == 0`; null if it is another test.
const Expr *modulus_of(const Site &site, const Expr *test, Symbol counter) {
  const auto *compare = as<Compare>(test);
  const auto *operation = compare != nullptr ? as<BinOp>(compare->left) : nullptr;
  const auto *name = operation != nullptr ? as<Name>(operation->left) : nullptr;
  const bool is_it = name != nullptr && name->id == counter && operation->op() == Operator::Mod &&
                     compare->rest.size() == 1 && compare->rest[0].op == CompareOperator::Eq &&
                     integer_of(site, compare->rest[0].right) == 0;
  return is_it ? operation->right : nullptr;
}

void check(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  const Name *const counter = loop != nullptr && loop->trains ? counter_from_zero(site, *loop) : nullptr;
  if (counter == nullptr) {
    return;
  }
  const If *test = nullptr;
  const Expr *modulus = nullptr;
  for (const Stmt *statement : static_cast<const For &>(node).body) {
    const auto *branch = as<If>(statement);
    const Expr *found =
        branch != nullptr && branch->orelse.empty() ? modulus_of(site, branch->test, counter->id) : nullptr;
    if (found != nullptr) {
      test = branch;
      modulus = found;
    }
  }
  if (test == nullptr || site.module->is_test) {
    return;
  }
  // backward() and nothing else in every iteration; step() and zero_grad() only behind the test.
  const StepEvent *backward = nullptr;
  bool steps = false;
  bool clears = false;
  const std::vector<StepEvent> events = events_inside(site, node);
  for (const StepEvent &event : events) {
    using What = StepEvent::What;
    const bool is_inside = contains(test, event.call);
    switch (event.what) {
    case What::Backward:
    case What::ScaledBackward:
      if (is_inside || event.block != &node) {
        return;
      }
      backward = &event;
      break;
    case What::Step:
    case What::ScalerStep:
      if (!is_inside) {
        return;
      }
      steps = true;
      break;
    case What::ZeroGrad:
      if (!is_inside) {
        return;
      }
      clears = true;
      break;
    case What::Helper:
      return;
    default:
      break;
    }
  }
  if (backward == nullptr || !steps || !clears) {
    return;
  }
  Finding &finding =
      report(site, *test->test, "the first update uses the gradients of one batch only, since the counter starts at 0",
             fmt::format("test `({} + 1) % {} == 0`, and step once more after the loop for the batches that are left",
                         counter->id.text(), text_of(site, modulus)));
  add_note(finding, site, *backward->call, "gradients are accumulated here");
}

} // namespace

extern constinit const Rule kAccumulationOffByOne = {
    .info = {.code = "DP878",
             .name = "accumulation-off-by-one",
             .summary = "gradient accumulation whose first update comes after one batch",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that calls `backward()` in every iteration and steps the optimizer where `i % n == 0`, with a counter that starts at 0.

## Why it is wrong

`0 % n` is 0, so the first update comes after one batch instead of n, with a gradient that was divided by n all the same. Every later update is shifted by one batch, and the gradients
of the last batches of an epoch are left over for the next one.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / 8
        loss.backward()
        if i % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = loss_function(model(x), y) / 8
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where a small first update does not matter, as in very long epochs.

## References

- PyTorch: automatic mixed precision examples, gradient accumulation
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::accumulation_off_by_one
