#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::padding_of_another_token {

using namespace python;

namespace {

// The special tokens that a trainer of the library is given, in the order of their ids.
struct Specials {
  const Call *trainer = nullptr;
  std::vector<std::string> tokens;
  u32 trainers = 0;
};

// `"[PAD]"` and `AddedToken("[PAD]")`
std::optional<std::string> token_of(const model::Scope &scope, const Expr *expr) {
  const auto *made = as<Call>(expr);
  const Expr *const text = made != nullptr && !made->args.empty() ? made->args[0] : expr;
  const auto value = model::constant_of(scope, text);
  return value.has_value() ? value->as_string() : std::nullopt;
}

Specials find_specials(const Site &site) {
  Specials found;
  const auto visit = [&](const Node *node) {
    const auto *call = as<Call>(node);
    const Keyword *const given = call != nullptr ? keyword_argument(*call, "special_tokens") : nullptr;
    if (given == nullptr) {
      return false;
    }
    const bool is_trainer = called_api(site, *call).starts_with("tokenizers.trainers.");
    const std::string_view method = called_method(*call);
    if (!is_trainer && method != "train" && method != "train_from_iterator") {
      return false; // a template, which names the ids as well
    }
    ++found.trainers;
    found.trainer = call;
    const auto written = model::written_as(scope_of(site_of(site, *call)), given->value);
    const auto *list = written.size() == 1 ? as<List>(written[0].expr) : nullptr;
    const auto *tuple = written.size() == 1 ? as<Tuple>(written[0].expr) : nullptr;
    const Array<Expr *> parts = list != nullptr ? list->elts : tuple != nullptr ? tuple->elts : Array<Expr *>{};
    for (const Expr *part : parts) {
      const auto token = token_of(written[0].scope, part);
      if (!token.has_value()) {
        found.tokens.clear();
        break;
      }
      found.tokens.push_back(*token);
    }
    return false;
  };
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), visit);
  }
  return found;
}

void check(Site &site, const Call &call) {
  const Expr *const tokenizer = receiver_of(call);
  if (tokenizer == nullptr || site.module->is_test || model::kind_of(tokenizer) != Kind::HfTokenizer) {
    return;
  }
  const auto id = setting_of(site, argument_of(site, call, 1, "pad_id"), model::ConstantValue::of(i64{0}));
  const auto token =
      setting_of(site, argument_of(site, call, 3, "pad_token"), model::ConstantValue::of(std::string("[PAD]")));
  if (!id.has_value() || !id->as_integer().has_value() || !token.has_value() || !token->as_string().has_value()) {
    return;
  }
  const Specials &specials = site.memory.recall<Specials>(site.module, [&site] { return find_specials(site); });
  if (specials.trainers != 1 || specials.tokens.empty()) {
    return;
  }
  const auto place = std::ranges::find(specials.tokens, *token->as_string());
  const auto right = static_cast<i64>(place - specials.tokens.begin());
  if (place == specials.tokens.end() || right == *id->as_integer()) {
    return;
  }
  const i64 used = *id->as_integer();
  const std::string other = used >= 0 && used < static_cast<i64>(specials.tokens.size())
                                ? fmt::format("`{}`", specials.tokens[static_cast<std::size_t>(used)])
                                : "another token";
  Finding &finding = report(
      site, call,
      fmt::format("texts are padded with the id {}, which is {}; the id of `{}` is {}", used, other, *place, right),
      fmt::format("pass the id: `pad_id=tokenizer.token_to_id(\"{}\")`", *place));
  add_note(finding, site, *specials.trainer, "the special tokens get their ids in this order");
}

} // namespace

extern constinit const Rule kPaddingOfAnotherToken = {
    .info = {.code = "DP432",
             .name = "padding-of-another-token",
             .summary = "`enable_padding()` of a tokenizer with the id of another token",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`tokenizer.enable_padding(…)` of the library `tokenizers` whose `pad_id`, by default 0, is not the id that the pad token gets from its place in `special_tokens` of the trainer in the same file.

## Why it is wrong

`enable_padding` does not look up the token in the vocabulary: `pad_token` is only the text, and `pad_id` the number that is filled in. Texts are padded with another token, and masks that are
computed from the id of the pad token never match.

## Bad

```python
import torch
from tokenizers import Tokenizer, models, trainers

tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
tokenizer.train_from_iterator(texts, trainers.BpeTrainer(special_tokens=["[UNK]", "[CLS]", "[PAD]"]))
tokenizer.enable_padding()
ids = torch.tensor([one.ids for one in tokenizer.encode_batch(texts)])
```

## Good

```python
import torch
from tokenizers import Tokenizer, models, trainers

tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
tokenizer.train_from_iterator(texts, trainers.BpeTrainer(special_tokens=["[UNK]", "[CLS]", "[PAD]"]))
tokenizer.enable_padding(pad_id=tokenizer.token_to_id("[PAD]"), pad_token="[PAD]")
ids = torch.tensor([one.ids for one in tokenizer.encode_batch(texts)])
```

## When it is wrong

Where only the attention mask of the encoding distinguishes padding from text, it does no harm.

## References

- Tokenizers: `Tokenizer.enable_padding`
)"},
    .calls = "*.enable_padding",
    .on_call = check};

} // namespace deepperf::rules::padding_of_another_token
