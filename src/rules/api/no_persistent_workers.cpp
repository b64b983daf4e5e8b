#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::no_persistent_workers {

using namespace python;

namespace {

enum class Workers : u8 { None, Perhaps, Some };

// A loader that is created again each time, in the loop around or in each call of the function: no workers outlive it.
bool is_created_again(const Site &site, const Site &maker, const Call &made, const model::Loop &loop) {
  return maker.function == site.function &&
         (loop.parent == nullptr || (loop.parent->node->start <= made.start && made.end <= loop.parent->node->end));
}

// `num_workers=os.cpu_count()`: some, whatever the machine.
bool counts_cores(const model::Argument &given) {
  if (given.given.size() != 1) {
    return false;
  }
  const model::Argument::Given &one = given.given[0];
  return has_word(one.scope.module->parsed->source.part(one.expr->start, one.expr->end), {"cpu_count("});
}

// Is one of the loaders that it may be made so that its workers are started again and again?
Workers restarted_workers(const Site &site, const model::Value &loader, const model::Loop &loop,
                          std::vector<const Call *> &makers) {
  Workers found = Workers::None;
  for_each_alternative(loader, [&](const model::Value &one) {
    if (!one.is_kind(Kind::TorchDataLoader) || one.maker() == nullptr || !one.name() ||
        one.name().text() != "torch.utils.data.DataLoader") {
      return;
    }
    const Site there = site_of(site, *one.maker());
    if (is_created_again(site, there, *one.maker(), loop)) {
      return;
    }
    constexpr u32 kWorkers = 5;
    const model::Argument given = argument_of(there, *one.maker(), kWorkers, "num_workers");
    const auto workers = setting_of(there, given, model::ConstantValue::of(i64{0}));
    const model::Argument kept = argument_of(there, *one.maker(), ~0U, "persistent_workers");
    const bool is_unknown = !workers.has_value() && given.given.empty();
    if (is_unknown || !kept.is_absent() || (workers.has_value() && workers->as_integer().value_or(0) <= 0)) {
      return;
    }
    // `self.args.num_workers`: is it 0 by default, wherever that is written?
    const auto *setting = as<Attribute>(argument(*one.maker(), kWorkers, "num_workers"));
    const std::string name = setting != nullptr ? std::string(setting->attr.text()) : std::string{};
    const std::string forms[] = {name + ": int = 0\n", name + " = 0\n", name + "=0,", "\"" + name + "\": 0"};
    const bool may_be_none =
        !workers.has_value() && setting != nullptr && project_has_word(site, {forms[0], forms[1], forms[2], forms[3]});
    if (may_be_none) {
      return;
    }
    found = workers.has_value() || counts_cores(given) ? Workers::Some : std::max(found, Workers::Perhaps);
    makers.push_back(one.maker());
  });
  return found;
}

void check(Site &site, const Node &node) {
  const auto *found = site.project.loop_at(&node);
  if (found == nullptr || (found->parent != nullptr && found->parent->few_iterations)) {
    return; // iterated over a few times
  }
  const model::Loop &loop = *found;
  const bool is_called_again = site.function != nullptr && site.function->in_loop;
  if (loop.parent == nullptr && !(is_called_again && (loop.steps || loop.evaluates))) {
    return; // iterated over once
  }
  const Expr *loader = iterated_by(site, loop);
  const model::Value value = loader != nullptr ? value_of(site, loader) : model::Value{};
  if (loader == nullptr || (model::kind_of(loader) != Kind::TorchDataLoader && value.alternatives != nullptr)) {
    return;
  }
  std::vector<const Call *> makers;
  const Workers workers = restarted_workers(site, value, loop, makers);
  if (workers == Workers::None) {
    return;
  }
  // A number that users choose may be 0, and then PyTorch refuses persistent workers.
  Finding &finding =
      report(site, *loader, "every epoch stops the `DataLoader`'s workers and starts them again",
             workers == Workers::Some ? "create the `DataLoader` with `persistent_workers=True`"
                                      : "create the `DataLoader` with `persistent_workers=num_workers > 0`");
  // `while True: for batch in loader: yield batch`, from which training draws its batches.
  const bool is_endless =
      loop.parent != nullptr && loop.parent->node->kind == NodeKind::While &&
      any_node(as<For>(loop.node)->body, [](const Node *part) { return part->kind == NodeKind::Yield; });
  const bool is_training = loop.steps || loop.trains || is_endless;
  finding.tier = is_training && !site.module->is_test ? Tier::On : Tier::Hint;
  if (loop.parent != nullptr) {
    add_note(finding, site, *loop.parent->node, "in every iteration of this loop");
  }
  for (const Call *maker : makers) {
    finding.notes.push_back({site_of(site, *maker).module->file, maker->func->span(), "the loader is created here"});
  }
}

} // namespace

extern constinit const Rule kNoPersistentWorkers = {
    .info = {.code = "DP147",
             .name = "no-persistent-workers",
             .summary = "a `DataLoader` whose workers are restarted in every epoch",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A loop over a `DataLoader` with workers inside a loop over epochs, or in a function that such a loop calls, where the
loader has no `persistent_workers`. It is a hint where the loop does not train, unless it is a
generator that cycles through the loader. A number of workers that users choose
counts as some, unless 0 is written as its default.

## Why it costs

At the end of each epoch the workers stop, and at the beginning of the next one they start again: processes are created,
modules imported where they are spawned, the dataset copied and files opened, while the device waits for the first
batch. The shorter the epochs, the larger the share of that time.

## Bad

```python
from torch.utils.data import DataLoader


def train(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, num_workers=4)
    for epoch in range(epochs):
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
```

## Good

```python
from torch.utils.data import DataLoader


def train(model, optimizer, images, epochs):
    loader = DataLoader(images, batch_size=64, num_workers=4, persistent_workers=True)
    for epoch in range(epochs):
        for x in loader:
            model(x).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
```

## When it is wrong

With epochs of many minutes the restart does not matter. Persistent workers keep their copy of the dataset and do not
see changes that the program makes to it between epochs.

## References

- `torch.utils.data.DataLoader`: `persistent_workers`
- PyTorch Lightning: speed up model training, on workers
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::no_persistent_workers
