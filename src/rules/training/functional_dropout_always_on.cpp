#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/value_source.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::functional_dropout_always_on {

using namespace python;

namespace {

// Behind `if self.training`, or one of two results that the mode chooses between.
bool asks_for_mode(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const Node *around = site.ancestors[i];
    const Expr *test = around->kind == NodeKind::If      ? static_cast<const If *>(around)->test
                       : around->kind == NodeKind::IfExp ? static_cast<const IfExp *>(around)->test
                                                         : nullptr;
    if (test != nullptr && has_word(text_of(site, test), {"train", "dropout", "eval"})) {
      return true;
    }
    if (around->kind == NodeKind::FunctionDef) {
      return false;
    }
  }
  return false;
}

// Sampling with dropout in evaluation is what these are about.
bool is_meant(const Site &site) {
  const std::string_view function = site.function->name ? site.function->name.text() : std::string_view();
  const std::string_view type = site.type != nullptr ? site.type->name.text() : std::string_view();
  for (const std::string_view name : {function, type}) {
    if (has_word_in_any_case(name, {"mc_", "mcd", "monte", "bayes", "uncertain", "stochastic", "augment", "prenet"})) {
      return true;
    }
  }
  return false;
}

// A probability above zero that is written down, or an attribute of the module: the same in both modes. Names may hold
// what the mode decided.
bool is_same_in_both_modes(const Site &site, const Expr *p) {
  if (number_of(site, p).has_value()) {
    return number_of(site, p) != 0.0;
  }
  // `dropout=0.0` of the constructor, which nothing in sight changes
  if (const auto setting = setting_of(site, p); setting.has_value() && setting->as_number() == 0.0) {
    return false;
  }
  const auto *attribute = as<Attribute>(p);
  if (attribute == nullptr || has_word(text_of(site, p), {"train"}) || function_has_word(site, {".training"})) {
    return false;
  }
  // `self.config.dropout` of settings that the program defines
  const model::Value settings =
      attribute->value->kind == NodeKind::Attribute ? value_of(site, attribute->value) : model::Value{};
  const bool is_setting = settings.is(model::Value::Tag::Object) && settings.type->kind == Kind::Unknown;
  return attribute->value->kind == NodeKind::Name || attribute->attr.text() == "p" || is_setting;
}

// The same of what a name or parameter gets, wherever that is written.
bool is_given_same_in_both_modes(const Site &site, const Expr *p) {
  const bool is_name = p->kind == NodeKind::Name;
  if (!is_name) {
    return is_same_in_both_modes(site, p);
  }
  const auto sources = value_sources_of(site, p);
  return !sources.empty() && !function_has_word(site, {"train"}) &&
         std::ranges::all_of(sources, [](const ValueSource &source) {
           return source.site.type != nullptr && source.site.type->kind == Kind::TorchModule &&
                  source.expr->kind != NodeKind::Name && in_forward_pass(source.site) && !is_meant(source.site) &&
                  !function_has_word(source.site, {"train"}) && is_same_in_both_modes(source.site, source.expr);
         });
}

// `scaled_dot_product_attention(…, dropout_p=self.p)`, which takes a probability and no mode.
void check_attention(Site &site, const Call &call) {
  const Expr *p = argument(call, 4, "dropout_p");
  if (p == nullptr || site.function == nullptr || !in_forward_pass(site) || asks_for_mode(site) || is_meant(site) ||
      !is_given_same_in_both_modes(site, p)) {
    return;
  }
  const bool is_module = site.type != nullptr && site.type->kind == Kind::TorchModule;
  if (!is_module && p->kind != NodeKind::Name) {
    return;
  }
  Finding &finding =
      report(site, *p, "`dropout_p` also drops values in evaluation mode, because the function does not know the mode",
             is_module ? fmt::format("pass `dropout_p={} if self.training else 0.0`", text_of(site, p))
                       : std::string("pass 0.0 unless the module is in training mode (`self.training`)"));
  // `dropout=0.0` unless some caller that is not in sight passes another value
  const model::ConstantChoices choices = model::choices_of(scope_of(site), p);
  if (!choices.values.empty() &&
      std::ranges::all_of(choices.values, [](const model::ConstantValue &one) { return one.as_number() == 0.0; })) {
    finding.tier = Tier::Hint;
  }
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "torch.nn.functional.scaled_dot_product_attention") {
    check_attention(site, call);
    return;
  }
  if (has_hidden_arguments(call) || argument(call, 2, "training") != nullptr || site.function == nullptr ||
      !in_forward_pass(site) || asks_for_mode(site) || is_meant(site)) {
    return;
  }
  const Expr *p = argument(call, 1, "p");
  if (p != nullptr && number_of(site, p) == 0.0) {
    return;
  }
  const bool has_mode =
      site.type != nullptr && site.type->kind == Kind::TorchModule && site.function->type == site.type;
  Finding &finding =
      report(site, call,
             fmt::format("`{}` also drops values in evaluation mode, because `training` defaults to True",
                         text_of(site, call.func)),
             has_mode ? "pass `training=self.training`" : "pass the module's mode as `training=…`");
  if (!has_mode) {
    finding.tier = Tier::Hint; // other callers may want it so
  }
  const FunctionDef *definition = site.function->definition();
  if (has_mode && definition != nullptr && !definition->params.empty()) {
    const std::string self(definition->params[0]->name.text());
    if (const std::optional<Edit> edit = add_argument(site, call, fmt::format("training={}.training", self))) {
      set_fix(finding, false, {*edit});
    }
  }
}

} // namespace

extern constinit const Rule kFunctionalDropoutAlwaysOn = {
    .info = {.code = "DP863",
             .name = "functional-dropout-always-on",
             .summary = "`F.dropout()` without `training=`, which also drops values in evaluation",
             .root_cause = "Training: Wrong Mode",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`F.dropout(x, p)` and its variants in the forward pass of a module, without the argument `training`, and
`F.scaled_dot_product_attention(…, dropout_p=p)` with the same probability in both modes.

## Why it is wrong

Unlike `nn.Dropout`, the function does not know the module's mode: `training` defaults to `True`. Values are dropped after `model.eval()`
too, so predictions are random and less accurate.

## Bad

```python
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(F.dropout(x, 0.5))
```

## Good

```python
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(F.dropout(x, 0.5, training=self.training))
```

## When it is wrong

Where predictions are sampled with dropout on purpose (Monte Carlo dropout, the prenet of a speech synthesizer). Write `training=True` to
make that explicit.

## References

- PyTorch documentation, `torch.nn.functional.dropout`
)"},
    .calls = "torch.nn.functional.dropout torch.nn.functional.dropout1d torch.nn.functional.dropout2d "
             "torch.nn.functional.dropout3d torch.nn.functional.alpha_dropout "
             "torch.nn.functional.feature_alpha_dropout torch.nn.functional.scaled_dot_product_attention",
    .on_call = check};

} // namespace deepperf::rules::functional_dropout_always_on
