#include "model/bind.h"
#include "rules/device.h"
#include "rules/origins.h"
#include "rules/repetition.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::joined_before_transfer {

using namespace python;

namespace {

// The loop over data around the place that binds the name to a batch or a part of it, if nothing before the place binds
// it to another value: then it is where the loader left it.
const model::Loop *loop_of_batch(const Site &site, const Expr *expr) {
  while (const auto *part = as<Subscript>(expr)) {
    if (part->slice->kind != NodeKind::Constant) {
      return nullptr;
    }
    expr = part->value;
  }
  const auto *name = as<Name>(expr);
  if (name == nullptr) {
    return nullptr;
  }
  for (const model::Loop *loop = loop_around(site); loop != nullptr; loop = loop->parent) {
    const Expr *const target = element_target(*loop);
    if (target == nullptr || !mentions(target, name->id)) {
      continue;
    }
    const Expr *const written = last_assigned(site, *name);
    const bool is_batch = loop->node->kind == NodeKind::For && goes_over_data(site, *loop) &&
                          (written == nullptr || written->start < loop->node->start);
    return is_batch ? loop : nullptr;
  }
  return nullptr;
}

// Where the batches of a loop come from.
enum class Source : u8 {
  Host,    // a DataLoader, whose batches are on the CPU
  Unknown, // something that is taken for one
  Device,  // Accelerate and Fabric wrap a loader into one whose batches are on the device
};

Source source_of(const Site &site, const model::Loop &loop) {
  struct Known {
    Source source = Source::Unknown;
  };
  const auto find = [&] {
    const Expr *const iterated = iterated_by(site, loop);
    bool is_loader = false;
    bool is_other = iterated == nullptr;
    bool is_prepared = false;
    const auto visit = [&](const Origin &origin) {
      const auto *call = as<Call>(origin.expr);
      // logger.log_every(loader, 50), which yields what it is given
      const bool is_own = call != nullptr && origin.parameter_of == nullptr && called_function(site, *call) != nullptr;
      for (const Expr *arg : is_own ? call->args : Array<Expr *>{}) {
        if (model::kind_of(arg) == Kind::TorchDataLoader) {
          origin.next = {arg};
          return Onward::Next;
        }
      }
      const Expr *const receiver = call != nullptr ? receiver_of(*call) : nullptr;
      if (receiver != nullptr && model::kind_of(receiver) == Kind::Accelerator) {
        is_prepared = true;
      } else if (origin.parameter_of != nullptr) {
        return Onward::Through;
      } else if (call != nullptr && called_api(site, *call) == "torch.utils.data.DataLoader") {
        is_loader = true;
      } else {
        is_other = true;
      }
      return Onward::Stop;
    };
    if (iterated != nullptr && !visit_origins(site, *site.function, iterated, visit)) {
      is_other = true;
    }
    return Known{is_prepared ? Source::Device : is_loader && !is_other ? Source::Host : Source::Unknown};
  };
  return site.memory.recall<Known>(&loop, find).source;
}

bool is_of_batch(const Site &site, const Expr *expr) {
  const model::Loop *const loop = loop_of_batch(site, expr);
  return loop != nullptr && source_of(site, *loop) != Source::Device;
}

bool is_on_host(const Site &site, const Expr *expr) {
  return !model::is_moved(expr) && (model::is_on_cpu(expr) || is_of_batch(site, expr));
}

// `a` of torch.cat([a, b]), `x` of torch.cat(x)
const Expr *first_joined(const Call &call) {
  const auto *list = as<List>(call.args[0]);
  const auto *tuple = as<Tuple>(call.args[0]);
  return list != nullptr ? list->elts[0] : tuple != nullptr ? tuple->elts[0] : call.args[0];
}

// torch.cat([a, b]) of parts of a batch, or of the list of tensors that the batch is
bool joins_batch(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if ((api != "torch.cat" && api != "torch.concat" && api != "torch.stack") || call.args.empty() ||
      has_hidden_arguments(call) || keyword_argument(call, "out") != nullptr) {
    return false;
  }
  const auto *list = as<List>(call.args[0]);
  const auto *tuple = as<Tuple>(call.args[0]);
  if (list == nullptr && tuple == nullptr) {
    return is_of_batch(site, call.args[0]);
  }
  const Array<Expr *> elements = list != nullptr ? list->elts : tuple->elts;
  return elements.size() > 1 &&
         std::ranges::all_of(elements, [&](const Expr *element) { return is_of_batch(site, element); });
}

// `x` of x.repeat(k, 1)
const Expr *repeated_by(const Call &call) {
  const std::string_view method = called_method(call);
  return (method == "repeat" || method == "repeat_interleave" || method == "tile") && !call.args.empty()
             ? receiver_of(call)
             : nullptr;
}

// The subscript selects rows by a tensor or list of numbers.
bool selects_rows(const Subscript &part) {
  return model::kind_of(part.slice) == Kind::TorchTensor && part.slice->kind == NodeKind::Name;
}

void check(Site &site, const Call &move) {
  const Expr *made = receiver_of(move);
  if (made == nullptr || !model::is_moved(&move) || !site.module->torch || site.module->is_test ||
      site.function == nullptr || loop_around(site) == nullptr) {
    return;
  }
  if (const auto *name = as<Name>(made)) {
    made = last_assigned(site, *name);
  }
  const auto *call = as<Call>(made);
  const auto *part = as<Subscript>(made);
  if ((call == nullptr && part == nullptr) || model::is_moved(made)) {
    return;
  }
  if (call != nullptr && joins_batch(site, *call)) {
    Finding &finding =
        report(site, *call,
               fmt::format("`{}` copies the batch on the CPU, into pageable memory, before it is moved",
                           text_of(site, call->func)),
               fmt::format("move the parts to the device first, and call `{}` there", text_of(site, call->func)));
    add_note(finding, site, move, "this copy cannot overlap with computation, since its source is not pinned");
    const Expr *const first = first_joined(*call);
    if (!is_surely_gpu(site, move) || source_of(site, *loop_of_batch(site, first)) != Source::Host) {
      finding.tier = Tier::Hint;
    }
    return;
  }
  const Expr *const repeated = call != nullptr ? repeated_by(*call) : nullptr;
  // torch.tensor(length).repeat(n): a few numbers
  const auto *maker = as<Call>(repeated);
  const bool is_number = maker != nullptr && called_api(site, *maker) == "torch.tensor";
  if (repeated != nullptr && !is_number && is_on_host(site, repeated)) {
    Finding &finding = report(site, *call, "the tensor is repeated on the CPU, and all copies of it are moved",
                              "move it first, and repeat it on the device; `expand` needs no memory at all");
    add_note(finding, site, move, "this copies the same values several times");
    if (!is_surely_gpu(site, move) && !model::is_on_cpu(repeated)) {
      finding.tier = Tier::Hint;
    }
    return;
  }
  if (part != nullptr && long_loop_around(site) != nullptr && selects_rows(*part) && model::is_on_cpu(part->value)) {
    Finding &finding = report(
        site, *part, "rows are gathered on the CPU and moved in every iteration",
        "if the whole tensor fits into the memory of the device, move it once before the loop and index it there");
    add_note(finding, site, move, "moved here, from pageable memory");
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kJoinedBeforeTransfer = {
    .info = {.code = "DP456",
             .name = "joined-before-transfer",
             .summary = "a batch that is concatenated or repeated on the CPU right before it is moved to the device",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.cat` or `torch.stack` of the parts of a batch, and `repeat` of a tensor on the CPU, whose result is then moved with
`cuda()` or `to(device)`. As a hint, also rows that are selected on the CPU by an index tensor and moved in every iteration.

## Why it costs

The result is a new tensor in pageable memory, even if the loader pinned its batch: the host copies the whole batch once
more, and the transfer blocks the host even with `non_blocking=True`. After `repeat` the same values are transferred many
times.

## Bad

```python
import torch
from torch.utils.data import DataLoader


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, dataset):
    loader = DataLoader(dataset, 256, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)
    for first, second in loader:
        views = torch.cat([first, second], dim=0)
        views = views.cuda(non_blocking=True)
        optimizer.zero_grad()
        model(views).mean().backward()
        optimizer.step()
```

## Good

```python
import torch
from torch.utils.data import DataLoader


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, dataset):
    loader = DataLoader(dataset, 256, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)
    for first, second in loader:
        first = first.cuda(non_blocking=True)
        second = second.cuda(non_blocking=True)
        views = torch.cat([first, second], dim=0)
        optimizer.zero_grad()
        model(views).mean().backward()
        optimizer.step()
```

## When it is wrong

If the batches of the loader are on the device already.

## References

- PyTorch: a guide on good usage of non_blocking and pin_memory
)"},
    .calls = "*.cuda *.to",
    .on_call = check};

} // namespace deepperf::rules::joined_before_transfer
