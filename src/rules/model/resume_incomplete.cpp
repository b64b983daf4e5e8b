#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/saved_states.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules::resume_incomplete {

using namespace python;

namespace {

bool is_loaded(const Site &site, const Expr *expr) {
  const auto *call = as<Call>(written_value(site, expr));
  return call != nullptr && called_api(site, *call) == "torch.load";
}

// The `checkpoint["epoch"]` in an expression; null if there is none.
const Subscript *epoch_in(const Site &site, const Expr *expr) {
  const Subscript *found = nullptr;
  any_node(expr, [&](const Node *node) {
    const auto *entry = as<Subscript>(node);
    const auto key = entry != nullptr ? string_of(site, entry->slice) : std::nullopt;
    if (key.has_value() &&
        (key->find("epoch") != std::string::npos || key->ends_with("step") || key->starts_with("iter")) &&
        is_loaded(site, entry->value)) {
      found = entry;
    }
    return found != nullptr;
  });
  return found;
}

Site site_in(const Site &site, const StateOwner &owner) {
  Site there = site;
  there.function = owner.function;
  there.module = owner.function->module;
  there.type = owner.function->type;
  there.ancestors.clear();
  return there;
}

// The optimizer whose state the file writes into a checkpoint; null if there is none.
const Expr *saved_optimizer(const Site &site) {
  struct Saved {
    const Expr *optimizer = nullptr;
  };
  return site.memory
      .recall<Saved>(site.module,
                     [&] {
                       Saved saved;
                       for (const Stmt *statement : site.module->parsed->tree.body) {
                         any_node_inside(statement, [&](const Node *node) {
                           const auto *call = as<Call>(node);
                           const auto *entries =
                               call != nullptr && !call->args.empty() && called_api(site, *call) == "torch.save"
                                   ? as<Dict>(call->args[0])
                                   : nullptr;
                           for (u32 i = 0; entries != nullptr && i < entries->items.size(); ++i) {
                             const auto *state = as<Call>(entries->items[i].value);
                             const Expr *owner = state != nullptr && called_method(*state) == "state_dict"
                                                     ? receiver_of(*state)
                                                     : nullptr;
                             if (owner != nullptr && model::kind_of(owner) == Kind::TorchOptimizer) {
                               saved.optimizer = owner;
                             }
                           }
                           return false;
                         });
                       }
                       return saved;
                     })
      .optimizer;
}

bool restores_optimizer(const Site &site, const Expr *optimizer) {
  const std::string_view text = text_of(site, optimizer);
  return project_has_word(site, {fmt::format("{}.load_state_dict", text), "optimizer.load_state_dict",
                                 "optim.load_state_dict", "opt.load_state_dict", "load_checkpoint("});
}

// `return checkpoint["epoch"] + 1` in a function that restores what it is handed: where training is resumed, the state
// of the optimizer is not among it.
void check_handed(Site &site, const Node &result, const Subscript &epoch) {
  const SavedStates &states = saved_states(site);
  const auto is_optimizer = [](const StateOwner &owner) { return model::kind_of(owner.expr) == Kind::TorchOptimizer; };
  const auto saved = std::ranges::find_if(states.saved, is_optimizer);
  if (saved == states.saved.end() || states.restores_unknown || std::ranges::any_of(states.restored, is_optimizer)) {
    return;
  }
  const auto handed = std::ranges::find_if(states.restored, [&](const StateOwner &owner) {
    return owner.reader == site.function && owner.handed_by != nullptr;
  });
  const model::Module &module = handed != states.restored.end() ? *handed->function->module : *site.module;
  const Node &place = handed != states.restored.end() ? static_cast<const Node &>(*handed->handed_by) : result;
  const std::string_view text = text_of(site_in(site, *saved), saved->expr);
  Finding &finding =
      report(site.findings, *site.rule, module, place.span(),
             fmt::format("training is resumed without the state of `{}`, which the checkpoint contains: momentum and "
                         "averages start from zero",
                         text),
             handed != states.restored.end() ? fmt::format("pass `{}` as well, so that it is restored", text)
                                             : fmt::format("load it as well: `{}.load_state_dict(…)`", text));
  finding.notes.push_back({saved->function->module->file, saved->expr->span(), "its state is saved here"});
  finding.notes.push_back({site.module->file, epoch.span(), "training continues from this epoch"});
}

bool is_read(const Site &site, Symbol name) {
  struct Read {
    std::unordered_set<u32> names;
  };
  const Node *const scope = site.function->node;
  const auto find = [&] {
    Read read;
    const auto look = [&read](const Node *node) {
      const auto *one = as<Name>(node);
      if (one != nullptr && one->context == Context::Load) {
        read.names.insert(one->id.id);
      }
      return false;
    };
    if (scope != nullptr) {
      any_node_inside(scope, look);
      return read;
    }
    for (const Stmt *statement : site.module->parsed->tree.body) {
      any_node_inside(statement, look);
    }
    return read;
  };
  return site.memory.recall<Read>(scope != nullptr ? static_cast<const void *>(scope) : site.module, find)
      .names.contains(name.id);
}

// What a file saves with torch.save(), by the path.
struct SavedPaths {
  struct Saved {
    const Dict *dict = nullptr;
    u32 writers = 0;
  };
  std::unordered_map<std::string, Saved> of;
};

SavedPaths find_saved(const Site &site) {
  SavedPaths found;
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(statement, [&](const Node *node) {
      const auto *save = as<Call>(node);
      if (save == nullptr || save->args.size() < 2 || called_api(site, *save) != "torch.save") {
        return false;
      }
      if (const auto path = string_of(site_of(site, *save), save->args[1])) {
        SavedPaths::Saved &saved = found.of[*path];
        ++saved.writers;
        saved.dict = as<Dict>(save->args[0]);
      }
      return false;
    });
  }
  return found;
}

