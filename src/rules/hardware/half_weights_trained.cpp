#include "base/known_names.h"
#include "model/classes.h"
#include "rules/assignments.h"
#include "rules/options.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace deepperf::rules::half_weights_trained {

using namespace python;

namespace {

bool is_half_type(const Site &site, const Expr *type) {
  const model::Value value = type != nullptr ? value_of(site, type) : model::Value{};
  return value.is(model::Value::Tag::Api) &&
         (value.name().text() == "torch.float16" || value.name().text() == "torch.half");
}

// The name or attribute that the chain `model.cuda().half()` begins with.
const Expr *root_of(const Expr *expr) {
  while (const auto *call = as<Call>(expr)) {
    const Expr *const receiver = receiver_of(*call);
    const std::string_view method = called_method(*call);
    if (receiver == nullptr || (method != "to" && method != "cuda" && method != "half" && method != "train")) {
      return nullptr;
    }
    expr = receiver;
  }
  return expr != nullptr && (expr->kind == NodeKind::Name || expr->kind == NodeKind::Attribute) ? expr : nullptr;
}

// `model` of `model = Net().half().to(device)`, where the conversion stands in the chain; null if it is something else.
const Expr *target_of_chain(const Site &site, const Call &half) {
  const auto *assignment = as<Assign>(statement_around(site));
  if (assignment == nullptr || assignment->targets.size() != 1) {
    return nullptr;
  }
  const Expr *expr = assignment->value;
  while (expr != &half) {
    const auto *call = as<Call>(expr);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (call != nullptr && method != "to" && method != "cuda" && method != "train" && call->args.size() == 1) {
      expr = call->args[0]; // torch.compile(Net().half()), Wrapper(Net().half())
      continue;
    }
    if (method != "to" && method != "cuda" && method != "train") {
      return nullptr;
    }
    expr = receiver_of(*call);
  }
  const Expr *const target = assignment->targets[0];
  return target->kind == NodeKind::Name || target->kind == NodeKind::Attribute ? target : nullptr;
}

// All optimizers that the project makes of the weights of a model.
struct Optimizers {
  struct One {
    const Call *call = nullptr;
    const model::ClassInfo *type = nullptr; // of the model
  };
  std::vector<One> all;
};

Optimizers find_optimizers(const Site &site) {
  Optimizers found;
  for (const model::Module &module : site.project.modules) {
    for (const Stmt *statement : module.parsed->tree.body) {
      any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
        const auto *call = as<Call>(node);
        const auto *given = call != nullptr && model::kind_of(call) == Kind::TorchOptimizer && !call->args.empty()
                                ? as<Call>(call->args[0])
                                : nullptr;
        if (given != nullptr && called_method(*given) == "parameters") {
          const model::Value model = value_of(site_of(site, *call), receiver_of(*given));
          found.all.push_back({call, model.is(model::Value::Tag::Object) ? model.type : nullptr});
        }
        return false;
      });
    }
  }
  return found;
}

// An optimizer of the only model of a class of the project, wherever it is made.
const Call *optimizer_of_class(const Site &site, const model::Value &model) {
  if (!model.is(model::Value::Tag::Object) || model.alternatives != nullptr || model.open) {
    return nullptr;
  }
  const Optimizers &known = site.memory.recall<Optimizers>(&site.project, [&site] { return find_optimizers(site); });
  // Of a class that is made in several places, one may be trained and another may not.
  const model::FunctionInfo *const maker = model::find_method_of(*model.type, known::sym_init);
  const bool is_made_once = maker != nullptr && maker->called_by.size() <= 1;
  const auto found = std::ranges::find_if(known.all, [&](const Optimizers::One &one) {
    return one.type == model.type && (is_made_once || site_of(site, *one.call).module == site.module);
  });
  return found != known.all.end() ? found->call : nullptr;
}

// An optimizer of PyTorch that is given the parameters of the model, after the place, in the same function.
const Call *optimizer_over(const Site &site, const Call &half, std::string_view model) {
  const std::string parameters = std::string(model) + ".parameters()";
  const Call *found = nullptr;
  any_node(body_around(site), [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call != nullptr && call->start > half.end && called_api(site, *call).starts_with("torch.optim.") &&
        !call->args.empty() && text_of(site, call->args[0]) == parameters) {
      found = call;
    }
    return found != nullptr;
  });
  return found;
}

// The calls of a file that make a Trainer of Hugging Face.
struct Trainers {
  std::vector<const Call *> calls;
};

Trainers find_trainers(const Site &site) {
  Trainers found;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *made = as<Call>(node);
      const std::string_view api = made != nullptr ? called_api(site, *made) : std::string_view{};
      if (api.starts_with("transformers.") && api.ends_with("Trainer")) {
        found.calls.push_back(made);
      }
      return false;
    });
  }
  return found;
}

