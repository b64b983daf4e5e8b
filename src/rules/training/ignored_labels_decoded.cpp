#include "base/name_table.h"
#include "rules/callables.h"
#include "rules/options.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::ignored_labels_decoded {

using namespace python;
using model::Value;

namespace {

bool is_labels_part(const OriginPart &part) { return part.index == 1 || (part.key && part.key.text() == "label_ids"); }

// What hands on the same numbers: `np.asarray(labels)`, `labels.tolist()`.
const Expr *same_numbers(const Site &there, const Call &call) {
  const std::string_view api = called_api(there, call);
  if (api == "numpy.array" || api == "numpy.asarray" || api == "torch.tensor" || api == "torch.as_tensor" ||
      api == "torch.from_numpy") {
    return call.args.empty() ? nullptr : call.args[0];
  }
  static const NameTable kSame({"tolist", "cpu", "numpy", "copy", "detach", "clone", "long", "astype", "reshape"});
  const auto *method = as<Attribute>(call.func);
  return method != nullptr && kSame.has(method->attr) ? method->value : nullptr;
}

// A name of a function that is on the way of the labels, and may be changed in place.
struct OnTheWay {
  const model::FunctionInfo *function = nullptr;
  Symbol name;
};

// `row[row != -100]`, `row[mask]`: elements that a mask leaves out.
bool selects(const Subscript &part) {
  const auto *inverted = as<UnaryOp>(part.slice);
  return part.slice->kind == NodeKind::Compare || (inverted != nullptr && inverted->op() == UnaryOperator::Invert) ||
         model::kind_of(part.slice) == Kind::NumpyArray || model::kind_of(part.slice) == Kind::TorchTensor;
}

// Does the argument lead back to what the metrics function gets as labels, with nothing in between that could replace
// numbers? A replacement in place is found by the names on the way.
bool leads_to_labels(const Site &inside, const model::FunctionInfo *metrics, const Expr *decoded) {
  std::vector<OnTheWay> names;
  bool found = false;
  const auto visit = [&](const Origin &origin) {
    if (const auto *name = as<Name>(origin.expr)) {
      names.push_back({origin.function, name->id});
      if (metrics != nullptr && origin.parameter_of == metrics) {
        found |= !origin.path.empty() && is_labels_part(origin.path[0]);
        return Onward::Stop;
      }
      return Onward::Through;
    }
    if (const auto *attribute = as<Attribute>(origin.expr)) {
      return attribute->attr.text() == "label_ids" || origin.path.empty() || is_labels_part(origin.path[0])
                 ? Onward::Through
                 : Onward::Stop;
    }
    const auto *call = as<Call>(origin.expr);
    if (metrics == nullptr && call != nullptr && called_method(*call) == "predict") { // trainer.predict(test)
      const Site there = site_of_origin(inside, *origin.function);
      const Value trainer = value_of(there, receiver_of(*call));
      const bool is_trainer =
          trainer.is_kind(Kind::Trainer) && trainer.name() && trainer.name().text() == "transformers.Seq2SeqTrainer";
      found |= is_trainer && !origin.path.empty() && is_labels_part(origin.path[0]);
      return Onward::Stop;
    }
    const Expr *const given = call != nullptr ? same_numbers(site_of_origin(inside, *origin.function), *call) : nullptr;
    if (given != nullptr) {
      origin.next = {given};
      return Onward::Next;
    }
    return origin.expr->kind == NodeKind::Subscript ? Onward::Through : Onward::Stop;
  };
  visit_origins(inside, *inside.function, decoded, visit, {.thorough = true});
  return found && std::ranges::none_of(names, [](const OnTheWay &one) {
           const FunctionDef *definition = one.function->definition();
           return definition != nullptr && any_node(definition->body, [&one](const Node *node) {
                    const auto *part = as<Subscript>(node);
                    const auto *changed = part != nullptr ? as<Name>(part->value) : nullptr;
                    const auto *call = as<Call>(node); // np.putmask(labels, …), labels.masked_fill_(…)
                    const auto *first = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
                    const bool in_place =
                        call != nullptr && (called_method(*call) == "putmask" || called_method(*call) == "copyto" ||
                                            called_method(*call) == "place");
                    const bool is_masked = changed != nullptr && (part->context == Context::Store || selects(*part));
                    return (is_masked && changed->id == one.name) ||
                           (in_place && first != nullptr && first->id == one.name) ||
                           (call != nullptr && called_method(*call) == "masked_fill_" &&
                            mentions(receiver_of(*call), one.name));
                  });
         });
}

// The call that decodes the labels of a metrics function, in it or in a function that it calls.
struct Decoded {
  const model::FunctionInfo *function = nullptr;
  const Call *call = nullptr;
};

Decoded decoded_by(const Site &site, const model::FunctionInfo &metrics) {
  std::vector<const model::FunctionInfo *> functions = reached_functions(metrics, *metrics.definition());
  functions.insert(functions.begin(), &metrics);
  for (const model::FunctionInfo *function : functions) {
    if (function->definition() == nullptr) {
      continue;
    }
    const Site inside = site_of_origin(site, *function);
    const Call *found = nullptr;
    any_node(function->definition()->body, [&](const Node *node) {
      const auto *one = as<Call>(node);
      const std::string_view method = one != nullptr ? called_method(*one) : std::string_view{};
      const bool decodes = method == "batch_decode" ||
                           (method == "decode" && value_of(inside, receiver_of(*one)).is_kind(Kind::HfTokenizer));
      if (decodes && !one->args.empty() && leads_to_labels(inside, &metrics, one->args[0])) {
        found = one;
      }
      return found != nullptr;
    });
    if (found != nullptr) {
      return {function, found};
    }
  }
  return {};
}

// `tokenizer.batch_decode(trainer.predict(test).label_ids)`
void check_predicted(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || call.args.empty() || !project_has_word(site, {".predict("}) ||
      project_has_word(site, {"label_pad_token_id"}) || !leads_to_labels(site, nullptr, call.args[0])) {
    return;
  }
  report(site, call, "the labels contain -100 where they are padded, which is not a token id",
         "replace it first: `labels = np.where(labels != -100, labels, tokenizer.pad_token_id)`");
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "batch_decode") {
    check_predicted(site, call);
    return;
  }
  const Option metrics = option_of(site, call, "compute_metrics");
  const model::FunctionInfo *const function =
      metrics.value != nullptr ? callable_of(metrics.scope, metrics.value) : nullptr;
  if (function == nullptr || site.module->is_test || function->definition() == nullptr ||
      project_has_word(site, {"label_pad_token_id"})) {
    return;
  }
  const Decoded decoded = decoded_by(site, *function);
  if (decoded.call == nullptr) {
    return;
  }
  Site inside = site_of_origin(site, *decoded.function);
  Finding &finding =
      report(inside, *decoded.call, "the labels contain -100 where they are padded, which is not a token id",
             "replace it first: `labels = np.where(labels != -100, labels, tokenizer.pad_token_id)`");
  finding.notes.push_back({site.module->file, call.func->span(), "this Trainer pads labels with -100"});
  if (project_has_word(site, {"\"max_length\"", "'max_length'"}) &&
      !project_has_word(site, {"DataCollatorForSeq2Seq"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kIgnoredLabelsDecoded = {.info = {.code = "DP933",
                                                              .name = "ignored-labels-decoded",
                                                              .summary = "labels that are decoded with -100 in them",
                                                              .root_cause = "Training: Wrong Evaluation",
                                                              .symptoms = "Program Crash, Wrong Result",
                                                              .stage = "Training",
                                                              .frameworks = "PyTorch",
                                                              .severity = Severity::Error,
                                                              .tier = Tier::On,
                                                              .documentation = R"(## What it finds

A `compute_metrics` function of a sequence-to-sequence Trainer that passes the labels to `batch_decode`, directly or through functions, and never replaces their -100; also the `label_ids`
that `trainer.predict()` returns.

## Why it is wrong

The Trainer pads labels of different lengths with -100 when it joins the batches, as `DataCollatorForSeq2Seq` does within a batch. That is not
a token id: fast tokenizers raise an `OverflowError`, others return wrong texts.

## Bad

```python
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def exact(output):
    predictions, labels = output
    given = tokenizer.batch_decode(predictions, skip_special_tokens=True)
    wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)
    return {"exact": sum(a == b for a, b in zip(given, wanted)) / len(wanted)}


def train(model, data):
    arguments = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
    Seq2SeqTrainer(model=model, args=arguments, train_dataset=data, compute_metrics=exact).train()
```

## Good

```python
import numpy as np
from transformers import AutoTokenizer, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-small")


def exact(output):
    predictions, labels = output
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    given = tokenizer.batch_decode(predictions, skip_special_tokens=True)
    wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)
    return {"exact": sum(a == b for a, b in zip(given, wanted)) / len(wanted)}


def train(model, data):
    arguments = Seq2SeqTrainingArguments("out", bf16=True, predict_with_generate=True)
    Seq2SeqTrainer(model=model, args=arguments, train_dataset=data, compute_metrics=exact).train()
```

## When it is wrong

Where all labels were padded to the same length with the pad token; there it is a hint.

## References

- Transformers: translation and summarization guides, `compute_metrics`
)"},
                                                     .calls = "transformers.Seq2SeqTrainer *.batch_decode",
                                                     .on_call = check};

} // namespace deepperf::rules::ignored_labels_decoded
