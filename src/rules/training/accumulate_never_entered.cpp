#include "rules/assignments.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::accumulate_never_entered {

using namespace python;

namespace {

// Is the optimizer stepped only in some iterations: `if step % 4 == 0: optimizer.step()`?
bool counts_by_hand(const Node *node) {
  const auto *branch = as<If>(node);
  const auto is_modulo = [](const Node *part) {
    const auto *operation = as<BinOp>(part);
    return operation != nullptr && operation->op() == Operator::Mod;
  };
  return branch != nullptr && any_node(branch->test, is_modulo) && any_node(branch->body, [](const Node *part) {
           const auto *call = as<Call>(part);
           return call != nullptr && (called_method(*call) == "step" || called_method(*call) == "zero_grad");
         });
}

// Is it handed to somebody who makes a context with it?
bool enters_context_of_others(const Node *node) {
  const auto *with = as<With>(node);
  return with != nullptr && std::ranges::any_of(with->items, [](const WithItem &item) {
           const auto *entered = as<Call>(item.context_expr);
           return entered != nullptr && std::ranges::any_of(entered->args, [](const Expr *given) {
                    return model::kind_of(given) == Kind::Accelerator;
                  });
         });
}

// What the body of a function, or of the module, does with an accelerator.
struct Steps {
  bool has_backward = false;
  bool is_by_hand = false;
};

Steps find_steps(const Block &body) {
  Steps steps;
  any_node(body, [&steps](const Node *node) {
    const auto *call = as<Call>(node);
    steps.has_backward = steps.has_backward || (call != nullptr && called_method(*call) == "backward" &&
                                                model::kind_of(receiver_of(*call)) == Kind::Accelerator);
    steps.is_by_hand = steps.is_by_hand || counts_by_hand(node) || enters_context_of_others(node);
    return false;
  });
  return steps;
}

const Steps &steps_in(const Site &site, const Block &body) {
  return site.memory.recall<Steps>(&body, [&body] { return find_steps(body); });
}

// Is the training step run here, in every iteration and in no context that somebody else makes with the accelerator? In
// the function that makes it, or in another one of the file. Then nothing is out of sight.
bool is_stepped_here(const Site &site) {
  const FunctionDef *const own = site.function->definition();
  const Steps &here = steps_in(site, body_around(site));
  if (here.has_backward || here.is_by_hand) {
    return !here.is_by_hand;
  }
  const auto steps = [&site](const model::FunctionInfo &other) {
    const FunctionDef *const definition = other.module == site.module ? other.definition() : nullptr;
    const Steps found = definition != nullptr ? steps_in(site, definition->body) : Steps{};
    return found.has_backward && !found.is_by_hand;
  };
  // A name of the function goes no further than the functions that it calls.
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (own != nullptr && (assignment == nullptr || assignment->targets[0]->kind == NodeKind::Name)) {
    return std::ranges::any_of(site.function->calls, [&](const model::CallSite &call) { return steps(*call.callee); });
  }
  struct Stepped {
    bool somewhere = false; // in a function of the module
  };
  const auto find = [&] { return Stepped{std::ranges::any_of(site.project.functions, steps)}; };
  return site.memory.recall<Stepped>(site.module, find).somewhere;
}

// `gradient_accumulation_steps=n`, or the same in a plugin.
Option accumulated_steps(const Site &site, const Call &call) {
  const Option steps = option_of(site, call, "gradient_accumulation_steps");
  const Option plugin = option_of(site, call, "gradient_accumulation_plugin");
  if (!steps.is_absent || plugin.value == nullptr) {
    return steps;
  }
  const auto written = model::written_as(plugin.scope, plugin.value);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  const Expr *const number = made != nullptr ? argument(*made, 0, "num_steps") : nullptr;
  return number == nullptr ? Option{}
                           : Option{.is_absent = false,
                                    .value = number,
                                    .scope = written[0].scope,
                                    .constant = model::constant_of(written[0].scope, number)};
}

void check(Site &site, const Call &call) {
  const Option steps = accumulated_steps(site, call);
  if (steps.value == nullptr || steps.as_integer() == 1 || site.module->is_test || site.function == nullptr) {
    return;
  }
  // Doubt means silence: whoever is given the accelerator may enter it. Without accumulate(), `sync_gradients` is
  // always true and excuses nothing.
  if (file_has_word(site, {".accumulate(", "no_sync"}) || !file_has_word(site, {".backward("})) {
    return;
  }
  Finding &finding = report_option(site, call, steps,
                                   "without `accelerator.accumulate(model)` nothing is accumulated: "
                                   "`gradient_accumulation_steps` only shrinks the loss",
                                   "run the step inside `with accelerator.accumulate(model):`");
  // Others may do it by hand, and DeepSpeed does it itself. Who makes the number an option means it to work.
  if (steps.as_integer().value_or(2) <= 1 || !is_stepped_here(site) ||
      project_has_word_in_any_case(site, {"deepspeed", ".accumulate("})) {
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

`Accelerator(gradient_accumulation_steps=n)` in a file that calls `backward` and never uses `accelerator.accumulate(…)` or `no_sync`.
`sync_gradients` is always true there. It is a hint where the step may be run by other code, or by DeepSpeed.

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
