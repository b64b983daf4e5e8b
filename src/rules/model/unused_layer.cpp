#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::unused_layer {

using namespace python;

namespace {

using model::ClassInfo;
using model::Value;

// Classes that derive from one another read each other's attributes.
class Families {
public:
  explicit Families(const model::Project &project) {
    for (const ClassInfo &type : project.classes) {
      for (const Value &base : type.bases) {
        if (base.is(Value::Tag::Class)) {
          parents_[root(&type)] = root(base.type);
        }
      }
    }
    for (const ClassInfo &type : project.classes) {
      members_[root(&type)].push_back(&type);
    }
  }

  bool reads(const ClassInfo &type, Symbol name) {
    const ClassInfo *const family = root(&type);
    const auto [known, is_new] = loads_.try_emplace(family);
    if (is_new) {
      for (const ClassInfo *member : members_[family]) {
        known->second.insert(member->loads.begin(), member->loads.end());
      }
    }
    return known->second.contains(name.id);
  }

private:
  const ClassInfo *root(const ClassInfo *type) {
    for (u32 steps = 0; steps < 1000; ++steps) {
      const auto parent = parents_.find(type);
      if (parent == parents_.end() || parent->second == type) {
        break;
      }
      type = parent->second;
    }
    return type;
  }

  std::unordered_map<const ClassInfo *, const ClassInfo *> parents_;
  std::unordered_map<const ClassInfo *, std::vector<const ClassInfo *>> members_;
  std::unordered_map<const ClassInfo *, std::unordered_set<u32>> loads_; // of all members together
};

// Do all bases lead to nn.Module without passing through a class that we cannot see into?
bool is_all_known(const ClassInfo &type) {
  return std::ranges::all_of(type.mro, [](const ClassInfo *at) {
    return std::ranges::all_of(at->bases, [](const Value &base) {
      return base.is(Value::Tag::Class) ||
             (base.is(Value::Tag::Api) && (base.name().text() == "torch.nn.Module" || base.name().text() == "object"));
    });
  });
}

// Ways to get at an attribute without writing its name.
bool reads_by_other_ways(const ClassInfo &type, Families &families) {
  for (const char *name : {"children", "named_children", "modules", "named_modules", "_modules", "__dict__"}) {
    if (families.reads(type, intern(name))) {
      return true;
    }
  }
  const std::string_view text = type.module->parsed->source.text();
  const std::string_view body = text.substr(type.node->start, type.node->end - type.node->start);
  return body.find("getattr") != std::string_view::npos || body.find("__getattr__") != std::string_view::npos ||
         body.find("vars(") != std::string_view::npos || body.find("exec(") != std::string_view::npos ||
         body.find("eval(\"") != std::string_view::npos || body.find("eval('") != std::string_view::npos;
}

// Is the name in a string: for getattr elsewhere, or the name of a weight in a checkpoint?
class QuotedNames {
public:
  bool has(const model::Module &module, std::string_view name) {
    const auto [known, is_new] = names_.try_emplace(&module);
    if (is_new) {
      find(module.parsed->source.text(), known->second);
    }
    return known->second.contains(name);
  }

private:
  using Names = std::unordered_set<std::string_view>;

  // Words with a quote or dot on each side, one of them a quote.
  static void find(std::string_view text, Names &names) {
    const auto is_quote = [](char c) { return c == '"' || c == '\''; };
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80);
    };
    for (std::size_t start = 1; start < text.size();) {
      std::size_t end = start;
      while (end < text.size() && is_word(text[end])) {
        ++end;
      }
      if (end != start && end < text.size()) {
        const char before = text[start - 1];
        const char behind = text[end];
        if ((is_quote(before) || before == '.') && (is_quote(behind) || behind == '.') &&
            (is_quote(before) || is_quote(behind))) {
          names.insert(text.substr(start, end - start));
        }
      }
      start = end + 1;
    }
  }

  std::unordered_map<const model::Module *, Names> names_;
};

