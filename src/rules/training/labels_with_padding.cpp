#include "base/name_table.h"
#include "rules/encoding.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

namespace deepperf::rules::labels_with_padding {

using namespace python;

namespace {

// `enc["input_ids"]`, `enc.input_ids`, and what keeps all of its numbers.
bool is_token_ids(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *name = as<Name>(expr)) {
    const Expr *assigned = depth < 3 ? assigned_to(site, *name) : nullptr;
    return assigned != nullptr && is_token_ids(site, assigned, depth + 1);
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "input_ids";
  }
  if (const auto *element = as<Subscript>(expr)) {
    const auto key = string_of(site, element->slice);
    return key.has_value() ? key == "input_ids"
                           : element->slice->kind == NodeKind::Constant && is_token_ids(site, element->value, depth);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    constexpr std::string_view kSame[] = {"clone", "copy", "squeeze", "flatten", "to", "cuda", "long", "detach"};
    const Expr *object = receiver_of(*call);
    return object != nullptr && std::ranges::find(kSame, method) != std::end(kSame) &&
           is_token_ids(site, object, depth);
  }
  return false;
}

// ---- Labels that the program pads itself
// -----------------------------------------------------------------------------

// Is it a number that the loss counts: 0 or above?
bool is_counted(const Site &site, const Expr *value) {
  const auto number = value != nullptr ? number_of(site, value) : std::optional(0.0);
  return number.has_value() && *number >= 0;
}

// What is written around the rows or the padding: a conversion, a join, `[pad] * missing`.
Onward toward_padding(const Site &site, const Origin &origin, const Expr **counted) {
  if (origin.parameter_of != nullptr) {
    return Onward::Through;
  }
  if (const auto *rows = as<ListComp>(origin.expr)) {
    origin.next = {rows->elt};
    return Onward::Next;
  }
  if (const auto *operation = as<BinOp>(origin.expr)) {
    const auto *list = as<List>(operation->left);
    list = list == nullptr ? as<List>(operation->right) : list;
    if (operation->op() == Operator::Add) {
      origin.next = {operation->left, operation->right};
    } else if (operation->op() == Operator::Mult && list != nullptr && list->elts.size() == 1) {
      origin.next = {list->elts[0]};
    }
    return Onward::Next;
  }
  const auto *call = as<Call>(origin.expr);
  if (call == nullptr) {
    return Onward::Stop;
  }
  static const NameTable kSame({"to", "long", "cuda", "clone", "contiguous", "view", "int", "detach"});
  const Site there = site_of_origin(site, *origin.function);
  const std::string_view api = called_api(there, *call);
  const auto *method = as<Attribute>(call->func);
  const bool pads = api == "torch.nn.utils.rnn.pad_sequence" || api == "torch.nn.functional.pad";
  if (pads) {
    const Expr *const value = api.ends_with("pad") ? argument(*call, 3, "value") : argument(*call, 2, "padding_value");
    if (!has_hidden_arguments(*call) && is_counted(there, value) && argument(*call, 2, "mode") == nullptr) {
      *counted = call;
    } else if (value != nullptr) {
      origin.next = {value};
    }
    return Onward::Next;
  }
  if (api == "torch.tensor" || api == "torch.as_tensor" || api == "torch.LongTensor" || api == "torch.stack" ||
      api == "torch.cat" || api == "numpy.array" || api == "numpy.stack" || api == "torch.from_numpy") {
    origin.next = call->args.empty() ? std::vector<const Expr *>{} : std::vector<const Expr *>{call->args[0]};
  } else if (api == "torch.full" || api == "numpy.full" || api == "torch.full_like" || api == "numpy.full_like") {
    const Expr *const value = argument(*call, 1, "fill_value");
    origin.next = value != nullptr ? std::vector{value} : std::vector<const Expr *>{};
  } else if (api.empty() && method != nullptr && kSame.has(method->attr)) {
    origin.next = {method->value};
  }
  return Onward::Next;
}

// `[row + [tokenizer.pad_token_id] * missing for row in rows]`, also through functions: labels are padded with a token.
bool is_padded_with_token(const Site &site, const Expr *labels) {
  const Expr *counted = nullptr;
  visit_origins(site, *site.function, labels, [&](const Origin &origin) {
    const auto *attribute = as<Attribute>(origin.expr);
    if (attribute != nullptr && attribute->attr.text() == "pad_token_id") {
      counted = origin.expr;
      return Onward::Stop;
    }
    return toward_padding(site, origin, &counted);
  });
  return counted != nullptr;
}

void lint_padding(Site &site, const Node &place, const Expr *labels) {
  const bool may_be = project_has_word(site, {"pad_token_id", "pad_sequence", "F.pad", "functional.pad"}) &&
                      project_has_word(site, {"ForConditionalGeneration", "Seq2SeqLM", "ForCausalLM", "LMHeadModel",
                                              "EncoderDecoderModel", "ForTokenClassification"});
  if (!may_be || site.module->jax || function_has_word(site, {"masked_fill", "where(", "-100"}) ||
      project_has_word(site, {"ignore_index", "loss_mask", "label_pad_token_id"}) ||
      !is_padded_with_token(site, labels)) {
    return;
  }
  Finding &finding = report(site, place, "these labels are padded with a token, which the loss counts",
                            "pad the labels with -100, which the loss ignores");
  // A loss of its own, or somebody who replaces the padding later.
  if (project_has_word(site, {"cross_entropy", "CrossEntropyLoss", "== tokenizer.pad_token_id",
                              "== self.tokenizer.pad_token_id", "!= tokenizer.pad_token_id"})) {
    finding.tier = Tier::Hint;
  }
}

void lint(Site &site, const Node &place, const Expr *labels) {
  if (site.function == nullptr || site.module->is_test) {
    return;
  }
  if (!is_token_ids(site, labels)) {
    lint_padding(site, place, labels);
    return;
  }
  auto encoding = encoding_behind(site, labels);
  const auto elsewhere = encoding.has_value() ? std::nullopt : encoded_by_callers(site, labels);
  encoding = elsewhere.has_value() ? std::optional(elsewhere->encoding) : encoding;
  if (!encoding.has_value() ||
      (encoding->padding != Encoding::Padding::Full && encoding->padding != Encoding::Padding::Longest) ||
      (encoding->padding == Encoding::Padding::Longest && encoding->texts == Encoding::Texts::One)) {
    return;
  }
  // Somebody replaces them, or has a loss of its own.
  constexpr std::string_view kHandled[] = {"-100",          "ignore_index", "DataCollatorForLanguageModeling",
                                           "loss_mask",     "jax",          "CompletionOnly",
                                           "label_pad",     "tensorflow",   "CrossEntropyLoss",
                                           "cross_entropy", "masked_fill",  "torch.where",
                                           "np.where"};
  if (file_has_word(site, Words(kHandled)) ||
      !project_has_word(
          site, {"ForConditionalGeneration", "Seq2SeqLM", "ForCausalLM", "LMHeadModel", "EncoderDecoderModel"})) {
    return;
  }
  Finding &finding = report(
      site, place, "these labels contain padding, which the loss does not ignore",
      "replace the padding, `labels.masked_fill(mask == 0, -100)`, or let `DataCollatorForSeq2Seq` pad the labels");
  finding.notes.push_back({elsewhere.has_value() ? elsewhere->function->module->file : site.module->file,
                           encoding->call->span(), "padded here"});
  // A column of what the function is given, which map() calls with batches.
  const auto *column = !encoding->call->args.empty() ? as<Subscript>(encoding->call->args[0]) : nullptr;
  const Keyword *const target = keyword_argument(*encoding->call, "text_target");
  column = column == nullptr && target != nullptr ? as<Subscript>(target->value) : column;
  const auto *batch = column != nullptr ? as<Name>(column->value) : nullptr;
  const bool is_batch =
      batch != nullptr && file_has_word(site, {"batched=True"}) && site.function->has_param(batch->id);
  // Rows that a comprehension over the batch collects, also under a name.
  const Expr *texts = target != nullptr               ? target->value
                      : !encoding->call->args.empty() ? encoding->call->args[0]
                                                      : nullptr;
  const auto *name = as<Name>(texts);
  const Expr *const rows = name != nullptr ? assigned_to(site, *name) : texts;
  const bool is_collected = rows != nullptr && rows->kind == NodeKind::ListComp;
  const bool is_sure = is_collected || encoding->padding == Encoding::Padding::Full ||
                       encoding->texts == Encoding::Texts::Several || is_batch;
  if (!is_sure || project_has_word(site, {"-100", "ignore_index", "DataCollatorForLanguageModeling"})) {
    finding.tier = Tier::Hint;
  }
}

void check(Site &site, const Node &node) {
  if (const auto *assignment = as<Assign>(&node)) {
    const auto *target = as<Subscript>(assignment->targets[0]);
    if (target != nullptr && target->slice->kind == NodeKind::Constant && string_of(site, target->slice) == "labels") {
      lint(site, node, assignment->value);
    }
    return;
  }
  for (const DictItem &item : static_cast<const Dict &>(node).items) {
    if (item.key != nullptr && item.key->kind == NodeKind::Constant && string_of(site, item.key) == "labels") {
      lint(site, *item.value, item.value);
    }
  }
}

void check_call(Site &site, const Call &call) {
  if (const Keyword *labels = keyword_argument(call, "labels")) {
    lint(site, *labels, labels->value);
  }
}

} // namespace

