#include "base/name_table.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::collective_on_one_process {

using namespace python;

namespace {

// `state_dict()` of a sharded model gathers the shards of all processes.
bool gathers_shards(const Site &site, const Call &call) {
  const model::Value owner = value_of(site, receiver_of(call));
  if (owner.is(model::Value::Tag::Instance) && owner.name() &&
      owner.name().text() == "torch.distributed.fsdp.FullyShardedDataParallel") {
    return true;
  }
  return std::ranges::any_of(site.ancestors, [&](const Node *around) {
    const auto *with = as<With>(around);
    return with != nullptr && std::ranges::any_of(with->items, [](const WithItem &item) {
             const auto *entered = as<Call>(item.context_expr);
             return entered != nullptr && called_method(*entered) == "state_dict_type";
           });
  });
}

bool is_collective(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  if (keyword_argument(call, "group") != nullptr || keyword_argument(call, "process_group") != nullptr) {
    return false; // a part of the processes, which the branch may select
  }
  if (method == "state_dict") {
    return gathers_shards(site, call);
  }
  if (method == "save_checkpoint" || method == "all_gather") {
    // Of Lightning: the Trainer waits for all processes, and a module or Fabric gathers from all.
    const Kind kind = receiver_of(call) != nullptr ? model::kind_of(receiver_of(call)) : Kind::Unknown;
    return called_api(site, call).starts_with("torch.distributed.") || kind == Kind::Accelerator ||
           (kind == Kind::Trainer && method == "save_checkpoint") ||
           (kind == Kind::TorchModule && method == "all_gather");
  }
  return true;
}

// Does a branch for the other processes have a counterpart: `if rank == 0: broadcast(x, 0) else: broadcast(y, 0)`, or
// the two barriers around what the first process does before all others?
bool has_counterpart(const Site &site, const Call &call, const FirstProcessOnly &only) {
  static const NameTable kCollectives({"barrier", "all_reduce", "all_gather", "all_gather_object", "broadcast",
                                       "broadcast_object_list", "gather", "gather_object", "scatter",
                                       "scatter_object_list", "reduce", "reduce_scatter", "wait_for_everyone",
                                       "gather_for_metrics", "state_dict", "recv", "send", "irecv", "isend"});
  // What nobody knows may be the counterpart: `elif rank > 0: model.generate_other_ranks()`.
  const auto calls_collective = [&](const Node *node) {
    const auto *other = as<Call>(node);
    const auto *method = other != nullptr ? as<Attribute>(other->func) : nullptr;
    const model::FunctionInfo *const own = called_function(site, call);
    if (other != nullptr && own != nullptr && called_function(site, *other) == own) {
      return true; // gather_results(rank) in both branches
    }
    return method != nullptr && (kCollectives.has(method->attr) ||
                                 (called_api(site, *other).empty() && called_function(site, *other) == nullptr));
  };
  const auto *branch = only.branch;
  if (branch != nullptr) {
    const bool is_else = !branch->orelse.empty() && contains(branch->orelse[0], &call);
    if (any_node(is_else ? branch->body : branch->orelse, calls_collective)) {
      return true;
    }
  }
  const std::string_view method = called_name(call);
  const auto is_other = [&](const Node *node) {
    const auto *other = as<If>(node);
    return other != nullptr && other != branch && processes_of(site, other->test) == Processes::Others &&
           any_node(other->body, [&](const Node *part) {
             const auto *inner = as<Call>(part);
             return inner != nullptr && called_name(*inner) == method;
           });
  };
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  return definition != nullptr ? any_node(definition->body, is_other)
                               : any_node(site.module->parsed->tree.body, is_other);
}

void add_finding(Site &there, const Call &place, const FirstProcessOnly &only, const Site &site,
                 const Call &collective) {
  const bool is_same = &place == &collective;
  Finding &finding =
      report(there, place,
             fmt::format("only the first process {} `{}`, which waits forever for all other processes",
                         is_same ? "calls" : "reaches", text_of(site, collective.func)),
             "call it in every process, and keep only printing and saving inside the test for the first process");
  add_note(finding, there, *only.test, "only the first process passes this test");
  if (!is_same) {
    finding.notes.push_back({site.module->file, collective.span(), "all processes must reach this call"});
  }
}

// Calls of the function that only the first process comes to.
void check_callers(Site &site, const model::FunctionInfo &function, const Call &collective, u32 depth) {
  constexpr u32 kMostDepth = 2;
  constexpr std::size_t kMostCallers = 16;
  if (function.called_by.size() > kMostCallers) {
    return;
  }
  for (const model::CallSite *caller : function.called_by) {
    if (caller->caller->module->is_test || caller->caller == &function) {
      continue;
    }
    Site there = site_at(site, *caller);
    const FirstProcessOnly only = first_process_only(there);
    if (only.test != nullptr) {
      if (!has_counterpart(there, *caller->call, only)) {
        add_finding(there, *caller->call, only, site, collective);
      }
    } else if (depth < kMostDepth && !caller->conditional && enclosing(there, NodeKind::If) == nullptr) {
      check_callers(site, *caller->caller, collective, depth + 1);
    }
  }
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr || !is_collective(site, call)) {
    return;
  }
  const FirstProcessOnly only = first_process_only(site);
  if (only.test == nullptr) {
    // What a function does under a test of its own is its own business.
    if (enclosing(site, NodeKind::If) == nullptr && site.function->definition() != nullptr) {
      check_callers(site, *site.function, call, 0);
    }
    return;
  }
  if (!has_counterpart(site, call, only)) {
    add_finding(site, call, only, site, call);
  }
}

} // namespace

