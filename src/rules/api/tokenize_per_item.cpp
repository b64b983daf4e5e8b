#include "model/variance.h"
#include "rules/dataset_item.h"
#include "rules/site.h"

#include <algorithm>

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

void check(Site &site, const Call &call) {
  if (!in_dataset_item(site) || call.args.empty() || !is_same_in_each_epoch(site, call)) {
    return;
  }
  report(site, call, "every item is tokenized again in every epoch",
         "tokenize all texts once, as a list in `__init__` or with `Dataset.map(…, batched=True)`, and keep the ids");
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
             "HfTokenizer.batch_encode_plus",
    .on_call = check};

} // namespace deepperf::rules::tokenize_per_item
