#include "rules/assignments.h"
#include "rules/made_on_host.h"
#include "rules/reach.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>

namespace deepperf::rules::frames_stored_as_float {

using namespace python;

namespace {

// `frame / 255.0 - 0.5`, also under a name and in a function that returns it: pixels that were bytes before.
bool scales_pixels(const Site &site, const Expr *expr, u32 depth = 0) {
  if (depth > 4) {
    return false;
  }
  if (const auto *operation = as<BinOp>(expr)) {
    if (operation->op() == Operator::Div) {
      const auto by = number_of(site, operation->right);
      if (by == 255.0 || by == 256.0) {
        return true;
      }
    }
    return scales_pixels(site, operation->left, depth + 1);
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *const value = assigned_before(site, name->id, name->start);
    return value != nullptr && scales_pixels(site, value, depth + 1);
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return false;
  }
  const std::string_view method = called_method(*call);
  if (method == "div" || method == "div_") {
    return call->args.size() == 1 && (number_of(site, call->args[0]) == 255.0);
  }
  if (method == "astype" || method == "transpose" || method == "float" || method == "permute" || method == "sub") {
    const std::string_view text = text_of(site, call);
    return !has_word(text, {"uint8", "int8"}) && scales_pixels(site, receiver_of(*call), depth + 1);
  }
  const Expr *const returned = returned_at_end(site, *call);
  return returned != nullptr && scales_pixels(site_inside(site, *called_function(site, *call)), returned, depth + 1);
}

// `np.zeros((capacity, *shape), dtype=np.float32)`: an array of floats with room for many.
bool is_float_store(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  const bool is_numpy = api == "numpy.zeros" || api == "numpy.empty" || api == "numpy.ones";
  const bool is_torch = api == "torch.zeros" || api == "torch.empty" || api == "torch.ones";
  if (!is_numpy && !is_torch) {
    return false;
  }
  const Expr *const dtype = is_numpy ? argument(call, 1, "dtype") : argument(call, ~0U, "dtype");
  if (dtype != nullptr && !has_word(text_of(site, dtype), {"float"})) {
    return false;
  }
  if (has_word(dtype != nullptr ? text_of(site, dtype) : std::string_view{}, {"float16"})) {
    return false;
  }
  const Expr *shape = call.args.empty() ? nullptr : call.args[0];
  const auto *tuple = as<Tuple>(shape);
  const auto *list = as<List>(shape);
  if (is_torch && tuple == nullptr && list == nullptr) {
    return call.args.size() >= 2 && integer_of(site, call.args[0]).value_or(10000) >= 1000;
  }
  const Array<Expr *> sizes = tuple != nullptr ? tuple->elts : list != nullptr ? list->elts : Array<Expr *>{};
  if (sizes.size() < 2 || sizes[0]->kind == NodeKind::Starred) {
    return false;
  }
  // Room for a few is no store.
  return integer_of(site, sizes[0]).value_or(10000) >= 1000;
}

// What the class sets the attribute to, and where.
struct Store {
  const Call *call = nullptr; // null: something else
  const model::FunctionInfo *method = nullptr;
};

Store store_of(const Site &site, const model::ClassInfo &type, Symbol attribute) {
  Store found;
  for (const model::ClassInfo *one : type.mro) {
    for (const Stmt *statement : one->node->body) {
      const auto *method = as<FunctionDef>(statement);
      const model::FunctionInfo *const function = method != nullptr ? site.project.function_at(method) : nullptr;
      if (function == nullptr) {
        continue;
      }
      any_node(method->body, [&](const Node *node) {
        const auto *assignment = as<Assign>(node);
        const auto *target = assignment != nullptr ? as<Attribute>(assignment->targets[0]) : nullptr;
        if (target != nullptr && target->attr == attribute && target->value->kind == NodeKind::Name) {
          found = {as<Call>(run_by(assignment->value)), function};
        }
        return false;
      });
    }
  }
  return found;
}

void check(Site &site, const Node &node) {
  if (!site.module->torch || site.type == nullptr || site.function == nullptr || site.module->is_test ||
      site.function->name.text() == "__init__") {
    return;
  }
  if (const auto *assignment = as<Assign>(&node)) {
    const auto *element = as<Subscript>(assignment->targets[0]);
    const auto *attribute = element != nullptr ? as<Attribute>(element->value) : nullptr;
    if (attribute == nullptr || attribute->value->kind != NodeKind::Name || !scales_pixels(site, assignment->value)) {
      return;
    }
    const Store made = store_of(site, *site.type, attribute->attr);
    if (made.call == nullptr || !is_float_store(site_inside(site, *made.method), *made.call)) {
      return;
    }
    Finding &finding =
        report(site, *assignment->value,
               fmt::format("`{}` stores images as floats, which take at least four times the memory of bytes",
                           attribute->attr.text()),
               "store the `uint8` image, and scale each batch after it is sampled");
    finding.notes.push_back({made.method->module->file, made.call->span(), "memory for all of them is allocated here"});
    return;
  }
  // self.memory.append((frame / 255.0, action, …)), from which samples are drawn
  const auto *call = as<Call>(static_cast<const ExprStmt &>(node).value);
  const auto *store = call != nullptr && called_method(*call) == "append" && call->args.size() == 1
                          ? as<Attribute>(receiver_of(*call))
                          : nullptr;
  if (store == nullptr || store->value->kind != NodeKind::Name) {
    return;
  }
  const Expr *scaled = nullptr;
  const auto *tuple = as<Tuple>(call->args[0]);
  const auto *made = as<Call>(call->args[0]);
  const Array<Expr *> parts = tuple != nullptr ? tuple->elts : made != nullptr ? made->args : Array<Expr *>{};
  for (const Expr *part : parts) {
    scaled = scales_pixels(site, part) ? part : scaled;
  }
  const Store container = store_of(site, *site.type, store->attr);
  if (scaled == nullptr || container.call == nullptr) {
    return;
  }
  const Site there = site_inside(site, *container.method);
  const Expr *const room = argument(*container.call, 1, "maxlen");
  if (called_api(there, *container.call) != "collections.deque" || room == nullptr ||
      integer_of(there, room).value_or(10000) < 1000) {
    return;
  }
  Finding &finding =
      report(site, *scaled,
             fmt::format("`{}` stores images as floats, which take at least four times the memory of bytes",
                         store->attr.text()),
             "store the `uint8` image, and scale each batch after it is sampled");
  finding.notes.push_back({there.module->file, container.call->span(), "all of them are kept here"});
}

} // namespace

extern constinit const Rule kFramesStoredAsFloat = {
    .info = {.code = "DP435",
             .name = "frames-stored-as-float",
             .summary = "a replay buffer that keeps images as scaled floats instead of bytes",
             .root_cause = "Data: Inefficient Data Storage",
             .symptoms = "Abnormal Memory Usage, Out of Memory",
             .stage = "Data Preparation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A class with a large array or `deque` of floats that stores pixels divided by 255.

## Why it costs

A pixel is one byte. As `float32` it takes four, and as `float64`, which dividing an array of bytes gives, it takes eight. A buffer of a million
frames of 84 by 84 pixels takes 7 GB as bytes and 28 GB as `float32`. Scaling the few images of a batch after they were sampled costs next to
nothing, and fewer bytes are copied to the device.

## Bad

```python
import numpy as np
import torch


class Replay:
    def __init__(self, capacity: int):
        self.frames = np.zeros((capacity, 84, 84), dtype=np.float32)

    def add(self, i, frame):
        self.frames[i] = frame / 255.0

    def sample(self, rows):
        return torch.from_numpy(self.frames[rows])
```

## Good

```python
import numpy as np
import torch


class Replay:
    def __init__(self, capacity: int):
        self.frames = np.zeros((capacity, 84, 84), dtype=np.uint8)

    def add(self, i, frame):
        self.frames[i] = frame

    def sample(self, rows):
        return torch.from_numpy(self.frames[rows]).float().div_(255.0)
```

## When it is wrong

Where the images have more than eight bits to begin with.

## References

- NumPy: array types
)"},
    .nodes = {NodeKind::Assign, NodeKind::ExprStmt},
    .on_node = check};

} // namespace deepperf::rules::frames_stored_as_float