const FunctionDef *method_named(const ClassDef &type, std::string_view name) {
  for (const Stmt *statement : type.body) {
    if (const auto *method = as<FunctionDef>(statement); method != nullptr && method->name.text() == name) {
      return method;
    }
  }
  return nullptr;
}

void check(const model::Project &project, Findings &findings);

} // namespace

extern constinit const Rule kUnusedLayer = {.info = {.code = "DP239",
                                                     .name = "unused-layer",
                                                     .summary = "a layer with weights that is created and never used",
                                                     .root_cause = "Model: Inefficient Model Structure",
                                                     .symptoms = "Abnormal GPU Memory Usage, Slow Execution Time",
                                                     .stage = "Model Building",
                                                     .frameworks = "PyTorch",
                                                     .severity = Severity::Warning,
                                                     .tier = Tier::On,
                                                     .fix = FixKind::None,
                                                     .documentation = R"(## What it finds

A layer with weights that the `__init__` of an `nn.Module` stores in an attribute and that nothing in the project reads. Under a
condition it is a hint.

## Why it costs

Its weights take memory on the device and in every checkpoint. DistributedDataParallel waits for gradients that never arrive and fails
unless `find_unused_parameters=True` is set, which costs time in every step. Often the layer was meant to be used, and then the model is not
the one its author intended.

## Bad

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.second = nn.Linear(64, 64)

    def forward(self, x):
        return self.first(self.first(x))
```

## Good

```python
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.second = nn.Linear(64, 64)

    def forward(self, x):
        return self.second(self.first(x))
```

## When it is wrong

Where it is kept so that an old checkpoint still loads, or where code outside the checked files reads it. The rule is silent about classes
that use `getattr`, `children()` and similar, about classes that derive from classes it cannot see, and about names that occur in a string.

## References

- PyTorch documentation: DistributedDataParallel, find_unused_parameters
)"},
                                            .on_project = check};

namespace {

void check(const model::Project &project, Findings &findings) {
  std::optional<Families> families;
  QuotedNames quoted;
  for (const ClassInfo &type : project.classes) {
    if (type.kind != Kind::TorchModule || type.attributes.empty() || !type.module->torch) {
      continue;
    }
    const FunctionDef *init = method_named(*type.node, "__init__");
    if (init == nullptr || init->params.empty() || method_named(*type.node, "forward") == nullptr) {
      continue;
    }
    const Symbol self = init->params[0]->name;
    std::optional<bool> is_closed; // nothing that we do not see reads its attributes
    any_node(init->body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *made = assignment != nullptr ? as<Call>(run_by(assignment->value)) : nullptr;
      const auto *target = made != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
      const auto *object = target != nullptr ? as<Name>(target->value) : nullptr;
      if (object == nullptr || object->id != self || assignment->targets.size() != 1) {
        return false;
      }
      const Value callee = project.callee_of(made);
      const ApiInfo *info = callee.is(Value::Tag::Api) ? find_api(callee.name()) : nullptr;
      if (info == nullptr || !info->has(kWeights) || type.loads.contains(target->attr.id) ||
          project.loads.contains(target->attr.id)) {
        return false;
      }
      if (!families.has_value()) {
        families.emplace(project);
      }
      if (!is_closed.has_value()) {
        is_closed = is_all_known(type) && !reads_by_other_ways(type, *families);
      }
      if (!*is_closed || families->reads(type, target->attr) || quoted.has(*type.module, target->attr.text())) {
        return false;
      }
      Finding &finding =
          report(findings, kUnusedLayer, *type.module, assignment->span(),
                 fmt::format("`self.{}` is created and never used, but its weights take memory", target->attr.text()),
                 "use it in `forward`, or remove it");
      // Under an option that is mostly off, it takes no memory.
      if (any_node(init->body, [&](const Node *around) {
            const auto *branch = as<If>(around);
            return branch != nullptr && branch->start < assignment->start && assignment->end <= branch->end;
          })) {
        finding.tier = Tier::Hint;
      }
      return false;
    });
  }
}

} // namespace

} // namespace deepperf::rules::unused_layer
