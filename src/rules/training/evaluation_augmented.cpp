#include "model/variance.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"
#include "rules/vision_transforms.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::evaluation_augmented {

using namespace python;

namespace {

bool is_evaluation_word(std::string_view text) {
  return text == "val" || text == "valid" || text == "validation" || text == "test" || text == "dev" || text == "eval";
}

// `val_set`, `self.test_ds`, `valid`: by the words of the name
bool names_evaluation(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  text = dot == std::string_view::npos ? text : text.substr(dot + 1);
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find('_', from), text.size());
    std::string_view word = text.substr(from, end - from);
    if (is_evaluation_word(word) || word == "valset" || word == "testset" || word == "valds" || word == "va") {
      return true;
    }
    from = end + 1;
  }
  return false;
}

// CIFAR10(root, train, transform)
bool has_train_place(std::string_view api) {
  return api.ends_with("MNIST") || api.ends_with(".CIFAR10") || api.ends_with(".CIFAR100");
}

// Does the constructor say that the data is for evaluation: train=False, split="test", a folder `…/val`?
bool is_for_evaluation(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (const Keyword *train = keyword_argument(call, "train")) {
    const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), train->value);
    return is_constant(train->value, ConstantKind::False) ||
           std::ranges::any_of(written, [](const model::Argument::Given &given) {
             return is_constant(given.expr, ConstantKind::False);
           });
  }
  for (const std::string_view keyword : {"split", "image_set"}) {
    if (const Keyword *split = keyword_argument(call, keyword)) {
      const auto text = string_of(site, split->value);
      return text.has_value() && is_evaluation_word(*text);
    }
  }
  if (has_train_place(api) && call.args.size() > 1) { // CIFAR10(root, False)
    return is_constant(call.args[1], ConstantKind::False);
  }
  if (!api.ends_with("ImageFolder") && !api.ends_with("DatasetFolder")) {
    return false;
  }
  const Expr *root = argument(call, 0, "root");
  const auto *joined = as<Call>(root);
  if (joined != nullptr && called_name(*joined) == "join" && !joined->args.empty()) {
    root = joined->args.back();
  }
  const auto *path = as<BinOp>(root);
  if (path != nullptr && (path->op() == Operator::Div || path->op() == Operator::Add)) { // root + "/val"
    root = path->right;
  }
  const auto text = root != nullptr ? string_of(site, root) : std::nullopt;
  if (!text.has_value()) {
    return false;
  }
  const std::size_t slash = text->rfind('/');
  return is_evaluation_word(slash == std::string::npos ? *text : text->substr(slash + 1));
}

// The transform that a data set of torchvision is made with; null if there is none.
const Expr *transform_of(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (!api.starts_with("torchvision.datasets.")) {
    return nullptr;
  }
  // ImageFolder(root, transform), CIFAR10(root, train, transform); elsewhere only by its name.
  const bool is_folder = api.ends_with(".ImageFolder") || api.ends_with(".FakeData");
  const u32 place = is_folder ? 1 : has_train_place(api) ? 2 : ~0U;
  if (place != ~0U) {
    return argument(call, place, "transform");
  }
  const Keyword *const given = keyword_argument(call, "transform");
  return given != nullptr ? given->value : nullptr;
}

// What one call of the function around the place passes for a parameter that the expression is; nothing if it is
// something else.
std::optional<model::ConstantValue> passed_constant(const Site &site, const model::CallSite &caller, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const u32 place = name != nullptr ? site.function->place_of_param(name->id) : model::FunctionInfo::kNoParam;
  const Expr *const given = place != model::FunctionInfo::kNoParam ? model::passed_argument(caller, place) : nullptr;
  return given != nullptr ? setting_of(site_of(site, *caller.call), given) : std::nullopt;
}

// The same as is_for_evaluation where a caller decides: `build(root, "val")` of `ImageFolder(f"{root}/{split}")`.
bool is_called_for_evaluation(const Site &site, const Call &call, const model::CallSite &caller) {
  if (const Keyword *train = keyword_argument(call, "train")) {
    const auto value = passed_constant(site, caller, train->value);
    return value.has_value() && value->as_bool() == false;
  }
  const Keyword *split = keyword_argument(call, "split");
  const Expr *root = split != nullptr ? split->value : argument(call, 0, "root");
  if (const auto *text = as<JoinedStr>(root); text != nullptr && !text->values.empty()) {
    const auto *last = as<FormattedValue>(text->values[text->values.size() - 1]);
    root = last != nullptr ? last->value : nullptr;
  } else if (const auto *joined = as<Call>(root); joined != nullptr && called_name(*joined) == "join") {
    root = joined->args.empty() ? nullptr : joined->args.back();
  } else if (const auto *path = as<BinOp>(root); path != nullptr && path->op() == Operator::Div) {
    root = path->right;
  }
  const auto value = root != nullptr ? passed_constant(site, caller, root) : std::nullopt;
  const auto text = value.has_value() ? value->as_string() : std::nullopt;
  return text.has_value() && is_evaluation_word(*text);
}

