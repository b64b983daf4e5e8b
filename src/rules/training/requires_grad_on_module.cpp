#include "model/classes.h"
#include "rules/site.h"

#include <fmt/format.h>

namespace deepperf::rules::requires_grad_on_module {

using namespace python;

namespace {

// The modules that torchvision's models consist of.
bool is_part_of_torchvision_model(std::string_view name) {
  for (const std::string_view part : {"features", "classifier", "fc", "layer1", "layer2", "layer3", "layer4", "conv1",
                                      "bn1", "avgpool", "backbone", "heads"}) {
    if (name == part) {
      return true;
    }
  }
  return false;
}

bool is_torchvision_model(const model::Value &value) {
  return value.is_kind(Kind::TorchModule) && value.maker() != nullptr && value.name() &&
         value.name().text().starts_with("torchvision.models.");
}

// The elements of these are no modules, and those of an object of the project may be anything. What is not known is a
// part of torchvision's.
bool holds_parameters(const model::Value &value) {
  bool found = !value.is_kind(Kind::TorchModule) && !value.is_unknown();
  model::for_each_alternative(value, [&found](const model::Value &one) {
    found |= !one.is_kind(Kind::TorchModule) || one.maker() == nullptr ||
             (one.name() && one.name().text().starts_with("torch.nn.Parameter"));
  });
  return found;
}

// Is the name what a loop over children() or modules() of something binds?
bool is_child(const Site &site, Symbol name) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *loop = as<For>(site.ancestors[i]);
    if (loop == nullptr || !mentions(loop->target, name)) {
      continue;
    }
    const auto *call = as<Call>(loop->iter);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view();
    if (method == "children" || method == "modules") {
      return loop->target->kind == NodeKind::Name;
    }
    const auto *pair = as<Tuple>(loop->target);
    const auto *second = pair != nullptr && pair->elts.size() == 2 ? as<Name>(pair->elts[1]) : nullptr;
    return (method == "named_children" || method == "named_modules") && second != nullptr && second->id == name;
  }
  return false;
}

bool is_module(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  if (kind == Kind::TorchModule || kind == Kind::HfModel) {
    return true;
  }
  if (kind != Kind::Unknown) {
    return false;
  }
  if (const auto *element = as<Subscript>(expr)) {
    return element->slice->kind != NodeKind::Slice && is_module(site, element->value) &&
           !holds_parameters(value_of(site, element->value));
  }
  if (const auto *name = as<Name>(expr)) {
    return is_child(site, name->id);
  }
  const auto *part = as<Attribute>(expr);
  return part != nullptr && is_part_of_torchvision_model(part->attr.text()) &&
         is_torchvision_model(value_of(site, part->value));
}

// Does the class have a property of that name, or read the attribute? Then it is its own.
bool has_own(const Site &site, const Expr *object) {
  const model::Value value = value_of(site, object);
  const Symbol name = intern("requires_grad");
  return value.is(model::Value::Tag::Object) &&
         (model::find_member(*value.type, name) != nullptr || value.type->loads.contains(name.id));
}

void check(Site &site, const Node &node) {
  if (!site.module->torch) {
    return;
  }
  const auto &assignment = static_cast<const Assign &>(node);
  for (const Expr *target : assignment.targets) {
    const auto *attribute = as<Attribute>(target);
    if (attribute == nullptr || attribute->attr.text() != "requires_grad" || !is_module(site, attribute->value)) {
      continue;
    }
    const auto *name = as<Name>(attribute->value);
    if ((name != nullptr && name->id.text() == "self") || has_own(site, attribute->value)) {
      continue; // an attribute of one's own may be called that
    }
    const std::string_view written = text_of(site, attribute->value);
    const bool freezes = bool_of(site, assignment.value) != true;
    Finding &finding =
        report(site, *target,
               fmt::format("`{}` is a module: setting its `requires_grad` attribute {}", written,
                           freezes ? "freezes none of its parameters" : "changes none of its parameters"),
               fmt::format("call `{}.requires_grad_({})`", written, text_of(site, assignment.value)));
    if (assignment.targets.size() == 1) {
      set_fix(finding, false,
              {Edit{assignment.start, assignment.end,
                    fmt::format("{}.requires_grad_({})", written, text_of(site, assignment.value))}});
    }
  }
}

} // namespace

extern constinit const Rule kRequiresGradOnModule = {
    .info = {.code = "DP864",
             .name = "requires-grad-on-module",
             .summary = "`module.requires_grad = False`, which freezes nothing",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Execution Time",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

An assignment to the attribute `requires_grad` of a module, of one of its parts, or of what `children()` and `modules()` return.

## Why it is wrong

Only tensors have that attribute. The assignment gives the module a new attribute that PyTorch never reads: layers that should be frozen are
still trained, with the time and memory that their gradients cost. The method to call is `requires_grad_()`.

## Bad

```python
import torchvision

model = torchvision.models.vgg16()
model.features.requires_grad = False
```

## Good

```python
import torchvision

model = torchvision.models.vgg16()
model.features.requires_grad_(False)
```

## When it is wrong

Where your own module has a property of that name, or reads the attribute itself.

## References

- PyTorch documentation, `torch.nn.Module.requires_grad_`
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::requires_grad_on_module