extern constinit const Rule kCollectiveOnOneProcess = {
    .info = {.code = "DP847",
             .name = "collective-on-one-process",
             .summary = "a collective operation that only the first process of a distributed program calls",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Hang",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`dist.all_reduce`, `dist.barrier`, `accelerator.gather`, the `state_dict()` of an FSDP model and other operations of all processes, under
`if rank == 0`, `if accelerator.is_main_process` or an early `return` of the other processes; also in a function that is called there.

## Why it is wrong

A collective operation completes when every process has called it. The first process waits for the others, which never arrive: the job hangs
until a timeout of many minutes, or pairs with the next collective of the others and mixes up unrelated tensors.

## Bad

```python
import torch.distributed as dist


def report(total):
    if dist.get_rank() == 0:
        dist.all_reduce(total)
        print(total.item())
```

## Good

```python
import torch.distributed as dist


def report(total):
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        print(total.item())
```

## When it is wrong

Where the other processes make the matching call in another function.

## References

- PyTorch: `torch.distributed`, collective functions
- PyTorch: FSDP, `state_dict_type` with `rank0_only`
)"},
    .calls = "torch.distributed.all_reduce torch.distributed.all_gather torch.distributed.all_gather_into_tensor "
             "torch.distributed.all_gather_object torch.distributed.gather torch.distributed.gather_object "
             "torch.distributed.reduce torch.distributed.reduce_scatter torch.distributed.reduce_scatter_tensor "
             "torch.distributed.broadcast torch.distributed.broadcast_object_list torch.distributed.scatter "
             "torch.distributed.all_to_all torch.distributed.all_to_all_single torch.distributed.barrier "
             "torch.distributed.monitored_barrier Accelerator.gather Accelerator.gather_for_metrics "
             "Accelerator.reduce Accelerator.wait_for_everyone Accelerator.pad_across_processes "
             "Accelerator.all_reduce Accelerator.all_gather Accelerator.barrier *.all_gather *.save_checkpoint "
             "*.state_dict torch.distributed.checkpoint.save torch.distributed.checkpoint.save_state_dict "
             "torch.distributed.fsdp.FullyShardedDataParallel.optim_state_dict "
             "torch.distributed.fsdp.FullyShardedDataParallel.full_optim_state_dict "
             "torch.distributed.checkpoint.state_dict.get_model_state_dict "
             "torch.distributed.checkpoint.state_dict.get_state_dict",
    .on_call = check};

} // namespace deepperf::rules::collective_on_one_process
