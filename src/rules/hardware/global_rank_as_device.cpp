#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::global_rank_as_device {

using namespace python;

namespace {

constexpr u32 kMostSteps = 4;

// ---- Is it the number among the processes of all nodes?
// ---------------------------------------------------------------

// os.environ["RANK"], os.getenv("RANK", 0)
bool reads_global_variable(const Site &site, const Expr *expr) {
  const Expr *name = nullptr;
  if (const auto *element = as<Subscript>(expr)) {
    const auto *owner = as<Attribute>(element->value);
    const auto *plain = as<Name>(element->value);
    const bool is_environment =
        (owner != nullptr && owner->attr.text() == "environ") || (plain != nullptr && plain->id.text() == "environ");
    name = is_environment ? element->slice : nullptr;
  } else if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    name = (api == "os.getenv" || api == "os.environ.get") && !call->args.empty() ? call->args[0] : nullptr;
  }
  const auto variable = name != nullptr ? string_of(site, name) : std::nullopt;
  return variable == "RANK" || variable == "SLURM_PROCID" || variable == "OMPI_COMM_WORLD_RANK";
}

bool is_global_rank(const Site &site, const Expr *expr, u32 depth);

// A helper that returns it, or 0 where the program is not distributed.
bool returns_global_rank(const Site &site, const model::FunctionInfo &function, u32 depth) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr) {
    return false;
  }
  bool is_global = false;
  bool is_other = false;
  const Site inside = site_of_origin(site, function);
  any_node(definition->body, [&](const Node *node) {
    const auto *statement = as<Return>(node);
    if (statement != nullptr) {
      const Expr *value = statement->value;
      const bool is_zero = value == nullptr || integer_of(inside, value) == 0;
      (is_global_rank(inside, value, depth) ? is_global : is_other) |= !is_zero;
    }
    return false;
  });
  return is_global && !is_other;
}

bool is_global_rank(const Site &site, const Expr *expr, u32 depth) {
  if (expr == nullptr || depth > kMostSteps) {
    return false;
  }
  if (reads_global_variable(site, expr)) {
    return true;
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    if (api == "torch.distributed.get_rank") {
      return call->args.empty() && call->keywords.empty(); // not that of a group
    }
    if (api == "int" && call->args.size() == 1) {
      return is_global_rank(site, call->args[0], depth + 1);
    }
    const model::FunctionInfo *function = called_function(site, *call);
    return function != nullptr && returns_global_rank(site, *function, depth + 1);
  }
  if (expr->kind != NodeKind::Name && expr->kind != NodeKind::Attribute) {
    return false;
  }
  const auto written = model::written_as(scope_of(site), expr);
  return !written.empty() && std::ranges::all_of(written, [&](const model::Argument::Given &given) {
    if (given.expr == expr || given.scope.function == nullptr) {
      return false;
    }
    return is_global_rank(site_of_origin(site, *given.scope.function), given.expr, depth + 1);
  });
}

// ---- Where a number names a GPU
// ---------------------------------------------------------------------------------------

// The number in `f"cuda:{rank}"`, `"cuda:" + str(rank)`, `"cuda:{}".format(rank)` and `"cuda:%d" % rank`.
const Expr *number_in_name(const Site &site, const Expr *expr) {
  const auto is_cuda = [&](const Expr *text) {
    const auto value = as_string(text) != nullptr ? string_of(site, text) : std::nullopt;
    return value.has_value() &&
           (*value == "cuda:" || *value == "cuda:{}" || *value == "cuda:%d" || *value == "cuda:%s");
  };
  if (const auto *joined = as<JoinedStr>(expr)) {
    const auto *value = joined->values.size() == 2 ? as<FormattedValue>(joined->values[1]) : nullptr;
    return value != nullptr && text_of(site, joined).find("cuda:{") != std::string_view::npos ? value->value : nullptr;
  }
  if (const auto *sum = as<BinOp>(expr)) {
    if (!is_cuda(sum->left)) {
      return nullptr;
    }
    const auto *text = as<Call>(sum->right);
    return text != nullptr && called_name(*text) == "str" && text->args.size() == 1 ? text->args[0] : sum->right;
  }
  const auto *call = as<Call>(expr);
  return call != nullptr && called_method(*call) == "format" && call->args.size() == 1 && is_cuda(receiver_of(*call))
             ? call->args[0]
             : nullptr;
}

