#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::float64_buffer {

using namespace python;

namespace {

// What NumPy computes, as far as it decides about the type of a result.
enum class Numbers : u8 { Unknown, Integers, Doubles };

template <std::size_t kSize> bool is_one_of(std::string_view name, const std::string_view (&names)[kSize]) {
  return std::ranges::find(names, name) != std::end(names);
}

class TypeReader {
public:
  Numbers of(const Site &site, const Expr *expr, u32 depth = 0) { // NOLINT(misc-no-recursion)
    constexpr u32 kMostDepth = 12;
    constexpr u32 kMostParts = 200;
    if (expr == nullptr || depth > kMostDepth || ++parts_ > kMostParts) {
      return Numbers::Unknown;
    }
    switch (expr->kind) {
    case NodeKind::Name:
      return of_name(site, static_cast<const Name &>(*expr), depth);
    case NodeKind::BinOp:
      return of_operation(site, static_cast<const BinOp &>(*expr), depth);
    case NodeKind::UnaryOp:
      return of(site, static_cast<const UnaryOp *>(expr)->operand, depth + 1);
    case NodeKind::Subscript:
      return of(site, static_cast<const Subscript *>(expr)->value, depth + 1);
    case NodeKind::Attribute: {
      const auto *attribute = static_cast<const Attribute *>(expr);
      return attribute->attr.text() == "T" ? of(site, attribute->value, depth + 1) : Numbers::Unknown;
    }
    case NodeKind::Call:
      return of_call(site, static_cast<const Call &>(*expr), depth);
    default:
      return Numbers::Unknown;
    }
  }

private:
  Numbers of_name(const Site &site, const Name &name, u32 depth) { // NOLINT(misc-no-recursion)
    if (const Expr *const value = assigned_before(site, name.id, name.start)) {
      return of(site, value, depth + 1);
    }
    // cy, cx = np.meshgrid(a, b)
    const Expr *found = nullptr;
    any_node(body_around(site), [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      const auto *targets = assignment != nullptr ? as<Tuple>(assignment->targets[0]) : nullptr;
      if (targets != nullptr && assignment->end <= name.start &&
          std::ranges::any_of(targets->elts, [&](const Expr *one) {
            const auto *target = as<Name>(one);
            return target != nullptr && target->id == name.id;
          })) {
        found = assignment->value;
      }
      return false;
    });
    const auto *grid = as<Call>(found);
    return grid != nullptr && called_api(site, *grid) == "numpy.meshgrid" ? of(site, grid, depth + 1)
                                                                          : Numbers::Unknown;
  }

  Numbers of_operation(const Site &site, const BinOp &operation, u32 depth) { // NOLINT(misc-no-recursion)
    const Numbers left = of(site, operation.left, depth + 1);
    const Numbers right = of(site, operation.right, depth + 1);
    if (left == Numbers::Doubles || right == Numbers::Doubles) {
      return Numbers::Doubles; // also next to an array of float32
    }
    const bool has_integers = left == Numbers::Integers || right == Numbers::Integers;
    const Expr *const other = left == Numbers::Integers ? operation.right : operation.left;
    const Numbers of_other = left == Numbers::Integers ? right : left;
    if (!has_integers) {
      return Numbers::Unknown;
    }
    const auto number = setting_of(site, other);
    const bool is_number = number.has_value() && number->as_number().has_value();
    if (operation.op() == Operator::Div) {
      return is_number || of_other == Numbers::Integers ? Numbers::Doubles : Numbers::Unknown;
    }
    if (of_other == Numbers::Integers) {
      return Numbers::Integers;
    }
    return !is_number                                          ? Numbers::Unknown
           : number->type == model::ConstantValue::Type::Float ? Numbers::Doubles
                                                               : Numbers::Integers;
  }

  // Numbers of Python that are written in a list: doubles if one of them has a point or is divided.
  static bool has_fraction(const Site &site, const Expr *list) {
    return any_node(static_cast<const Node *>(list),
                    [&](const Node *node) {
                      const auto *operation = as<BinOp>(node);
                      return is_constant(node, ConstantKind::Float) ||
                             (operation != nullptr && operation->op() == Operator::Div);
                    }) &&
           !any_node(static_cast<const Node *>(list), [&](const Node *node) {
             const auto *call = as<Call>(node); // what is of some other type already
             const std::string_view api = call != nullptr ? called_api(site, *call) : std::string_view{};
             return call != nullptr && !api.starts_with("numpy.sqrt") && !api.starts_with("math.") && api != "range" &&
                    api != "len" && api != "float" && !api.starts_with("numpy.exp") && !api.starts_with("numpy.log");
           });
  }

