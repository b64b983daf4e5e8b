#include "rules/api_history.h"
#include "rules/options.h"
#include "rules/tree.h"

#include <algorithm>

#include <fmt/format.h>

namespace deepperf::rules::quantized_twice {

using namespace python;

namespace {

// `options.update(dict(load_in_4bit=True, quantization_config=config))` or `options = dict(…)`: the name of the
// options.
const Name *options_filled_by(const Site &site, const Call &call) {
  const Node *const parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  if (const auto *assignment = as<Assign>(parent)) {
    return assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  }
  const auto *update = as<Call>(parent);
  const bool is_update =
      update != nullptr && called_method(*update) == "update" && update->args.size() == 1 && update->args[0] == &call;
  return is_update ? as<Name>(receiver_of(*update)) : nullptr;
}

// `Model.from_pretrained(name, **options)` in the function.
const Call *load_with(const Site &site, const Name &options, u32 depth = 0) {
  constexpr u32 kMostDepth = 2;
  const Call *found = nullptr;
  const FunctionDef *const definition = site.function != nullptr ? site.function->definition() : nullptr;
  any_node(definition != nullptr ? definition->body : site.module->parsed->tree.body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    // options.update(more)
    const auto *more = call != nullptr && call->args.size() == 1 ? as<Name>(call->args[0]) : nullptr;
    const auto *updated = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
    if (depth < kMostDepth && more != nullptr && more->id == options.id && updated != nullptr &&
        updated->id != options.id && called_method(*call) == "update") {
      found = load_with(site, *updated, depth + 1);
    }
    if (call != nullptr && called_method(*call) == "from_pretrained" &&
        std::ranges::any_of(call->keywords, [&](const Keyword *keyword) {
          const auto *name = as<Name>(keyword->value);
          return !keyword->name && name != nullptr && name->id == options.id;
        })) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

void check_options(Site &site, const Call &call) {
  const Keyword *const config = keyword_argument(call, "quantization_config");
  const Name *const options = config != nullptr && !is_none(config->value) ? options_filled_by(site, call) : nullptr;
  const Call *const load = options != nullptr ? load_with(site, *options) : nullptr;
  if (load == nullptr) {
    return;
  }
  for (const std::string_view name : {"load_in_4bit", "load_in_8bit"}) {
    const Keyword *const given = keyword_argument(call, name);
    if (given != nullptr && bool_of(site, given->value) != false) {
      Finding &finding = report(
          site, *given,
          fmt::format("`{}=` together with `quantization_config=` raises a ValueError since Transformers 4.38", name),
          fmt::format("set `{}` only in the configuration: `BitsAndBytesConfig({}=…)`", name, name));
      add_note(finding, site, *load, "the options are used here");
      if (status_in(site, "transformers", "4.38") == Status::Fine) {
        report_for_upgrade(finding, site, "transformers");
      }
      return;
    }
  }
}

void check(Site &site, const Call &call) {
  if (called_method(call) != "from_pretrained") {
    if (called_api(site, call) == "dict") {
      check_options(site, call);
    }
    return;
  }
  const Option config = option_of(site, call, "quantization_config");
  if (config.value == nullptr || is_none(config.value)) {
    return;
  }
  for (const std::string_view name : {"load_in_4bit", "load_in_8bit"}) {
    const Option given = option_of(site, call, name);
    if (given.value != nullptr && given.as_bool() != false) {
      Finding &finding = report_option(
          site, call, given,
          fmt::format("`{}=` together with `quantization_config=` raises a ValueError since Transformers 4.38", name),
          fmt::format("set `{}` only in the configuration: `BitsAndBytesConfig({}=…)`", name, name));
      if (status_in(site, "transformers", "4.38") == Status::Fine) {
        report_for_upgrade(finding, site, "transformers");
      }
      return;
    }
  }
}

} // namespace

extern constinit const Rule kQuantizedTwice = {.info = {.code = "DP888",
                                                        .name = "quantized-twice",
                                                        .summary = "a model whose quantization is configured twice",
                                                        .root_cause = "Library: Mismatched Library Version",
                                                        .symptoms = "Program Crash",
                                                        .stage = "Model Building",
                                                        .frameworks = "PyTorch",
                                                        .severity = Severity::Error,
                                                        .tier = Tier::On,
                                                        .documentation = R"(## What it finds

`from_pretrained` with `quantization_config=` and `load_in_4bit=` or `load_in_8bit=`.

## Why it is wrong

Transformers raises a ValueError, because the settings belong in one place.

## Bad

```python
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype="bfloat16")
model = AutoModelForCausalLM.from_pretrained("gpt2", load_in_4bit=True, quantization_config=config)
```

## Good

```python
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype="bfloat16")
model = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=config)
```

## When it is wrong

Transformers before 4.38 accepts it; if the project's requirements are older, it is a note.

## References

- Transformers: quantization with bitsandbytes
)"},
                                               .calls = "*.from_pretrained dict",
                                               .on_call = check};

} // namespace deepperf::rules::quantized_twice
