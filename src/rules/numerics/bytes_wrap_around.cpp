#include "base/name_table.h"
#include "rules/origins.h"
#include "rules/reach.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::bytes_wrap_around {

using namespace python;

namespace {

struct Bytes {
  const model::FunctionInfo *function = nullptr;
  const Call *source = nullptr; // that surely gives bytes
};

bool is_byte_type(const Site &site, const Expr *type) {
  const std::string_view text = type != nullptr ? text_of(site, type) : std::string_view{};
  return text == "np.uint8" || text == "numpy.uint8" || text == "'uint8'" || text == "\"uint8\"" ||
         text == "torch.uint8";
}

// `image.convert("RGB")`
bool is_picture_of_bytes(const Site &site, const Expr *expr) {
  bool is_converted = false;
  bool is_other = false;
  const bool is_complete = visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
    if (method == "convert" && call->args.size() == 1) {
      const auto mode = string_of(site_of_origin(site, *origin.function), call->args[0]);
      const bool is_bytes = mode == "RGB" || mode == "L" || mode == "RGBA" || mode == "YCbCr" || mode == "HSV";
      (is_bytes ? is_converted : is_other) = true;
      return Onward::Stop;
    }
    if (method == "resize" || method == "crop" || method == "rotate" || method == "transpose") {
      origin.next = {receiver_of(*call)};
      return Onward::Next;
    }
    is_other = true;
    return Onward::Stop;
  });
  return is_complete && is_converted && !is_other;
}

// Does the call surely give an array of bytes?
bool makes_bytes(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (api == "cv2.imread") { // 8 bits, unless the flags ask for the depth of the file
    return call.args.size() == 1 || !has_word(text_of(site, call.args[1]), {"UNCHANGED", "ANYDEPTH", "-1", "flag"});
  }
  if (api == "torchvision.io.read_image" || api == "torchvision.io.decode_image") {
    return true;
  }
  if (api == "numpy.array" || api == "numpy.asarray") {
    const Expr *type = argument(call, 1, "dtype");
    return type != nullptr
               ? is_byte_type(site, type)
               : call.args.size() == 1 && site.function != nullptr && is_picture_of_bytes(site, call.args[0]);
  }
  return called_method(call) == "astype" && call.args.size() == 1 && is_byte_type(site, call.args[0]);
}

const Expr *same_bytes(const Site &site, const Call &call) {
  static const NameTable kMethods({"copy", "transpose", "reshape", "squeeze", "permute", "unsqueeze", "cuda", "clone",
                                   "flatten", "ravel", "contiguous"});
  const std::string_view api = called_api(site, call);
  if (api == "cv2.resize" || api == "cv2.cvtColor" || api == "cv2.flip" || api == "numpy.flip" ||
      api == "numpy.ascontiguousarray" || api == "torch.from_numpy" || api == "numpy.transpose") {
    return call.args.empty() ? nullptr : call.args[0];
  }
  const auto *method = as<Attribute>(call.func);
  return method != nullptr && kMethods.has(method->attr) && called_function(site, call) == nullptr ? method->value
                                                                                                   : nullptr;
}

// Where its bytes come from; nothing if it may be something else.
std::optional<Bytes> bytes_of(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  if ((kind != Kind::NumpyArray && kind != Kind::TorchTensor) || site.function == nullptr) {
    return std::nullopt;
  }
  Bytes found;
  bool is_other = false;
  const bool is_complete = visit_origins(site, *site.function, expr, [&](const Origin &origin) {
    if (is_other) {
      return Onward::Stop;
    }
    if (const auto *part = as<Subscript>(origin.expr)) {
      origin.next = {part->value};
      return Onward::Next;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      is_other |= origin.parameter_of == nullptr;
      return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
    }
    const Site inside = site_of_origin(site, *origin.function);
    if (makes_bytes(inside, *call)) {
      found = {origin.function, call};
      return Onward::Stop;
    }
    if (const Expr *operand = same_bytes(inside, *call)) {
      origin.next = {operand};
      return Onward::Next;
    }
    is_other = true;
    return Onward::Stop;
  });
  return is_complete && !is_other && found.source != nullptr ? std::optional(found) : std::nullopt;
}

bool is_whole_number(const Site &site, const Expr *expr) {
  const auto number = integer_of(site, expr);
  return number.has_value() && *number > 0;
}

// `(a - b).astype(np.int8)`: the wrapped number is the right one.
bool is_taken_as_signed(const Site &site) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *call = as<Call>(site.ancestors[i]);
    if (call != nullptr) {
      return has_word(text_of(site, call), {"int8)", "int8')", "int8\")"}) && called_method(*call) != "abs";
    }
    if (site.ancestors[i]->kind != NodeKind::Attribute) {
      return false;
    }
  }
  return false;
}

