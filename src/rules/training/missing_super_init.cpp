#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"

#include "python/children.h"

#include <fmt/format.h>

namespace deepperf::rules::missing_super_init {

using namespace python;

namespace {

bool calls_init(const Node *node) {
  if (const auto *attribute = as<Attribute>(node); attribute != nullptr && attribute->attr.text() == "__init__") {
    return true;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || calls_init(child); });
  return found;
}

// The first `self.x = nn.Linear(…)`: what fails at run time. Not in nested functions.
const Stmt *stores_module(const Site &site, const Block &body, Symbol self) {
  for (const Stmt *statement : body) {
    const auto *assignment = as<Assign>(statement);
    if (assignment == nullptr) {
      continue;
    }
    const auto *target = as<Attribute>(assignment->targets[0]);
    const auto *object = target != nullptr ? as<Name>(target->value) : nullptr;
    const auto *made = as<Call>(run_by(assignment->value));
    if (object == nullptr || object->id != self || made == nullptr) {
      continue;
    }
    const std::string_view api = called_api(site, *made);
    if (api == "torch.nn.Parameter" || (api.starts_with("torch.nn.") && model::kind_of(made) == Kind::TorchModule)) {
      return statement;
    }
  }
  return nullptr;
}

// As the file writes it: Python 2 needs the class and the object.
std::string call_of_super(const Site &site, const ClassDef &definition, const FunctionDef &init) {
  const Tree &tree = site.module->parsed->tree;
  const bool writes_short = file_has_word(site, {"super()"});
  const bool writes_long = file_has_word(site, {"super("});
  if (!tree.is_python2 && (writes_short || !writes_long)) {
    return "super().__init__()";
  }
  return fmt::format("super({}, {}).__init__()", definition.name.text(), init.params[0]->name.text());
}

void check(Site &site, const Node &node) {
  const auto &definition = static_cast<const ClassDef &>(node);
  const auto *known = site.project.class_at(&node);
  if (known == nullptr || known->kind != Kind::TorchModule || !definition.decorators.empty() ||
      definition.bases.size() != 1) {
    return;
  }
  const model::Value base = known->bases.empty() ? model::Value{} : known->bases[0];
  if (!base.is(model::Value::Tag::Api) || base.name().text() != "torch.nn.Module") {
    return;
  }
  for (const Stmt *member : definition.body) {
    const auto *init = as<FunctionDef>(member);
    if (init == nullptr || init->name.text() != "__init__" || init->params.empty() || !init->decorators.empty()) {
      continue;
    }
    const Stmt *stored = stores_module(site, init->body, init->params[0]->name);
    if (stored == nullptr || calls_init(init)) {
      return;
    }
    Finding &finding =
        report(site, init->name_span,
               fmt::format("`{}` stores modules but never calls `super().__init__()`, so PyTorch raises an error",
                           definition.name.text()),
               "start `__init__` with `super().__init__()`");
    add_note(finding, site, *stored, "a module is stored here");
    const Stmt *first = init->body[0];
    const auto *docstring = as<ExprStmt>(first);
    if (docstring != nullptr && as_string(docstring->value) != nullptr && init->body.size() > 1) {
      first = init->body[1];
    }
    const std::string_view text = site.module->parsed->source.text();
    u32 start = first->start;
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) {
      --start;
    }
    if (start > 0 && text[start - 1] == '\n') {
      const std::string indent(text.substr(start, first->start - start));
      // A class below it may have called Module.__init__ before, and a second call forgets what is registered.
      set_fix(finding, known->subclasses.empty(),
              {Edit{first->start, first->start, call_of_super(site, definition, *init) + "\n" + indent}});
    }
    return;
  }
}

} // namespace

extern constinit const Rule kMissingSuperInit = {
    .info = {.code = "DP812",
             .name = "missing-super-init",
             .summary = "a module whose `__init__` stores modules without calling `super().__init__()`",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Program Crash",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

A class derived from `nn.Module` whose `__init__` stores layers or parameters in `self` but does not call the `__init__` of its base class.

## Why it is wrong

`nn.Module.__init__` creates the tables in which modules are registered. Without it the first assignment of a layer raises "cannot assign
module before Module.__init__() call" when the model is created, perhaps long after the data has been prepared.

## Bad

```python
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(3, 4)
```

## Good

```python
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
```

## When it is wrong

Where another method that `__init__` calls does it.

## References

- PyTorch documentation of `torch.nn.Module`
- SonarPython: S6978
)"},
    .nodes = {NodeKind::ClassDef},
    .on_node = check};

} // namespace deepperf::rules::missing_super_init
