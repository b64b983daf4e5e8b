#include "rules/api_history.h"

namespace deepperf::rules::unrestricted_load {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  if (keyword_argument(call, "weights_only") != nullptr || has_hidden_arguments(call) || is_version_guarded(site) ||
      status_in(site, "torch", "2.6") == Status::Gone) { // from there on it is the default
    return;
  }
  Finding &finding = report(site, call, "before PyTorch 2.6, `torch.load` runs any code that the file contains",
                            "pass `weights_only=True`");
  if (const std::optional<Edit> edit = add_argument(site, call, "weights_only=True")) {
    set_fix(finding, false, {*edit});
  }
}

} // namespace

extern constinit const Rule kUnrestrictedLoad = {.info = {.code = "DP306",
                                                          .name = "unrestricted-load",
                                                          .summary = "`torch.load` of a file that may contain code",
                                                          .root_cause = "Library: Mismatched Library Version",
                                                          .symptoms = "Program Crash",
                                                          .stage = "Environment Setting",
                                                          .frameworks = "PyTorch",
                                                          .severity = Severity::Note,
                                                          .tier = Tier::Off,
                                                          .fix = FixKind::Unsafe,
                                                          .documentation = R"(## What it finds

`torch.load` without `weights_only`, in a project that may run with a PyTorch before 2.6.

## Why it is wrong

Before 2.6, `torch.load` unpickles the file, which runs any code that it contains. Since 2.6, `weights_only=True` is the
default, and loading a whole pickled model fails where it did not before.

## Bad

```python
import torch

state = torch.load("model.pt")
```

## Good

```python
import torch

state = torch.load("model.pt", weights_only=True)
```

## When it is wrong

Where the file is the program's own and contains more than tensors. The rule is about security, not speed, and is
therefore off by default.

## References

- PyTorch documentation, `torch.load`; TorchFix, rule TOR102
)"},
                                                 .calls = "torch.load",
                                                 .on_call = check};

} // namespace deepperf::rules::unrestricted_load
