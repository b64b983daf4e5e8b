#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::optimizer_parameter_list {

using namespace python;

namespace {

// `x` of `x.parameters()`; null if it is something else
const Expr *weights_owner(const Expr *expr) {
  const auto *call = as<Call>(expr);
  return call != nullptr && called_method(*call) == "parameters" && call->args.empty() ? receiver_of(*call) : nullptr;
}

// Can it be iterated only once?
bool is_generator(const Site &site, const Expr *expr) {
  if (expr->kind == NodeKind::GeneratorExp || weights_owner(expr) != nullptr) {
    return true;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view api = called_api(site, *call);
  return (api == "filter" || api == "map" || api == "itertools.chain") && !call->args.empty();
}

// The other places before which, or after which, the name is iterated.
struct Reads {
  const Name *before = nullptr;
  u32 count = 0;
};

Reads reads_of(const Site &site, const Name &use, u32 from) {
  Reads found;
  const auto &body = body_around(site);
  any_node(body, [&](const Node *node) {
    const auto *read = as<Name>(node);
    if (read != nullptr && read->id == use.id && read->context == Context::Load && read->start > from &&
        read->end < use.start && !are_alternatives(body, *read, use)) {
      found.before = found.before == nullptr ? read : found.before;
      ++found.count;
    }
    return false;
  });
  return found;
}

bool is_bound_once(const Site &site, Symbol name) {
  u32 count = 0;
  any_node(body_around(site), [&](const Node *node) {
    const auto *bound = as<Name>(node);
    count += bound != nullptr && bound->id == name && bound->context == Context::Store ? 1 : 0;
    return false;
  });
  return count == 1;
}

// params = model.parameters(); …; Adam(params)
void check_used_up(Site &site, const Call &call, const Name &name, std::string_view consequence) {
  const Expr *value = assigned_before(site, name.id, name.start);
  if (value == nullptr || !is_generator(site, value) || !is_bound_once(site, name.id)) {
    return;
  }
  const Reads reads = reads_of(site, name, value->end);
  if (reads.before == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("`{}` is an iterator that was used up before, so {}", name.id.text(), consequence),
             fmt::format("make it a list: `{} = list({})`", name.id.text(), text_of(site, value)));
  add_note(finding, site, *reads.before, "it is iterated here first");
}

// The model whose weights an entry `{"params": …}` has; null if it has others, or only some of them.
const Expr *group_owner(const Site &site, const Expr *entry) {
  const auto *group = as<Dict>(entry);
  if (group == nullptr) {
    return nullptr;
  }
  for (const DictItem &item : group->items) {
    if (item.key != nullptr && string_of(site, item.key) == "params") {
      const Expr *value = written_value(site, item.value);
      const auto *list = as<Call>(value);
      if (list != nullptr && called_api(site, *list) == "list" && list->args.size() == 1) {
        value = list->args[0];
      }
      return weights_owner(value);
    }
  }
  return nullptr;
}

void check_groups(Site &site, const Call &call, const List &groups) {
  for (const Expr *first : groups.elts) {
    const Expr *whole = group_owner(site, first);
    if (whole == nullptr) {
      continue;
    }
    for (const Expr *second : groups.elts) {
      const Expr *part = second != first ? group_owner(site, second) : nullptr;
      if (part == nullptr) {
        continue;
      }
      const std::string prefix = fmt::format("{}.", text_of(site, whole));
      const std::string_view text = text_of(site, part);
      if (text.starts_with(prefix) || (text == text_of(site, whole) && second->start > first->start)) {
        Finding &finding =
            report(site, call,
                   fmt::format("the weights of `{}` are in two parameter groups, which the optimizer rejects", text),
                   fmt::format("exclude them from the group of `{}`", text_of(site, whole)));
        add_note(finding, site, *first, "this group contains them as well");
        return;
      }
    }
  }
}

// The models whose weights are joined to one list: `[*a.parameters(), *b.parameters()]`, `list(…) + list(…)`, chain(…)
void add_owners(const Site &site, const Expr *expr, std::vector<const Expr *> &owners) {
  if (const Expr *owner = weights_owner(expr)) {
    owners.push_back(owner);
  } else if (const auto *list = as<List>(expr)) {
    for (const Expr *part : list->elts) {
      if (const auto *starred = as<Starred>(part)) {
        add_owners(site, starred->value, owners);
      }
    }
  } else if (const auto *sum = as<BinOp>(expr); sum != nullptr && sum->op() == Operator::Add) {
    add_owners(site, sum->left, owners);
    add_owners(site, sum->right, owners);
  } else if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    if (api == "list" || api == "itertools.chain") {
      for (const Expr *part : call->args) {
        add_owners(site, part, owners);
      }
    }
  }
}

void check_joined(Site &site, const Call &call, const Expr *params) {
  std::vector<const Expr *> owners;
  add_owners(site, params, owners);
  for (std::size_t first = 0; first < owners.size(); ++first) {
    const std::string_view whole = text_of(site, owners[first]);
    for (std::size_t second = 0; second < owners.size(); ++second) {
      const std::string_view part = text_of(site, owners[second]);
      const bool is_same = second > first && part == whole;
      if (second != first && (is_same || part.starts_with(fmt::format("{}.", whole)))) {
        Finding &finding =
            report(site, call,
                   fmt::format("the weights of `{}` are in the list twice, so every step updates them twice", part),
                   fmt::format("remove one of them: `{}.parameters()` contains them all", whole));
        add_note(finding, site, *owners[first], "this contains them as well");
        return;
      }
    }
  }
}

void check_optimizer(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (model::kind_of(&call) != Kind::TorchOptimizer || !called_api(site, call).starts_with("torch.optim.")) {
    return;
  }
  const Expr *params = argument(call, 0, "params");
  if (params == nullptr) {
    return;
  }
  if (const auto *sum = as<BinOp>(params);
      sum != nullptr && sum->op() == Operator::Add &&
      (weights_owner(sum->left) != nullptr || weights_owner(sum->right) != nullptr)) {
    report(site, *params, "`parameters()` returns a generator, and generators cannot be added",
           "write `[*a.parameters(), *b.parameters()]`");
    return;
  }
  if (const auto *name = as<Name>(params)) {
    check_used_up(site, call, *name, "the optimizer gets an empty list and fails");
  }
  const Expr *const written = written_value(site, params);
  if (const auto *groups = as<List>(written)) {
    check_groups(site, call, *groups);
  }
  check_joined(site, call, written);
}

void check_clip(Site &site, const Call &call) {
  if (const auto *name = call.args.empty() ? nullptr : as<Name>(call.args[0])) {
    check_used_up(site, call, *name, "no gradient is clipped");
  }
}

} // namespace

