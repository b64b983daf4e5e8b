#include "model/bind.h"
#include "model/classes.h"
#include "model/context.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/collators.h"
#include "rules/dataset_item.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/sample_cost.h"
#include "rules/site.h"
#include "rules/tree.h"

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

// The call that makes the tokenizer which is called, if that is one that is implemented in Python; null if it is not.
const Call *maker_of_slow_tokenizer(const Site &site, const Call &call) {
  const Call *found = nullptr;
  for_each_alternative(site.project.callee_of(&call), [&](const model::Value &one) {
    const Call *const maker = one.maker();
    if (found != nullptr || maker == nullptr) {
      return;
    }
    const Site there = site_of(site, *maker);
    const Option use_fast = option_of(there, *maker, "use_fast");
    found = use_fast.as_bool() == false ? maker : nullptr;
  });
  return found;
}

// Does all that calls the function do so for an item of a dataset that keeps nothing?
bool serves_items_only(const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostCalls = 3;
  if (depth > kMostCalls || function.called_by.empty()) {
    return false;
  }
  return std::ranges::all_of(function.called_by, [depth](const model::CallSite *caller) {
    const model::FunctionInfo &by = *caller->caller;
    const bool is_item = by.type != nullptr && by.type->kind == Kind::TorchDataset && by.name &&
                         by.name.text() == "__getitem__" && !has_word(text_of(by), {"cache"});
    return is_item || ((by.context & model::kPerSample) != 0 && serves_items_only(by, depth + 1));
  });
}

// The first call of a tokenizer in a function that is looked at: the others need no word of their own.
struct FirstCall {
  const Call *call = nullptr;
};

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

// `if i not in self.cache: self.cache[i] = encode(text)`
bool is_looked_up_first(const Site &site, const Call &call) {
  const auto *guard = as<If>(enclosing(site, NodeKind::If));
  const Expr *test = guard != nullptr ? guard->test : nullptr;
  bool holds = guard != nullptr && (guard->orelse.empty() || call.start < guard->orelse.front()->start);
  while (const auto *negated = as<UnaryOp>(test)) {
    if (negated->op() != UnaryOperator::Not) {
      return false;
    }
    test = negated->operand;
    holds = !holds;
  }
  const auto *compare = as<Compare>(test);
  return compare != nullptr && compare->rest.size() == 1 &&
         compare->rest[0].op == (holds ? CompareOperator::NotIn : CompareOperator::In);
}

// `if isinstance(self.texts[i], str): self.texts[i] = tokenize(self.texts[i])`: the result takes the text's place, and
// the test asks whether that has happened.
bool replaces_what_is_tested(const Site &site, const Call &call) {
  const auto *guard = as<If>(enclosing(site, NodeKind::If));
  const auto *assignment = as<Assign>(enclosing(site, NodeKind::Assign));
  if (guard == nullptr || assignment == nullptr || assignment->targets.size() != 1 || assignment->value != &call ||
      assignment->targets[0]->kind != NodeKind::Subscript) {
    return false;
  }
  const std::string_view stored = text_of(site, assignment->targets[0]);
  return any_node(guard->test,
                  [&](const Node *part) { return part->kind == NodeKind::Subscript && text_of(site, part) == stored; });
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
  const bool is_item = in_dataset_item(site);
  // Functions that an item leads to may also serve others, or keep what they made.
  const bool is_reached = site.function != nullptr && (site.function->context & model::kPerSample) != 0;
  const bool is_collated = !is_item && !is_reached && !site.module->is_test && is_collator(site, site.function);
  if (call.args.empty() || (!is_item && !is_reached && !is_collated) || !is_same_in_each_epoch(site, call) ||
      is_looked_up_first(site, call) || replaces_what_is_tested(site, call)) {
    return;
  }
  if (is_item) {
    Finding &finding = report(
        site, call, "every item is tokenized again in every epoch",
        "tokenize all texts once, as a list in `__init__` or with `Dataset.map(…, batched=True)`, and keep the ids");
    if (decoding_in(site.project, *site.function).call != nullptr) {
      finding.tier = Tier::Hint; // decoding the picture next to the text takes longer
    }
    return;
  }
  if ((is_reached || is_collated) && !site.module->is_test) {
    Finding &finding = report(
        site, call,
        is_collated ? "every batch is tokenized again in every epoch" : "every item is tokenized again in every epoch",
        "tokenize all texts once, as a list in `__init__` or with `Dataset.map(…, batched=True)`, and keep the ids");
    finding.tier = Tier::Hint;
    const Call *const maker = maker_of_slow_tokenizer(site, call);
    const FirstCall &first = site.memory.recall<FirstCall>(site.function, [&] { return FirstCall{&call}; });
    if (maker != nullptr && first.call == &call && (is_collated || serves_items_only(*site.function, 0))) {
      finding.tier = Tier::On;
      finding.notes.push_back({site_of(site, *maker).module->file, maker->span(),
                               "this tokenizer is the slow one, which is implemented in Python"});
    }
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

A Hugging Face tokenizer that is called in the `__getitem__` of a dataset. In a collator, or in a function that
`__getitem__` leads to, it is a hint, unless the tokenizer is one that is implemented in Python (`use_fast=False`).

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
