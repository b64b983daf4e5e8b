#include "rules/encoding.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::pooling_ignores_mask {

using namespace python;

namespace {

// The call of a model of Hugging Face whose hidden states the expression is: `model(…).last_hidden_state`,
// `model(…)[0]`, also under names, in attributes and as an argument of the function; null if it is something else.
const Call *model_call_behind(const Site &site, const Expr *expr) {
  const Call *found = nullptr;
  visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    if (const auto *call = as<Call>(origin.expr)) {
      const bool is_states =
          origin.path.size() == 1 &&
          (origin.path[0].index == 0 || (origin.path[0].key && origin.path[0].key.text() == "last_hidden_state"));
      const std::string_view method = called_method(*call);
      if (is_states && model::kind_of(call->func) == Kind::HfModel) {
        found = call;
      } else if (origin.path.empty() && (method == "float" || method == "to" || method == "half") &&
                 receiver_of(*call) != nullptr) {
        origin.next = {receiver_of(*call)};
        return Onward::Next;
      }
      return Onward::Stop;
    }
    return origin.parameter_of != nullptr || origin.expr->kind == NodeKind::Attribute ||
                   origin.expr->kind == NodeKind::Subscript
               ? Onward::Through
               : Onward::Stop;
  });
  return found;
}

// Is the mask used for anything but the call of the model?
bool uses_mask_elsewhere(const Site &site, const Call &forward, Symbol mask) {
  const FunctionDef *const definition = site.function->definition();
  return definition == nullptr || any_node(definition->body, [&](const Node *node) {
           const auto *name = as<Name>(node);
           return name != nullptr && name->id == mask && (name->start < forward.start || name->start >= forward.end);
         });
}

void check(Site &site, const Call &call) {
  const bool is_method = model::kind_of(call.func) == Kind::Unknown && called_api(site, call) != "torch.mean";
  const Expr *states = is_method ? receiver_of(call) : argument(call, 0, "input");
  const Expr *axis = is_method ? argument(call, 0, "dim") : argument(call, 1, "dim");
  if (site.function == nullptr || states == nullptr || axis == nullptr || integer_of(site, axis) != 1 ||
      site.module->is_test) {
    return;
  }
  const Call *const forward = model_call_behind(site, states);
  if (forward == nullptr) {
    return;
  }
  constexpr std::string_view kAdvice = "average with the mask: `(hidden * mask).sum(1) / mask.sum(1)` with `mask = "
                                       "attention_mask.unsqueeze(-1)`";
  constexpr std::string_view kMessage =
      "this mean includes the padding, so a text's embedding depends on the other texts of its batch";
  // The function that calls the model, which may be another one than the function that takes the mean.
  const Site calling = site_of(site, *forward);
  if (calling.function == nullptr) {
    return;
  }
  // Who passes a mask has padding: no text has to be seen for that.
  const Keyword *const mask = keyword_argument(*forward, "attention_mask");
  const auto *named = mask != nullptr ? as<Name>(mask->value) : nullptr;
  const bool is_param = named != nullptr && std::ranges::any_of(calling.function->params, [named](const Param *one) {
                          return one->name == named->id;
                        });
  if (is_param && !uses_mask_elsewhere(calling, *forward, named->id)) {
    Finding &finding = report(site, call, std::string(kMessage), std::string(kAdvice));
    finding.notes.push_back({calling.module->file, mask->span(), "the mask marks the padding"});
    return;
  }
  auto encoding = encoding_behind(calling, *forward);
  const auto helper = !encoding.has_value() ? encoded_by_helper(calling, *forward) : std::nullopt;
  encoding = helper.has_value() ? std::optional(helper->encoding) : encoding;
  constexpr std::string_view kWeighted[] = {"mask.sum", "mask.unsqueeze", "mask\"].unsqueeze", "mask[..., None]",
                                            "mask.expand"};
  if (!encoding.has_value() || encoding->texts == Encoding::Texts::One ||
      (encoding->padding != Encoding::Padding::Longest && encoding->padding != Encoding::Padding::Full) ||
      function_has_word(site, Words(kWeighted)) || function_has_word(calling, Words(kWeighted))) {
    return; // weighted by the mask, at least in another branch
  }
  Finding &finding = report(site, call, std::string(kMessage),
                            "average with the mask: `(hidden * mask).sum(1) / mask.sum(1)` with `mask = "
                            "enc[\"attention_mask\"].unsqueeze(-1)`");
  finding.notes.push_back({helper.has_value() ? helper->function->module->file : calling.module->file,
                           encoding->call->span(), "the texts are padded here"});
  // A single text is not padded to the longest.
  if (encoding->texts != Encoding::Texts::Several && encoding->padding != Encoding::Padding::Full) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kPoolingIgnoresMask = {
    .info = {.code = "DP840",
             .name = "pooling-ignores-mask",
             .summary = "sentence embeddings that are averaged over padding",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`last_hidden_state.mean(dim=1)` of a Hugging Face model whose texts were tokenized with padding, or that receives an `attention_mask` that nothing
else uses. It is a hint where there may be only one text.

## Why it is wrong

The model returns a vector for every position, including padding. The mean over all of them mixes these in, and more so for shorter texts.
The same sentence gets a different embedding depending on the other sentences of the batch, and similarities are wrong.

## Bad

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")


@torch.no_grad()
def embed(texts, size=32):
    for i in range(0, len(texts), size):
        enc = tokenizer(texts[i : i + size], padding=True, truncation=True, return_tensors="pt")
        yield model(**enc).last_hidden_state.mean(dim=1)
```

## Good

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")


@torch.no_grad()
def embed(texts, size=32):
    for i in range(0, len(texts), size):
        enc = tokenizer(texts[i : i + size], padding=True, truncation=True, return_tensors="pt")
        mask = enc["attention_mask"].unsqueeze(-1)
        hidden = model(**enc).last_hidden_state
        yield (hidden * mask).sum(1) / mask.sum(1)
```

## When it is wrong

Where all texts have the same number of tokens.

## References

- Sentence Transformers: mean pooling takes the attention mask into account
)"},
    .calls = "*.mean torch.mean",
    .on_call = check};

} // namespace deepperf::rules::pooling_ignores_mask
