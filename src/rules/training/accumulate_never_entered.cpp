#include "python/children.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::accumulate_never_entered {

using namespace python;

namespace {

// Does the function run the training step with the accelerator, in every turn and in no context that somebody else
// makes with it? Then nothing is out of sight.
bool is_stepped_here(const Site &site, Symbol accelerator) {
  bool steps = false;
  bool is_by_hand = false;
  const auto visit = [&](const auto &self, const Node *node) -> void {
    if (const auto *call = as<Call>(node)) {
      const auto *object = called_method(*call) == "backward" ? as<Name>(receiver_of(*call)) : nullptr;
      steps = steps || (object != nullptr && object->id == accelerator);
    } else if (const auto *with = as<With>(node)) {
      for (const WithItem &item : with->items) {
        const auto *entered = as<Call>(item.context_expr);
        is_by_hand = is_by_hand || (entered != nullptr && std::ranges::any_of(entered->args, [&](const Expr *given) {
                                      return mentions(given, accelerator);
                                    }));
      }
    } else if (const auto *operation = as<BinOp>(node)) {
      is_by_hand = is_by_hand || operation->op() == Operator::Mod; // if step % 4 == 0: optimizer.step()
    }
    for_each_child(node, [&](const Node *child) { self(self, child); });
  };
  if (site.function->node != nullptr) {
    visit(visit, site.function->node);
  } else {
    for (const Stmt *statement : site.module->parsed->tree.body) {
      visit(visit, statement);
    }
  }
  return steps && !is_by_hand;
}

void check(Site &site, const Call &call) {
  const Keyword *steps = keyword_argument(call, "gradient_accumulation_steps");
  if (steps == nullptr || integer_of(site, steps->value) == 1 || site.module->is_test || site.function == nullptr) {
    return;
  }
  // Doubt means silence: whoever is given the accelerator may enter it.
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr || file_has_word(site, {".accumulate(", "no_sync", "sync_gradients"}) ||
      !file_has_word(site, {".backward("})) {
    return;
  }
  Finding &finding = report(site, *steps,
                            "without `accelerator.accumulate(model)` nothing is accumulated: "
                            "`gradient_accumulation_steps` only shrinks the loss",
                            "run the step inside `with accelerator.accumulate(model):`");
  // Others may do it by hand. Who makes the number an option means it to work.
  if (integer_of(site, steps->value).value_or(2) <= 1 || !is_stepped_here(site, name->id)) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kAccumulateNeverEntered = {
    .info = {.code = "DP831",
             .name = "accumulate-never-entered",
             .summary = "`gradient_accumulation_steps` without `accelerator.accumulate()`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`Accelerator(gradient_accumulation_steps=n)` in a file that calls `backward` and never uses `accelerator.accumulate(…)`, `no_sync` or
`sync_gradients`. It is a hint unless the number is known and the same function runs the training step.

## Why it is wrong

Only `accumulate()` uses the setting, except that `accelerator.backward` divides the loss by n. The optimizer steps after every batch with a
gradient that is n times too small, and gradients are synchronized across processes every time.

## Bad

```python
from accelerate import Accelerator


def train(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
        optimizer.step()
        optimizer.zero_grad()
```

## Good

```python
from accelerate import Accelerator


def train(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch))
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

Where the accelerator is passed to code in another file that uses `accumulate()`.

## References

- Accelerate: performing gradient accumulation
)"},
    .calls = "accelerate.Accelerator",
    .on_call = check};

} // namespace deepperf::rules::accumulate_never_entered
