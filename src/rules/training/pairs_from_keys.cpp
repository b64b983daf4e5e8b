#include "rules/assignments.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace deepperf::rules::pairs_from_keys {

using namespace python;

namespace {

// A dict and nothing else: made as one, or by `state_dict()` and the like.
bool makes_dict(const Site &site, const Expr *value) {
  if (value->kind == NodeKind::Dict || value->kind == NodeKind::DictComp) {
    return true;
  }
  const auto *call = as<Call>(value);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  return api == "dict" || api == "collections.OrderedDict" || api == "collections.defaultdict";
}

bool is_text(const Expr *key) {
  const auto *sum = as<BinOp>(key);
  return as_string(key) != nullptr || key->kind == NodeKind::JoinedStr ||
         (sum != nullptr && sum->op() == Operator::Add && (is_text(sum->left) || is_text(sum->right)));
}

// What a function does with its names, as far as dicts and their keys go.
struct KeysOfDicts {
  struct Stored {
    u32 stores = 0;                 // of any kind
    u32 dicts = 0;                  // of them, `d = {}` and the like
    const Expr *made = nullptr;     // the last dict
    std::vector<const Expr *> keys; // of d[key] = …
  };
  std::unordered_map<u32, Stored> of;
  std::unordered_set<u32> named; // targets of loops over named_parameters(), items() of what has texts as keys
  std::unordered_set<u32> texts; // used as texts: `"bias" in name`, `name.split(".")`
};

void look_at_loop(const For &loop, KeysOfDicts &found) {
  const auto *pair = as<Tuple>(loop.target);
  const auto *call = as<Call>(loop.iter);
  const auto *first = pair != nullptr && pair->elts.size() == 2 ? as<Name>(pair->elts[0]) : nullptr;
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  const auto *receiver = method == "items" ? as<Call>(receiver_of(*call)) : nullptr;
  const bool is_state = receiver != nullptr && called_method(*receiver) == "state_dict";
  if (first != nullptr && (method.starts_with("named_") || is_state)) {
    found.named.insert(first->id.id);
  }
}

void look_at_assignment(const Site &site, const Assign &assignment, KeysOfDicts &found) {
  const auto *bound = assignment.targets.size() == 1 ? as<Name>(assignment.targets[0]) : nullptr;
  if (bound != nullptr && makes_dict(site, assignment.value)) {
    KeysOfDicts::Stored &stored = found.of[bound->id.id];
    ++stored.dicts;
    stored.made = assignment.value;
  }
  const auto *target = as<Subscript>(assignment.targets[0]);
  if (const auto *dict = target != nullptr ? as<Name>(target->value) : nullptr) {
    found.of[dict->id.id].keys.push_back(target->slice);
  }
}

KeysOfDicts find_keys(const Site &site) {
  KeysOfDicts found;
  any_node(body_around(site), [&](const Node *node) {
    if (const auto *bound = as<Name>(node); bound != nullptr && bound->context != Context::Load) {
      ++found.of[bound->id.id].stores;
    }
    if (const auto *loop = as<For>(node)) {
      look_at_loop(*loop, found);
    } else if (const auto *assignment = as<Assign>(node)) {
      look_at_assignment(site, *assignment, found);
    } else if (const auto *test = as<Compare>(node)) {
      const bool is_search =
          test->rest.size() == 1 && test->rest[0].op == CompareOperator::In && as_string(test->left) != nullptr;
      if (const auto *text = is_search ? as<Name>(test->rest[0].right) : nullptr) {
        found.texts.insert(text->id.id);
      }
    } else if (const auto *call = as<Call>(node)) {
      const std::string_view method = called_method(*call);
      const bool is_of_text =
          method == "split" || method == "startswith" || method == "endswith" || method == "replace";
      if (const auto *text = is_of_text ? as<Name>(receiver_of(*call)) : nullptr) {
        found.texts.insert(text->id.id);
      }
    }
    return false;
  });
  return found;
}

// Could a key of the dict be a pair? Not if it is a text, or a name that stands for one.
bool has_plain_keys(const KeysOfDicts &all, const KeysOfDicts::Stored &stored) {
  const auto *literal = as<Dict>(stored.made);
  bool any = false;
  for (u32 i = 0; literal != nullptr && i < literal->items.size(); ++i) {
    any = true;
    if (literal->items[i].key == nullptr || !is_text(literal->items[i].key)) {
      return false;
    }
  }
  return (any || !stored.keys.empty()) && std::ranges::all_of(stored.keys, [&all](const Expr *key) {
           const auto *name = as<Name>(key);
           return is_text(key) ||
                  (name != nullptr && (all.named.contains(name->id.id) || all.texts.contains(name->id.id)));
         });
}

void check_pair(Site &site, const Node &place, const Expr *target, const Expr *iter) {
  const auto *pair = as<Tuple>(target);
  const auto *name = as<Name>(iter);
  if (pair == nullptr || pair->elts.size() != 2 || name == nullptr || site.function == nullptr ||
      site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    return;
  }
  // All that the function binds the name to is a dict.
  const KeysOfDicts &all = site.memory.recall<KeysOfDicts>(&body_around(site), [&site] { return find_keys(site); });
  const auto known = all.of.find(name->id.id);
  if (known == all.of.end()) {
    return;
  }
  const KeysOfDicts::Stored &stored = known->second;
  const bool is_param =
      std::ranges::any_of(site.function->params, [&](const Param *one) { return one->name == name->id; });
  if (is_param || stored.stores != stored.dicts || stored.stores == 0 || !has_plain_keys(all, stored)) {
    return;
  }
  Finding &finding =
      report(site, place,
             fmt::format("iterating over the dict `{}` yields its keys, which are strings, not pairs", name->id.text()),
             fmt::format("iterate over `{}.items()`", name->id.text()));
  add_note(finding, site, *stored.made, "the dict is created here");
  set_fix(finding, false, {insert_after(*iter, ".items()")});
}

void check(Site &site, const Node &node) {
  if (const auto *loop = as<For>(&node)) {
    check_pair(site, *loop->iter, loop->target, loop->iter);
    return;
  }
  for (const Comprehension *part : static_cast<const ComprehensionExpr &>(node).generators) {
    check_pair(site, *part->iter, part->target, part->iter);
  }
}

} // namespace

extern constinit const Rule kPairsFromKeys = {
    .info = {.code = "DP893",
             .name = "pairs-from-keys",
             .summary = "a loop that unpacks the keys of a dict as pairs",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash, Wrong Result",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Unsafe,
             .documentation = R"(## What it finds

`for name, weight in weights:` where `weights` is a dict whose keys are strings.

## Why it is wrong

Iterating over a dict yields its keys. A key of two characters is split into them; any other raises a ValueError. Such
loops collect weights for a checkpoint, so the error comes after training.

## Bad

```python
import torch


def trained_weights(model: torch.nn.Module):
    found = {}
    for name, weight in model.named_parameters():
        if weight.requires_grad:
            found[name] = weight
    return {name: weight.cpu() for name, weight in found}
```

## Good

```python
import torch


def trained_weights(model: torch.nn.Module):
    found = {}
    for name, weight in model.named_parameters():
        if weight.requires_grad:
            found[name] = weight
    return {name: weight.cpu() for name, weight in found.items()}
```

## When it is wrong

The rule considers only dicts that the function itself creates, with keys that are known to be strings.

## References

- Python: dict, looping techniques
)"},
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::SetComp, NodeKind::DictComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::pairs_from_keys