// A function that makes data sets: what each of its callers asks for.
void check_maker(Site &site, const Call &call, const Expr *transform) {
  constexpr std::size_t kMostCallers = 8;
  if (site.function == nullptr || site.function->called_by.size() > kMostCallers) {
    return;
  }
  for (const model::CallSite *caller : site.function->called_by) {
    const Call *const random =
        is_called_for_evaluation(site, call, *caller) ? random_step_in_call(site, *caller, transform) : nullptr;
    if (random != nullptr) {
      Site there = site_of(site, *caller->call);
      Finding &finding =
          report(there, *caller->call,
                 "the data for evaluation is augmented at random, so the scores are too low and differ from run to run",
                 "use a transform without random steps, such as `Resize`, `CenterCrop` and `ToTensor`");
      finding.notes.push_back({site_of(site, *random).module->file, random->span(), "this step is random"});
    }
  }
}

// Is the training data of the same kind, made next to it, left as it is? Who rotates only the test images tests for
// rotations. Crops and flips that only the test images get are more likely two transforms that were swapped.
bool is_task(const Site &site, const Call &call, const Call &random) {
  const std::string_view step = step_name(site, random);
  if (step != "RandomRotation" && step != "RandomAffine" && step != "RandomPerspective" && step != "ElasticTransform") {
    return false;
  }
  const std::string_view api = called_api(site, call);
  return any_node(body_around(site), [&](const Node *node) {
    const auto *other = as<Call>(node);
    if (other == nullptr || other == &call || called_api(site, *other) != api || is_for_evaluation(site, *other)) {
      return false;
    }
    const Expr *const transform = transform_of(site, *other);
    return transform != nullptr && !transform_steps(site, transform).empty() && random_step(site, transform) == nullptr;
  });
}

void check_constructor(Site &site, const Call &call) {
  const Expr *const transform = transform_of(site, call);
  if (transform == nullptr || !is_for_evaluation(site, call)) {
    if (transform != nullptr) {
      check_maker(site, call, transform);
    }
    return;
  }
  if (const Call *random = random_step(site, transform); random != nullptr && !is_task(site, call, *random)) {
    const Keyword *const named = keyword_argument(call, "transform");
    Finding &finding =
        report(site, named != nullptr ? static_cast<const Node &>(*named) : *transform,
               "the data for evaluation is augmented at random, so the scores are too low and differ from run to run",
               "use a transform without random steps, such as `Resize`, `CenterCrop` and `ToTensor`");
    finding.notes.push_back({site_of(site, *random).module->file, random->span(), "this step is random"});
  }
}

// The random step of the data set that is divided; null if it has none.
const Call *random_step_of(const Site &site, const Expr *dataset) {
  const model::Value value = value_of(site, dataset);
  if (!value.is_kind(Kind::TorchDataset) || value.maker() == nullptr || value.alternatives != nullptr || value.many) {
    return nullptr;
  }
  const Site there = site_of(site, *value.maker());
  const Expr *const transform = transform_of(there, *value.maker());
  return transform != nullptr ? random_step(there, transform) : nullptr;
}

bool names_evaluation(const Site &site, const Expr *target) {
  const auto *parts = as<Tuple>(target);
  if (parts == nullptr) {
    return names_evaluation(text_of(site, target));
  }
  return std::ranges::any_of(parts->elts, [&](const Expr *part) { return names_evaluation(text_of(site, part)); });
}

// Is nothing of the parts used for evaluation but `val.indices`, to take them from another data set?
bool gives_only_indices(const Site &site, const Expr *target) {
  const auto *parts = as<Tuple>(target);
  const auto is_evaluation = [](const Expr *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && names_evaluation(name->id.text());
  };
  if (parts == nullptr) {
    return false;
  }
  return std::ranges::all_of(parts->elts, [&](const Expr *part) {
    if (!is_evaluation(part)) {
      return part->kind == NodeKind::Name || !names_evaluation(text_of(site, part));
    }
    const Symbol name = static_cast<const Name *>(part)->id;
    u32 uses = 0;
    u32 indices = 0;
    any_node(body_around(site), [&](const Node *node) {
      const auto *use = as<Name>(node);
      const auto *attribute = as<Attribute>(node);
      const auto *owner = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
      uses += use != nullptr && use->id == name && use->context == Context::Load ? 1 : 0;
      indices += owner != nullptr && owner->id == name && attribute->attr.text() == "indices" ? 1 : 0;
      return false;
    });
    return uses > 0 && uses == indices;
  });
}

// `return random_split(…)`: does a caller give one of the parts such a name?
bool returns_evaluation(const Site &site) {
  for (const model::CallSite *caller : site.function->called_by) {
    const Site there = site_of(site, *caller->call);
    const bool names = any_node(body_around(there), [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      return assignment != nullptr && assignment->value == caller->call &&
             names_evaluation(there, assignment->targets[0]);
    });
    if (names) {
      return true;
    }
  }
  return false;
}

