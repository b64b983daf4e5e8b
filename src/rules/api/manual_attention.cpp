#include "python/children.h"
#include "rules/api_history.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace deepperf::rules::manual_attention {

using namespace python;
using model::Value;

namespace {

// How far a value is followed back through names and calls.
constexpr u32 kMostSteps = 24;

struct Assignment {
  Symbol name;
  u32 start = 0;
  u32 end = 0;
  const Expr *value = nullptr;
};

// What a function assigns to its names, and the matrix products in it, as they stand in the source.
struct Body {
  std::vector<Assignment> assignments; // by name, then by place
  std::vector<const Expr *> products;
  std::vector<const Name *> names; // that are read
};

struct Product {
  const Expr *left = nullptr;
  const Expr *right = nullptr;
  const Call *einsum = nullptr;

  explicit operator bool() const { return left != nullptr; }
};

Product product_of(const Site &site, const Expr *expr) {
  if (const auto *operation = as<BinOp>(expr)) {
    return operation->op() == Operator::MatMult ? Product{operation->left, operation->right} : Product{};
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return {};
  }
  const std::string_view api = called_api(site, *call);
  if ((api == "torch.matmul" || api == "torch.bmm") && call->args.size() >= 2) {
    return {call->args[0], call->args[1]};
  }
  if (api == "torch.einsum" && call->args.size() == 3) {
    return {call->args[1], call->args[2], call};
  }
  if (api == "torch.baddbmm" && call->args.size() >= 3) {
    return {call->args[1], call->args[2]};
  }
  const std::string_view method = called_method(*call);
  if (api.empty() && (method == "matmul" || method == "bmm") && call->args.size() == 1) {
    return {receiver_of(*call), call->args[0]};
  }
  return {};
}

// Few functions have them.
bool has_two_products(const Site &site, const Block &body) {
  u32 count = 0;
  return any_node(body, [&](const Node *node) {
    const bool may_be = node->kind == NodeKind::BinOp || node->kind == NodeKind::Call;
    count += may_be && product_of(site, static_cast<const Expr *>(node)) ? 1 : 0;
    return count == 2;
  });
}

void collect(const Site &site, const Node *node, Body &body) {
  if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Lambda) {
    return;
  }
  if (const auto *assign = as<Assign>(node); assign != nullptr && assign->targets.size() == 1) {
    if (const auto *name = as<Name>(assign->targets[0])) {
      body.assignments.push_back({name->id, assign->start, assign->end, assign->value});
    }
  } else if (const auto *name = as<Name>(node); name != nullptr && name->context == Context::Load) {
    body.names.push_back(name);
  }
  if (const auto *expr = node->kind < NodeKind::FunctionDef ? static_cast<const Expr *>(node) : nullptr;
      expr != nullptr && product_of(site, expr)) {
    body.products.push_back(expr);
  }
  for_each_child(node, [&](const Node *child) { collect(site, child, body); });
}

// What the name was given last before its place; null if that is not a plain assignment.
const Assignment *last_before(const Body &body, const Name &name) {
  const auto behind = std::ranges::upper_bound(body.assignments, std::pair(name.id.id, name.start), {},
                                               [](const Assignment &one) { return std::pair(one.name.id, one.end); });
  if (behind == body.assignments.begin()) {
    return nullptr;
  }
  const Assignment &found = *std::prev(behind);
  return found.name == name.id ? &found : nullptr;
}

bool is_softmax(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  std::string_view maker;
  const bool is_layer = maker_of_callee(site, call, &maker) != nullptr && maker == "torch.nn.Softmax";
  if (api != "torch.softmax" && api != "torch.nn.functional.softmax" && !is_layer &&
      (called_method(call) != "softmax" || !api.empty())) {
    return false;
  }
  const Expr *dim = is_layer ? nullptr : argument(call, api.empty() ? 0 : 1, "dim");
  const std::optional<i64> number = dim != nullptr ? integer_of(site, dim) : std::nullopt;
  return !number.has_value() || *number == -1 || *number == 2 || *number == 3;
}

// Over the last axis, as the fused kernels do it: is that written down?
bool is_over_last_axis(const Site &site, const Call &softmax) {
  std::string_view maker_name;
  const Call *const maker = maker_of_callee(site, softmax, &maker_name);
  const bool is_layer = maker != nullptr && maker_name == "torch.nn.Softmax";
  const Expr *const dim =
      is_layer ? argument(*maker, 0, "dim") : argument(softmax, called_api(site, softmax).empty() ? 0 : 1, "dim");
  const std::optional<i64> axis =
      dim != nullptr ? integer_of(is_layer ? site_of(site, *maker) : site, dim) : std::nullopt;
  return axis == -1 || axis == 3;
}

// The operand of a softmax.
const Expr *softmax_operand(const Site &site, const Call &call) {
  const bool is_method = called_api(site, call).empty() && maker_of_callee(site, call) == nullptr;
  return is_method ? receiver_of(call) : argument(call, 0, "input");
}

