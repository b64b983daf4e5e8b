#include "base/key_set.h"
#include "base/scan.h"
#include "base/steps.h"
#include "model/bind.h"
#include "model/classes.h"
#include "rules/name_places.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::scheduler_never_stepped {

using namespace python;

namespace {

// Methods and attributes that read a schedule or fill it from a file, and do not advance it.
bool only_reads(Symbol attribute) {
  const std::string_view name = attribute.text();
  return name == "state_dict" || name == "load_state_dict" || name == "get_last_lr" || name == "get_lr" ||
         name == "last_epoch" || name == "base_lrs" || name == "print_lr";
}

// Names and attributes that are read other than to look at a schedule.
struct Uses {
  std::unordered_set<u32> names;
  std::unordered_set<u32> attributes;

  void find(const Node *node) {
    const auto *around = as<Attribute>(node);
    if (around != nullptr && only_reads(around->attr) && around->value->kind == NodeKind::Name) {
      return;
    }
    if (const auto *object = as<Attribute>(around != nullptr && only_reads(around->attr) ? around->value : nullptr)) {
      find(object->value);
      return;
    }
    const auto *name = as<Name>(node);
    if (name != nullptr && name->context == Context::Load) {
      names.insert(name->id.id);
    }
    if (around != nullptr && around->context == Context::Load) {
      attributes.insert(around->attr.id);
    }
    for_each_child(node, [this](const Node *child) { find(child); });
  }
};

// Of the function around the place with those inside it, or of the module.
const Uses &uses_around(const Site &site) {
  const Node *scope = site.function->node;
  return site.memory.recall<Uses>(scope != nullptr ? static_cast<const void *>(scope) : site.module, [&] {
    Uses found;
    if (scope != nullptr) {
      found.find(scope);
    } else {
      for (const Stmt *statement : site.module->parsed->tree.body) {
        found.find(statement);
      }
    }
    return found;
  });
}

const Uses &uses_in_project(const Site &site) {
  return site.memory.recall<Uses>(&site.project, [&] {
    const SharedWork shared;
    Uses found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        found.find(statement);
      }
    }
    return found;
  });
}

// Words of the project's files that stand where other modules name something: `import x`, `m.x`, `from m import a, x`.
struct TakenWords {
  std::vector<u64> all; // sorted hashes
};

TakenWords find_taken_words(const model::Project &project) {
  const SharedWork shared;
  const std::hash<std::string_view> hash;
  TakenWords found;
  KeySet known;
  for (const model::Module &module : project.modules) {
    const std::string_view text = module.parsed->source.text(); // padded
    const char *const begin = text.data();
    const char *const end = begin + text.size();
    for (const char *at = begin; at < end;) {
      if (!scan::is_name_byte(*at)) {
        ++at;
        continue;
      }
      const char *const stop = std::min(scan::name_end(at).end, end);
      const std::string_view before(begin, static_cast<std::size_t>(at - begin));
      const bool may_be = at > begin && (at[-1] == '.' || at[-1] == ' ');
      if (may_be && (at[-1] == '.' || before.ends_with(", ") || before.ends_with("import "))) {
        const u64 word = hash(std::string_view(at, static_cast<std::size_t>(stop - at)));
        if (known.insert(word)) {
          found.all.push_back(word);
        }
      }
      at = stop;
    }
  }
  std::ranges::sort(found.all);
  return found;
}

bool may_be_taken(const Site &site, Symbol name) {
  const TakenWords &words =
      site.memory.recall<TakenWords>(&site.project, [&site] { return find_taken_words(site.project); });
  return std::ranges::binary_search(words.all, u64{std::hash<std::string_view>()(name.text())});
}

// Does the function, or what it passes the name on to, do something with the value of its name?
bool is_used(const Site &site, const model::FunctionInfo &function, Symbol name, u32 depth);

// Is the name, where it is read, nothing but an argument of functions of the project that do nothing with it?
bool is_used_in_call(const Site &site, const model::FunctionInfo &function, const Call &call, Symbol name, u32 depth) {
  const auto site_of_call = std::ranges::find(function.calls, &call, &model::CallSite::call);
  const bool is_spread = std::ranges::any_of(call.args, [](const Expr *arg) { return arg->kind == NodeKind::Starred; });
  if (site_of_call == function.calls.end() || depth == 0 || is_spread ||
      std::ranges::count(function.calls, &call, &model::CallSite::call) != 1) {
    return true;
  }
  const model::FunctionInfo &callee = *site_of_call->callee;
  const auto is_name = [name](const Expr *expr) {
    const auto *given = as<Name>(expr);
    return given != nullptr && given->id == name;
  };
  const auto is_passed_on = [&](const Param &param) {
    return param.param_kind() == ParamKind::VarArgs || param.param_kind() == ParamKind::KwArgs ||
           is_used(site, callee, param.name, depth - 1);
  };
  for (u32 i = 0; i < call.args.size(); ++i) {
    if (is_name(call.args[i])) {
      const u32 at = i + (site_of_call->bound ? 1 : 0);
      if (at >= callee.params.size() || is_passed_on(*callee.params[at])) {
        return true;
      }
    } else if (mentions(call.args[i], name)) {
      return true;
    }
  }
  for (const Keyword *keyword : call.keywords) {
    if (is_name(keyword->value) && keyword->name) {
      const auto param = std::ranges::find(callee.params, keyword->name, &Param::name);
      if (param == callee.params.end() || is_passed_on(**param)) {
        return true;
      }
    } else if (mentions(keyword->value, name)) {
      return true;
    }
  }
  return mentions(call.func, name);
}