  Numbers of_call(const Site &site, const Call &call, u32 depth) { // NOLINT(misc-no-recursion)
    constexpr std::string_view kFilled[] = {"numpy.zeros",        "numpy.ones",          "numpy.empty",
                                            "numpy.linspace",     "numpy.logspace",      "numpy.geomspace",
                                            "numpy.eye",          "numpy.identity",      "numpy.random.rand",
                                            "numpy.random.randn", "numpy.random.normal", "numpy.random.uniform",
                                            "numpy.hanning",      "numpy.hamming",       "numpy.blackman"};
    constexpr std::string_view kJoined[] = {"numpy.concatenate",  "numpy.stack",    "numpy.hstack", "numpy.vstack",
                                            "numpy.column_stack", "numpy.meshgrid", "numpy.outer"};
    constexpr std::string_view kSame[] = {"numpy.reshape",      "numpy.repeat",    "numpy.tile",
                                          "numpy.broadcast_to", "numpy.transpose", "numpy.expand_dims",
                                          "numpy.flip",         "numpy.ravel",     "numpy.ascontiguousarray",
                                          "numpy.squeeze",      "numpy.abs",       "numpy.cumsum",
                                          "numpy.maximum",      "numpy.clip"};
    constexpr std::string_view kRoots[] = {"numpy.sqrt", "numpy.exp", "numpy.log",  "numpy.sin",
                                           "numpy.cos",  "numpy.tan", "numpy.log2", "numpy.deg2rad"};
    constexpr std::string_view kMethods[] = {"reshape", "repeat",  "copy",     "transpose", "flatten",
                                             "ravel",   "squeeze", "swapaxes", "cumsum"};
    const std::string_view api = called_api(site, call);
    if (keyword_argument(call, "dtype") != nullptr || has_hidden_arguments(call)) {
      return Numbers::Unknown;
    }
    const Expr *const first = call.args.empty() ? nullptr : call.args[0];
    if (is_one_of(api, kFilled)) {
      const bool takes_dtype = api == "numpy.zeros" || api == "numpy.ones" || api == "numpy.empty";
      return takes_dtype && call.args.size() > 1 ? Numbers::Unknown : Numbers::Doubles;
    }
    if (api == "numpy.arange") {
      bool has_point = false;
      for (const Expr *arg : call.args) {
        const auto number = setting_of(site, arg);
        has_point |= number.has_value() && number->type == model::ConstantValue::Type::Float;
      }
      return has_point ? Numbers::Doubles : Numbers::Integers;
    }
    if (api == "numpy.array" || api == "numpy.asarray") {
      const bool is_list = first != nullptr && (first->kind == NodeKind::List || first->kind == NodeKind::Tuple ||
                                                first->kind == NodeKind::ListComp);
      return call.args.size() != 1       ? Numbers::Unknown
             : !is_list                  ? of(site, first, depth + 1)
             : has_fraction(site, first) ? Numbers::Doubles
                                         : Numbers::Unknown;
    }
    if (is_one_of(api, kJoined)) {
      const auto *list = as<List>(first);
      const auto *tuple = as<Tuple>(first);
      const Array<Expr *> parts = list != nullptr ? list->elts : tuple != nullptr ? tuple->elts : call.args;
      bool has_doubles = false;
      for (const Expr *part : parts) {
        has_doubles |= of(site, part, depth + 1) == Numbers::Doubles;
      }
      return has_doubles ? Numbers::Doubles : Numbers::Unknown;
    }
    if (is_one_of(api, kSame)) {
      return of(site, first, depth + 1);
    }
    if (is_one_of(api, kRoots)) {
      return of(site, first, depth + 1) != Numbers::Unknown ? Numbers::Doubles : Numbers::Unknown;
    }
    if (!api.empty()) {
      return Numbers::Unknown;
    }
    if (receiver_of(call) != nullptr && is_one_of(called_method(call), kMethods)) {
      return of(site, receiver_of(call), depth + 1);
    }
    const Expr *const returned = returned_at_end(site, call);
    const model::FunctionInfo *const function = called_function(site, call);
    return returned != nullptr && function->definition()->decorators.empty()
               ? of(site_inside(site, *function), returned, depth + 1)
               : Numbers::Unknown;
  }