extern constinit const Rule kOptimizerParameterList = {
    .info = {.code = "DP924",
             .name = "optimizer-parameter-list",
             .summary = "parameters given to an optimizer twice, or from an iterator that is used up",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Parameter groups of which one contains the weights of another, `a.parameters() + b.parameters()`, and a variable that holds `model.parameters()`
or a `filter()` and is iterated twice: counted and then given to the optimizer, or given to the optimizer and then to `clip_grad_norm_()`.

## Why it is wrong

An optimizer rejects a parameter that is in two groups. `parameters()` and `filter()` return iterators: the second consumer gets nothing. The optimizer
fails with an empty parameter list, and clipping does nothing at all.

## Bad

```python
import torch


def make_optimizer(model: torch.nn.Module):
    params = filter(lambda p: p.requires_grad, model.parameters())
    print(sum(p.numel() for p in params))
    return torch.optim.Adam(params, lr=1e-3)
```

## Good

```python
import torch


def make_optimizer(model: torch.nn.Module):
    params = [p for p in model.parameters() if p.requires_grad]
    print(sum(p.numel() for p in params))
    return torch.optim.Adam(params, lr=1e-3)
```

## When it is wrong

Where the variable is set to another iterator in between.
)"},
    .calls = "torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_value_ torch.nn.utils.clip_grad_norm",
    .on_call = check_clip,
    .nodes = {NodeKind::Call},
    .on_node = check_optimizer};

} // namespace deepperf::rules::optimizer_parameter_list
