#include "rules/mask_meaning.h"
#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules::mask_inverted {

using namespace python;

namespace {

bool is_large_negative(const Site &site, const Expr *value) {
  const auto number = number_of(site, value);
  return (number.has_value() && *number <= -1e4) ||
         has_word(text_of(site, value), {"-inf", "-float(", "-math.inf", "-np.inf", ".min", "-torch.inf"});
}

void add_finding(Site &site, const Expr *mask, std::string_view what, bool hides) {
  report(site, *mask,
         hides ? fmt::format("`{}` hides positions that are True, but this mask is True for the positions to attend to",
                             what)
               : fmt::format("`{}` attends to positions that are True, but this mask is True for the positions to hide",
                             what),
         mask->kind == NodeKind::Name ? fmt::format("invert it: `~{}`", text_of(site, mask))
                                      : fmt::format("invert it: `~({})`", text_of(site, mask)));
}

// Layers of torch.nn leave out what is True.
void check_layer(Site &site, const Call &call) {
  std::string_view api;
  if (maker_of_callee(site, call, &api) == nullptr) {
    return;
  }
  const bool is_attention = api == "torch.nn.MultiheadAttention";
  if (!is_attention && !api.starts_with("torch.nn.Transformer")) {
    return;
  }
  for (const Keyword *keyword : call.keywords) {
    const std::string_view name = keyword->name ? keyword->name.text() : std::string_view{};
    if (name.ends_with("key_padding_mask") && meaning_of(site, keyword->value) == MaskMeaning::Present) {
      add_finding(site, keyword->value, name, true);
    }
  }
  if (is_attention && call.args.size() > 3 && meaning_of(site, call.args[3]) == MaskMeaning::Present) {
    add_finding(site, call.args[3], "key_padding_mask", true);
  }
}

// A mask of booleans, and not of numbers that are added.
bool is_boolean(const Site &site, const Expr *mask) {
  while (mask->kind == NodeKind::Subscript) { // mask[:, None, None]
    mask = static_cast<const Subscript *>(mask)->value;
  }
  const auto written = model::written_as(scope_of(site), mask);
  const auto *call = as<Call>(mask);
  call = call == nullptr && written.size() == 1 ? as<Call>(written[0].expr) : call;
  if (call != nullptr) {
    return called_method(*call) == "bool" ||
           has_word(text_of(site, call), {"torch.bool", "== ", "!= ", ".ne(", ".eq("});
  }
  const Expr *expr = written.size() == 1 ? written[0].expr : mask;
  return expr->kind == NodeKind::Compare || expr->kind == NodeKind::UnaryOp;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || site.function == nullptr || !site.module->torch) {
    return;
  }
  if (called_api(site, call) == "torch.nn.functional.scaled_dot_product_attention") {
    const Expr *mask = argument(call, 3, "attn_mask");
    if (mask != nullptr && is_boolean(site, mask) && meaning_of(site, mask) == MaskMeaning::Hidden) {
      add_finding(site, mask, "attn_mask", false);
    }
    return;
  }
  const std::string_view method = called_method(call);
  if (method == "masked_fill" || method == "masked_fill_") {
    const Expr *mask = argument(call, 0, "mask");
    const Expr *value = argument(call, 1, "value");
    // Which half of a triangle is hidden may be meant so.
    if (mask != nullptr && value != nullptr && is_large_negative(site, value) &&
        !function_has_word(site, {"tril", "triu"}) && meaning_of(site, mask) == MaskMeaning::Present) {
      add_finding(site, mask, method, true);
    }
    return;
  }
  check_layer(site, call);
}

} // namespace

extern constinit const Rule kMaskInverted = {
    .info = {.code = "DP902",
             .name = "mask-inverted",
             .summary = "an attention mask with the opposite meaning of what the layer expects",
             .root_cause = "Training: Loss Mismatch",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A mask that is True for real tokens (`ids != pad`, `attention_mask.bool()`, `arange < lengths`) as `key_padding_mask` of a `torch.nn` layer
or in `scores.masked_fill(mask, -inf)`, and one that is True for padding or for the future as a boolean `attn_mask` of
`scaled_dot_product_attention`.

## Why it is wrong

`nn.MultiheadAttention` and the `nn.Transformer` layers ignore the positions where the mask is True; `scaled_dot_product_attention` attends
to those where it is True, and Hugging Face masks are 1 for real tokens. With the wrong one the model attends to padding only, or to the
future. Nothing fails, and the model still learns something.

## Bad

```python
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.attention = nn.MultiheadAttention(64, 4, batch_first=True)

    def forward(self, ids):
        x = self.embed(ids)
        present = ids != 0
        return self.attention(x, x, x, key_padding_mask=present, need_weights=False)[0]
```

## Good

```python
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.attention = nn.MultiheadAttention(64, 4, batch_first=True)

    def forward(self, ids):
        x = self.embed(ids)
        present = ids != 0
        return self.attention(x, x, x, key_padding_mask=~present, need_weights=False)[0]
```

## When it is wrong

Where a token other than padding is compared on purpose.

## References

- PyTorch: `MultiheadAttention`, `scaled_dot_product_attention`
)"},
    .calls = "TorchModule.__call__ torch.nn.functional.scaled_dot_product_attention *.masked_fill *.masked_fill_",
    .on_call = check};

} // namespace deepperf::rules::mask_inverted
