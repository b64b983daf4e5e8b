#include "model/bind.h"
#include "model/classes.h"
#include "model/context.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/collators.h"
#include "rules/dataset_item.h"
#include "rules/reach.h"
#include "rules/sample_cost.h"
#include "rules/site.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::tokenize_per_item {

using namespace python;

namespace {

// Does the text come from the item alone? What is augmented at random has to be tokenized again.
bool is_same_in_each_epoch(const Site &site, const Call &call) {
  return std::ranges::none_of(call.args, [&site](const Expr *argument) {
    const auto *text = as<Call>(argument);
    const ApiInfo *info = text != nullptr ? find_api(site.project.callee_of(text).name()) : nullptr;
    return info != nullptr && info->has(kRandom);
  });
}

// A function that nothing but the __getitem__ of a Dataset calls, with an element of what the object keeps in memory.
const model::CallSite *call_for_item(const Site &site) {
  if (site.function == nullptr || site.function->called_by.size() != 1) {
    return nullptr;
  }
  const model::CallSite *const caller = site.function->called_by[0];
  Site there = site_of(site, *caller->call);
  const bool is_kept = std::ranges::any_of(caller->call->args, [&](const Expr *argument) {
    const auto *element = as<Subscript>(argument);
    const auto *attribute = element != nullptr ? as<Attribute>(element->value) : nullptr;
    return attribute != nullptr && model::is_own_object(*caller->caller, attribute->value);
  });
  return is_kept && in_dataset_item(there) ? caller : nullptr;
}

// `WORD.findall(text)` of a pattern that re.compile() made.
bool splits_by_pattern(const Site &site, const Call &call) {
  const std::string_view method = called_method(call);
  const auto *pattern = as<Name>(receiver_of(call));
  const auto *own = as<Attribute>(receiver_of(call));
  if ((method != "findall" && method != "finditer" && method != "split") || (pattern == nullptr && own == nullptr)) {
    return false;
  }
  const model::Value value = value_of(site, receiver_of(call));
  if (value.maker() != nullptr && called_api(site, *value.maker()) == "re.compile") {
    return true;
  }
  const auto written = model::written_as(scope_of(site), receiver_of(call));
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  return made != nullptr && called_api(site, *made) == "re.compile";
}

// A text is split into words by Python code: slower than a tokenizer, and the same in every epoch.
void check_words(Site &site, const Call &call) {
  const bool is_direct = in_dataset_item(site);
  const model::CallSite *const caller = is_direct ? nullptr : call_for_item(site);
  if (site.module->is_test || (!is_direct && caller == nullptr)) {
    return;
  }
  const Node &place = caller != nullptr ? static_cast<const Node &>(*caller->call) : call;
  Finding &finding = report(site.findings, *site.rule, caller != nullptr ? *caller->caller->module : *site.module,
                            place.span(), "every item is tokenized again in every epoch",
                            "tokenize all texts once, in `__init__`, and keep the ids");
  if (caller != nullptr) {
    finding.notes.push_back({site.module->file, call.span(), "the text is split into words here"});
  } else {
    finding.tier = Tier::Hint; // what is split may be a path or a number
  }
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const std::string_view method = called_method(call);
  if (method == "findall" || method == "finditer" || method == "split") {
    if (api.starts_with("re.") || (api.empty() && splits_by_pattern(site, call))) { // and not os.path.split()
      check_words(site, call);
    }
    return;
  }
  if (!api.empty()) {
    check_words(site, call);
    return;
  }
  if (call.args.empty() || !is_same_in_each_epoch(site, call)) {
    return;
  }
  if (in_dataset_item(site)) {
    Finding &finding = report(
        site, call, "every item is tokenized again in every epoch",
        "tokenize all texts once, as a list in `__init__` or with `Dataset.map(…, batched=True)`, and keep the ids");
    if (decoding_in(site.project, *site.function).call != nullptr) {
      finding.tier = Tier::Hint; // decoding the picture next to the text takes longer
    }
    return;
  }
  // Functions that an item leads to may also serve others, or keep what they made.
  const bool is_reached = site.function != nullptr && (site.function->context & model::kPerSample) != 0;
  const bool is_collated = !is_reached && !site.module->is_test && is_collator(site, site.function);
  if ((is_reached || is_collated) && !site.module->is_test) {
    Finding &finding = report(
        site, call,
        is_collated ? "every batch is tokenized again in every epoch" : "every item is tokenized again in every epoch",
        "tokenize all texts once, as a list in `__init__` or with `Dataset.map(…, batched=True)`, and keep the ids");
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kTokenizePerItem = {
    .info = {.code = "DP149",
             .name = "tokenize-per-item",
             .summary = "a dataset that tokenizes a text whenever an item is read",
             .root_cause = "API: Not Using Batch API",
             .symptoms = "Slow Execution Time, Abnormal CPU Utilization",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Hugging Face tokenizer that is called in the `__getitem__` of a dataset.

## Why it costs

The same text is tokenized once per epoch, with one call per text. A fast tokenizer processes a list of texts on all
cores, and the ids of a text never change.

## Bad

```python
from torch.utils.data import Dataset
from transformers import AutoTokenizer


class Reviews(Dataset):
    def __init__(self, texts):
        self.texts = texts
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        return self.tokenizer(self.texts[index], truncation=True)
```

## Good

```python
from torch.utils.data import Dataset
from transformers import AutoTokenizer


class Reviews(Dataset):
    def __init__(self, texts):
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        self.ids = tokenizer(texts, truncation=True)["input_ids"]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.ids[index]
```

## When it is wrong

Where the ids of all texts do not fit into memory (then write them to disk once), where texts are changed at random, or
where enough workers keep the device busy anyway.

## References

- Datasets: process, batch processing
)"},
    .calls = "HfTokenizer.__call__ HfTokenizer.encode HfTokenizer.encode_plus HfTokenizer.tokenize "
             "HfTokenizer.batch_encode_plus re.findall re.split re.finditer nltk.word_tokenize "
             "nltk.tokenize.word_tokenize jieba.cut jieba.lcut *.findall *.finditer *.split",
    .on_call = check};

} // namespace deepperf::rules::tokenize_per_item