const Expr *only_element(const Expr *expr) {
  const auto *list = as<List>(expr);
  return list != nullptr && list->elts.size() == 1 ? list->elts[0] : nullptr;
}

// What the call uses as the number of a GPU; null if nothing.
const Expr *device_number(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api == "torch.cuda.set_device") {
    const Expr *given = argument(call, 0, "device");
    const Expr *number = given != nullptr ? number_in_name(site, given) : nullptr;
    return number != nullptr ? number : given;
  }
  if (api == "torch.nn.parallel.DistributedDataParallel") {
    const Expr *listed = argument(call, 1, "device_ids");
    return listed != nullptr ? only_element(listed) : nullptr;
  }
  if (api == "torch.device") {
    const Expr *type = argument(call, 0, "type");
    const Expr *index = argument(call, 1, "index");
    return index != nullptr ? index : type != nullptr ? number_in_name(site, type) : nullptr;
  }
  const std::string_view method = called_method(call);
  const Expr *target = (method == "cuda" || method == "to") && call.args.size() == 1 ? call.args[0] : nullptr;
  if (target == nullptr) {
    return nullptr;
  }
  const Expr *number = number_in_name(site, target);
  return number != nullptr ? number : target;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || !project_has_word(site, {"init_process_group", "init_distributed"})) {
    return;
  }
  const Expr *number = device_number(site, call);
  if (number == nullptr || !is_global_rank(site, number, 0)) {
    return;
  }
  // Once for each function.
  struct Reported {
    mutable bool value = false;
  };
  const Reported &reported = site.memory.recall<Reported>(site.function, [] { return Reported{}; });
  if (reported.value) {
    return;
  }
  reported.value = true;
  // Who starts the processes itself has one machine in mind; who knows of local ranks has several.
  const bool is_local_known = project_has_word(site, {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                                      "--local_rank", "--local-rank", "% torch.cuda.device_count()"});
  const bool is_one_machine = project_has_word(site, {"mp.spawn(", "multiprocessing.spawn(", "localhost", "127.0.0.1"});
  Finding &finding =
      report(site, *number,
             fmt::format("`{}` counts the processes of all nodes, so there is no GPU of that number on the second node",
                         text_of(site, number)),
             "use the rank on the node: `int(os.environ[\"LOCAL_RANK\"])`");
  if (!is_local_known || is_one_machine) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kGlobalRankAsDevice = {
    .info = {.code = "DP527",
             .name = "global-rank-as-device",
             .summary = "the rank among all nodes that is used as the number of a GPU",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.cuda.set_device(rank)`, `device_ids=[rank]`, `f"cuda:{rank}"` and the like, where `rank` is `dist.get_rank()` or the environment's `RANK`: the number
among the processes of all nodes. It is a hint in programs that know no local rank, or that start their processes on one machine.

## Why it is wrong

On one machine both numbers are the same. On the second node of two with 8 GPUs each, the first rank is 8, and no GPU has that number: the program fails with
"invalid device ordinal".

## Bad

```python
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrap(net):
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    print("process", os.environ["LOCAL_RANK"])
    return DistributedDataParallel(net.cuda(rank), device_ids=[rank])
```

## Good

```python
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def wrap(net):
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    return DistributedDataParallel(net.cuda(local_rank), device_ids=[local_rank])
```

## When it is wrong

Where the program only ever runs on one machine.

## References

- PyTorch: torchrun (elastic launch), environment variables
)"},
    .calls = "torch.cuda.set_device torch.nn.parallel.DistributedDataParallel torch.device *.cuda *.to",
    .on_call = check};

} // namespace deepperf::rules::global_rank_as_device