void add_finding(Site &site, const Node &place, const Bytes &bytes, std::string_view what, const Expr *operand,
                 bool is_certain) {
  const bool is_tensor = model::kind_of(operand) == Kind::TorchTensor;
  Finding &finding = report(
      site, place, fmt::format("`{}` holds bytes, so {}", text_of(site, operand), what),
      fmt::format("convert it first: `{}.{}`", text_of(site, operand), is_tensor ? "float()" : "astype(np.float32)"));
  finding.notes.push_back({bytes.function->module->file, bytes.source->span(), "the bytes come from here"});
  if (!is_certain) {
    finding.tier = Tier::Hint;
  }
}

// `labels[labels == 0] = 255` somewhere before: what would wrap around is replaced.
bool is_limited_before(const Site &site, const Node &place, const Expr *operand) {
  const FunctionDef *const definition = site.function->definition();
  const std::string_view text = text_of(site, operand);
  return definition != nullptr && any_node(definition->body, [&](const Node *node) {
           const auto *store = as<Assign>(node);
           const auto *part = store != nullptr ? as<Subscript>(store->targets[0]) : nullptr;
           const auto *test = part != nullptr ? as<Compare>(part->slice) : nullptr;
           return test != nullptr && store->end <= place.start && text_of(site, part->value) == text &&
                  text_of(site, test->left) == text;
         });
}

constexpr std::string_view kBelowZero = "a difference below 0 wraps around to 255 and less";

void check_operands(Site &site, const Node &place, const Expr *left, Operator op, const Expr *right) {
  const Kind kind = model::kind_of(left);
  if ((op != Operator::Sub && op != Operator::Add && op != Operator::Pow) ||
      (kind != Kind::NumpyArray && kind != Kind::TorchTensor)) {
    return;
  }
  const bool by_number = is_whole_number(site, right);
  if (op == Operator::Add && by_number) {
    return; // a little brighter
  }
  const auto bytes = bytes_of(site, left);
  if (!bytes.has_value() || (!by_number && !bytes_of(site, right).has_value()) || is_taken_as_signed(site)) {
    return;
  }
  if (by_number && is_limited_before(site, place, left)) {
    return;
  }
  if (op == Operator::Sub) {
    add_finding(site, place, *bytes, kBelowZero, left, true);
  } else if (op == Operator::Pow) {
    add_finding(site, place, *bytes, "powers above 255 wrap around to 0", left, true);
  } else {
    add_finding(site, place, *bytes, "sums above 255 wrap around to 0", left, false);
  }
}

void check(Site &site, const Node &node) {
  if (site.module->is_test ||
      !project_has_word(site, {"imread", "Image.open", "read_image", "uint8", "decode_image"})) {
    return;
  }
  if (const auto *operation = as<BinOp>(&node)) {
    check_operands(site, node, operation->left, operation->op(), operation->right);
  } else if (const auto *change = as<AugAssign>(&node)) {
    check_operands(site, node, change->target, change->op(), change->value);
  }
}

} // namespace

extern constinit const Rule kBytesWrapAround = {
    .info = {.code = "DP998",
             .name = "bytes-wrap-around",
             .summary = "arithmetic on the bytes of a picture that wraps around",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`a - b`, `a - 128` and `a ** 2` of arrays or tensors that surely hold bytes: `cv2.imread(…)`, `np.array(image.convert("RGB"))`, `.astype(np.uint8)`,
`torchvision.io.read_image(…)`. The sum of two pictures is a hint.

## Why it is wrong

NumPy and PyTorch compute with bytes modulo 256, without a warning: 10 - 20 is 246. An error image, a squared error or a centered picture is wrong for every
pixel that is darker than what is subtracted.

## Bad

```python
import cv2
import numpy as np
import torch


def error(first, second):
    a = cv2.imread(first)
    b = cv2.imread(second)
    return torch.tensor(np.mean((a - b) ** 2))
```

## Good

```python
import cv2
import numpy as np
import torch


def error(first, second):
    a = cv2.imread(first).astype(np.float32)
    b = cv2.imread(second).astype(np.float32)
    return torch.tensor(np.mean((a - b) ** 2))
```

## When it is wrong

Where the difference is known not to be negative, as that of a mask and a part of it.

## References

- NumPy: overflow errors, in the documentation of data types
)"},
    .nodes = {NodeKind::BinOp, NodeKind::AugAssign},
    .on_node = check};

} // namespace deepperf::rules::bytes_wrap_around
