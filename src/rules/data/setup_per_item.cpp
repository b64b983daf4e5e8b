#include "rules/dataset_item.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::setup_per_item {

using namespace python;

namespace {

// The folder that a call searches for something about this item: `self.folder.glob(name + ".*")`,
// `glob.glob(os.path.join(self.folder, name + ".*"))`. Null if it is none.
const Expr *searched_folder(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const Expr *const receiver = receiver_of(call);
  if ((method == "glob" || method == "rglob") && receiver != nullptr && model::kind_of(receiver) == Kind::Path) {
    return receiver;
  }
  const auto *path = called_api(site, call) == "glob.glob" && !call.args.empty() ? as<Call>(call.args[0]) : nullptr;
  return path != nullptr && called_api(site, *path) == "os.path.join" && path->args.size() == 2 ? path->args[0]
                                                                                                : nullptr;
}

// `return Compose(…)` of a function that __getitem__ calls with the same arguments for every item.
void check_maker(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->called_by.size() != 1 || site.ancestors.empty() ||
      site.ancestors.back()->kind != NodeKind::Return || site.module->is_test) {
    return;
  }
  const Call &caller = *site.function->called_by[0]->call;
  const Site there = site_of(site, caller);
  if (!in_dataset_item(there) || !is_call_same_for_all_items(there, caller)) {
    return;
  }
  Finding &finding = report(
      site.findings, *site.rule, *there.module, caller.span(),
      fmt::format("`{}` runs again for every item, though its result never changes", text_of(there, caller.func)),
      "create it once in `__init__` and keep it in `self`");
  finding.notes.push_back({site.module->file, call.span(), "it is created here"});
}

void check(Site &site, const Call &call) {
  if (called_name(call) == "Compose") {
    const std::size_t before = site.findings.size();
    check_maker(site, call);
    if (site.findings.size() != before) {
      return;
    }
  }
  if (!runs_per_item(site) || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  if (!is_call_same_for_all_items(site, call)) {
    const Expr *const folder = searched_folder(site, call);
    if (folder != nullptr && is_same_for_all_items(site, *folder)) {
      report(site, call, "the whole folder is searched again for every item",
             "list the folder once in `__init__`, and keep a dictionary from name to path");
    }
    return;
  }
  const bool is_loading = called_method(call) == "from_pretrained";
  if (is_loading && called_api(site, call).empty()) {
    return; // of something that nobody told us
  }
  Finding &finding =
      report(site, call,
             fmt::format("`{}` runs again for every item, though its result never changes", text_of(site, call.func)),
             "create it once in `__init__` and keep it in `self`");
  if (called_api(site, call) == "re.compile") {
    finding.tier = Tier::Hint; // Python remembers the last patterns
  }
}

// `{word: i for i, word in enumerate(self.words)}`: a table of all that the object knows, built to look one thing up.
void check_table(Site &site, const Node &node) {
  const auto &table = static_cast<const ComprehensionExpr &>(node);
  if (table.generators.size() != 1 || !in_dataset_item(site) || enclosing(site, NodeKind::If) != nullptr ||
      site.module->is_test) {
    return;
  }
  const Expr *over = table.generators[0]->iter;
  if (const auto *call = as<Call>(over);
      call != nullptr && !call->args.empty() && (called_name(*call) == "enumerate" || called_name(*call) == "sorted")) {
    over = call->args[0];
  } else if (call != nullptr && (called_method(*call) == "items" || called_method(*call) == "values")) {
    over = receiver_of(*call);
  }
  const auto *attribute = as<Attribute>(over);
  const auto *self = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  if (self == nullptr || site.function->params.empty() || site.function->params[0]->name != self->id) {
    return;
  }
  // Nothing but the object, what it iterates over, and functions of Python.
  const Expr *const target = table.generators[0]->target;
  const bool depends = any_node(&node, [&](const Node *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && name->id != self->id && !mentions(target, name->id) &&
           (site.function->slot_of(name->id) != model::FunctionInfo::kNoSlot);
  });
  if (depends || model::value_of(scope_of(site), over).few) {
    return;
  }
  Finding &finding =
      report(site, node,
             fmt::format("this iterates over all of `{}` again for every item, although the result never changes",
                         text_of(site, over)),
             "build it once in `__init__` and keep it in `self`");
  finding.severity = Severity::Advice;
}

} // namespace

extern constinit const Rule kSetupPerItem = {
    .info = {.code = "DP407",
             .name = "setup-per-item",
             .summary = "a dataset that builds transforms, tokenizers or file lists again for every item",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

In the `__getitem__` of a dataset, or in a helper that only it calls, work that gives the same result for every item:
building a chain of transforms or a spectrogram, loading a tokenizer, listing a folder, building a dictionary of all words. It also finds a folder that is searched by a pattern for each item.

## Why it costs

A `DataLoader` calls `__getitem__` once per example, so the cost is paid for every example of every epoch. Loading a
tokenizer reads and parses its files, and listing a folder visits all of its entries.

## Bad

```python
from torch.utils.data import Dataset
from torchvision import transforms


class Pictures(Dataset):
    def __init__(self, pictures):
        self.pictures = pictures

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        transform = transforms.Compose([transforms.Resize(256), transforms.ToTensor()])
        return transform(self.pictures[index])
```

## Good

```python
from torch.utils.data import Dataset
from torchvision import transforms


class Pictures(Dataset):
    def __init__(self, pictures):
        self.pictures = pictures
        self.transform = transforms.Compose([transforms.Resize(256), transforms.ToTensor()])

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, index):
        return self.transform(self.pictures[index])
```

## When it is wrong

A folder whose contents change while the program runs has to be listed again.

## References

- DLPerf, root cause "Inefficient Data Preprocessing"
)"},
    .calls = "torchvision.transforms.Compose torchvision.transforms.v2.Compose albumentations.Compose os.listdir "
             "os.walk glob.glob Path.glob Path.rglob Path.iterdir "
             "*.from_pretrained torch.hub.load torch.jit.load spacy.load nltk.download re.compile "
             "torchaudio.transforms.MelSpectrogram torchaudio.transforms.Spectrogram torchaudio.transforms.MFCC "
             "torchaudio.transforms.LFCC torchaudio.transforms.MelScale torchaudio.transforms.InverseMelScale "
             "torchaudio.transforms.Resample torchaudio.transforms.GriffinLim torchaudio.transforms.Vad "
             "sentencepiece.SentencePieceProcessor tiktoken.get_encoding tiktoken.encoding_for_model "
             "cv2.CascadeClassifier nltk.corpus.stopwords.words torch.load",
    .on_call = check,
    .nodes = {NodeKind::DictComp, NodeKind::SetComp},
    .on_node = check_table};

} // namespace deepperf::rules::setup_per_item