extern constinit const Rule kLabelsWithPadding = {
    .info = {.code = "DP841",
             .name = "labels-with-padding",
             .summary = "labels of a language model that contain padding, which the loss counts",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

The `input_ids` of texts that were tokenized with padding, used as `labels` of a Hugging Face language model, in a file that never replaces
the padding with -100. It is a hint where there may be nothing to pad, or where another file of the project may do it.

## Why it is wrong

The loss of these models ignores only labels of -100. Padding counts like any other token: much of the loss comes from predicting padding,
which is easy, so the loss looks low, and the model learns to stop early.

## Bad

```python
from transformers import AutoTokenizer, T5ForConditionalGeneration

tokenizer = AutoTokenizer.from_pretrained("t5-small")
model = T5ForConditionalGeneration.from_pretrained("t5-small")


def collate(rows):
    batch = tokenizer([row["source"] for row in rows], padding=True, return_tensors="pt")
    target = tokenizer([row["target"] for row in rows], padding=True, return_tensors="pt")
    batch["labels"] = target["input_ids"]
    return batch
```

## Good

```python
from transformers import AutoTokenizer, T5ForConditionalGeneration

tokenizer = AutoTokenizer.from_pretrained("t5-small")
model = T5ForConditionalGeneration.from_pretrained("t5-small")


def collate(rows):
    batch = tokenizer([row["source"] for row in rows], padding=True, return_tensors="pt")
    target = tokenizer([row["target"] for row in rows], padding=True, return_tensors="pt")
    batch["labels"] = target["input_ids"].masked_fill(target["attention_mask"] == 0, -100)
    return batch
```

## When it is wrong

Where a collator in another file replaces the padding.

## References

- Transformers documentation: T5, training
)"},
    .calls = "HfModel.__call__ dict",
    .on_call = check_call,
    .nodes = {NodeKind::Assign, NodeKind::Dict},
    .on_node = check};

} // namespace deepperf::rules::labels_with_padding
