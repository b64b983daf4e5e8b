#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::requires_grad_typo {

using namespace python;

namespace {

bool is_typo(std::string_view name) {
  for (const std::string_view typo :
       {"require_grad", "requires_grads", "require_grads", "required_grad", "requires_gard", "requiers_grad",
        "reqires_grad", "requires_gradient", "require_gradient"}) {
    if (name == typo) {
      return true;
    }
  }
  return false;
}

void check(Site &site, const Node &node) {
  if (!site.module->torch) {
    return;
  }
  for (const Expr *target : static_cast<const Assign &>(node).targets) {
    const auto *attribute = as<Attribute>(target);
    if (attribute == nullptr || !is_typo(attribute->attr.text())) {
      continue;
    }
    // An attribute of one's own may be called that.
    const auto *name = as<Name>(attribute->value);
    if (name != nullptr && name->id.text() == "self") {
      continue;
    }
    Finding &finding =
        report(site, *target, fmt::format("`{}` is a new attribute that PyTorch never reads", attribute->attr.text()),
               "use `requires_grad`");
    // A new tensor, which is no parameter, needs no gradient anyway.
    const auto &assignment = static_cast<const Assign &>(node);
    if (is_constant(assignment.value, ConstantKind::False) && !model::has_grad(attribute->value) &&
        value_of(site, attribute->value).is_kind(Kind::TorchTensor) && model::is_on_cpu(attribute->value)) {
      finding.tier = Tier::Hint;
    }
    set_fix(finding, false, // gradients stop or begin to flow
            {Edit{attribute->end - static_cast<u32>(attribute->attr.text().size()), attribute->end, "requires_grad"}});
  }
}

} // namespace

extern constinit const Rule kRequiresGradTypo = {
    .info = {.code = "DP809",
             .name = "requires-grad-typo",
             .summary = "a misspelled `requires_grad`, which PyTorch never reads",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

An assignment to `require_grad` and other misspellings of `requires_grad`.

## Why it is wrong

Python creates a new attribute of that name, and nothing else happens: layers that should be frozen are trained, with the time and memory
that their gradients cost, or a tensor that should be optimized gets no gradient.

## Bad

```python
import torchvision

model = torchvision.models.resnet18()
for parameter in model.parameters():
    parameter.require_grad = False
```

## Good

```python
import torchvision

model = torchvision.models.resnet18()
for parameter in model.parameters():
    parameter.requires_grad = False
```

## When it is wrong

Where your own object has an attribute of that name. Attributes of `self` are not reported.

## References

- TorchFix: TOR002
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::requires_grad_typo
