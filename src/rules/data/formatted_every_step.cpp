#include "rules/site.h"

namespace deepperf::rules::formatted_every_step {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (call.args.size() != 1 || site.module->is_test || !in_training_step(site)) {
    return;
  }
  const model::Loop *loop = loop_around(site);
  if (loop != nullptr && !runs_every_iteration(site, *loop)) {
    return;
  }
  const auto *text = as<JoinedStr>(call.args[0]);
  if (text == nullptr) {
    return;
  }
  for (const Expr *part : text->values) {
    const auto *value = as<FormattedValue>(part);
    if (value == nullptr || (model::kind_of(value->value) != Kind::TorchTensor && !model::has_grad(value->value)) ||
        value->format_spec != nullptr) {
      continue;
    }
    Finding &finding =
        report(site, call, "the tensor is formatted in every training step, even when the message is not printed",
               "pass it as an argument: `logger.debug(\"%s\", x)` formats it only if the message is printed");
    add_note(finding, site, *value, "this tensor is formatted");
    return;
  }
}

} // namespace

extern constinit const Rule kFormattedEveryStep = {
    .info = {.code = "DP421",
             .name = "formatted-every-step",
             .summary = "a debug message that formats a tensor in every training step",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`logger.debug(f"… {x} …")` with a tensor `x` in a training step.

## Why it costs

An f-string is formatted before `debug` is called, whether or not the message is printed. Formatting a tensor copies it
to the host, waits for the device, and takes longer than a small training step.

## Bad

```python
import logging
import torch

logger = logging.getLogger(__name__)


def train(model: torch.nn.Module, optimizer, loader):
    for x in loader:
        output = model(x)
        loss = output.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.debug(f"output {output}")
```

## Good

```python
import logging
import torch

logger = logging.getLogger(__name__)


def train(model: torch.nn.Module, optimizer, loader):
    for x in loader:
        output = model(x)
        loss = output.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.debug("output %s", output)
```

## When it is wrong

A program that always prints its debug messages pays for them in both forms.

## References

- Python's logging guide, optimization
)"},
    .calls = "*.debug",
    .on_call = check};

} // namespace deepperf::rules::formatted_every_step
