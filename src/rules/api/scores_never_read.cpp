#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::scores_never_read {

using namespace python;

namespace {

struct Kept {
  std::string_view option;
  std::string_view attribute;
};

constexpr Kept kKept[] = {{"output_scores", "scores"},
                          {"output_logits", "logits"},
                          {"output_attentions", "attentions"},
                          {"output_hidden_states", "hidden_states"}};

void check(Site &site, const Call &call) {
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  for (const auto &[option, attribute] : kKept) {
    const Keyword *const given = keyword_argument(call, option);
    if (given == nullptr || bool_of(site, given->value) != true) {
      continue;
    }
    const std::string read = fmt::format(".{}", attribute);
    const std::string entry = fmt::format("\"{}\"", attribute);
    const std::string other = fmt::format("'{}'", attribute);
    if (file_has_word(site, {read, entry, other, "compute_transition_scores"})) {
      continue;
    }
    // What is handed on may be read elsewhere.
    const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
    const auto *name =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    const std::string sequences = name != nullptr ? fmt::format("{}.sequences", name->id.text()) : std::string{};
    if (name == nullptr || !function_has_word(site, {sequences})) {
      continue;
    }
    report(site, *given,
           fmt::format("`{}=True` keeps a tensor for every generated token, and nothing reads them", option),
           fmt::format("omit `{}`", option));
    return;
  }
}

} // namespace

extern constinit const Rule kScoresNeverRead = {
    .info = {.code = "DP191",
             .name = "scores-never-read",
             .summary = "text generation that keeps scores, attentions or hidden states that nothing reads",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Abnormal GPU Memory Usage, Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`generate(…, output_scores=True)`, `output_attentions`, `output_hidden_states` or `output_logits` where only the
`sequences` of the result are used.

## Why it costs

For every new token a tensor of beams times vocabulary stays on the GPU until the result is dropped: 2000 tokens of a
vocabulary of 32,000 with four beams are 1 GB in float32.

## Bad

```python
import torch


@torch.inference_mode()
def answer(model, tokenizer, ids):
    output = model.generate(input_ids=ids, return_dict_in_generate=True, output_scores=True, max_new_tokens=256)
    return tokenizer.decode(output.sequences[0])
```

## Good

```python
import torch


@torch.inference_mode()
def answer(model, tokenizer, ids):
    output = model.generate(input_ids=ids, return_dict_in_generate=True, max_new_tokens=256)
    return tokenizer.decode(output.sequences[0])
```

## When it is wrong

Where code outside of the file reads them.

## References

- Transformers: generation utilities, output_scores
)"},
    .calls = "*.generate",
    .on_call = check};

} // namespace deepperf::rules::scores_never_read