// `x` where the call gives x again, moved, reshaped, masked or with some of it dropped.
const Expr *passed_through(const Site &site, const Call &call) {
  constexpr std::array<std::string_view, 22> kMethods = {
      "to",          "type_as",      "float",   "half",      "type",    "view",    "reshape",   "contiguous",
      "masked_fill", "masked_fill_", "clamp",   "unsqueeze", "squeeze", "permute", "transpose", "div",
      "mul",         "add",          "softmax", "bfloat16",  "sub",     "div_"};
  const std::string_view api = called_api(site, call);
  if (api == "torch.nn.functional.dropout" || api == "torch.dropout" || api == "torch.nn.functional.softmax" ||
      api == "torch.softmax" || api == "torch.clamp" || api == "torch.masked_fill" || api == "torch.div") {
    return call.args.empty() ? nullptr : call.args[0];
  }
  if (api == "torch.where") {
    return call.args.size() == 3 ? call.args[1] : nullptr;
  }
  if (std::string_view maker; maker_of_callee(site, call, &maker) != nullptr) {
    return (maker == "torch.nn.Dropout" || maker == "torch.nn.Identity" || maker == "torch.nn.Softmax") &&
                   call.args.size() == 1
               ? call.args[0]
               : nullptr;
  }
  const auto *method = as<Attribute>(call.func);
  return api.empty() && method != nullptr && std::ranges::find(kMethods, method->attr.text()) != kMethods.end()
             ? method->value
             : nullptr;
}

