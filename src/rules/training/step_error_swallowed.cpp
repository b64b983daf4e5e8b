#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::step_error_swallowed {

using namespace python;

namespace {

// `except:` and `except Exception:`; who names what may fail has thought about it.
bool catches_everything(const ExceptHandler &handler) {
  const auto *name = as<Name>(handler.type);
  return handler.type == nullptr ||
         (name != nullptr && (name->id.text() == "Exception" || name->id.text() == "BaseException"));
}

bool is_empty(const Stmt *statement) {
  const auto *result = as<Return>(statement);
  return statement->kind == NodeKind::Pass || statement->kind == NodeKind::Continue ||
         (result != nullptr && (result->value == nullptr || is_none(result->value)));
}

bool says_nothing(const ExceptHandler &handler) { return std::ranges::all_of(handler.body, is_empty); }

// Prints a line, which is one among thousands.
bool only_prints(const Site &site, const ExceptHandler &handler) {
  return std::ranges::all_of(handler.body, [&site](const Stmt *statement) {
    const auto *expression = as<ExprStmt>(statement);
    const auto *call = expression != nullptr ? as<Call>(expression->value) : nullptr;
    return is_empty(statement) || (call != nullptr && called_api(site, *call) == "print");
  });
}

// A training step: a backward pass or an optimizer's step, here or in a function that is called.
const Call *step_in(const Site &site, const Block &block) {
  const Call *found = nullptr;
  any_node(block, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || found != nullptr) {
      return found != nullptr;
    }
    const Expr *receiver = receiver_of(*call);
    const Kind kind = receiver != nullptr ? model::kind_of(receiver) : Kind::Unknown;
    const std::string_view method = called_method(*call);
    const model::FunctionInfo *function = called_function(site, *call);
    if ((method == "backward" && (kind == Kind::TorchTensor || kind == Kind::Accelerator)) ||
        (method == "step" && (kind == Kind::TorchOptimizer || kind == Kind::GradScaler)) ||
        (function != nullptr && function->steps)) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

void check(Site &site, const Node &node) {
  const auto &statement = static_cast<const Try &>(node);
  if (loop_around(site) == nullptr && (site.function == nullptr || !site.function->in_loop)) {
    return;
  }
  for (const ExceptHandler *handler : statement.handlers) {
    if (!catches_everything(*handler) || !only_prints(site, *handler)) {
      continue;
    }
    if (const Call *step = step_in(site, statement.body)) {
      const u32 end = handler->type != nullptr ? handler->type->end : handler->start + 6;
      Finding &finding = report(site, Span{handler->start, end},
                                says_nothing(*handler) ? "every exception in this training step is silently ignored"
                                                       : "training continues after every exception in this step",
                                "catch only what you expect, such as `torch.cuda.OutOfMemoryError`, and log it");
      add_note(finding, site, *step, "the step that can fail");
      if (!says_nothing(*handler)) {
        finding.tier = Tier::Hint;
      }
    }
    return;
  }
}

} // namespace

extern constinit const Rule kStepErrorSwallowed = {
    .info = {.code = "DP832",
             .name = "step-error-swallowed",
             .summary = "a training step whose exceptions are all ignored",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A `try` around `backward()` or an optimizer's `step()` in a loop, with `except:` or `except Exception:` that only passes or continues.

## Why it is wrong

A wrong shape, a full GPU or a typo makes every batch fail, and the program runs through all epochs without learning anything. A step that
fails halfway may leave gradients or memory allocated for the next one.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
        except Exception:
            continue
```

## Good

```python
import logging

import torch


def train(model: torch.nn.Module, loader, loss_function, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
        except torch.cuda.OutOfMemoryError:
            logging.warning("skipped a batch that does not fit into memory")
```

## When it is wrong

Rarely. Catch and log the specific exception if some batches are expected to fail.

## References

- PyTorch FAQ: my out of memory exception handler
)"},
    .nodes = {NodeKind::Try},
    .on_node = check};

} // namespace deepperf::rules::step_error_swallowed
