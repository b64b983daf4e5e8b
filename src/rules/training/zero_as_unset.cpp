#include "base/name_table.h"
#include "model/definitions.h"
#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::zero_as_unset {

using namespace python;

namespace {

enum class Use : u8 { None, Seed, Device };

// Is it a number that may be missing: an option of type int, or a parameter, whose default is None? An option without a
// type is a text, and "0" is true.
bool may_be_zero_or_none(const Site &site, const Expr *expr) {
  if (expr->kind != NodeKind::Name && expr->kind != NodeKind::Attribute) {
    return false;
  }
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (const auto *name = as<Name>(expr); name != nullptr && definition != nullptr) {
    const bool is_parameter = std::ranges::any_of(definition->params, [&](const Param *param) {
      return param->name == name->id && param->default_value != nullptr && is_none(param->default_value);
    });
    if (is_parameter) {
      return true;
    }
  }
  const auto preset = setting_of(site, expr);
  if (!preset.has_value() || !preset->is_none() || !preset->overridable) {
    return false;
  }
  const auto *attribute = as<Attribute>(expr);
  if (attribute == nullptr) {
    return true;
  }
  const model::Definitions &definitions = model::definitions_of(site.project);
  const auto options = definitions.options.find(attribute->attr.id);
  return options != definitions.options.end() &&
         std::ranges::all_of(options->second, [](const model::CallPlace &option) {
           const Keyword *type = keyword_argument(*option.call, "type");
           const auto *name = type != nullptr ? as<Name>(type->value) : nullptr;
           return name != nullptr && name->id.text() == "int";
         });
}

bool is_same(const Site &site, const Expr *left, const Expr *right) {
  return left != nullptr && left->kind == right->kind && text_of(site, left) == text_of(site, right);
}

bool mentions_value(const Site &site, const Node *node, const Expr *value) {
  return any_node(
      node, [&](const Node *part) { return part->kind == value->kind && text_of(site, part) == text_of(site, value); });
}

// How the call uses the value.
Use use_of(const Site &site, const Call &call, const Expr *value) {
  static const NameTable kSeeding({"torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed",
                                   "torch.cuda.manual_seed_all", "numpy.random.seed", "random.seed",
                                   "tensorflow.random.set_seed", "tensorflow.set_random_seed", "jax.random.PRNGKey",
                                   "jax.random.key", "transformers.set_seed", "lightning.seed_everything",
                                   "pytorch_lightning.seed_everything", "accelerate.utils.set_seed"});
  const model::Value callee = site.project.callee_of(&call);
  const Expr *first = !call.args.empty() ? call.args[0] : nullptr;
  if (callee.is(model::Value::Tag::Api) && kSeeding.has(callee.name())) {
    return is_same(site, first, value) ? Use::Seed : Use::None;
  }
  const std::string_view api = called_api(site, call);
  const std::string_view method = called_method(call);
  if (api == "torch.cuda.set_device" || (method == "cuda" && call.args.size() == 1)) {
    return is_same(site, first, value) ? Use::Device : Use::None;
  }
  if (api == "torch.device") {
    const bool is_named = first != nullptr && first->kind == NodeKind::JoinedStr && mentions_value(site, first, value);
    return is_named || (call.args.size() == 2 && is_same(site, call.args[1], value)) ? Use::Device : Use::None;
  }
  return Use::None;
}

Use use_in(const Site &site, const Node *node, const Expr *value) {
  Use found = Use::None;
  any_node(node, [&](const Node *part) {
    const auto *call = as<Call>(part);
    found = call != nullptr ? use_of(site, *call, value) : Use::None;
    return found != Use::None;
  });
  return found;
}

void add_finding(Site &site, const Expr &tested, Use use, bool is_branch) {
  const std::string_view name = text_of(site, &tested);
  Finding &finding =
      report(site, tested,
             use == Use::Seed
                 ? fmt::format("0 is a valid seed, but it is false, so `{}` of 0 is ignored", name)
                 : fmt::format("0 is the number of the first GPU, but it is false, so `{}` of 0 is ignored", name),
             is_branch ? fmt::format("test `{} is not None`", name)
                       : fmt::format("write `{0} if {0} is not None else …`", name));
  // With 0 some programs ask for different random numbers in every run.
  finding.tier = use == Use::Seed ? Tier::Hint : Tier::On;
}

// `if args.seed: torch.manual_seed(args.seed)`
void check_branch(Site &site, const Expr *test, const Block &body, const Block &orelse) {
  const auto *both = as<BoolOp>(test);
  std::vector<const Expr *> parts = {test};
  if (both != nullptr && both->op() == BoolOperator::And) {
    parts.assign(both->values.begin(), both->values.end());
  }
  for (const Expr *part : parts) {
    if (part->kind != NodeKind::Name && part->kind != NodeKind::Attribute) {
      continue;
    }
    Use use = Use::None;
    for (const Stmt *statement : body) {
      use = use == Use::None ? use_in(site, statement, part) : use;
    }
    if (use == Use::None || !may_be_zero_or_none(site, part)) {
      continue;
    }
    // Else it goes to the current GPU, which is the first one.
    const bool moves_too = std::ranges::any_of(
        orelse, [&](const Stmt *statement) { return has_word(text_of(site, statement), {"cuda"}); });
    if (use != Use::None && !(use == Use::Device && moves_too)) {
      add_finding(site, *part, use, true);
      return;
    }
  }
}

// `torch.manual_seed(args.seed or 42)`, `seed = args.seed or 42`
void check_default(Site &site, const BoolOp &either) {
  const Expr *value = either.values[0];
  if (either.op() != BoolOperator::Or || site.ancestors.empty()) {
    return;
  }
  const Node *around = site.ancestors.back();
  Use use = Use::None;
  if (const auto *call = as<Call>(around)) {
    use = use_of(site, *call, &either);
  } else if (const auto *assignment = as<Assign>(around);
             assignment != nullptr && may_be_zero_or_none(site, value)) { // which is known sooner than how it is used
    const auto *name = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    const Block &body = body_around(site);
    for (u32 i = 0; name != nullptr && use == Use::None && i < body.size(); ++i) {
      use = use_in(site, body[i], name);
    }
  }
  if (use != Use::None && may_be_zero_or_none(site, value)) {
    add_finding(site, *value, use, false);
  }
}

void check(Site &site, const Node &node) {
  if (site.module->is_test) {
    return;
  }
  if (const auto *branch = as<If>(&node)) {
    check_branch(site, branch->test, branch->body, branch->orelse);
  } else if (const auto *either = as<BoolOp>(&node)) {
    check_default(site, *either);
  }
}

} // namespace

extern constinit const Rule kZeroAsUnset = {
    .info = {.code = "DP996",
             .name = "zero-as-unset",
             .summary = "a seed or GPU number of 0 that is treated as if it was not given",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`if args.gpu: model.cuda(args.gpu)` and `if seed: torch.manual_seed(seed)`, where the default is None and 0 can be passed. Seeds are hints.

## Why it is wrong

0 is false in Python. With `--gpu 0` the model stays on the CPU, and with `--seed 0` every run is different, without any message.

## Bad

```python
import torch


def place(model: torch.nn.Module, gpu=None):
    if gpu:
        model = model.cuda(gpu)
    return model
```

## Good

```python
import torch


def place(model: torch.nn.Module, gpu=None):
    if gpu is not None:
        model = model.cuda(gpu)
    return model
```

## When it is wrong

Where 0 is documented to mean that none is given.
)"},
    .nodes = {NodeKind::If, NodeKind::BoolOp},
    .on_node = check};

} // namespace deepperf::rules::zero_as_unset