// start = checkpoint["epoch"] + 1
void check_start(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr;
  const bool is_plain =
      target != nullptr || (assignment.targets.size() == 1 && assignment.targets[0]->kind == NodeKind::Attribute);
  const Subscript *epoch = is_plain && !site.module->is_test && file_has_word(site, {"torch.load"})
                               ? epoch_in(site, assignment.value)
                               : nullptr;
  if (epoch == nullptr || !project_has_word(site, {".backward("})) {
    return;
  }
  if (target != nullptr && !is_read(site, target->id) && target->id.text() != "_" &&
      !file_has_word(site, {"locals()", "global "})) {
    report(site, assignment,
           fmt::format("`{}` is never read, so training that is resumed starts from the first epoch again",
                       target->id.text()),
           fmt::format("continue from there: `for epoch in range({}, epochs)`", target->id.text()));
    return;
  }
  const Expr *optimizer = saved_optimizer(site);
  if (optimizer == nullptr) {
    check_handed(site, assignment, *epoch);
  } else if (!restores_optimizer(site, optimizer)) {
    Finding &finding = report(site, assignment,
                              fmt::format("training is resumed without the state of `{}`, which the checkpoint "
                                          "contains: momentum and averages start from zero",
                                          text_of(site, optimizer)),
                              fmt::format("load it as well: `{}.load_state_dict({}[…])`", text_of(site, optimizer),
                                          text_of(site, epoch->value)));
    add_note(finding, site, *optimizer, "its state is saved here");
  }
}

void check_return(Site &site, const Node &node) {
  const auto &result = static_cast<const Return &>(node);
  const Subscript *epoch = result.value != nullptr && !site.module->is_test && file_has_word(site, {"load"})
                               ? epoch_in(site, result.value)
                               : nullptr;
  if (epoch != nullptr && project_has_word(site, {".backward("})) {
    check_handed(site, result, *epoch);
  }
}

// `checkpoint["optimizer"]` of what torch.load gave
bool is_loaded_entry(const Site &site, const Expr *expr) {
  const auto *entry = as<Subscript>(expr);
  return entry != nullptr && is_loaded(site, entry->value);
}

std::string_view last_part(std::string_view text) { return text.substr(text.rfind('.') + 1); }