// The field that a call of a dataclass, or of another class without a constructor, sets to the name; none if that is
// not known.
Symbol field_given(const model::ClassInfo &type, const Call &call, Symbol name) {
  const auto is_name = [name](const Expr *expr) {
    const auto *given = as<Name>(expr);
    return given != nullptr && given->id == name;
  };
  const bool is_plain = type.bases.empty() && model::find_method_of(type, intern("__init__")) == nullptr;
  if (!is_plain || has_hidden_arguments(call)) {
    return {};
  }
  Symbol field;
  u32 given = 0;
  for (u32 i = 0; i < call.args.size(); ++i) {
    given += mentions(call.args[i], name) ? 1 : 0;
    field = is_name(call.args[i]) && i < type.fields.size() ? type.fields[i] : field;
  }
  for (const Keyword *keyword : call.keywords) {
    given += mentions(keyword->value, name) ? 1 : 0;
    field = is_name(keyword->value) ? keyword->name : field;
  }
  return given == 1 ? field : Symbol{};
}

// Does something read all fields of objects without naming them?
bool reads_all_fields(const Site &site) {
  return project_has_word(site, {"getattr(", "asdict(", "astuple(", "vars(", "__dict__"});
}

bool is_used(const Site &site, const model::FunctionInfo &function, Symbol name, u32 depth) {
  const FunctionDef *const definition = function.definition();
  if (function.node != nullptr && definition == nullptr) {
    return true;
  }
  const auto find = [&](const Node *node, const auto &self) -> bool {
    const auto *attribute = as<Attribute>(node);
    if (attribute != nullptr && only_reads(attribute->attr) && attribute->value->kind == NodeKind::Name) {
      return false;
    }
    // self.scheduler = scheduler, and nobody reads that
    if (const auto *kept = as<Assign>(node); kept != nullptr && kept->targets.size() == 1) {
      const auto *to = as<Attribute>(kept->targets[0]);
      const auto *from = as<Name>(kept->value);
      if (to != nullptr && from != nullptr && from->id == name && model::is_own_object(function, to->value)) {
        return uses_in_project(site).attributes.contains(to->attr.id);
      }
    }
    if (const auto *call = as<Call>(node)) {
      const bool is_given =
          std::ranges::any_of(call->args, [&](const Expr *arg) { return mentions(arg, name); }) ||
          std::ranges::any_of(call->keywords, [&](const Keyword *one) { return mentions(one->value, name); });
      if (is_given && std::ranges::find(function.calls, call, &model::CallSite::call) != function.calls.end()) {
        return is_used_in_call(site, function, *call, name, depth);
      }
      const model::Value callee = is_given ? site.project.callee_of(call) : model::Value{};
      if (callee.is(model::Value::Tag::Class) && callee.alternatives == nullptr && !reads_all_fields(site)) {
        const Symbol field = field_given(*callee.type, *call, name);
        if (field) {
          return uses_in_project(site).attributes.contains(field.id);
        }
      }
    }
    const auto *read = as<Name>(node);
    bool found = read != nullptr && read->id == name && read->context == Context::Load;
    for_each_child(node, [&](const Node *child) { found = found || self(child, self); });
    return found;
  };
  return std::ranges::any_of(places_of_name(site, function, name),
                             [&](const Node *place) { return find(place, find); });
}

constexpr u32 kMostCalls = 3; // that a schedule is passed on through

// Those of Transformers are the same class.
bool is_schedule_api(std::string_view api) {
  return api.starts_with("torch.optim.lr_scheduler.") || api.starts_with("transformers.");
}

// A name of the function around the place that holds a schedule: does anything step it?
bool is_name_used(const Site &site, Symbol name) {
  return uses_around(site).names.contains(name.id) && is_used(site, *site.function, name, kMostCalls);
}

