#include "model/bind.h"
#include "project/requirements.h"
#include "rules/encoding.h"
#include "rules/sample_cost.h"
#include "rules/tree.h"

#include <unordered_map>
#include <utility>

namespace deepperf::rules::loader_without_workers {

using namespace python;
using model::ConstantValue;
using model::Value;

namespace {

// One batch, to look at.
bool is_for_a_look(const Site &site) {
  const auto *outer = !site.ancestors.empty() ? as<Call>(site.ancestors.back()) : nullptr;
  const std::string_view api = outer != nullptr ? called_api(site, *outer) : std::string_view{};
  return api == "iter" || api == "next" || api == "len";
}

// How often a function reads each name, and how often only for a look: `next(iter(loader))`, `len(loader)`, or a loop
// that ends in its first iteration. Found in one walk, whatever number of loaders there are.
struct NameUses {
  struct Count {
    u32 uses = 0;
    u32 looks = 0;
  };
  std::unordered_map<u32, Count> counts;

  void add_look(const Expr *expr) {
    if (const auto *name = as<Name>(expr)) {
      ++counts[name->id.id].looks;
    }
  }

  void add(const Node *node) {
    if (const auto *use = as<Name>(node); use != nullptr && use->context == Context::Load) {
      ++counts[use->id.id].uses;
    }
    const auto *call = as<Call>(node);
    const Expr *const given = call != nullptr && call->args.size() == 1 ? call->args[0] : nullptr;
    const auto *inner = as<Call>(given);
    if (inner != nullptr && called_name(*call) == "next" && called_name(*inner) == "iter" && inner->args.size() == 1) {
      add_look(inner->args[0]);
    } else if (given != nullptr && called_name(*call) == "len") {
      add_look(given);
    }
    const auto *loop = as<For>(node); // that ends in its first iteration
    if (loop != nullptr && !loop->body.empty() && loop->body.back()->kind == NodeKind::Break) {
      any_node(loop->iter, [this](const Node *part) {
        add_look(part->kind == NodeKind::Name ? static_cast<const Expr *>(part) : nullptr);
        return false;
      });
    }
  }
};

// `small = DataLoader(…)` of which nothing but `next(iter(small))` is taken: workers would have to start for one batch.
bool is_looked_at_once(const Site &site) {
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  if (name == nullptr) {
    return false;
  }
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  const void *const owner = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  const auto &found = site.memory.recall<NameUses>(owner, [&] {
    NameUses uses;
    for (const Stmt *statement : definition != nullptr ? definition->body : site.module->parsed->tree.body) {
      any_node_inside(statement, [&uses](const Node *node) {
        uses.add(node);
        return false;
      });
    }
    return uses;
  });
  const auto count = found.counts.find(name->id.id);
  return count != found.counts.end() && count->second.looks > 0 && count->second.uses == count->second.looks;
}

// The loaders of a class for training, validation and tests share a default: it is reported at the first of them.
bool is_known_default(const Site &site) {
  struct Reported {
    mutable bool value = false;
  };
  if (site.type == nullptr || site.module->is_test) {
    return false;
  }
  const Reported &reported = site.memory.recall<Reported>(site.type, [] { return Reported{}; });
  return std::exchange(reported.value, true);
}

// `super().__init__(dataset, …)` in a loader of the project's own.
bool is_own_loader(const Site &site, const Call &call) {
  const auto *base = as<Call>(receiver_of(call));
  return base != nullptr && called_name(*base) == "super" && site.function != nullptr &&
         site.function->type != nullptr && site.function->type->kind == Kind::TorchDataLoader;
}

// Trainer(args=TrainingArguments(…), train_dataset=…) of Hugging Face makes the loader itself.
void check_trainer(Site &site, const Call &trainer) {
  const model::Argument arguments = argument_of(site, trainer, 1, "args");
  if (arguments.unknown || arguments.given.size() != 1) {
    return;
  }
  const auto written = model::written_as(arguments.given[0].scope, arguments.given[0].expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  if (made == nullptr || !called_api(site, *made).ends_with("TrainingArguments")) {
    return;
  }
  const model::Argument workers = model::argument_of(written[0].scope, *made, ~0U, "dataloader_num_workers");
  const auto setting = setting_of(site, workers, ConstantValue::of(i64{0}));
  constexpr u32 kCollator = 2;
  constexpr u32 kTrainSet = 3;
  const Preparation prepared = setting.has_value() && setting->as_integer() == 0
                                   ? preparation_of(site, argument_of(site, trainer, kTrainSet, "train_dataset"),
                                                    argument_of(site, trainer, kCollator, "data_collator"))
                                   : Preparation{};
  if (prepared.cost != SampleCost::Much) {
    return;
  }
  Finding &finding = report(
      site, trainer, "this `Trainer` reads and prepares every sample in the training process, while the device waits",
      "pass `dataloader_num_workers=` to `TrainingArguments`, a few per device");
  finding.notes.push_back({written[0].scope.module->file, made->span(), "no workers are set here"});
  if (prepared.work != nullptr) {
    finding.notes.push_back(
        {prepared.where->module->file, prepared.work->span(), "this runs for each sample or batch"});
  }
  if (prepared.iterable || (!workers.given.empty() && !setting->overridable)) {
    finding.tier = Tier::Hint;
  }
}

// An entry of a configuration, such as `cfg["num_workers"]`: what a user of the program sets, and not what this call
// wants.
bool is_entry(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const Expr *const assigned = name != nullptr ? assigned_to(site, *name) : expr;
  const auto *entry = as<Subscript>(assigned);
  const auto *call = as<Call>(assigned);
  return (entry != nullptr && string_of(site, entry->slice).has_value()) ||
         (call != nullptr && called_method(*call) == "get");
}

// Does pip install the module, as a part of a package?
bool is_packaged(const std::string &path) {
  for (std::size_t at = 0, end = path.find('/'); end != std::string::npos; at = end + 1, end = path.find('/', at)) {
    const std::string_view folder = std::string_view(path).substr(at, end - at);
    if (!folder.empty() && folder.find('.') == std::string_view::npos &&
        project::folder_that_packages(path, folder).has_value()) {
      return true;
    }
  }
  return false;
}

// The default of a constructor of a library that nothing in it calls: its users choose.
bool is_left_to_others(const Site &site, const Expr *workers) {
  const auto *attribute = as<Attribute>(workers);
  if (attribute == nullptr || site.type == nullptr || site.function == nullptr ||
      !model::is_own_object(*site.function, attribute->value)) {
    return false;
  }
  const auto constructor = site.type->members.find(intern("__init__").id);
  return constructor != site.type->members.end() && constructor->second.is(Value::Tag::Function) &&
         constructor->second.function->called_by.empty() && is_packaged(site.module->parsed->path);
}

void check(Site &site, const Call &call) {
  if (called_api(site, call).starts_with("transformers.")) {
    return check_trainer(site, call);
  }
  if (called_method(call) == "__init__" && !is_own_loader(site, call)) {
    return;
  }
  constexpr u32 kWorkers = 5;
  const model::Argument workers = argument_of(site, call, kWorkers, "num_workers");
  const auto setting = setting_of(site, workers, ConstantValue::of(i64{0}));
  if (!setting.has_value() || setting->as_integer() != 0 || is_for_a_look(site) || is_looked_at_once(site)) {
    return;
  }
  const Preparation prepared = preparation_of(site, call);
  const Keyword *const written = keyword_argument(call, "num_workers");
  // Options that `**` hands over are settings as well, whoever wrote them down.
  const bool is_handed_over = written == nullptr && call.args.size() <= kWorkers && !workers.given.empty();
  const bool is_entry_of_settings = written != nullptr ? is_entry(site, written->value) : is_handed_over;
  // Somebody wrote num_workers=0.
  const bool is_chosen = !workers.given.empty() && !setting->overridable && !is_entry_of_settings;
  if (prepared.cost == SampleCost::Nothing || (prepared.cost == SampleCost::Unknown && !workers.is_absent())) {
    return;
  }
  const bool is_much = prepared.cost == SampleCost::Much;
  if (is_much && setting->overridable && is_known_default(site)) {
    return;
  }
  const std::string when = setting->overridable ? "by default, " : "";
  Finding &finding = report(
      site, call,
      is_much
          ? when + "this `DataLoader` reads and prepares every sample in the training process, while the device waits"
          : "this `DataLoader` has no workers: samples are prepared in the training process, while the device waits",
      is_chosen ? "set `num_workers` to a few per device, unless the samples must be prepared in this process"
      : setting->overridable || is_entry_of_settings
          ? "set the default of `num_workers` to a few per device"
          : "pass `num_workers=`, a few per device, or `num_workers=0` if no workers are intended");
  if (prepared.work != nullptr) {
    finding.notes.push_back(
        {prepared.where->module->file, prepared.work->span(), "this runs for each sample or batch"});
  }
  // Workers of an iterable dataset have to share it among them; such a dataset cannot be shuffled.
  constexpr u32 kShuffle = 2;
  const auto shuffled = setting_of(site, argument_of(site, call, kShuffle, "shuffle"), ConstantValue::of(false));
  const bool is_iterable = prepared.iterable && !(shuffled.has_value() && shuffled->is_true());
  // A loader class that passes on what others choose: `super().__init__(dataset, **kwargs)`.
  const auto *const base = as<Call>(receiver_of(call));
  const bool is_passed_on = base != nullptr && called_name(*base) == "super" && has_hidden_arguments(call);
  if (!is_much || is_chosen || is_iterable || is_passed_on ||
      (written != nullptr && setting->overridable && is_left_to_others(site, written->value))) {
    finding.tier = Tier::Hint;
  }
  // Who gives workers to one loader of a function gives them to the others.
  finding.group = (site.function != nullptr && site.function->node != nullptr ? site.function->node->start : 0) + 1;
}

} // namespace

extern constinit const Rule kLoaderWithoutWorkers = {
    .info = {.code = "DP130",
             .name = "loader-without-workers",
             .summary = "a `DataLoader` that prepares its samples in the training process",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

A `torch.utils.data.DataLoader` without workers: `num_workers` is not passed, or it is 0 by default, as the default of a
command-line option, a configuration field, a parameter or a dictionary entry. It is reported as proven where the
dataset is known to read, decode, tokenize or transform each sample (a torchvision dataset, or a class whose
`__getitem__` or `collate_fn` does). It is a hint where nothing is known about the dataset, or where the call itself
passes `num_workers=0`, or takes the default of a constructor that nothing in an installable package calls. Of the loaders of a class
that share a default, the first is reported, and those of a function are one finding. A loader of which only
`next(iter(loader))` is taken is not reported.

## Why it costs

By default there are no workers: reading, decoding and augmenting happen between two training steps, while the device is
idle. Workers prepare the next batches while the current one is computed.

## Bad

```python
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

images = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(images, batch_size=64, shuffle=True)
```

## Good

```python
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

images = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4)
```

## When it is wrong

Data that is in memory as tensors needs no workers, and starting them costs more than it saves. The rule is silent for
`TensorDataset`, lists, datasets that only index data in memory, and samples that are already on a GPU. Write
`num_workers=0` where a single process is intended; that also informs readers. A call with `**kwargs` whose contents are
unknown is not reported.

## References

- PyTorch performance tuning guide: enable asynchronous data loading and augmentation
- `torch.utils.data`: single- and multi-process data loading
)"},
    .calls = "torch.utils.data.DataLoader *.__init__ transformers.Trainer transformers.Seq2SeqTrainer",
    .on_call = check};

} // namespace deepperf::rules::loader_without_workers