// The softmax that the value is, or was made of; the names that it went through are added to `names`.
const Call *softmax_behind(const Site &site, const Body &body, const Expr *expr, std::vector<Symbol> &names) {
  for (u32 steps = 0; expr != nullptr && steps < kMostSteps; ++steps) {
    if (const auto *name = as<Name>(expr)) {
      const Assignment *assignment = last_before(body, *name);
      names.push_back(name->id);
      expr = assignment != nullptr ? assignment->value : nullptr;
    } else if (const auto *call = as<Call>(expr)) {
      if (is_softmax(site, *call)) {
        return call;
      }
      expr = passed_through(site, *call);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

// A view with two axes swapped, perhaps under a name.
bool is_transposed(const Site &site, const Body &body, const Expr *expr) {
  for (u32 steps = 0; expr != nullptr && steps < kMostSteps; ++steps) {
    if (const auto *name = as<Name>(expr)) {
      const Assignment *assignment = last_before(body, *name);
      expr = assignment != nullptr ? assignment->value : nullptr;
    } else if (const auto *attribute = as<Attribute>(expr)) {
      return attribute->attr.text() == "T" || attribute->attr.text() == "mT";
    } else if (const auto *operation = as<BinOp>(expr)) {
      expr = operation->op() == Operator::Mult || operation->op() == Operator::Div ? operation->left : nullptr;
    } else if (const auto *call = as<Call>(expr)) {
      const std::string_view method = called_name(*call);
      if (method == "transpose" || method == "permute" || method == "t" || method == "swapaxes") {
        return true;
      }
      expr = passed_through(site, *call);
    } else {
      return false;
    }
  }
  return false;
}

// `bhid,bhjd->bhij`: one index is summed over, and each operand brings one of its own.
bool is_score_equation(std::string_view text) {
  std::string equation;
  std::ranges::copy_if(text, std::back_inserter(equation), [](char c) { return c != ' '; });
  const std::size_t comma = equation.find(',');
  const std::size_t arrow = equation.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) {
    return false;
  }
  const std::string_view whole = equation;
  const std::string_view left = whole.substr(0, comma);
  const std::string_view right = whole.substr(comma + 1, arrow - comma - 1);
  const std::string_view result = whole.substr(arrow + 2);
  const auto count = [](std::string_view side, std::string_view other, std::string_view out, bool in_out) {
    return std::ranges::count_if(side, [&](char c) {
      const bool shared = other.find(c) != std::string_view::npos;
      return c != '.' && shared != in_out && (out.find(c) != std::string_view::npos) == in_out;
    });
  };
  return count(left, right, result, false) == 1 && count(left, right, result, true) >= 1 &&
         count(right, left, result, true) >= 1;
}

// Is it, scaled and masked as one likes, a product of queries with transposed keys?
const Expr *scores_behind(const Site &site, const Body &body, const Expr *expr, u32 depth = 0) {
  for (u32 steps = 0; expr != nullptr && steps < kMostSteps; ++steps) {
    if (const Product product = product_of(site, expr)) {
      const bool fits = product.einsum != nullptr
                            ? is_score_equation(string_of(site, product.einsum->args[0]).value_or(""))
                            : is_transposed(site, body, product.right) || is_transposed(site, body, product.left);
      return fits ? expr : nullptr;
    }
    if (const auto *name = as<Name>(expr)) {
      const Assignment *assignment = last_before(body, *name);
      expr = assignment != nullptr ? assignment->value : nullptr;
    } else if (const auto *operation = as<BinOp>(expr)) {
      if (depth > 3) {
        return nullptr;
      }
      if (const Expr *left = scores_behind(site, body, operation->left, depth + 1)) {
        return left;
      }
      expr = operation->op() == Operator::Add || operation->op() == Operator::Mult ? operation->right : nullptr;
    } else if (const auto *call = as<Call>(expr)) {
      expr = passed_through(site, *call);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

// Are the weights themselves wanted, returned or kept? No fused kernel gives them.
bool are_weights_wanted(const Body &body, const Call &softmax, const Expr &product, const std::vector<Symbol> &names) {
  return std::ranges::any_of(body.names, [&](const Name *name) {
    if (name->start < softmax.end || std::ranges::find(names, name->id) == names.end() || contains(&product, name)) {
      return false;
    }
    // `attn = dropout(attn)` goes on with it; after another binding the name is something else.
    const Assignment *at = last_before(body, *name);
    if (at == nullptr || (at->start > product.start && at->end >= product.end)) {
      return false;
    }
    return std::ranges::none_of(body.assignments, [&](const Assignment &assignment) {
      return assignment.start <= name->start && name->end <= assignment.end &&
             std::ranges::find(names, assignment.name) != names.end();
    });
  });
}

// The project has a fused kernel for another case, so that this one was left as it is on purpose.
bool is_fused_elsewhere(const Site &site) {
  return project_has_word_in_any_case(site, {"scaled_dot_product_attention", "flash_attn", "fused_attn", "sdpa",
                                             "memory_efficient", "xformers", "flash_attention"});
}

void check(Site &site, const Node &node) {
  if (!site.module->torch || !file_has_word(site, {"softmax", "Softmax"})) {
    return;
  }
  const auto &definition = static_cast<const FunctionDef &>(node);
  // The way for those who do not have the fused one.
  static constexpr std::string_view kFused[] = {"scaled_dot_product_attention", "flash_attn",
                                                "memory_efficient_attention"};
  if (!has_two_products(site, definition.body) || node_has_word(site, node, kFused)) {
    return;
  }
  Body body;
  for (const Stmt *statement : definition.body) {
    collect(site, statement, body);
  }
  std::ranges::stable_sort(body.assignments, {}, [](const Assignment &one) { return std::pair(one.name.id, one.end); });
  for (const Expr *expr : body.products) {
    const Product product = product_of(site, expr);
    std::vector<Symbol> names;
    const Call *softmax = softmax_behind(site, body, product.left, names);
    if (softmax == nullptr) {
      names.clear();
      softmax = softmax_behind(site, body, product.right, names);
    }
    const Expr *operand = softmax != nullptr ? softmax_operand(site, *softmax) : nullptr;
    const Expr *scores = operand != nullptr ? scores_behind(site, body, operand) : nullptr;
    if (scores == nullptr || scores == expr || are_weights_wanted(body, *softmax, *expr, names)) {
      continue;
    }
    Finding &finding =
        report(site, *expr, "this attention keeps the full score matrix in memory instead of using a fused kernel",
               "use `F.scaled_dot_product_attention(q, k, v, attn_mask=…, dropout_p=…)`");
    add_note(finding, site, *scores, "the scores are computed here");
    add_note(finding, site, *softmax, "their softmax is computed here");
    // The project's PyTorch does not have it; somebody has thought about it; or the scores serve for more than this.
    const auto *scores_name = as<Name>(operand);
    const auto reads = scores_name == nullptr ? 0 : std::ranges::count_if(body.names, [&](const Name *name) {
      return name->id == scores_name->id && name->start > scores->end && !contains(softmax, name);
    });
    if (status_in(site, "torch", "2.0") == Status::Fine || is_fused_elsewhere(site) || reads > 2 ||
        !is_over_last_axis(site, *softmax)) {
      finding.tier = Tier::Hint;
    }
  }
}

} // namespace

extern constinit const Rule kManualAttention = {
    .info = {.code = "DP151",
             .name = "manual-attention",
             .summary = "attention written as matmul, softmax and matmul, where one fused call would do",
             .root_cause = "API: Not Using Efficient API",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A function that multiplies queries with transposed keys (`@`, `torch.matmul`, `torch.bmm`, `torch.einsum`), takes the
softmax of the result, possibly scaled, masked and with dropout, and multiplies that with the values.

## Why it costs

The score matrix has one number for each pair of positions. It is written to memory and read back several times, it is
kept for the backward pass, and it grows with the square of the sequence length. `F.scaled_dot_product_attention`
(PyTorch 2.0) runs FlashAttention or another fused kernel that never stores it.

## Bad

```python
import math

import torch


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v
```

## Good

```python
import torch.nn.functional as F


def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)
```

## When it is wrong

The fused kernels do not help where the attention weights themselves are needed; the rule is silent if they are returned
or kept, and where the function also has a fused branch. A bias on the scores can be passed as `attn_mask`. A scale
other than `1/sqrt(d)` can be passed as `scale` since PyTorch 2.1. Before PyTorch 2.0 the function does not exist.

## References

- `torch.nn.functional.scaled_dot_product_attention`
)"},
    .nodes = {NodeKind::FunctionDef},
    .on_node = check};

} // namespace deepperf::rules::manual_attention