void check(Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const auto *assignment = site.ancestors.empty() ? nullptr : as<Assign>(site.ancestors.back());
  if (model::kind_of(&call) != Kind::TorchScheduler || !is_schedule_api(api) || assignment == nullptr ||
      assignment->targets.size() != 1 || site.module->is_test || !project_has_word(site, {".backward("})) {
    return;
  }
  const Expr *target = assignment->targets[0];
  if (const auto *name = as<Name>(target)) {
    const bool is_global = site.function->node == nullptr;
    // A module's own name may be imported, or read by what `locals()` and the like give away.
    if (file_has_word(site, {"locals()", "globals()", "__dict__"}) || name->id.text() == "_") {
      return;
    }
    if ((is_global && site.project.modules.size() > 1 && may_be_taken(site, name->id)) ||
        is_name_used(site, name->id)) {
      return;
    }
  } else if (const auto *attribute = as<Attribute>(target)) {
    if (!model::is_own_object(*site.function, attribute->value) || site.type == nullptr ||
        site.type->kind != Kind::Unknown || project_has_word(site, {"getattr("})) {
      return;
    }
    if (uses_in_project(site).attributes.contains(attribute->attr.id)) {
      return;
    }
  } else {
    return;
  }
  const std::string_view name = text_of(site, target);
  report(site, call, fmt::format("`{}` is never stepped, so the learning rate stays the same", name),
         fmt::format("call `{}.step()` after each epoch or step, as the schedule counts", name));
}

// self.scheduler = self.build_scheduler()
void check_built(Site &site, const Assign &assignment) {
  const auto *target = assignment.targets.size() == 1 ? as<Attribute>(assignment.targets[0]) : nullptr;
  const auto *call = as<Call>(assignment.value);
  if (target == nullptr || call == nullptr || called_function(site, *call) == nullptr || site.module->is_test ||
      site.type == nullptr || site.type->kind != Kind::Unknown ||
      !model::is_own_object(*site.function, target->value)) {
    return;
  }
  const model::Value value = value_of(site, target);
  if (!value.is_kind(Kind::TorchScheduler) || value.alternatives != nullptr || value.open || value.many ||
      !value.name() || !value.name().text().starts_with("torch.optim.lr_scheduler.") ||
      !project_has_word(site, {".backward("}) || project_has_word(site, {"getattr("}) ||
      uses_in_project(site).attributes.contains(target->attr.id)) {
    return;
  }
  const std::string_view name = text_of(site, target);
  report(site, *target, fmt::format("`{}` is never stepped, so the learning rate stays the same", name),
         fmt::format("call `{}.step()` after each epoch or step, as the schedule counts", name));
}

// optimizer, scheduler = build(model)
void check_pair(Site &site, const Assign &assignment) {
  check_built(site, assignment);
  const auto *targets = assignment.targets.size() == 1 ? as<Tuple>(assignment.targets[0]) : nullptr;
  const auto *call = as<Call>(assignment.value);
  if (targets == nullptr || call == nullptr || called_function(site, *call) == nullptr || site.module->is_test ||
      !project_has_word(site, {".backward("}) || file_has_word(site, {"locals()", "globals()", "__dict__"}) ||
      (site.function->node == nullptr && site.project.modules.size() > 1)) {
    return;
  }
  for (const Expr *target : targets->elts) {
    const auto *name = as<Name>(target);
    const model::Value value = name != nullptr ? value_of(site, target) : model::Value();
    if (!value.is_kind(Kind::TorchScheduler) || value.alternatives != nullptr || value.open || value.many ||
        name->id.text().starts_with("_") || !value.name() ||
        !value.name().text().starts_with("torch.optim.lr_scheduler.")) {
      continue;
    }
    if (!is_name_used(site, name->id)) {
      report(site, *target, fmt::format("`{}` is never stepped, so the learning rate stays the same", name->id.text()),
             fmt::format("call `{}.step()` after each epoch or step, as the schedule counts", name->id.text()));
    }
  }
}

} // namespace

extern constinit const Rule kSchedulerNeverStepped = {
    .info = {.code = "DP920",
             .name = "scheduler-never-stepped",
             .summary = "a learning rate schedule that is created and never advanced",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A schedule of `torch.optim.lr_scheduler` or of Transformers whose `step()` is never called and that is not given to anything that could call it. A field of an
object counts as such a place only if something reads the field.

## Why it is wrong

A schedule changes the learning rate only in its `step()`. Without it the optimizer keeps the first one. For a schedule with warmup that is a
tiny fraction of the intended learning rate.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, epochs: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        scheduler.step()
```

## When it is wrong

Where code outside of the checked files steps the schedule.
)"},
    .nodes = {NodeKind::Call, NodeKind::Assign},
    .on_node = [](Site &site, const Node &node) {
      if (node.kind == NodeKind::Assign) {
        check_pair(site, static_cast<const Assign &>(node));
      } else {
        check(site, static_cast<const Call &>(node));
      }
    }};

} // namespace deepperf::rules::scheduler_never_stepped
