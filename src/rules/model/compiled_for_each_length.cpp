#include "rules/encoding.h"
#include "rules/reach.h"

#include <fmt/format.h>

namespace deepperf::rules::compiled_for_each_length {

using namespace python;
using model::Value;

namespace {

// torch.compile(model, dynamic=False): compiled for the exact shapes of each call.
const Call *compiled_statically(const Site &site, const Call &call) {
  std::string_view api;
  const Call *const maker = maker_of_callee(site, call, &api);
  const Keyword *const dynamic =
      maker != nullptr && api == "torch.compile" ? keyword_argument(*maker, "dynamic") : nullptr;
  return dynamic != nullptr && bool_of(site_of(site, *maker), dynamic->value) == false ? maker : nullptr;
}

struct Encoded {
  Encoding encoding;
  const model::Module *module = nullptr;
  const Expr *texts = nullptr; // at the place of the model's call; null if that is not known
};

std::optional<Encoded> encoded_for(const Site &site, const Call &call) {
  if (const auto encoding = encoding_behind(site, call)) {
    return Encoded{*encoding, site.module, argument(*encoding->call, 0, "text")};
  }
  const auto helper = encoded_by_helper(site, call);
  return helper.has_value() ? std::optional(Encoded{helper->encoding, helper->function->module, nullptr})
                            : std::nullopt;
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || !project_has_word(site, {"dynamic=False"})) {
    return;
  }
  const Call *const compiled = compiled_statically(site, call);
  const auto encoded = compiled != nullptr ? encoded_for(site, call) : std::nullopt;
  if (!encoded.has_value()) {
    return;
  }
  const Encoding &encoding = encoded->encoding;
  const bool varies = encoding.padding == Encoding::Padding::None || encoding.padding == Encoding::Padding::Longest;
  if (!varies || has_hidden_arguments(*encoding.call) ||
      keyword_argument(*encoding.call, "pad_to_multiple_of") != nullptr ||
      (encoded->texts != nullptr && string_of(site, encoded->texts).has_value()) ||
      project_has_word(site, {"mark_dynamic", "maybe_mark_dynamic", "F.pad("})) {
    return;
  }
  Finding &finding = report(site, call,
                            fmt::format("`{}` is compiled with `dynamic=False`, but texts differ in length, so it is "
                                        "compiled again for each new length",
                                        text_of(site, call.func)),
                            "pad to a few lengths, `pad_to_multiple_of=128`, or omit `dynamic=False`");
  finding.notes.push_back({site_of(site, *compiled).module->file, compiled->span(), "compiled here"});
  finding.notes.push_back({encoded->module->file, encoding.call->span(), "the length comes from the texts"});
}

} // namespace

extern constinit const Rule kCompiledForEachLength = {
    .info = {.code = "DP285",
             .name = "compiled-for-each-length",
             .summary = "a model compiled with `dynamic=False` that gets texts of all lengths",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A model of `torch.compile(…, dynamic=False)` that is called on what a tokenizer returns without padding, or with padding to the longest text, and without `pad_to_multiple_of`.

## Why it costs

With `dynamic=False` a compiled model is good for one shape. Each new length compiles it again, which takes seconds to minutes, and after eight of them PyTorch runs the model uncompiled.

## Bad

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("roberta-base")
model = torch.compile(AutoModel.from_pretrained("roberta-base").eval(), dynamic=False)


@torch.inference_mode()
def embed(text):
    return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[:, 0]
```

## Good

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("roberta-base")
model = torch.compile(AutoModel.from_pretrained("roberta-base").eval(), dynamic=False)


@torch.inference_mode()
def embed(text):
    encoded = tokenizer(text, padding=True, pad_to_multiple_of=128, return_tensors="pt")
    return model(**encoded).last_hidden_state[:, 0]
```

## When it is wrong

Where all texts have the same number of tokens.

## References

- PyTorch: `torch.compile`, dynamic shapes
)"},
    .calls = "TorchModule.__call__ HfModel.__call__",
    .on_call = check};

} // namespace deepperf::rules::compiled_for_each_length
