#include "model/variance.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::not_prepared {

using namespace python;

namespace {

bool prepares(const Call &call) {
  const std::string_view method = called_method(call);
  return model::kind_of(receiver_of(call)) == Kind::Accelerator &&
         (method.starts_with("prepare") || method.starts_with("setup"));
}

// What the file's calls of prepare() are given, as it is written, and what their results are assigned to.
struct Prepared {
  std::vector<std::string_view> texts;
  bool unknown = false; // `*objects`
};

const Prepared &prepared_in(const Site &site) {
  return site.memory.recall<Prepared>(site.module, [&site] {
    Prepared prepared;
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
        const auto *assignment = as<Assign>(node);
        const auto *call = as<Call>(assignment != nullptr ? assignment->value : node);
        if (call == nullptr || called_method(*call).empty() || !prepares(*call)) {
          return false;
        }
        for (const Expr *given : call->args) {
          prepared.unknown |= given->kind == NodeKind::Starred;
          prepared.texts.push_back(text_of(site, given));
        }
        if (assignment != nullptr) {
          any_node(assignment->targets[0], [&](const Node *target) {
            if (target->kind == NodeKind::Name || target->kind == NodeKind::Attribute) {
              prepared.texts.push_back(text_of(site, target));
            }
            return false;
          });
        }
        return false;
      });
    }
    return prepared;
  });
}

// Somebody else divides the samples, or the loader is made from one that is prepared.
bool is_divided_otherwise(const Site &site, const Expr *loader) {
  for (const auto &given : model::written_as(scope_of(site), loader)) {
    const auto *made = as<Call>(given.expr);
    if (made == nullptr || has_hidden_arguments(*made) || keyword_argument(*made, "sampler") != nullptr ||
        keyword_argument(*made, "batch_sampler") != nullptr || made->args.size() > 3) {
      return true;
    }
  }
  return false;
}

// The loader that a loop goes over, as the function with the accelerator has it.
struct Trained {
  Site site;
  const Expr *loader = nullptr;
};

std::vector<Trained> loaders_of(const Site &site, const model::Loop &loop) {
  const Expr *const over = iterated_by(site, loop);
  if (over == nullptr || (over->kind != NodeKind::Name && over->kind != NodeKind::Attribute) ||
      model::kind_of(over) != Kind::TorchDataLoader) {
    return {};
  }
  const auto *name = as<Name>(over);
  const auto &params = site.function->params;
  const auto param =
      std::ranges::find_if(params, [name](const Param *one) { return name != nullptr && one->name == name->id; });
  if (param == params.end()) {
    return {{site, over}};
  }
  std::vector<Trained> found;
  for (const model::CallSite *caller : site.function->called_by) {
    const Expr *given = model::passed_argument(*caller, static_cast<u32>(param - params.begin()));
    if (given != nullptr && (given->kind == NodeKind::Name || given->kind == NodeKind::Attribute)) {
      found.push_back({site_of(site, *caller->call), given});
    }
  }
  return found;
}

void check(Site &site, const Call &call) {
  const model::Loop *const loop = loop_around(site);
  if (site.module->is_test || loop == nullptr || site.function == nullptr) {
    return;
  }
  for (const Trained &one : loaders_of(site, *loop)) {
    const Prepared &prepared = prepared_in(one.site);
    const std::string_view text = text_of(one.site, one.loader);
    if (prepared.unknown || prepared.texts.empty() || std::ranges::find(prepared.texts, text) != prepared.texts.end()) {
      continue;
    }
    // Under a name of its own, or in another class: `loader = self.loader`.
    const auto *name = as<Name>(one.loader);
    const auto written = model::written_as(scope_of(one.site), one.loader);
    const Expr *made = name != nullptr ? assigned_to(one.site, *name) : written.size() == 1 ? written[0].expr : nullptr;
    const auto *maker = as<Call>(made);
    if (maker == nullptr || called_api(one.site, *maker) != "torch.utils.data.DataLoader" ||
        is_divided_otherwise(one.site, one.loader) ||
        file_has_word(one.site, {"prepare_data_loader", "split_between_processes"})) {
      continue;
    }
    Site there = site_of(one.site, *maker);
    Finding &finding = report(
        there, *maker, fmt::format("`{}` is not passed to `prepare()`, so every process trains on all samples", text),
        fmt::format("prepare it with the model and the optimizer: `{0} = accelerator.prepare({0})`", text));
    finding.notes.push_back({site.module->file, call.span(), "each process trains on its batches here"});
  }
}

} // namespace

extern constinit const Rule kNotPrepared = {
    .info = {.code = "DP848",
             .name = "not-prepared",
             .summary = "a training loader that is not passed to Accelerate's `prepare()`",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Slow Execution Time, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop that trains with `accelerator.backward()`, or `fabric.backward()`, over a `DataLoader` that the file passes to no `prepare()` or `setup_dataloaders()`,
although it passes the model.

## Why it is wrong

`prepare()` gives each process its own part of the samples, and moves batches to its device. Without it all processes go through the same
data: n GPUs do the work of one, an epoch takes n times as long, and a schedule in steps runs differently than planned.

## Bad

```python
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)
    model, optimizer = accelerator.prepare(model, optimizer)
    for batch in loader:
        loss = model(batch.to(accelerator.device)).mean()
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
```

## Good

```python
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(batch).mean()
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
```

## When it is wrong

Where the dataset itself gives each process other samples.

## References

- Accelerate: migrating your code, `prepare`
)"},
    .calls = "Accelerator.backward",
    .on_call = check};

} // namespace deepperf::rules::not_prepared
