#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::pooling_ignores_mask {

using namespace python;

namespace {

// The call of a model of Hugging Face whose hidden states the expression is: `model(…).last_hidden_state`,
// `model(…)[0]`, also under names; null if it is something else.
const Call *model_call_behind(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *name = as<Name>(expr)) {
    const Expr *assigned = depth < 4 ? assigned_to(site, *name) : nullptr;
    return assigned != nullptr && assigned->end <= name->start ? model_call_behind(site, assigned, depth + 1) : nullptr;
  }
  const Expr *output = nullptr;
  if (const auto *attribute = as<Attribute>(expr);
      attribute != nullptr && attribute->attr.text() == "last_hidden_state") {
    output = attribute->value;
  } else if (const auto *element = as<Subscript>(expr)) {
    const bool is_states =
        integer_of(site, element->slice) == 0 || string_of(site, element->slice) == "last_hidden_state";
    output = is_states ? element->value : nullptr;
  }
  for (u32 steps = 0; output != nullptr && steps < 3; ++steps) {
    const auto *name = as<Name>(output);
    if (name == nullptr) {
      break;
    }
    output = assigned_to(site, *name);
  }
  const auto *call = as<Call>(output);
  return call != nullptr && model::kind_of(call->func) == Kind::HfModel ? call : nullptr;
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
  const Call *forward = model_call_behind(site, states);
  // Who passes a mask has padding: no text has to be seen for that.
  const Keyword *const mask = forward != nullptr ? keyword_argument(*forward, "attention_mask") : nullptr;
  const auto *named = mask != nullptr ? as<Name>(mask->value) : nullptr;
  const bool is_param = named != nullptr && std::ranges::any_of(site.function->params, [named](const Param *one) {
                          return one->name == named->id;
                        });
  if (is_param && !uses_mask_elsewhere(site, *forward, named->id)) {
    Finding &finding = report(
        site, call, "this mean includes the padding, so a text's embedding depends on the other texts of its batch",
        "average with the mask: `(hidden * mask).sum(1) / mask.sum(1)` with `mask = "
        "attention_mask.unsqueeze(-1)`");
    add_note(finding, site, *mask, "the mask says what is padding");
    return;
  }
  auto encoding = forward != nullptr ? encoding_behind(site, *forward) : std::nullopt;
  const auto helper = forward != nullptr && !encoding.has_value() ? encoded_by_helper(site, *forward) : std::nullopt;
  encoding = helper.has_value() ? std::optional(helper->encoding) : encoding;
  if (!encoding.has_value() || encoding->texts == Encoding::Texts::One ||
      (encoding->padding != Encoding::Padding::Longest && encoding->padding != Encoding::Padding::Full) ||
      function_has_word(site, {"mask.sum", "mask.unsqueeze", "mask\"].unsqueeze", "mask[..., None]", "mask.expand"})) {
    return; // weighted by the mask, at least in another branch
  }
  Finding &finding = report(
      site, call, "this mean includes the padding, so a text's embedding depends on the other texts of its batch",
      "average with the mask: `(hidden * mask).sum(1) / mask.sum(1)` with `mask = "
      "enc[\"attention_mask\"].unsqueeze(-1)`");
  finding.notes.push_back({helper.has_value() ? helper->function->module->file : site.module->file,
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

`last_hidden_state.mean(dim=1)` of a Hugging Face model whose texts were tokenized with padding, or that gets an `attention_mask` that nothing
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
