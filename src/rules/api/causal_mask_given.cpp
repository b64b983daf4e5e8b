#include "model/bind.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <optional>

namespace deepperf::rules::causal_mask_given {

using namespace python;
using model::Value;

namespace {

constexpr u32 kMostSteps = 12;

// The last two axes of `mask[:T, :T]` and `mask[:, :, :T, :T]`: from the first row and column on, and of the same
// length.
bool is_square_part(const Site &site, const Subscript &part) {
  const auto *axes = as<Tuple>(part.slice);
  if (axes == nullptr || axes->elts.size() < 2) {
    return is_none(part.slice);
  }
  std::optional<std::string_view> length;
  for (std::size_t i = axes->elts.size() - 2; i < axes->elts.size(); ++i) {
    const auto *slice = as<Slice>(axes->elts[static_cast<u32>(i)]);
    if (slice == nullptr || slice->lower != nullptr || slice->step != nullptr) {
      return false;
    }
    const std::string_view upper = slice->upper != nullptr ? text_of(site, slice->upper) : std::string_view{};
    if (length.has_value() && *length != upper) {
      return false;
    }
    length = upper;
  }
  return true;
}

// torch.tril(torch.ones(…)), torch.triu(torch.full(…, -inf), diagonal=1): who may look at whom, and nothing else.
bool makes_causal(const Site &site, const Call &call) {
  const std::string_view name = called_name(call);
  if (name == "generate_square_subsequent_mask") {
    return true;
  }
  const std::string_view api = called_api(site, call);
  const bool is_lower = api == "torch.tril" || (api.empty() && name == "tril");
  const bool is_upper = api == "torch.triu" || (api.empty() && name == "triu");
  const Expr *const whole = api.empty() ? receiver_of(call) : call.args.empty() ? nullptr : call.args[0];
  const auto *name_of_whole = as<Name>(whole);
  const auto *made = as<Call>(name_of_whole != nullptr ? last_assigned(site, *name_of_whole) : whole);
  const std::string_view maker = made != nullptr ? called_api(site, *made) : std::string_view{};
  if ((!is_lower && !is_upper) || (maker != "torch.ones" && maker != "torch.full")) {
    return false;
  }
  const Expr *const diagonal = argument(call, api.empty() ? 0 : 1, "diagonal");
  const i64 offset = diagonal != nullptr ? integer_of(site, diagonal).value_or(-99) : 0;
  return is_lower ? offset == 0 : offset == 1;
}

// What register_buffer() or an assignment gives the attribute of the class around the place; null unless it is just
// one.
const Expr *kept_as(const Site &site, Symbol attribute) {
  if (site.type == nullptr || site.type->node == nullptr) {
    return nullptr;
  }
  const Expr *value = nullptr;
  u32 count = 0;
  any_node_inside(site.type->node, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        const auto *stored = as<Attribute>(target);
        if (stored != nullptr && stored->attr == attribute) {
          value = assignment->value;
          ++count;
        }
      }
    }
    const auto *call = as<Call>(node);
    if (call != nullptr && called_method(*call) == "register_buffer" && call->args.size() >= 2 &&
        string_of(site, call->args[0]) == attribute.text()) {
      value = call->args[1];
      ++count;
    }
    return false;
  });
  return count == 1 ? value : nullptr;
}

// The call that makes the mask, followed through names, attributes, views and casts; null if it is something else.
const Call *causal_maker(const Site &site, const Expr *mask, u32 steps = 0) { // NOLINT(misc-no-recursion)
  for (; mask != nullptr && steps < kMostSteps; ++steps) {
    if (const auto *name = as<Name>(mask)) {
      mask = last_assigned(site, *name);
    } else if (const auto *attribute = as<Attribute>(mask)) {
      mask = model::is_own_object(*site.function, attribute->value) ? kept_as(site, attribute->attr) : nullptr;
    } else if (const auto *part = as<Subscript>(mask)) {
      mask = is_square_part(site, *part) ? part->value : nullptr;
    } else if (const auto *compare = as<Compare>(mask)) {
      mask = compare->rest.size() == 1 &&
                     (compare->rest[0].op == CompareOperator::Eq || compare->rest[0].op == CompareOperator::NotEq)
                 ? compare->left
                 : nullptr;
    } else if (const auto *call = as<Call>(mask)) {
      if (makes_causal(site, *call)) {
        return call;
      }
      const std::string_view method = called_method(*call);
      const bool is_view = method == "to" || method == "view" || method == "unsqueeze" || method == "bool" ||
                           method == "expand" || method == "type" || method == "cuda" || method == "float" ||
                           method == "repeat" || method == "type_as" || method == "reshape";
      if (is_view) {
        mask = receiver_of(*call);
        continue;
      }
      // A function of the project that makes one.
      const model::FunctionInfo *const function = called_function(site, *call);
      const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
      const auto *result =
          definition != nullptr && !definition->body.empty() ? as<Return>(definition->body.back()) : nullptr;
      if (result == nullptr || result->value == nullptr) {
        return nullptr;
      }
      Site there = site_of(site, *call);
      there.function = function;
      there.module = function->module;
      there.type = function->type;
      there.ancestors = {definition};
      return causal_maker(there, result->value, steps + 1);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

void check(Site &site, const Call &call) {
  constexpr u32 kMask = 3;
  const Expr *const mask = argument(call, kMask, "attn_mask");
  if (mask == nullptr || has_hidden_arguments(call) || keyword_argument(call, "is_causal") != nullptr ||
      site.function == nullptr || site.module->is_test) {
    return;
  }
  const Call *const maker = causal_maker(site, mask);
  if (maker == nullptr) {
    return;
  }
  Finding &finding =
      report(site, *mask, "a causal mask that is passed as a tensor rules out the flash attention kernel",
             "omit `attn_mask` and pass `is_causal=True`");
  finding.notes.push_back(
      {site_of(site, *maker).module->file, maker->span(), "this mask encodes nothing but causality"});
}

} // namespace

extern constinit const Rule kCausalMaskGiven = {
    .info = {.code = "DP181",
             .name = "causal-mask-given",
             .summary = "a causal mask as a tensor, where `is_causal=True` allows flash attention",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time, High Memory Consumption",
             .stage = "Build Model",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`F.scaled_dot_product_attention` with an `attn_mask` that comes from `torch.tril` or `torch.triu` and encodes nothing but causality.

## Why it costs

The flash attention kernel takes no mask. With one, PyTorch chooses a slower kernel that reads the mask from memory and also computes the half of the scores that the mask throws
away. `is_causal=True` has the same effect without a tensor.

## Bad

```python
import torch
import torch.nn.functional as F


def attend(q, k, v):
    mask = torch.tril(torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
```

## Good

```python
import torch.nn.functional as F


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
```

## When it is wrong

With a key cache, where there are fewer queries than keys: `is_causal` aligns the mask with the first key.

## References

- PyTorch documentation: torch.nn.functional.scaled_dot_product_attention
)"},
    .calls = "torch.nn.functional.scaled_dot_product_attention",
    .on_call = check};

} // namespace deepperf::rules::causal_mask_given
