#include "rules/assignments.h"
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

// `i = 0` before `while …:`, whose last statement is `i += 1`: it is 0 in the first iteration, too.
const Name *counter_of_while(const Site &site, const While &loop) {
  const auto *count = loop.body.empty() ? nullptr : as<AugAssign>(loop.body.back());
  const auto *name = count != nullptr && count->op() == Operator::Add ? as<Name>(count->target) : nullptr;
  const Expr *const first = name != nullptr ? assigned_before(site, name->id, loop.start) : nullptr;
  return first != nullptr && integer_of(site, first) == 0 && integer_of(site, count->value) == 1 ? name : nullptr;
}

// The name that counts the batches in the code of the step: the loop's own, or the parameter of a function that is the
// whole step and gets it for that.
Symbol counter_in(const Site &site, const model::Loop &loop, const model::FunctionInfo &function) {
  Site there = site;
  there.function = loop.function;
  there.module = loop.function->module;
  there.ancestors.clear();
  const auto *repeated = as<While>(loop.node);
  const Name *const counter = repeated != nullptr ? counter_of_while(there, *repeated) : counter_from_zero(there, loop);
  if (counter == nullptr || loop.function == &function) {
    return counter != nullptr ? counter->id : Symbol{};
  }
  const model::CallSite *const call = function.called_by.size() == 1 ? function.called_by[0] : nullptr;
  if (call == nullptr || call->loop != &loop) {
    return {};
  }
  for (u32 i = 0; i < call->call->args.size(); ++i) {
    const auto *given = as<Name>(call->call->args[i]);
    const u32 at = i + (call->bound ? 1 : 0);
    if (given != nullptr && given->id == counter->id && at < function.params.size()) {
      return function.params[at]->name;
    }
  }
  return {};
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

void check(Site &site, const Call &call) {
  const TrainingStep &step = step_around(site, call);
  const model::Loop *const loop = loop_of(site.project, step);
  const Symbol counter = loop != nullptr && loop->trains ? counter_in(site, *loop, *step.function) : Symbol{};
  if (!counter || site.module->is_test) {
    return;
  }
  // backward() and nothing else in every iteration; step() and zero_grad() only after one test.
  const PlacedEvent *backward = nullptr;
  const If *test = nullptr;
  bool is_update = false; // of this call
  bool clears = false;
  for (const PlacedEvent &one : step.events) {
    using What = StepEvent::What;
    switch (one.event.what) {
    case What::Backward:
    case What::ScaledBackward:
      if (one.event.test != nullptr || one.is_repeated || backward != nullptr) {
        return;
      }
      backward = &one;
      break;
    case What::Step:
    case What::ScalerStep:
    case What::ZeroGrad:
      if (one.event.test == nullptr || (test != nullptr && one.event.test != test) || one.function != step.function) {
        return;
      }
      test = one.event.test;
      is_update |= one.event.what != What::ZeroGrad && one.event.call == &call;
      clears |= one.event.what == What::ZeroGrad;
      break;
    default:
      break;
    }
  }
  const Expr *const modulus = test != nullptr && test->orelse.empty() ? modulus_of(site, test->test, counter) : nullptr;
  if (modulus == nullptr || step.function != site.function) {
    return;
  }
  if (backward == nullptr || !is_update || !clears) {
    return;
  }
  Finding &finding =
      report(site, *test->test, "the first update uses the gradients of one batch only, since the counter starts at 0",
             fmt::format("test `({} + 1) % {} == 0`, and step once more after the loop for the batches that are left",
                         counter.text(), text_of(site, modulus)));
  finding.notes.push_back(
      {backward->function->module->file, backward->event.call->span(), "gradients are accumulated here"});
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

`0 % n` is 0, so the first update comes after one batch instead of n, with a gradient that was still divided by n. Every later update is shifted by one batch, and the gradients
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
    .calls = "*.step",
    .on_call = check};

} // namespace deepperf::rules::accumulation_off_by_one
