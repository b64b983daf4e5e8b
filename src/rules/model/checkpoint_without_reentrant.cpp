#include "rules/api_history.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::checkpoint_without_reentrant {

using namespace python;

namespace {

// `if is_torch_version(">=", "1.11"): … else:` keeps a branch for versions without the argument.
bool asks_for_version(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    const auto *branch = as<If>(node);
    return branch != nullptr && text_of(site, branch->test).find("version") != std::string_view::npos;
  });
}

constexpr std::string_view kFirstThatWarns = "2.1";

// The first version of PyTorch whose function has the argument.
std::string_view first_with_argument(const Site &site, const Call &call) {
  return called_api(site, call).ends_with(".checkpoint_sequential") ? "2.0" : "1.11";
}

void check(Site &site, const Call &call) {
  // `**kwargs` may hold the option; `*args` are the function's.
  for (const Keyword *keyword : call.keywords) {
    if (!keyword->name || keyword->name.text() == "use_reentrant") {
      return;
    }
  }
  if (asks_for_version(site)) {
    return;
  }
  const std::string_view since = first_with_argument(site, call);
  if (status_in(site, "torch", since) == Status::Fine) {
    return; // all versions that the project allows lack the argument
  }
  const bool warns = status_in(site, "torch", kFirstThatWarns) != Status::Fine;
  const bool may_be_missing = may_be_older(site, "torch", since);
  Finding &finding = report(
      site, call,
      warns
          ? "this checkpoint does not set `use_reentrant`, so PyTorch warns and uses the older reentrant implementation"
          : "this checkpoint does not set `use_reentrant`, so PyTorch uses the older reentrant implementation",
      may_be_missing
          ? fmt::format("pass `use_reentrant=False`, which needs torch {}; this project also allows older versions",
                        since)
          : "pass `use_reentrant=False`, or `use_reentrant=True` to keep the current behavior");
  if (!warns) {
    finding.tier = Tier::Hint;
  }
  if (const std::optional<Edit> edit = add_argument(site, call, "use_reentrant=False"); edit && !may_be_missing) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kCheckpointWithoutReentrant = {
    .info = {.code = "DP242",
             .name = "checkpoint-without-reentrant",
             .summary = "`torch.utils.checkpoint` called without `use_reentrant`",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`torch.utils.checkpoint.checkpoint` and `checkpoint_sequential` without `use_reentrant=`.

## Why it costs

There are two implementations. The reentrant one, which is still the default, runs the checkpointed part under `no_grad` and again in the
backward pass. It computes no gradients if no input requires one, does not support `torch.autograd.grad`, always recomputes the whole part,
and fails in some setups with DistributedDataParallel. The non-reentrant one has none of these limits and stops recomputing as soon as it
has what it needs.

Since 2.1 PyTorch warns when the argument is missing. The warning of 2.9 announces an exception, although that release still runs the code.

## Bad

```python
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def forward(self, x):
        return checkpoint(self.inner, x)
```

## Good

```python
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)
```

## When it is wrong

PyTorch before 1.11 does not have the argument, and before 2.0 `checkpoint_sequential` does not. Where the project allows no newer version,
the rule is silent; where it also allows older ones, there is no fix. Where it allows none that warns, the finding is a hint. Code that depends on the reentrant implementation should pass `use_reentrant=True`, which
changes nothing. Because of such code the fix needs `--unsafe-fixes`.

## References

- PyTorch documentation: torch.utils.checkpoint
- TorchFix: TOR003
)"},
    .calls = "torch.utils.checkpoint.checkpoint torch.utils.checkpoint.checkpoint_sequential",
    .on_call = check};

} // namespace deepperf::rules::checkpoint_without_reentrant
