#include "model/variance.h"
#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::method_of_wrapped_model {

using namespace python;
using model::Value;

namespace {

bool is_prepare(const Node *node) {
  const auto *call = as<Call>(node);
  const Expr *const receiver = call != nullptr ? receiver_of(*call) : nullptr;
  return receiver != nullptr && model::kind_of(receiver) == Kind::Accelerator &&
         (called_method(*call) == "prepare" || called_method(*call) == "prepare_model");
}

// The call of prepare() whose result the name or attribute `written` gets, before `place`; null if it also gets
// something else afterwards, such as an unwrapped model.
const Call *prepared_as(const Site &site, const Node *code, std::string_view written, u32 place) {
  const Call *found = nullptr;
  any_node_inside(code, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    if (assignment == nullptr || assignment->start > place) {
      return false;
    }
    for (const Expr *target : assignment->targets) {
      const auto *parts = as<Tuple>(target);
      const auto is_written = [&](const Expr *part) { return text_of(site, part) == written; };
      if (is_written(target) || (parts != nullptr && std::ranges::any_of(parts->elts, is_written))) {
        found = is_prepare(assignment->value) ? static_cast<const Call *>(assignment->value) : nullptr;
      }
    }
    return false;
  });
  return found;
}

const Call *prepared(const Site &site, const Expr *model, u32 depth) {
  const FunctionDef *const definition = site.function->definition();
  if (model->kind == NodeKind::Attribute) {
    const model::ClassInfo *const type = site.function->type;
    return type != nullptr ? prepared_as(site, type->node, text_of(site, model), ~0U) : nullptr;
  }
  const auto *name = as<Name>(model);
  if (name == nullptr || definition == nullptr) {
    return nullptr;
  }
  if (const Call *const own = prepared_as(site, definition, text_of(site, model), model->start)) {
    return own;
  }
  const auto param =
      std::ranges::find_if(site.function->params, [name](const Param *one) { return one->name == name->id; });
  if (depth == 2 || param == site.function->params.end() || last_assigned(site, *name) != nullptr ||
      site.function->called_by.size() > 4) {
    return nullptr;
  }
  const Call *found = nullptr;
  for (const model::CallSite *caller : site.function->called_by) {
    const Expr *const given = model::passed_argument(*caller, static_cast<u32>(param - site.function->params.begin()));
    const Site there = site_of(site, *caller->call);
    found = given != nullptr && there.function != nullptr && caller->caller != site.function
                ? prepared(there, given, depth + 1)
                : nullptr;
    if (found == nullptr) {
      return nullptr;
    }
  }
  return found;
}

// `DistributedDataParallel(…)` that the expression is at the place; null if it is something else.
const Call *wrapper_of(const Site &site, const Expr *model) {
  const auto *name = as<Name>(model);
  const auto *written = name != nullptr ? as<Call>(last_assigned(site, *name)) : nullptr;
  const auto wraps = [](std::string_view api) {
    return api == "torch.nn.parallel.DistributedDataParallel" || api == "torch.nn.DataParallel";
  };
  if (written != nullptr) {
    return wraps(called_api(site, *written)) ? written : nullptr;
  }
  const Value value = value_of(site, model);
  return value.is(Value::Tag::Instance) && value.alternatives == nullptr && !value.open && value.maker() != nullptr &&
                 value.name() && wraps(value.name().text())
             ? value.maker()
             : nullptr;
}

void check(Site &site, const Call &call) {
  const Expr *const model = receiver_of(call);
  if (site.function == nullptr || model == nullptr || site.module->is_test ||
      (model->kind != NodeKind::Name && model->kind != NodeKind::Attribute)) {
    return;
  }
  const auto *member = as<Attribute>(model);
  if (member != nullptr && (member->attr.text() == "module" || member->attr.text() == "_orig_mod")) {
    return;
  }
  const bool is_wrapping = project_has_word(site, {"DataParallel"});
  const Call *const wrapper = is_wrapping ? wrapper_of(site, model) : nullptr;
  const Call *const prepare =
      wrapper == nullptr && project_has_word(site, {"ccelerat"}) ? prepared(site, model, 0) : nullptr;
  if ((wrapper == nullptr && prepare == nullptr) || function_has_word(site, {"hasattr", "isinstance"})) {
    return;
  }
  const Call &made = wrapper != nullptr ? *wrapper : *prepare;
  Finding &finding =
      report(site, call,
             fmt::format("with several processes `{}` is a wrapper, which has no `{}()`", text_of(site, model),
                         called_method(call)),
             wrapper != nullptr ? fmt::format("call it on `{}.module`", text_of(site, model))
                                : fmt::format("call it on `accelerator.unwrap_model({})`", text_of(site, model)));
  finding.notes.push_back({site_of(site, made).module->file, made.span(), "it is wrapped here"});
  if (wrapper == nullptr) {
    finding.severity = Severity::Warning; // one process has no wrapper
  }
}

} // namespace

extern constinit const Rule kMethodOfWrappedModel = {
    .info = {.code = "DP941",
             .name = "method-of-wrapped-model",
             .summary = "a method of the model that its distributed wrapper does not have",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`generate()`, `save_pretrained()` and other methods of a Hugging Face model that are called on `DistributedDataParallel` or `DataParallel`
around it, or on a model that Accelerate has prepared, without `unwrap_model` or `.module`.

## Why it is wrong

The wrapper has only `forward` and what every module has. With several processes the call fails with "object has no attribute"; for a
prepared model it works on one device, where nothing is wrapped.

## Bad

```python
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def train(loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained("out")
```

## Good

```python
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM


def train(loader):
    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.unwrap_model(model).save_pretrained("out")
```

## When it is wrong

Where the program only ever runs on one device.

## References

- Accelerate: saving and loading, `Accelerator.unwrap_model`
)"},
    .calls = "*.generate *.save_pretrained *.push_to_hub *.resize_token_embeddings",
    .on_call = check};

} // namespace deepperf::rules::method_of_wrapped_model
