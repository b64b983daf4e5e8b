#include "rules/reach.h"
#include "rules/sample_cost.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::shuffle_missing {

using namespace python;

namespace {

// The name that the loader gets: `train_loader`, `self.train_loader`; empty if it gets none.
std::string_view name_given(const Site &site, const Call &call) {
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  if (assignment == nullptr || assignment->value != &call) {
    return {};
  }
  const Expr *target = assignment->targets[0];
  if (const auto *name = as<Name>(target)) {
    return name->id.text();
  }
  const auto *attribute = as<Attribute>(target);
  return attribute != nullptr ? attribute->attr.text() : std::string_view{};
}

// What was reported of the loader before; null if nothing was.
Finding *finding_at(const Site &site, const model::Module &module, const Call &maker) {
  const auto found = std::ranges::find_if(site.findings, [&](const Finding &one) {
    return one.rule == &site.rule->info && one.file == module.file && one.span.start == maker.start &&
           one.span.end == maker.end;
  });
  return found != site.findings.end() ? &*found : nullptr;
}

void check(Site &site, const Call &call) {
  const std::string_view name = name_given(site, call);
  if (name.find("train") == std::string_view::npos || name.find("val") != std::string_view::npos ||
      name.find("eval") != std::string_view::npos || name.find("test") != std::string_view::npos ||
      site.module->is_test) {
    return;
  }
  if (!argument_of(site, call, 2, "shuffle").is_absent() || !argument_of(site, call, 3, "sampler").is_absent() ||
      !argument_of(site, call, 4, "batch_sampler").is_absent()) {
    return;
  }
  const Expr *dataset = argument(call, 0, "dataset");
  if (dataset == nullptr || model::kind_of(dataset) != Kind::TorchDataset || !is_map_style(value_of(site, dataset))) {
    return;
  }
  if (finding_at(site, *site.module, call) == nullptr) {
    report(site, call, fmt::format("`{}` returns the examples in the same order in every epoch", name),
           "pass `shuffle=True`, or a sampler")
        .tier = Tier::Hint;
  }
}

// Does the class draw its own samples, or put them in an order of its own? Then the loader need not.
bool orders_itself(const model::Project &project, const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [&](const model::ClassInfo *at) {
    return any_node_inside(at->node, [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call == nullptr) {
        return false;
      }
      const model::Value callee = project.callee_of(call);
      const ApiInfo *const info = callee.is(model::Value::Tag::Api) ? find_api(callee.name()) : nullptr;
      const std::string_view name = called_name(*call);
      return (info != nullptr && info->has(kRandom)) ||
             has_word(name, {"shuffle", "permutation", "rand", "sample", "choice"});
    });
  });
}

// Does the loop hand a state from one batch to the next, so that their order matters?
bool carries_state(const model::Loop &loop) {
  const auto is_carried = [&](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && model::kind_of(call->func) == Kind::TorchModule && call->args.size() > 1 &&
           std::ranges::any_of(call->args, [&](const Expr *given) {
             const auto *name = as<Name>(given);
             const bool is_bound = name != nullptr && std::ranges::find(loop.assigned, name->id) != loop.assigned.end();
             return is_bound && !any_node(loop.node, [&](const Node *part) {
                      const auto *bound = as<Name>(part);
                      return bound != nullptr && bound->id == name->id && bound->context == Context::Store &&
                             bound->start < call->start;
                    });
           });
  };
  return any_node(loop.node, is_carried);
}

// The loader that each iteration takes a batch of: what a `for` goes over, or what next() is called on.
const Expr *loader_of(const Site &site, const model::Loop &loop) {
  if (const Expr *over = iterated_by(site, loop)) {
    return over;
  }
  const Expr *found = nullptr;
  any_node(loop.node, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && !call->args.empty() && called_api(site, *call) == "next") {
      found = call->args[0];
    }
    return found != nullptr;
  });
  return found;
}