// The optimizer is restored from a checkpoint, and the schedule that the same file saves with it is not.
void check_schedule(Site &site, const Call &call) {
  if (call.args.empty() || model::kind_of(receiver_of(call)) != Kind::TorchOptimizer ||
      !is_loaded_entry(site, call.args[0]) || !project_has_word(site, {".backward("})) {
    return;
  }
  const SavedStates &states = saved_states(site);
  const auto is_schedule = [](const StateOwner &owner) {
    const Kind kind = model::kind_of(owner.expr);
    return kind == Kind::TorchScheduler || kind == Kind::GradScaler;
  };
  const auto saved = std::ranges::find_if(states.saved, [&](const StateOwner &owner) {
    return is_schedule(owner) && owner.function->module == site.module;
  });
  if (saved == states.saved.end()) {
    return;
  }
  const std::string_view text = text_of(site_in(site, *saved), saved->expr);
  bool has_unknown = false;
  const bool is_restored = std::ranges::any_of(states.restored, [&](const StateOwner &owner) {
    const bool is_unknown = model::kind_of(owner.expr) == Kind::Unknown;
    has_unknown |= is_unknown;
    const std::string_view name = last_part(text_of(site_in(site, owner), owner.expr));
    return is_schedule(owner) ||
           (is_unknown && (name == last_part(text) || has_word_in_any_case(name, {"sched", "scaler", "warm"})));
  });
  // What a function was handed may be anything; a model whose class is not known is no schedule.
  if (is_restored || (states.restores_unknown && !has_unknown) || function_has_word(site, {"last_epoch"})) {
    return;
  }
  const bool is_scaler = model::kind_of(saved->expr) == Kind::GradScaler;
  Finding &finding = report(
      site, call,
      fmt::format("training is resumed without the state of `{}`, which the checkpoint contains: {}", text,
                  is_scaler ? "the loss scale starts from its first value" : "the schedule starts from the beginning"),
      fmt::format("load it as well: `{}.load_state_dict(…)`", text));
  finding.notes.push_back({saved->function->module->file, saved->expr->span(), "its state is saved here"});
  if (is_scaler) {
    finding.severity = Severity::Warning; // it finds its way back within some steps
  }
}

// model.load_state_dict(torch.load(path)), where the same path was saved with a dictionary of states
void check_load(Site &site, const Call &call) {
  const auto *load =
      !call.args.empty() && !site.module->is_test ? as<Call>(written_value(site, call.args[0])) : nullptr;
  if (load == nullptr || load->args.empty() || called_api(site, *load) != "torch.load") {
    return;
  }
  const auto path = string_of(site, load->args[0]);
  if (!path.has_value()) {
    return;
  }
  const SavedPaths &paths = site.memory.recall<SavedPaths>(site.module, [&site] { return find_saved(site); });
  const auto known = paths.of.find(*path);
  const Dict *const saved = known != paths.of.end() && known->second.writers == 1 ? known->second.dict : nullptr;
  const auto is_state = [](const DictItem &item) {
    const auto *state = as<Call>(item.value);
    return state != nullptr && called_method(*state) == "state_dict";
  };
  if (saved == nullptr || std::ranges::none_of(saved->items, is_state)) {
    return;
  }
  Finding &finding = report(
      site, call, "this file holds a dictionary with several states, not the weights themselves, so loading fails",
      "take the entry: `torch.load(path)[\"model\"]`");
  add_note(finding, site, *saved, "it is written here");
}

void check_restored(Site &site, const Call &call) {
  if (!site.module->is_test) {
    check_load(site, call);
    check_schedule(site, call);
  }
}

} // namespace

extern constinit const Rule kResumeIncomplete = {
    .info = {.code = "DP278",
             .name = "resume-incomplete",
             .summary = "training that is resumed without a part of its checkpoint",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A program that reads the epoch of a checkpoint and then does not use it, or that saves the state of the optimizer, the schedule or the `GradScaler` and does not load it again when it resumes. Also
`model.load_state_dict(torch.load(path))` of a file that was written with a dictionary of several states.

## Why it is wrong

Training that starts from the first epoch again repeats the whole schedule. Without its state Adam's first steps are as large as at the very beginning, and the loss jumps.

## Bad

```python
import os

import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = 0
    if os.path.exists("last.pt"):
        checkpoint = torch.load("last.pt", map_location="cpu", weights_only=True)
        model.load_state_dict(checkpoint["model"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "last.pt")
```

## Good

```python
import os

import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = 0
    if os.path.exists("last.pt"):
        checkpoint = torch.load("last.pt", map_location="cpu", weights_only=True)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        start = checkpoint["epoch"] + 1
    for epoch in range(start, epochs):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "last.pt")
```

## When it is wrong

Where the optimizer is meant to start over.
)"},
    .calls = "*.load_state_dict",
    .on_call = check_restored,
    .nodes = {NodeKind::Assign, NodeKind::Return},
    .on_node = [](Site &site, const Node &node) {
      node.kind == NodeKind::Return ? check_return(site, node) : check_start(site, node);
    }};

} // namespace deepperf::rules::resume_incomplete
