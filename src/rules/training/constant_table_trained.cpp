#include "model/classes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::constant_table_trained {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMostDepth = 3; // of functions that compute the table

bool is_equinox_module(const model::ClassInfo &type) {
  return std::ranges::any_of(type.mro, [](const model::ClassInfo *one) {
    return std::ranges::any_of(one->bases, [](const Value &base) {
      return base.is(Value::Tag::Api) && base.name().text() == "equinox.Module";
    });
  });
}

// What the code that computes a value does.
struct Formula {
  bool has_waves = false;    // sin and cos, of positions and frequencies
  bool has_triangle = false; // the mask of causal attention
  bool has_range = false;    // positions
  bool is_random = false;    // or read from a file, or from nobody knows where: an initial value
  bool by_numpy = false;     // an array of NumPy, which not all filters of Equinox take for one
};

class Reader {
public:
  explicit Reader(const model::Project &project) : project_(project) {}

  Formula formula;

  void read(const model::FunctionInfo &function, const Node *node, u32 depth) {
    any_node(node, [&](const Node *part) {
      if (const auto *call = as<Call>(part)) {
        look(*call, depth);
      } else if (const auto *name = as<Name>(part); name != nullptr && name->context == Context::Load) {
        follow(function, *name, depth);
      }
      return false;
    });
  }

private:
  void look(const Call &call, u32 depth) {
    const Value callee = project_.callee_of(&call);
    if (callee.is(Value::Tag::Function) && depth < kMostDepth && callee.function->definition() != nullptr) {
      for (const Stmt *statement : callee.function->definition()->body) {
        read(*callee.function, statement, depth + 1);
      }
      return;
    }
    if (!callee.is(Value::Tag::Api)) {
      return;
    }
    const std::string_view api = callee.name().text();
    const std::string_view name = api.substr(api.rfind('.') + 1);
    formula.is_random |= api.find("random") != api.npos || name == "load" || name.starts_with("read");
    if (api.starts_with("numpy.")) {
      formula.by_numpy = true;
    } else if (api.starts_with("jax.numpy.")) {
      formula.has_waves |= name == "sin" || name == "cos";
      formula.has_triangle |= name == "tril" || name == "triu";
      formula.has_range |= name == "arange" || name == "linspace";
    }
  }

  // A name that the function assigns: what is assigned counts too.
  void follow(const model::FunctionInfo &function, const Name &name, u32 depth) {
    const FunctionDef *definition = function.definition();
    if (definition == nullptr || depth > kMostDepth || std::ranges::find(followed_, name.id) != followed_.end() ||
        function.slot_of(name.id) == model::FunctionInfo::kNoSlot) {
      return;
    }
    followed_.push_back(name.id);
    any_node(definition->body, [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      for (const Expr *target : assignment != nullptr ? assignment->targets : Array<Expr *>{}) {
        if (mentions(target, name.id)) {
          read(function, assignment->value, depth);
        }
      }
      return false;
    });
  }

  const model::Project &project_;
  std::vector<Symbol> followed_;
};

// `positions: Array = eqx.field(static=True)`, or one that somebody converts
bool is_special_field(const model::ClassInfo &type, Symbol name) {
  return std::ranges::any_of(type.mro, [&](const model::ClassInfo *one) {
    return std::ranges::any_of(one->node->body, [&](const Stmt *statement) {
      const auto *field = as<AnnAssign>(statement);
      const auto *target = field != nullptr ? as<Name>(field->target) : nullptr;
      return target != nullptr && target->id == name && field->value != nullptr;
    });
  });
}

bool is_field(const model::ClassInfo &type, Symbol name) {
  return std::ranges::any_of(type.mro, [&](const model::ClassInfo *one) {
    return std::ranges::any_of(one->node->body, [&](const Stmt *statement) {
      const auto *field = as<AnnAssign>(statement);
      const auto *target = field != nullptr ? as<Name>(field->target) : nullptr;
      return target != nullptr && target->id == name;
    });
  });
}

// An expression of the class that reads the field outside of its constructor; null if nothing does.
const Attribute *read_of(const model::ClassInfo &type, Symbol name) {
  const Attribute *found = nullptr;
  for (const Stmt *statement : type.node->body) {
    const auto *method = as<FunctionDef>(statement);
    if (method == nullptr || method->name.text() == "__init__") {
      continue;
    }
    any_node(method->body, [&](const Node *node) {
      const auto *attribute = as<Attribute>(node);
      const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
      const bool is_it = object != nullptr && object->id.text() == "self" && attribute->attr == name;
      found = is_it && found == nullptr ? attribute : found;
      return false;
    });
  }
  return found;
}