// A loop that trains with a loader that does not shuffle, of files that are read class by class, or of a dataset of the
// project that leaves the order to the loader.
void check_loop(Site &site, const Node &node) {
  const model::Loop *const loop = site.project.loop_at(&node);
  if (loop == nullptr || !loop->steps || site.module->is_test) {
    return;
  }
  const Expr *const over = loader_of(site, *loop);
  const model::Value loader = over != nullptr ? value_of(site, over) : model::Value{};
  if (!loader.is_kind(Kind::TorchDataLoader) || loader.maker() == nullptr || loader.alternatives != nullptr ||
      loader.open || loader.many) {
    return;
  }
  const Call &maker = *loader.maker();
  const Site there = site_of(site, maker);
  const auto is_absent = [&](u32 position, std::string_view name) {
    return argument_of(there, maker, position, name).is_absent();
  };
  if (called_api(there, maker) != "torch.utils.data.DataLoader" || !is_absent(2, "shuffle") ||
      !is_absent(3, "sampler") || !is_absent(4, "batch_sampler")) {
    return;
  }
  const Expr *const given = argument(maker, 0, "dataset");
  const model::Value dataset = given != nullptr ? value_of(there, given) : model::Value{};
  const bool is_known = dataset.is_kind(Kind::TorchDataset) && dataset.name() &&
                        dataset.name().text().starts_with("torchvision.datasets.");
  // In one pass over the data the order is that of the files; in the second one it should be another.
  const bool is_own =
      dataset.is(model::Value::Tag::Object) && dataset.type->kind == Kind::TorchDataset && is_map_style(dataset) &&
      (loop->parent != nullptr || loop->function->in_loop) && !orders_itself(site.project, *dataset.type) &&
      !carries_state(*loop) &&
      !file_has_word(there, {"shuffle(", "permutation(", "randperm(", "random_split(", "train_test_split("});
  const bool is_table = dataset.is_kind(Kind::HfDataset) && dataset.maker() != nullptr && dataset.name() &&
                        (loop->parent != nullptr || loop->function->in_loop) && !carries_state(*loop) &&
                        !project_has_word(there, {"shuffle(", "streaming", "train_test_split(", "IterableDataset"});
  if (!is_known && !is_own && !is_table) {
    return;
  }
  constexpr std::string_view kMessage =
      "this loader returns the examples in the same order in every epoch, and the model is trained with it";
  Finding *const guessed = finding_at(site, *there.module, maker); // from its name
  Finding &finding = guessed != nullptr ? *guessed
                                        : report(site.findings, *site.rule, *there.module, maker.span(),
                                                 std::string(kMessage), "pass `shuffle=True`, or a sampler");
  finding.message = kMessage;
  finding.notes.push_back({site.module->file, over->span(), "the training loop"});
  finding.tier = Tier::On;
}

} // namespace

extern constinit const Rule kShuffleMissing = {.info = {.code = "DP817",
                                                        .name = "shuffle-missing",
                                                        .summary = "a DataLoader for training that does not shuffle",
                                                        .root_cause = "Training: Wrong Training Step",
                                                        .symptoms = "Wrong Result, Slow Convergence",
                                                        .stage = "Data Preparation",
                                                        .frameworks = "PyTorch",
                                                        .severity = Severity::Advice,
                                                        .tier = Tier::On,
                                                        .fix = FixKind::None,
                                                        .documentation = R"(## What it finds

A `DataLoader` whose name contains `train`, over a dataset with `__getitem__`, that receives neither `shuffle` nor a sampler. It is a
hint, unless a training loop is seen that takes its batches from the loader, and the dataset is one of torchvision.

## Why it costs

Files are often sorted by class. With batches of one class each, in the same order in every epoch, consecutive steps pull the weights toward
one class after another: training is slow and forgets what came first. Batch normalization sees one class at a time.

## Bad

```python
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10

train_loader = DataLoader(CIFAR10("data"), batch_size=64, num_workers=4)
```

## Good

```python
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10

train_loader = DataLoader(CIFAR10("data"), batch_size=64, shuffle=True, num_workers=4)
```

## When it is wrong

Where the order matters, as in time series, or the dataset shuffles itself. Pass `shuffle=False` to make that explicit.

## References

- PyTorch documentation of `torch.utils.data`: data loading order and Sampler
)"},
                                               .calls = "torch.utils.data.DataLoader",
                                               .on_call = check,
                                               .nodes = {NodeKind::For, NodeKind::While},
                                               .on_node = check_loop};

} // namespace deepperf::rules::shuffle_missing
