#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::unwaited_communication {

using namespace python;

namespace {

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const bool is_always_async = name == "isend" || name == "irecv";
  if (!is_always_async) {
    const Keyword *given = keyword_argument(call, "async_op");
    if (given == nullptr || bool_of(site, given->value) != true) {
      return;
    }
  }
  const auto *statement = !site.ancestors.empty() ? as<ExprStmt>(site.ancestors.back()) : nullptr;
  if (statement == nullptr || statement->value != &call) {
    return;
  }
  Finding &finding = report(
      site, call,
      fmt::format("nothing waits for this `{}`, so its tensor may be used or changed while the transfer is in progress",
                  name),
      "keep the returned handle and call `wait()` on it before using the tensor");
  // A barrier, or a wait for the device, comes after everything that was enqueued before it.
  const bool is_waited = any_node(body_around(site), [&](const Node *node) {
    const auto *later = as<Call>(node);
    return later != nullptr && later->start >= call.end &&
           (called_name(*later) == "barrier" || called_name(*later) == "synchronize");
  });
  if (is_waited) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kUnwaitedCommunication = {
    .info = {.code = "DP816",
             .name = "unwaited-communication",
             .summary = "an asynchronous send, receive or reduction whose handle is discarded",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Hang",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`torch.distributed.isend` and `irecv`, and collectives with `async_op=True`, whose result is discarded.

## Why it is wrong

They return before the data has been sent or received. Reading the tensor then gives the old values or a mix of old and new; changing it
sends something else. It works in small tests and fails under load, differently each time.

## Bad

```python
import torch.distributed as dist


def exchange(tensor):
    dist.isend(tensor, dst=1)
    tensor.zero_()
```

## Good

```python
import torch.distributed as dist


def exchange(tensor):
    request = dist.isend(tensor, dst=1)
    request.wait()
    tensor.zero_()
```

## When it is wrong

Where a later barrier, or a collective on the same stream, ensures that everything is done.

## References

- PyTorch documentation of `torch.distributed`: synchronous and asynchronous collective operations
- Trail of Bits semgrep rules: waiting-with-pytorch-distributed
)"},
    .calls = "torch.distributed.isend torch.distributed.irecv torch.distributed.all_reduce torch.distributed.broadcast "
             "torch.distributed.reduce torch.distributed.all_gather torch.distributed.gather torch.distributed.scatter "
             "torch.distributed.reduce_scatter torch.distributed.all_to_all torch.distributed.all_gather_into_tensor "
             "torch.distributed.reduce_scatter_tensor torch.distributed.all_to_all_single",
    .on_call = check};

} // namespace deepperf::rules::unwaited_communication