  u32 parts_ = 0;
};

// `torch.from_numpy(array)` of doubles, with nothing after it that casts.
const Call *doubles_from_numpy(const Site &site, const Expr *expr, u32 depth = 0) {
  if (const auto *name = as<Name>(expr); name != nullptr && depth < 3) {
    const Expr *const value = assigned_before(site, name->id, name->start);
    return value != nullptr ? doubles_from_numpy(site, value, depth + 1) : nullptr;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr || depth > 6) {
    return nullptr;
  }
  constexpr std::string_view kSame[] = {"unsqueeze", "view", "reshape", "permute", "t", "transpose", "clone"};
  if (receiver_of(*call) != nullptr && called_api(site, *call).empty() && is_one_of(called_method(*call), kSame)) {
    return doubles_from_numpy(site, receiver_of(*call), depth + 1);
  }
  const std::string_view api = called_api(site, *call);
  const bool converts = api == "torch.from_numpy" || api == "torch.tensor" || api == "torch.as_tensor";
  return converts && call->args.size() == 1 && keyword_argument(*call, "dtype") == nullptr &&
                 !has_hidden_arguments(*call) && TypeReader().of(site, call->args[0]) == Numbers::Doubles
             ? call
             : nullptr;
}

// How the class uses the buffer.
struct Uses {
  const Node *computes = nullptr; // an operation with it
  bool is_cast = false;
};

Uses uses_of(const model::ClassInfo &type, std::string_view buffer) {
  Uses found;
  const auto is_it = [&](const Expr *expr) {
    while (const auto *part = as<Subscript>(expr)) {
      expr = part->value;
    }
    const auto *attribute = as<Attribute>(expr);
    return attribute != nullptr && attribute->attr.text() == buffer;
  };
  any_node_inside(type.node, [&](const Node *node) {
    if (const auto *operation = as<BinOp>(node); operation != nullptr && found.computes == nullptr) {
      const bool is_left = is_it(operation->left);
      const Expr *const other = is_left ? operation->right : operation->left;
      // Numbers of Python do not have the other type that it is mixed with.
      if ((is_left || is_it(operation->right)) && other->kind != NodeKind::Constant && !is_it(other)) {
        found.computes = operation;
      }
    }
    const auto *call = as<Call>(node);
    const Expr *const receiver = call != nullptr ? receiver_of(*call) : nullptr;
    if (receiver != nullptr && is_it(receiver)) {
      const std::string_view method = called_method(*call);
      found.is_cast |= method == "float" || method == "to" || method == "type" || method == "type_as" ||
                       method == "half" || method == "double" || method == "long" || method == "int";
    }
    return false;
  });
  return found;
}

void check(Site &site, const Call &call) {
  if (call.args.size() < 2 || site.type == nullptr || site.type->kind != Kind::TorchModule || site.module->is_test ||
      site.function == nullptr) {
    return;
  }
  const auto name = string_of(site, call.args[0]);
  const Call *const converted = name.has_value() ? doubles_from_numpy(site, call.args[1]) : nullptr;
  if (converted == nullptr || project_has_word(site, {".double(", "torch.float64", "torch.double", "set_default_dtype",
                                                      ".half()", ".bfloat16()", ".float16", ".bfloat16"})) {
    return;
  }
  const Uses uses = uses_of(*site.type, *name);
  if (uses.computes == nullptr || uses.is_cast) {
    return;
  }
  Finding &finding = report(
      site, *converted,
      fmt::format("the buffer `{}` is float64, as NumPy computes it, and converts what it is combined with to float64",
                  *name),
      "add `.float()`, or compute the array with `dtype=np.float32`");
  add_note(finding, site, *uses.computes, "the result is float64 here, and so is all that follows from it");
}

} // namespace

extern constinit const Rule kFloat64Buffer = {
    .info = {.code = "DP531",
             .name = "float64-buffer",
             .summary = "a module's buffer that comes from NumPy as float64 and turns what follows into float64",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`register_buffer` with `torch.from_numpy(array)` or `torch.tensor(array)` of an array that NumPy computes in float64, where the module combines the
buffer with other tensors and nothing casts it.

## Why it costs

NumPy computes in float64 by default, and `torch.from_numpy` keeps that. A float32 tensor combined with it becomes float64, and so does all
that is computed from the result. GPUs for games and inference compute float64 at a 32nd or 64th of the speed of float32, and it takes twice
the memory everywhere.

## Bad

```python
import numpy as np
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("centers", torch.from_numpy(np.linspace(0, 1, 64)))

    def forward(self, x):
        return x + self.centers
```

## Good

```python
import numpy as np
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("centers", torch.from_numpy(np.linspace(0, 1, 64)).float())

    def forward(self, x):
        return x + self.centers
```

## When it is wrong

Where float64 is needed. The rule is silent in programs that mention float64 for tensors, or other types than float32.

## References

- PyTorch: tensor attributes, type promotion
)"},
    .calls = "*.register_buffer",
    .on_call = check};

} // namespace deepperf::rules::float64_buffer
