#include "model/bind.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::cache_grown_by_cat {

using namespace python;

namespace {

// `k = torch.cat([past, k], dim)`: what is kept from the calls before, with the new part after it.
struct Growth {
  const Call *call = nullptr;
  const Expr *kept = nullptr;   // self.past_k, layer_past[0], past_key
  const Expr *target = nullptr; // that gets the whole
};

// `x` of `x.to(…)`, `x.contiguous()` and of `x` itself.
const Expr *without_casts(const Expr *expr) {
  while (const auto *call = as<Call>(expr)) {
    const std::string_view method = called_method(*call);
    if (method != "to" && method != "type_as" && method != "contiguous" && method != "clone") {
      break;
    }
    expr = receiver_of(*call);
  }
  return expr;
}

bool is_same(const Site &site, const Expr *left, const Expr *right) {
  return left->kind == right->kind && (left->kind == NodeKind::Name || left->kind == NodeKind::Attribute) &&
         text_of(site, left) == text_of(site, right);
}

Growth growth_of(const Site &site, const Assign &assignment) {
  const auto *choice = as<IfExp>(assignment.value); // k if past is None else torch.cat([past, k], dim)
  const auto *call = as<Call>(choice == nullptr                      ? assignment.value
                              : choice->body->kind == NodeKind::Call ? choice->body
                                                                     : choice->orelse);
  const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
  if ((api != "torch.cat" && api != "torch.concat") || call->args.empty() || assignment.targets.size() != 1) {
    return {};
  }
  const auto *tuple = as<Tuple>(call->args[0]);
  const auto *list = as<List>(call->args[0]);
  const Array<Expr *> parts = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
  const Expr *dim = argument(*call, 1, "dim");
  if (parts.size() != 2 || dim == nullptr || integer_of(site, dim) == 0) {
    return {}; // sequences are never along the first axis, which is that of the batch
  }
  const Expr *const target = assignment.targets[0];
  const Expr *const first = without_casts(parts[0]);
  const Expr *const second = without_casts(parts[1]);
  const bool is_kept =
      first->kind == NodeKind::Attribute || first->kind == NodeKind::Name || first->kind == NodeKind::Subscript;
  if (!is_kept || (!is_same(site, second, target) && !is_same(site, first, target))) {
    return {};
  }
  return {call, first, target};
}

struct Growths {
  std::vector<Growth> all;
};

// The name that an expression begins with: `past` of `past[0]` and of `past.key`.
const Name *root_of(const Expr *expr) {
  while (true) {
    if (const auto *element = as<Subscript>(expr)) {
      expr = element->value;
    } else if (const auto *attribute = as<Attribute>(expr)) {
      expr = attribute->value;
    } else {
      return as<Name>(expr);
    }
  }
}

// Does it come from a call before: an attribute of the object, a parameter, or a name that is unpacked from one?
bool is_kept_between_calls(const Site &site, const Block &body, const Expr *kept) {
  const Name *const root = root_of(kept);
  if (root == nullptr) {
    return false;
  }
  const auto is_param = [&site](Symbol name) { return site.function->has_param(name); };
  if (kept->kind == NodeKind::Attribute && model::is_own_object(*site.function, root)) {
    return true;
  }
  if (is_param(root->id)) {
    return !model::is_own_object(*site.function, root);
  }
  return any_node(body, [&](const Node *node) {
    const auto *assignment = as<Assign>(node);
    const auto *targets = assignment != nullptr ? as<Tuple>(assignment->targets[0]) : nullptr;
    const Name *const from = targets != nullptr ? root_of(assignment->value) : nullptr;
    return from != nullptr && is_param(from->id) && mentions(targets, root->id);
  });
}

// Is what the name holds given back for the next call: stored to an attribute, or put into a tuple with others?
bool is_given_back(const Site &site, const Block &body, const Growth &growth) {
  if (growth.target->kind == NodeKind::Attribute) {
    return true;
  }
  const auto *target = as<Name>(growth.target);
  return any_node(body, [&](const Node *node) {
    if (node->start < growth.call->end || target == nullptr) {
      return false;
    }
    if (const auto *assignment = as<Assign>(node)) {
      const bool is_attribute = any_node(assignment->targets[0], [&site](const Node *part) {
        const auto *attribute = as<Attribute>(part);
        return attribute != nullptr && model::is_own_object(*site.function, attribute->value);
      });
      const auto *tuple = as<Tuple>(assignment->value);
      const auto *choice = as<IfExp>(assignment->value);
      const auto *packed = tuple != nullptr                        ? tuple
                           : choice == nullptr                     ? nullptr
                           : choice->body->kind == NodeKind::Tuple ? as<Tuple>(choice->body)
                                                                   : as<Tuple>(choice->orelse);
      return (is_attribute && mentions(assignment->value, target->id)) ||
             (packed != nullptr && packed->elts.size() == 2 && mentions(packed, target->id));
    }
    const auto *result = as<Return>(node);
    const auto *results = result != nullptr ? as<Tuple>(result->value) : nullptr;
    return results != nullptr && std::ranges::any_of(results->elts, [target](const Expr *one) {
             const auto *pair = as<Tuple>(one);
             return pair != nullptr && pair->elts.size() == 2 && mentions(pair, target->id);
           });
  });
}

// Multiplies queries with keys, or is a cache that gives both back.
bool serves_attention(const Block &body) {
  return any_node(body, [](const Node *node) {
    if (const auto *call = as<Call>(node)) {
      const std::string_view name = called_name(*call);
      return name == "scaled_dot_product_attention" || name == "softmax" || name == "matmul" || name == "bmm" ||
             name == "einsum" || name.find("attention") != std::string_view::npos ||
             name.find("attn") != std::string_view::npos;
    }
    const auto *operation = as<BinOp>(node);
    const auto *result = as<Return>(node);
    const auto *both = result != nullptr && result->value != nullptr ? as<Tuple>(result->value) : nullptr;
    return (operation != nullptr && operation->op() == Operator::MatMult) ||
           (both != nullptr && both->elts.size() == 2);
  });
}

void check(Site &site, const Node &node) {
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  const model::FunctionInfo *const function = site.project.function_at(&node);
  if (function == nullptr || function->type == nullptr) {
    return;
  }
  Site there = site;
  there.function = function;
  there.type = function->type;
  const Block &body = static_cast<const FunctionDef &>(node).body;
  std::vector<Growth> growths;
  any_node(body, [&](const Node *part) {
    const auto *assignment = as<Assign>(part);
    const Growth growth = assignment != nullptr ? growth_of(there, *assignment) : Growth{};
    if (growth.call != nullptr) {
      growths.push_back(growth);
    }
    return false;
  });
  // Keys and values, one after the other, for an attention here or in the caller.
  if (growths.size() < 2 || !serves_attention(body) || !std::ranges::all_of(growths, [&](const Growth &one) {
        return is_kept_between_calls(there, body, one.kept) && is_given_back(there, body, one);
      })) {
    return;
  }
  Finding &finding =
      report(site, *growths[0].call, "the whole key-value cache is copied for every new token",
             "allocate the cache once for the longest sequence, and write each new key and value into its slot");
  add_note(finding, site, *growths[1].call, "and here");
  // In a model for generate() of Transformers, that library decides how the cache is kept.
  if (project_has_word(site, {"PreTrainedModel", "GenerationMixin"})) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kCacheGrownByCat = {
    .info = {.code = "DP180",
             .name = "cache-grown-by-cat",
             .summary = "a key-value cache that grows by `torch.cat` with every token",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, High Memory Consumption",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A method that appends the keys and values of new tokens to those of earlier calls with `torch.cat`, and keeps the result for the next call.
In a project with models for `generate()` of Transformers it is a hint, because that library decides how the cache is kept.

## Why it costs

Each token copies the whole cache of each layer, so generating n tokens copies n²/2 of them. While it copies, the old and the new cache are both in memory. A shape that
changes with every token also prevents CUDA graphs, and makes `torch.compile` compile again.

## Bad

```python
import torch
import torch.nn.functional as F


class Attention(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = torch.nn.Linear(size, 3 * size)
        self.keys = None
        self.values = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if self.keys is not None:
            k = torch.cat([self.keys, k], dim=1)
            v = torch.cat([self.values, v], dim=1)
        self.keys, self.values = k, v
        return F.scaled_dot_product_attention(q, k, v)
```

## Good

```python
import torch
import torch.nn.functional as F


class Attention(torch.nn.Module):
    def __init__(self, size, batch, longest):
        super().__init__()
        self.qkv = torch.nn.Linear(size, 3 * size)
        self.register_buffer("keys", torch.zeros(batch, longest, size))
        self.register_buffer("values", torch.zeros(batch, longest, size))
        self.used = 0

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        end = self.used + x.shape[1]
        self.keys[:, self.used:end] = k
        self.values[:, self.used:end] = v
        self.used = end
        return F.scaled_dot_product_attention(q, self.keys[:, :end], self.values[:, :end])
```

## When it is wrong

For short outputs, or where the longest sequence is not known and memory is scarce. Then grow the cache in larger blocks.

## References

- Hugging Face Transformers: KV cache strategies, static cache
- PyTorch blog: accelerating generative AI with PyTorch II: GPT, fast
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::cache_grown_by_cat
