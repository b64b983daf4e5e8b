#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

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

// What the function stores under a key: `d[key] = value`.
struct Keys {
  bool are_texts = true; // as far as any is known
  bool any = false;
};

bool is_text(const Expr *key) {
  const auto *sum = as<BinOp>(key);
  return as_string(key) != nullptr || key->kind == NodeKind::JoinedStr ||
         (sum != nullptr && sum->op() == Operator::Add && (is_text(sum->left) || is_text(sum->right)));
}

// Could a key of the dict be a pair? Not if it is a text, a number or a name that a loop over named things binds.
bool has_plain_keys(const Site &site, Symbol dict, const Dict *literal) {
  Keys keys;
  const auto look = [&](const Expr *key) {
    keys.any = true;
    keys.are_texts &= is_text(key);
  };
  if (literal != nullptr) {
    for (const DictItem &item : literal->items) {
      if (item.key == nullptr) {
        return false;
      }
      look(item.key);
    }
  }
  const FunctionDef *definition = site.function->definition();
  const Block body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const auto is_dict = [dict](const Expr *expr) {
    const auto *name = as<Name>(expr);
    return name != nullptr && name->id == dict;
  };
  // Names that hold texts: targets of loops over named_parameters(), items() of what has texts as keys.
  const auto is_named = [&](const Expr *key) {
    const auto *name = as<Name>(key);
    return name != nullptr && any_node(body, [&](const Node *node) {
             const auto *loop = as<For>(node);
             const auto *pair = loop != nullptr ? as<Tuple>(loop->target) : nullptr;
             const auto *call = loop != nullptr ? as<Call>(loop->iter) : nullptr;
             const auto *first = pair != nullptr && pair->elts.size() == 2 ? as<Name>(pair->elts[0]) : nullptr;
             const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
             const bool is_named_thing = method.starts_with("named_");
             const auto *receiver = method == "items" ? as<Call>(receiver_of(*call)) : nullptr;
             const bool is_state = receiver != nullptr && called_method(*receiver) == "state_dict";
             return first != nullptr && first->id == name->id && (is_named_thing || is_state);
           });
  };
  // Or that the function uses as texts: `"bias" in name`, `name.split(".")`.
  const auto is_used_as_text = [&](const Expr *key) {
    const auto *name = as<Name>(key);
    const auto is_it = [name](const Expr *expr) {
      const auto *plain = as<Name>(expr);
      return plain != nullptr && plain->id == name->id;
    };
    return name != nullptr && any_node(body, [&](const Node *node) {
             const auto *test = as<Compare>(node);
             const auto *call = as<Call>(node);
             const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
             return (test != nullptr && test->rest.size() == 1 && test->rest[0].op == CompareOperator::In &&
                     as_string(test->left) != nullptr && is_it(test->rest[0].right)) ||
                    ((method == "split" || method == "startswith" || method == "endswith" || method == "replace") &&
                     is_it(receiver_of(*call)));
           });
  };
  any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *target = assignment != nullptr ? as<Subscript>(assignment->targets[0]) : nullptr;
    if (target != nullptr && is_dict(target->value)) {
      keys.any = true;
      keys.are_texts &= is_text(target->slice) || is_named(target->slice) || is_used_as_text(target->slice);
    }
    return false;
  });
  return keys.any && keys.are_texts;
}

void check_pair(Site &site, const Node &place, const Expr *target, const Expr *iter) {
  const auto *pair = as<Tuple>(target);
  const auto *name = as<Name>(iter);
  if (pair == nullptr || pair->elts.size() != 2 || name == nullptr || site.function == nullptr ||
      site.function->slot_of(name->id) == model::FunctionInfo::kNoSlot) {
    return;
  }
  // All that the function binds the name to is a dict.
  const FunctionDef *definition = site.function->definition();
  const Block body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  const Expr *made = nullptr;
  u32 stores = 0;
  u32 dicts = 0;
  any_node(body, [&](const Node *node) {
    if (const auto *bound = as<Name>(node)) {
      stores += bound->id == name->id && bound->context != Context::Load ? 1 : 0;
    }
    if (const auto *assignment = as<Assign>(node); assignment != nullptr && assignment->targets.size() == 1) {
      const auto *bound = as<Name>(assignment->targets[0]);
      if (bound != nullptr && bound->id == name->id && makes_dict(site, assignment->value)) {
        ++dicts;
        made = assignment->value;
      }
    }
    return false;
  });
  const bool is_param =
      std::ranges::any_of(site.function->params, [&](const Param *one) { return one->name == name->id; });
  if (is_param || stores != dicts || stores == 0 || !has_plain_keys(site, name->id, as<Dict>(made))) {
    return;
  }
  Finding &finding = report(
      site, place,
      fmt::format("iterating over the dict `{}` gives its keys, which are strings and no pairs", name->id.text()),
      fmt::format("iterate over `{}.items()`", name->id.text()));
  add_note(finding, site, *made, "the dict is created here");
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
             .summary = "a loop that takes the keys of a dict for pairs",
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

Iterating over a dict gives its keys. A key of two characters is split into them; any other raises a ValueError. Such
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

The rule looks only at dicts that the function itself creates, with keys that it knows to be strings.

## References

- Python: dict, looping techniques
)"},
    .nodes = {NodeKind::For, NodeKind::ListComp, NodeKind::SetComp, NodeKind::DictComp, NodeKind::GeneratorExp},
    .on_node = check};

} // namespace deepperf::rules::pairs_from_keys