// `from_pretrained(name, torch_dtype=torch.float16)`, and a Trainer whose arguments ask for `fp16`.
void check_loaded(Site &site, const Call &call) {
  Option type = option_of(site, call, "torch_dtype");
  type = type.is_absent ? option_of(site, call, "dtype") : type;
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (type.value == nullptr || !is_half_type(site, type.value) || assignment == nullptr ||
      assignment->targets.size() != 1 || site.module->is_test || model::kind_of(&call) != Kind::HfModel ||
      file_has_word(site,
                    {"peft", "lora", "Lora", "load_in_8bit", "load_in_4bit", "quantization_config", ".float()"})) {
    return;
  }
  const std::string_view model = text_of(site, assignment->targets[0]);
  const Call *trainer = nullptr;
  for (const Call *made : site.memory.recall<Trainers>(site.module, [&site] { return find_trainers(site); }).calls) {
    const Expr *const given = argument(*made, 0, "model");
    trainer = given != nullptr && text_of(site, given) == model ? made : trainer;
  }
  const Expr *const settings = trainer != nullptr ? argument(*trainer, 1, "args") : nullptr;
  const Site there = trainer != nullptr ? site_of(site, *trainer) : site;
  const auto written =
      settings != nullptr ? model::written_as(scope_of(there), settings) : std::vector<model::Argument::Given>{};
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  if (made == nullptr) {
    return;
  }
  const Site set = site_of(site, *made);
  const auto half = setting_of(set, argument_of(set, *made, ~0U, "fp16"), model::ConstantValue::of(false));
  if (!half.has_value() || half->overridable || half->as_bool() != true) {
    return;
  }
  Finding &finding =
      report_option(site, call, type, "the Trainer cannot unscale the gradients of float16 weights: ValueError",
                    "load the weights in float32 (omit `torch_dtype`), or use bfloat16 and `bf16=True`");
  add_note(finding, site, *trainer, "the model is trained here, with `fp16=True`");
}

void check(Site &site, const Call &call) {
  if (called_method(call) == "from_pretrained") {
    check_loaded(site, call);
    return;
  }
  const bool is_to = called_method(call) == "to";
  if (is_to) {
    bool asks = false;
    for (const Expr *arg : call.args) {
      asks = asks || is_half_type(site, arg);
    }
    const Keyword *const type = keyword_argument(call, "dtype");
    if (!asks && (type == nullptr || !is_half_type(site, type->value))) {
      return;
    }
  } else if (!call.args.empty()) {
    return;
  }
  const Expr *const written = root_of(receiver_of(call));
  const Expr *const root = written != nullptr ? written : target_of_chain(site, call);
  const Kind kind = root != nullptr ? model::kind_of(root) : Kind::TorchTensor;
  if (root == nullptr || (kind != Kind::TorchModule && kind != Kind::HfModel && kind != Kind::Unknown) ||
      enclosing(site, NodeKind::If) != nullptr || site.module->is_test) {
    return;
  }
  const std::string_view name = text_of(site, root);
  const Call *const beside = optimizer_over(site, call, name);
  const Call *const optimizer = beside != nullptr ? beside : optimizer_of_class(site, value_of(site, root));
  const std::string back = std::string(name) + ".float(";
  // Master weights in float32, or layers that are converted back.
  if (optimizer == nullptr || function_has_word(site, {"master", "scale_loss", "loss_scale", std::string_view(back)}) ||
      (function_has_word(site, {"BatchNorm"}) && function_has_word(site, {".float("})) ||
      file_has_word_in_any_case(site, {"fp16_optimizer", "fp16optimizer", "deepspeed", "master_param", "apex"})) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format(
                 "`{}` is trained with float16 weights: small updates round to nothing, and Adam's epsilon is 0", name),
             "keep the weights in float32 and use `torch.autocast` with a `GradScaler`, or bfloat16");
  finding.notes.push_back(
      {site_of(site, *optimizer).module->file, optimizer->span(), "the optimizer updates them here"});
}

} // namespace

extern constinit const Rule kHalfWeightsTrained = {
    .info = {.code = "DP522",
             .name = "half-weights-trained",
             .summary = "a model whose weights are converted to float16 and then trained",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Not a Number, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`model.half()` or `model.to(torch.float16)`, and then an optimizer over `model.parameters()`; and a pretrained model that is loaded with
`torch_dtype=torch.float16` and given to a `Trainer` with `fp16=True`.

## Why it is wrong

A float16 number has 11 significant bits: an update of less than a two-thousandth of a weight changes nothing. Gradients below 6e-8 are 0,
and so is Adam's epsilon of 1e-8, which makes the first update of a parameter with a zero gradient 0/0. Mixed precision keeps the weights in
float32 and computes with float16 copies.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    model = model.cuda().half()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        loss_function(model(x.half()), y).backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, loss_function):
    model = model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where the optimizer keeps float32 copies of the weights.

## References

- PyTorch: automatic mixed precision, "should not call half() on your model"
)"},
    .calls = "*.half *.to *.from_pretrained",
    .on_call = check};

} // namespace deepperf::rules::half_weights_trained