// random_split(full, …), Subset(full, indices), DataLoader(full, sampler=…)
void check_split(Site &site, const Call &call) {
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  const auto *assignment = as<Assign>(parent);
  if ((assignment == nullptr && as<Return>(parent) == nullptr) || call.args.empty() || site.module->is_test) {
    return;
  }
  const bool is_split = called_api(site, call).ends_with("random_split");
  const bool is_loader = called_api(site, call).ends_with("DataLoader");
  if (is_loader && keyword_argument(call, "sampler") == nullptr) {
    return;
  }
  const bool is_evaluation =
      assignment == nullptr ? is_split && returns_evaluation(site)
      : is_split ? assignment->targets[0]->kind == NodeKind::Tuple && names_evaluation(site, assignment->targets[0])
                 : names_evaluation(site, assignment->targets[0]);
  // A wrapper or a change of the part's own data set may set another transform.
  if (!is_evaluation || (is_split && assignment != nullptr && gives_only_indices(site, assignment->targets[0])) ||
      file_has_word(site, {".dataset =", ".dataset.transform", "dataset=copy"})) {
    return;
  }
  if (const Call *random = random_step_of(site, call.args[0])) {
    Finding &finding = report(
        site, call,
        "the parts share one data set and its random augmentation, so the data for evaluation is augmented as well",
        "create the data set twice, with and without augmentation, and take `Subset`s of them with the same indices");
    finding.notes.push_back({site_of(site, *random).module->file, random->span(), "this step is random"});
  }
}

// `val.dataset.transform = …`, where val is a part of a data set
void check_assignment(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *transform = as<Attribute>(assignment.targets[0]);
  const auto *dataset = transform != nullptr ? as<Attribute>(transform->value) : nullptr;
  if (dataset == nullptr || dataset->attr.text() != "dataset" || transform->attr.text() != "transform" ||
      site.module->is_test || file_has_word(site, {"deepcopy", "copy.copy"})) {
    return;
  }
  const std::string_view owner = text_of(site, dataset->value);
  const Node *split = nullptr;
  any_node(body_around(site), [&](const Node *other) {
    const auto *made = as<Assign>(other);
    const auto *call = made != nullptr ? as<Call>(made->value) : nullptr;
    const auto *parts = made != nullptr ? as<Tuple>(made->targets[0]) : nullptr;
    if (call == nullptr || parts == nullptr || !called_api(site, *call).ends_with("random_split")) {
      return false;
    }
    for (const Expr *part : parts->elts) {
      split = text_of(site, part) == owner ? other : split;
    }
    return split != nullptr;
  });
  if (split == nullptr) {
    return;
  }
  Finding &finding = report(
      site, assignment,
      "all parts of a random split share one data set, so this sets the transform of the others as well",
      "create the data set twice, with and without augmentation, and take `Subset`s of them with the same indices");
  add_note(finding, site, *split, "the data set is divided here");
}

void check(Site &site, const Node &node) {
  if (node.kind == NodeKind::Assign) {
    check_assignment(site, node);
    return;
  }
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->is_test && model::kind_of(&call) == Kind::TorchDataset) {
    check_constructor(site, call);
  }
}

} // namespace

extern constinit const Rule kEvaluationAugmented = {
    .info = {.code = "DP926",
             .name = "evaluation-augmented",
             .summary = "data for evaluation that is augmented at random",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A data set for validation or test whose transform has random steps such as `RandomCrop` or `ColorJitter`: created so, or split by `random_split()` from a data set
for training. Also `val.dataset.transform = …` after `random_split()`, which changes the data set of all parts.

## Why it is wrong

Scores on randomly changed images are too low and differ from run to run, so the best checkpoint is selected by chance. The parts of a random split are views of
one data set, with one transform.

## Bad

```python
import torch
from torch.utils.data import random_split
from torchvision import datasets, transforms


def load():
    augment = transforms.Compose([transforms.RandomCrop(32, padding=4), transforms.ToTensor()])
    full = datasets.CIFAR10("data", train=True, transform=augment)
    train, val = random_split(full, [45000, 5000], generator=torch.Generator().manual_seed(0))
    return train, val
```

## Good

```python
import torch
from torch.utils.data import Subset
from torchvision import datasets, transforms


def load():
    augment = transforms.Compose([transforms.RandomCrop(32, padding=4), transforms.ToTensor()])
    order = torch.randperm(50000, generator=torch.Generator().manual_seed(0)).tolist()
    train = Subset(datasets.CIFAR10("data", train=True, transform=augment), order[:45000])
    val = Subset(datasets.CIFAR10("data", train=True, transform=transforms.ToTensor()), order[45000:])
    return train, val
```

## When it is wrong

Where predictions are averaged over several augmented versions of each image.
)"},
    .calls = "torch.utils.data.random_split torch.utils.data.dataset.random_split torch.utils.data.Subset "
             "torch.utils.data.DataLoader",
    .on_call = check_split,
    .nodes = {NodeKind::Assign, NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::evaluation_augmented
