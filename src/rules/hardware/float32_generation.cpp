#include "model/code_text.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules::float32_generation {

using namespace python;
using model::Value;

namespace {

// `torch_dtype=torch.float32`, also by its name: `getattr(torch, args.dtype)` with that default.
bool chooses_float32(const Site &site, const Call &call) {
  model::Argument format = argument_of(site, call, ~0U, "torch_dtype");
  format = format.is_absent() ? argument_of(site, call, ~0U, "dtype") : format;
  if (format.unknown || format.given.size() != 1) {
    return false;
  }
  const auto written = model::written_as(format.given[0].scope, format.given[0].expr);
  const model::Scope scope = written.size() == 1 ? written[0].scope : format.given[0].scope;
  const Expr *value = written.size() == 1 ? written[0].expr : format.given[0].expr;
  const auto *looked_up = as<Call>(value);
  if (looked_up != nullptr && called_api(site, *looked_up) == "getattr" && looked_up->args.size() >= 2) {
    const auto name = model::constant_of(scope, looked_up->args[1]);
    return name.has_value() && (name->as_string() == "float32" || name->as_string() == "float");
  }
  const auto constant = model::constant_of(scope, value);
  const auto text = constant.has_value() && !constant->overridable ? constant->as_string() : std::nullopt;
  const model::Value api = model::value_of(scope, value);
  return text == "float32" ||
         (api.is(Value::Tag::Api) && (api.name().text() == "torch.float32" || api.name().text() == "torch.float"));
}

// Is anything said about the numbers' format where the model is loaded?
bool chooses_format(const Site &site, const Call &call) {
  constexpr std::string_view kFormats[] = {"torch_dtype",         "dtype",   "load_in_8bit", "load_in_4bit",
                                           "quantization_config", "variant", "revision"};
  return std::ranges::any_of(kFormats,
                             [&](std::string_view name) { return !argument_of(site, call, ~0U, name).is_absent(); });
}

// A file that trains, or that changes the format later, or never uses a GPU.
bool is_other_case(const Site &site, bool is_chosen) {
  const std::string_view text = model::code_of(*site.module);
  return has_word(text, {"backward(", "Trainer", "Learner", "optim", ".train(", ".fit(", ".half(", "bfloat16",
                         "float16", "autocast", "peft", "quantiz", "bitsandbytes"}) ||
         (!is_chosen && has_word(text, {"torch_dtype"})) || !has_word(text, {"cuda", "device_map"});
}

// `device_map="cpu"`
bool stays_on_host(const Site &site, const Call &call) {
  const Keyword *map = keyword_argument(call, "device_map");
  const auto where = map != nullptr ? string_of(site, map->value) : std::nullopt;
  return where.has_value() && where->starts_with("cpu");
}

// `dtype=torch.float32`, written out right there.
bool is_written_out(const Site &site, const Call &call) {
  const Keyword *format = keyword_argument(call, "torch_dtype");
  format = format == nullptr ? keyword_argument(call, "dtype") : format;
  return format != nullptr && value_of(site, format->value).is(Value::Tag::Api);
}

void check(Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  const Value model = callee.is(Value::Tag::ApiMethod) ? callee.receiver() : callee;
  const bool is_known = (model.is_kind(Kind::HfModel) || model.is_kind(Kind::HfPipeline)) && model.maker() != nullptr &&
                        model.name() && model.name().text().ends_with(".from_pretrained");
  // A pipeline of Diffusers is the only one that from_pretrained makes.
  if (!is_known) {
    return;
  }
  Site made = site_of(site, *model.maker());
  const bool is_chosen = made.module != nullptr && chooses_float32(made, *model.maker());
  if (!is_chosen && made.module != nullptr && chooses_format(made, *model.maker())) {
    return;
  }
  if (made.module == nullptr || is_other_case(made, is_chosen) || stays_on_host(made, *model.maker()) ||
      (made.module != site.module && is_other_case(site, is_chosen)) || made.module->is_test) {
    return;
  }
  Finding &finding =
      report(made, *model.maker(), "the model is loaded in float32, though it only generates on a GPU",
             "pass `dtype=torch.bfloat16`; the argument is `torch_dtype` in Diffusers and before Transformers 4.56");
  finding.notes.push_back({site.module->file, call.span(), "it is used here"});
  // Who converts a model for another framework compares the numbers.
  const bool converts = made.module->tensorflow || made.module->jax || file_has_word(made, {"import keras"});
  if (is_chosen && converts && is_written_out(made, *model.maker())) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kFloat32Generation = {
    .info = {.code = "DP515",
             .name = "float32-generation",
             .summary = "a model that generates text or images on a GPU in float32",
             .root_cause = "Hardware: Not Using Mixed Precision",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`from_pretrained` of a Hugging Face model or Diffusers pipeline that is called or used for `generate()`, without
`torch_dtype`, `dtype` or quantization or with `torch.float32`, in a program for a GPU that does not train.

## Why it costs

Generating a token reads all weights. In float32 they are twice as many bytes as in bfloat16 or float16, so each token
needs twice the memory traffic, and the matrix products run without half-precision tensor cores.

## Bad

```python
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2").to("cuda")


def answer(ids):
    return model.generate(ids, max_new_tokens=50)
```

## Good

```python
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2", dtype=torch.bfloat16).to("cuda")


def answer(ids):
    return model.generate(ids, max_new_tokens=50)
```

## When it is wrong

Since Transformers 5 the default is the dtype of the checkpoint. GPUs before Volta have no tensor cores, and only GPUs
since Ampere support bfloat16 natively. A few models, such as T5, overflow in float16: use bfloat16 for those.

## References

- Transformers: loading models, `dtype`
)"},
    .calls = "HfModel.generate HfPipeline.__call__",
    .on_call = check};

} // namespace deepperf::rules::float32_generation