void check(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  const auto *target = assignment.targets.size() == 1 ? as<Attribute>(assignment.targets[0]) : nullptr;
  const auto *object = target != nullptr ? as<Name>(target->value) : nullptr;
  if (object == nullptr || object->id.text() != "self" || !site.module->jax || site.module->is_test ||
      site.function == nullptr || site.function->type == nullptr || !site.function->name ||
      site.function->name.text() != "__init__" || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const model::ClassInfo &type = *site.function->type;
  if (!is_equinox_module(type) || !is_field(type, target->attr) || is_special_field(type, target->attr)) {
    return;
  }
  Reader reader(site.project);
  reader.read(*site.function, assignment.value, 0);
  const Formula &formula = reader.formula;
  const bool is_table = (formula.has_waves && formula.has_range) || formula.has_triangle;
  if (!is_table || formula.is_random || formula.by_numpy) {
    return;
  }
  const Attribute *use = read_of(type, target->attr);
  // Who stops the gradient, splits off what is trained by name or labels the leaves knows of it.
  const bool is_trained =
      project_has_word(site, {"filter_grad", "filter_value_and_grad"}) &&
      !project_has_word(site, {"stop_gradient", "eqx.partition", "equinox.partition", "filter_spec", "tree_at",
                               "multi_transform", "optax.masked", "set_to_zero", "NonTrainable", "trainable"});
  if (use == nullptr || !is_trained) {
    return;
  }
  const std::string_view field = target->attr.text();
  Finding &finding = report(
      site, assignment,
      fmt::format("`self.{}` is an array of the module, so the optimizer trains this constant table like a parameter",
                  field),
      fmt::format("read it as `jax.lax.stop_gradient(self.{})`, or compute it in `__call__`", field));
  add_note(finding, site, *use, "the gradient flows into it here");
}

} // namespace

extern constinit const Rule kConstantTableTrained = {
    .info = {.code = "DP990",
             .name = "constant-table-trained",
             .summary = "a fixed table in a field of an Equinox module, which the optimizer trains",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A field of an `equinox.Module` that `__init__` computes as a constant table: sines and cosines of positions, or a triangular mask, with
`jax.numpy` and without a random key. It is reported where the project differentiates with `filter_grad` or `filter_value_and_grad` and
stops the gradient or partitions its parameters nowhere.

## Why it is wrong

Equinox has no buffers: every floating-point JAX array in a module is a parameter. `filter_grad` gives it a gradient, and an optimizer that
was created with `eqx.filter(model, eqx.is_inexact_array)` changes it with every step, with weight decay even where its gradient is zero.

## Bad

```python
import equinox as eqx
import jax
import jax.numpy as jnp


class Encoder(eqx.Module):
    table: jax.Array
    embed: eqx.nn.Embedding

    def __init__(self, length, width, key):
        angle = jnp.arange(length)[:, None] / 10000 ** (jnp.arange(width) / width)
        self.table = jnp.sin(angle)
        self.embed = eqx.nn.Embedding(100, width, key=key)

    def __call__(self, tokens):
        return jax.vmap(self.embed)(tokens) + self.table


@eqx.filter_value_and_grad
def loss(model, tokens):
    return jnp.mean(model(tokens) ** 2)
```

## Good

```python
import equinox as eqx
import jax
import jax.numpy as jnp


class Encoder(eqx.Module):
    table: jax.Array
    embed: eqx.nn.Embedding

    def __init__(self, length, width, key):
        angle = jnp.arange(length)[:, None] / 10000 ** (jnp.arange(width) / width)
        self.table = jnp.sin(angle)
        self.embed = eqx.nn.Embedding(100, width, key=key)

    def __call__(self, tokens):
        return jax.vmap(self.embed)(tokens) + jax.lax.stop_gradient(self.table)


@eqx.filter_value_and_grad
def loss(model, tokens):
    return jnp.mean(model(tokens) ** 2)
```

## When it is wrong

Where the table is only a starting point and is meant to be trained.

## References

- Equinox documentation, FAQ: how to mark arrays as non-trainable
)"},
    .nodes = {NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::constant_table_trained
