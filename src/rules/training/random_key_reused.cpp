#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules {

using namespace python;

namespace {

struct Use {
  Symbol key;
  const Call *call = nullptr;
};
using Uses = std::vector<Use>; // keys that were used on every way to here

// jax.random.normal(key, …), jax.random.split(key): what a key must be used for only once. fold_in makes others of it.
const Name *key_used_by(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (!api.starts_with("jax.random.")) {
    return nullptr;
  }
  const std::string_view name = api.substr(std::string_view("jax.random.").size());
  if (name == "PRNGKey" || name == "key" || name == "fold_in" || name == "key_data" || name == "wrap_key_data" ||
      name == "clone" || name == "key_impl" || name.find('.') != std::string_view::npos) {
    return nullptr;
  }
  return as<Name>(argument(call, 0, "key"));
}

class KeyWalk {
public:
  explicit KeyWalk(Site &site) : site_(site) {}

  void block(const Block &statements, Uses &uses) {
    for (const Stmt *statement : statements) {
      this->statement(statement, uses);
    }
  }

private:
  void statement(const Stmt *node, Uses &uses) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::Import:
    case NodeKind::ImportFrom:
      return;
    case NodeKind::If: {
      const auto &branch = static_cast<const If &>(*node);
      expression(branch.test, uses);
      Uses other = uses;
      block(branch.body, uses);
      block(branch.orelse, other);
      // What follows `if …: return` is reached the other way only.
      if (leaves(branch.body)) {
        uses = other;
      } else if (!leaves(branch.orelse)) {
        std::erase_if(uses, [&other](const Use &use) {
          return std::ranges::none_of(other, [&use](const Use &one) { return one.key == use.key; });
        });
      }
      return;
    }
    case NodeKind::For: {
      const auto &loop = static_cast<const For &>(*node);
      expression(loop.iter, uses);
      Uses inside = uses;
      forget(loop.target, inside);
      block(loop.body, inside);
      forget_assigned(node, uses);
      return;
    }
    case NodeKind::While: {
      Uses inside = uses;
      block(static_cast<const While &>(*node).body, inside);
      forget_assigned(node, uses);
      return;
    }
    case NodeKind::With:
      block(static_cast<const With &>(*node).body, uses);
      return;
    case NodeKind::Try: {
      Uses inside = uses;
      block(static_cast<const Try &>(*node).body, inside);
      forget_assigned(node, uses);
      return;
    }
    case NodeKind::Assign: {
      const auto &assignment = static_cast<const Assign &>(*node);
      expression(assignment.value, uses);
      for (const Expr *target : assignment.targets) {
        forget(target, uses);
      }
      return;
    }
    case NodeKind::Match:
      uses.clear();
      return;
    default:
      for_each_child(node, [&](const Node *child) { expression(child, uses); });
      forget_assigned(node, uses);
    }
  }

  static bool leaves(const Block &block) {
    return !block.empty() && (block.back()->kind == NodeKind::Return || block.back()->kind == NodeKind::Raise ||
                              block.back()->kind == NodeKind::Continue || block.back()->kind == NodeKind::Break);
  }

  // Conditional parts of an expression may not run; lambdas run later.
  void expression(const Node *node, Uses &uses) {
    if (node->kind == NodeKind::Lambda || node->kind == NodeKind::IfExp || node->kind == NodeKind::BoolOp ||
        node->kind == NodeKind::ListComp || node->kind == NodeKind::DictComp || node->kind == NodeKind::GeneratorExp ||
        node->kind == NodeKind::SetComp || node->kind == NodeKind::FunctionDef) {
      return;
    }
    for_each_child(node, [&](const Node *child) { expression(child, uses); });
    const auto *call = as<Call>(node);
    const Name *key = call != nullptr ? key_used_by(site_, *call) : nullptr;
    if (key == nullptr) {
      return;
    }
    const auto before = std::ranges::find(uses, key->id, &Use::key);
    if (before == uses.end()) {
      uses.push_back({key->id, call});
      return;
    }
    Finding &finding =
        report(site_, *call, "this key was used before, so the random numbers are not independent of those",
               "split it first: key, subkey = jax.random.split(key), and use each key once");
    add_note(finding, site_, *before->call, "first used here");
  }

  static void forget(const Node *target, Uses &uses) {
    if (const auto *name = as<Name>(target)) {
      std::erase_if(uses, [name](const Use &use) { return use.key == name->id; });
    } else if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List || target->kind == NodeKind::Starred) {
      for_each_child(target, [&uses](const Node *child) { forget(child, uses); });
    }
  }

  static void forget_assigned(const Node *node, Uses &uses) {
    if (const auto *name = as<Name>(node); name != nullptr && name->context != Context::Load) {
      std::erase_if(uses, [name](const Use &use) { return use.key == name->id; });
    }
    for_each_child(node, [&uses](const Node *child) { forget_assigned(child, uses); });
  }

  Site &site_;
};

void check_function(Site &site, const Node &node) {
  const auto &definition = static_cast<const FunctionDef &>(node);
  if (!site.module->jax || site.module->is_test) {
    return;
  }
  Uses uses;
  KeyWalk(site).block(definition.body, uses);
}

void check_module(Site &site) {
  if (site.module->jax && !site.module->is_test) {
    Uses uses;
    KeyWalk(site).block(site.module->parsed->tree.body, uses);
  }
}

} // namespace

extern constinit const Rule kRandomKeyReused = {.info = {.code = "DP825",
                                                         .name = "random-key-reused",
                                                         .summary = "a JAX random key that is used twice",
                                                         .root_cause = "Training: Wrong Random Numbers",
                                                         .symptoms = "Wrong Result",
                                                         .stage = "Training",
                                                         .frameworks = "JAX",
                                                         .tier = Tier::Hint,
                                                         .documentation = R"(## What it finds

Two calls of `jax.random` functions with the same key on the same way through a function, without a new value for the key in between. `split` counts as
a use, `fold_in` does not.

## Why it matters

A key decides all numbers that are drawn with it. Two draws with one key are the same numbers, or numbers that depend on each other: weights start alike, dropout masks
repeat, noise is correlated with the data. JAX reports nothing.

## Bad

```python
import jax


def init(key):
    w = jax.random.normal(key, (64, 64))
    b = jax.random.normal(key, (64,))
    return w, b
```

## Good

```python
import jax


def init(key):
    w_key, b_key = jax.random.split(key)
    w = jax.random.normal(w_key, (64, 64))
    b = jax.random.normal(b_key, (64,))
    return w, b
```

## When it is wrong

Where the same numbers are wanted twice, as when two implementations are compared.

## References

- JAX documentation "Pseudorandom numbers"
)"},
                                                .nodes = {NodeKind::FunctionDef},
                                                .on_node = check_function,
                                                .on_module = check_module};

} // namespace deepperf::rules
