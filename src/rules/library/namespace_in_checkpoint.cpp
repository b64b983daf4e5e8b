#include "rules/api_history.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::namespace_in_checkpoint {

using namespace python;

namespace {

// The settings of argparse, or what one of several branches assigns.
bool is_namespace(const Site &site, const Expr *expr) {
  if (model::kind_of(expr) == Kind::ArgumentNamespace) {
    return true;
  }
  bool found = false;
  if (site.function != nullptr) {
    visit_origins(site, *site.function, expr, [&](const Origin &origin) {
      const auto *call = as<Call>(origin.expr);
      found |= call != nullptr && called_api(site, *call) == "argparse.Namespace";
      return Onward::Stop;
    });
  }
  return found;
}

// A model itself, and not its weights.
bool is_module(const Site &site, const Expr *expr) {
  const model::Value value = value_of(site, expr);
  return value.is_kind(Kind::TorchModule) ||
         (value.is(model::Value::Tag::Object) && value.type->kind == Kind::TorchModule);
}

using Holds = bool (*)(const Site &site, const Expr *expr);

// The argument of torch.save that has such an object in it; null if there is none.
const Expr *saved_object(const Site &site, const Call &call, Holds holds) {
  const Expr *saved = call.args.empty() ? nullptr : call.args[0];
  if (saved != nullptr && (saved->kind == NodeKind::Name || saved->kind == NodeKind::Attribute) && holds(site, saved)) {
    return saved;
  }
  if (const auto *name = as<Name>(saved)) {
    const Expr *const written = last_assigned(site, *name);
    saved = written != nullptr ? written : saved;
  }
  if (const auto *dict = as<Dict>(saved)) {
    const auto found = std::ranges::find_if(dict->items, [&](const DictItem &item) {
      return (item.value->kind == NodeKind::Name || item.value->kind == NodeKind::Attribute) && holds(site, item.value);
    });
    return found != dict->items.end() ? found->value : nullptr;
  }
  if (const auto *made = as<Call>(saved); made != nullptr && called_api(site, *made) == "dict") {
    const auto found =
        std::ranges::find_if(made->keywords, [&](const Keyword *one) { return holds(site, one->value); });
    return found != made->keywords.end() ? (*found)->value : nullptr;
  }
  return nullptr;
}

// The torch.load calls of the project that leave `weights_only` to its default.
struct Loads {
  std::vector<std::pair<FileIndex, Span>> places;
};

const Loads &loads_of(const Site &site) {
  return site.memory.recall<Loads>(&site.project, [&] {
    Loads loads;
    for (const model::Module &module : site.project.modules) {
      if (!module.torch || module.is_test) {
        continue;
      }
      const auto look = [&](const Node *node) {
        const auto *call = as<Call>(node);
        const model::Value callee = call != nullptr && call->fact != 0 ? site.project.callee_of(call) : model::Value{};
        if (callee.is(model::Value::Tag::Api) && callee.name().text() == "torch.load" &&
            keyword_argument(*call, "weights_only") == nullptr && !has_hidden_arguments(*call)) {
          loads.places.emplace_back(module.file, call->span());
        }
        return false;
      };
      for (const Stmt *statement : module.parsed->tree.body) {
        any_node_inside(statement, look);
      }
    }
    return loads;
  });
}

void check(Site &site, const Call &call) {
  const Expr *const settings = saved_object(site, call, is_namespace);
  const Expr *const saved = settings != nullptr ? settings : saved_object(site, call, is_module);
  if (saved == nullptr || site.module->is_test || project_has_word(site, {"add_safe_globals", "safe_globals("})) {
    return;
  }
  const Status status = status_in(site, "torch", "2.6");
  const Loads &loads = loads_of(site);
  if (status == Status::Fine || loads.places.empty()) {
    return;
  }
  Finding &finding =
      report(site, *saved,
             settings != nullptr
                 ? "the checkpoint contains an `argparse.Namespace`, which `torch.load` refuses since torch 2.6"
                 : "the checkpoint contains a module and not its weights, which `torch.load` refuses since torch 2.6",
             settings != nullptr ? "save `vars(args)`, or load trusted files with `weights_only=False`"
                                 : "save `state_dict()`, or load trusted files with `weights_only=False`");
  constexpr std::size_t kMostNotes = 6;
  for (const auto &[file, span] : loads.places) {
    if (finding.notes.size() < kMostNotes) {
      finding.notes.push_back({file, span, "a checkpoint is loaded here"});
    }
  }
  if (status != Status::Gone || settings == nullptr) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kNamespaceInCheckpoint = {
    .info = {.code = "DP309",
             .name = "namespace-in-checkpoint",
             .summary = "a checkpoint with an object that `torch.load` refuses by default",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.save` of a dict that contains what `argparse` has parsed, in a project that loads checkpoints without
`weights_only=`. It is a hint unless the project requires torch 2.6 or newer. A whole module in a checkpoint is always a
hint.

## Why it is wrong

Since torch 2.6 `torch.load` reads only tensors and plain Python types by default, and raises an UnpicklingError for an
`argparse.Namespace`. Resuming and evaluating fail, after the training that wrote the file.

## Bad

```python
import argparse

import torch

args = argparse.ArgumentParser().parse_args()


def save(model, path):
    torch.save({"model": model.state_dict(), "args": args}, path)


def load(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu")["model"])
```

## Good

```python
import argparse

import torch

args = argparse.ArgumentParser().parse_args()


def save(model, path):
    torch.save({"model": model.state_dict(), "args": vars(args)}, path)


def load(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["model"])
```

## When it is wrong

Where the program only runs with an older torch; state the version in `requirements.txt`.

## References

- PyTorch 2.6 release notes: torch.load, weights_only
)"},
    .calls = "torch.save",
    .on_call = check};

} // namespace deepperf::rules::namespace_in_checkpoint
