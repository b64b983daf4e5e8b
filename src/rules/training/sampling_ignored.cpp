#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::sampling_ignored {

using namespace python;

namespace {

// The same in `**settings`: the first option that has no effect; empty if there is none.
std::string_view option_in_settings(const Site &site, const Call &call) {
  const model::Argument chosen = argument_of(site, call, ~0U, "do_sample");
  const auto samples = setting_of(site, chosen, model::ConstantValue::of(false));
  if (!has_hidden_arguments(call) || chosen.unknown || !samples.has_value() || samples->as_bool() != false ||
      !argument_of(site, call, ~0U, "generation_config").is_absent() ||
      !argument_of(site, call, ~0U, "penalty_alpha").is_absent()) {
    return {};
  }
  for (const std::string_view name : {"temperature", "top_p"}) {
    const model::Argument given = argument_of(site, call, ~0U, name);
    const auto value =
        given.unknown || given.is_absent() ? std::nullopt : setting_of(site, given, model::ConstantValue::of(1.0));
    const auto number = value.has_value() ? value->as_number() : std::nullopt;
    if (number.has_value() && *number != 1.0 && *number != 0.0) {
      return name;
    }
  }
  return {};
}

// A parameter of the function around the call: its callers choose.
bool is_parameter(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return name != nullptr && site.function != nullptr &&
         std::ranges::any_of(site.function->params, [name](const Param *param) { return param->name == name->id; });
}

void check(Site &site, const Call &call) {
  if (const std::string_view option = option_in_settings(site, call); !option.empty()) {
    Finding &finding = report(
        site, call,
        fmt::format("`{}` has no effect without `do_sample=True`, because generation is then greedy or a beam search",
                    option),
        "pass `do_sample=True`, or omit the option");
    if (!called_api(site, call).ends_with("GenerationConfig")) {
      finding.tier = Tier::Hint; // the model's own configuration may say so
    }
    return;
  }
  const Keyword *sampling = nullptr;
  for (const std::string_view name : {"temperature", "top_p", "top_k", "typical_p"}) {
    const Keyword *given = keyword_argument(call, name);
    const std::optional<double> value = given != nullptr ? number_of(site, given->value) : std::nullopt;
    const bool is_neutral =
        value.has_value() && (name == "top_k" ? *value == 50 || *value == 0 : *value == 1.0 || *value == 0.0);
    if (given != nullptr && !is_none(given->value) && !is_neutral) {
      sampling = given;
      break;
    }
  }
  const Keyword *chosen = keyword_argument(call, "do_sample");
  if (sampling == nullptr || site.is_copy || // whose arguments are a caller's
      (chosen != nullptr && (bool_of(site, chosen->value) != false || is_parameter(site, chosen->value))) ||
      keyword_argument(call, "penalty_alpha") != nullptr || keyword_argument(call, "generation_config") != nullptr) {
    return;
  }
  Finding &finding = report(
      site, *sampling,
      fmt::format("`{}=` has no effect without `do_sample=True`, because generation is then greedy or a beam search",
                  sampling->name.text()),
      "pass `do_sample=True`, or omit the option");
  // A model's own configuration may say do_sample; a new GenerationConfig does not.
  if (has_hidden_arguments(call) || (chosen == nullptr && !called_api(site, call).ends_with("GenerationConfig"))) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kSamplingIgnored = {
    .info = {.code = "DP887",
             .name = "sampling-ignored",
             .summary = "sampling options for text generation that does not sample",
             .root_cause = "Training: Wrong Evaluation",
             .symptoms = "Wrong Result",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`temperature=`, `top_p=` or `top_k=` in a `GenerationConfig` or a call of `generate` that does not set `do_sample=True`. In a call of
`generate` it is a hint, because the configuration that comes with the model may set it.

## Why it costs

Without `do_sample` generation is greedy or a beam search. The options are ignored, at most with a warning, and every run returns the same
text.

## Bad

```python
from transformers import GenerationConfig

config = GenerationConfig(temperature=0.7, top_p=0.9, max_new_tokens=100)
```

## Good

```python
from transformers import GenerationConfig

config = GenerationConfig(do_sample=True, temperature=0.7, top_p=0.9, max_new_tokens=100)
```

## When it is wrong

Where `do_sample` is set on the configuration later.

## References

- Hugging Face: text generation strategies
)"},
    .calls = "transformers.GenerationConfig HfModel.generate",
    .on_call = check};

} // namespace deepperf::rules::sampling_ignored
