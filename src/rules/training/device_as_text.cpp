#include "rules/assignments.h"
#include "rules/lightning.h"
#include "rules/origin_bindings.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::device_as_text {

using namespace python;

namespace {

// `next(model.parameters())`: whatever has parameters() and gives something with a device, that is a tensor.
bool is_first_parameter(const Expr *expr) {
  const auto *call = as<Call>(expr);
  const auto *next = call != nullptr ? as<Name>(call->func) : nullptr;
  const auto *listed =
      next != nullptr && next->id.text() == "next" && call->args.size() == 1 ? as<Call>(call->args[0]) : nullptr;
  const std::string_view method = listed != nullptr ? called_method(*listed) : std::string_view();
  return method == "parameters" || method == "buffers";
}

// A weight of a layer that PyTorch has.
bool is_weight(const Site &site, const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  if (attribute == nullptr || (attribute->attr.text() != "weight" && attribute->attr.text() != "bias")) {
    return false;
  }
  const model::Value owner = value_of(site, attribute->value);
  return owner.is_kind(Kind::TorchModule) && !owner.open && owner.name() &&
         owner.name().text().starts_with("torch.nn.");
}

bool is_tensor(const Site &site, const Expr *expr) {
  return model::kind_of(expr) == Kind::TorchTensor || is_first_parameter(expr) || is_weight(site, expr);
}

// `x.device` of a tensor: with a number, if it is on a GPU.
bool is_tensor_device(const Site &site, const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr && attribute->attr.text() == "device" && is_tensor(site, attribute->value);
}

// Lightning's own property; a class may define another one.
bool is_lightning_device(const Site &site, const Attribute &attribute) {
  const auto *self = as<Name>(attribute.value);
  return self != nullptr && self->id.text() == "self" && site.type != nullptr &&
         is_plain_lightning_module(*site.type) && !has_attribute_in_family(*site.type, "device");
}

// Does torch.device make it, wherever that is? People pass texts for devices as well.
bool is_made_by_torch(const model::Value &value) {
  if (value.open || value.none) {
    return false;
  }
  bool is_made = false;
  bool is_other = false;
  model::for_each_alternative(value, [&](const model::Value &one) {
    const bool is_device = one.is_kind(Kind::TorchDevice) && one.maker() != nullptr && !one.open && !one.none &&
                           one.name() && one.name().text() == "torch.device";
    (is_device ? is_made : is_other) = true;
  });
  return is_made && !is_other;
}

// Was the name last set to `torch.device(…)`, in the blocks around the place?
bool is_set_to_device(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const auto *call = name != nullptr ? as<Call>(last_assigned(site, *name)) : nullptr;
  return call != nullptr && called_api(site, *call) == "torch.device" &&
         model::kind_of(expr) == Kind::TorchDevice; // and so on all ways that lead here
}

// `device="cpu"` of the function: who passes nothing has a text.
bool is_text_by_default(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  return name != nullptr && site.function != nullptr &&
         std::ranges::any_of(site.function->params, [&](const Param *param) {
           return param->name == name->id && param->default_value != nullptr &&
                  string_of(site, param->default_value).has_value();
         });
}

enum class Certainty : u8 { No, Annotated, Yes };

// Is it an object of torch.device, and nothing else?
Certainty is_device(const Site &site, const Expr *expr) {
  if (is_tensor_device(site, expr)) {
    return Certainty::Yes;
  }
  if (const auto *attribute = as<Attribute>(expr); attribute != nullptr && attribute->attr.text() == "device") {
    const Kind owner = model::kind_of(attribute->value);
    if (owner == Kind::HfModel || owner == Kind::Accelerator || is_lightning_device(site, *attribute)) {
      return Certainty::Yes;
    }
  }
  const auto *call = as<Call>(expr);
  if (call != nullptr) {
    return called_api(site, *call) == "torch.device" ? Certainty::Yes : Certainty::No;
  }
  if (expr->kind != NodeKind::Name && expr->kind != NodeKind::Attribute) {
    return Certainty::No;
  }
  if (is_text_by_default(site, expr) && !is_set_to_device(site, expr)) {
    return Certainty::No;
  }
  const model::Value value = value_of(site, expr);
  if (is_made_by_torch(value) || is_set_to_device(site, expr)) {
    return Certainty::Yes;
  }
  // A parameter that says so, though nobody is seen to pass one.
  return value.is_kind(Kind::TorchDevice) && model::kind_of(expr) == Kind::TorchDevice && !value.open && !value.none &&
                 value.alternatives == nullptr
             ? Certainty::Annotated
             : Certainty::No;
}

// Behind `isinstance(x, torch.Tensor)` or `type(x) == torch.Tensor`.
bool asks_for_tensor(const Site &site, const Expr *expr) {
  const std::string_view text = text_of(site, expr);
  return std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const auto *branch = as<If>(node);
    if (branch == nullptr) {
      return false;
    }
    const std::string_view test = text_of(site, branch->test);
    return test.find("Tensor") != std::string_view::npos && test.find(text) != std::string_view::npos;
  });
}

// Behind a test that mentions `str` or `isinstance` of the same thing: it may be a text after all.
bool asks_for_text(const Site &site, const Expr *expr) {
  const std::string_view text = text_of(site, expr);
  const auto asks = [&](const Expr *test) {
    const std::string_view written = text_of(site, test);
    return written.find(text) != std::string_view::npos && has_word(written, {"isinstance", "type(", "str"});
  };
  return std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const auto *branch = as<If>(node);
    const auto *choice = as<IfExp>(node);
    const auto *both = as<BoolOp>(node);
    return (branch != nullptr && asks(branch->test)) || (choice != nullptr && asks(choice->test)) ||
           (both != nullptr && asks(both));
  });
}

// `torch.device("cuda")`, without a number; also one of two, with the processor where there is no GPU.
bool is_any_gpu(const Site &site, const Expr *expr) {
  const auto *made = as<Call>(expr);
  if (made == nullptr || made->args.size() != 1 || !made->keywords.empty() ||
      called_api(site, *made) != "torch.device") {
    return false;
  }
  const auto *choice = as<IfExp>(made->args[0]);
  if (choice == nullptr) {
    return string_of(site, made->args[0]) == "cuda";
  }
  const auto one = string_of(site, choice->body);
  const auto other = string_of(site, choice->orelse);
  return (one == "cuda" && other == "cpu") || (one == "cpu" && other == "cuda");
}

// A name that nothing but such a call was given, here or in whoever passes it.
bool is_name_of_any_gpu(const Site &site, const Expr *expr) {
  if (expr->kind != NodeKind::Name && expr->kind != NodeKind::Attribute) {
    return false;
  }
  const model::Value value = value_of(site, expr);
  return is_made_by_torch(value) && value.maker() != nullptr &&
         is_any_gpu(site_of(site, *value.maker()), value.maker());
}

// `if x.device != device: x = x.to(device)` copies nothing where it was there already.
bool only_moves(const Site &site) {
  if (site.ancestors.empty()) {
    return false;
  }
  std::size_t at = site.ancestors.size() - 1;
  while (at > 0 && site.ancestors[at]->kind == NodeKind::UnaryOp) {
    --at;
  }
  const Node *parent = site.ancestors[at];
  const auto moves = [](const Expr *expr) {
    const auto *call = as<Call>(expr);
    const std::string_view method = call != nullptr ? called_method(*call) : std::string_view();
    return method == "to" || method == "cuda" || method == "_to_device" || method == "copy_";
  };
  if (const auto *choice = as<IfExp>(parent)) {
    return moves(choice->body) || moves(choice->orelse);
  }
  const auto *branch = as<If>(parent);
  const auto is_moved = [&](const Block &block) {
    return std::ranges::all_of(block, [&](const Stmt *statement) {
      const auto *assignment = as<Assign>(statement);
      const auto *expression = as<ExprStmt>(statement);
      return statement->kind == NodeKind::Pass || (assignment != nullptr && moves(assignment->value)) ||
             (expression != nullptr && moves(expression->value));
    });
  };
  return branch != nullptr && is_moved(branch->body) && is_moved(branch->orelse);
}

// `x.device != torch.device("cuda")`: a tensor is on "cuda:0", which is another device.
bool check_number(Site &site, const Compare &compare, const Expr *device, const Expr *other) {
  const auto *attribute = as<Attribute>(device);
  if (attribute == nullptr || attribute->attr.text() != "device" ||
      (!is_tensor_device(site, device) && !asks_for_tensor(site, attribute->value))) {
    return false;
  }
  const bool is_named = !is_any_gpu(site, other);
  if (is_named && (!is_name_of_any_gpu(site, other) || only_moves(site))) {
    return false;
  }
  const bool is_equal = compare.rest[0].op == CompareOperator::Eq;
  Finding &finding =
      report(site, compare,
             fmt::format("a tensor on the GPU is on `cuda:0`, which is not equal to `torch.device(\"cuda\")`, so this "
                         "comparison is always {}{}",
                         is_equal ? "False" : "True", is_named ? " there" : ""),
             fmt::format("compare its type: `{}.type {} {}`", text_of(site, device),
                         is_equal ? "==" : "!=", is_named ? fmt::format("{}.type", text_of(site, other)) : "\"cuda\""));
  if (is_named) {
    const Call *maker = value_of(site, other).maker();
    const Site place = site_of(site, *maker);
    finding.notes.push_back({place.module->file, maker->span(), "this device has no number"});
  }
  if (!is_equal && only_moves(site)) {
    finding.tier = Tier::Hint;
  }
  return true;
}

// `("cuda", "cpu")`: texts alone.
bool is_all_texts(const Expr *expr) {
  const auto all = [](const auto *list) {
    return list != nullptr && !list->elts.empty() &&
           std::ranges::all_of(list->elts, [](const Expr *one) { return as_string(one) != nullptr; });
  };
  return all(as<Tuple>(expr)) || all(as<List>(expr)) || all(as<Set>(expr));
}

void set_certainty(Finding &finding, Certainty certainty) {
  if (certainty == Certainty::Annotated) {
    finding.tier = Tier::Hint;
  }
}

// `device in ("cuda", "cuda:0")` is False, and `"cuda" in device` an error.
void check_membership(Site &site, const Compare &compare) {
  const Expr *left = compare.left;
  const Expr *right = compare.rest[0].right;
  const bool is_in = compare.rest[0].op == CompareOperator::In;
  if (is_all_texts(right)) {
    const Certainty certainty = is_device(site, left);
    if (certainty == Certainty::No || asks_for_text(site, left)) {
      return;
    }
    set_certainty(report(site, compare,
                         fmt::format("a `torch.device` is never equal to a string, so this test is always {}",
                                     is_in ? "False" : "True"),
                         fmt::format("test its type: `{}.type {} {}`", text_of(site, left), is_in ? "in" : "not in",
                                     text_of(site, right))),
                  certainty);
    return;
  }
  if (as_string(left) == nullptr) {
    return;
  }
  if (const Certainty certainty = is_device(site, right); certainty != Certainty::No && !asks_for_text(site, right)) {
    set_certainty(report(site, compare, "a `torch.device` is not a string, so `in` raises a TypeError here",
                         fmt::format("compare its type: `{}.type {} {}`", text_of(site, right),
                                     is_in ? "==" : "!=", text_of(site, left))),
                  certainty);
  }
}

// Does the expression give a text in any case, and the name of a device in some?
bool is_device_name(const Site &site, const Expr *expr, bool &names_device) {
  if (const auto *choice = as<IfExp>(expr)) {
    return is_device_name(site, choice->body, names_device) && is_device_name(site, choice->orelse, names_device);
  }
  if (as_string(expr) == nullptr) {
    return false;
  }
  const std::string text = string_of(site, expr).value_or("");
  names_device |= text == "cpu" || text == "mps" || text.starts_with("cuda");
  return true;
}

// `device.type` and `device.index` of a text: the first is an error, and the second the method of texts.
void check_text(Site &site, const Attribute &attribute) {
  const auto *name = as<Name>(attribute.value);
  const auto *called = site.ancestors.empty() ? nullptr : as<Call>(site.ancestors.back());
  if (name == nullptr || site.module->is_test || site.function == nullptr || attribute.context != Context::Load ||
      (called != nullptr && called->func == &attribute)) {
    return;
  }
  bool is_settled = false;
  bool names_device = false;
  const auto bindings = bindings_before(site, *site.function, name->id, name->start, is_settled, true);
  const bool is_text =
      is_settled && std::ranges::all_of(bindings, [&](const OriginBinding *binding) {
        return binding->path.empty() && binding->value != nullptr && is_device_name(site, binding->value, names_device);
      });
  if (!is_text || !names_device || bindings.empty()) {
    return;
  }
  const bool is_type = attribute.attr.text() == "type";
  Finding &finding = report(
      site, attribute,
      is_type ? fmt::format("`{}` is a string, which has no `type`, so this raises an AttributeError", name->id.text())
              : fmt::format("`{0}` is a string, so `{0}.index` is a method of strings and not the number of a GPU",
                            name->id.text()),
      fmt::format("make it a device first: `{0} = torch.device({0})`", name->id.text()));
  add_note(finding, site, *bindings[0]->value, "it is set to a string here");
}

void check(Site &site, const Node &node) {
  if (const auto *attribute = as<Attribute>(&node)) {
    check_text(site, *attribute);
    return;
  }
  if (node.kind != NodeKind::Compare) {
    return; // a name
  }
  const auto &compare = static_cast<const Compare &>(node);
  if (compare.rest.size() != 1 || site.module->is_test) {
    return;
  }
  const CompareOperator op = compare.rest[0].op;
  if (op == CompareOperator::In || op == CompareOperator::NotIn) {
    check_membership(site, compare);
    return;
  }
  const bool is_equal = op == CompareOperator::Eq || op == CompareOperator::Is;
  if (!is_equal && op != CompareOperator::NotEq && op != CompareOperator::IsNot) {
    return;
  }
  const Expr *left = compare.left;
  const Expr *right = compare.rest[0].right;
  if (op <= CompareOperator::NotEq &&
      (check_number(site, compare, left, right) || check_number(site, compare, right, left))) {
    return;
  }
  const Expr *const text = as_string(right) != nullptr ? right : as_string(left) != nullptr ? left : nullptr;
  const Expr *const device = text == right ? left : right;
  if (text == nullptr) {
    return;
  }
  const Certainty certainty = is_device(site, device);
  if (certainty == Certainty::No || asks_for_text(site, device)) {
    return;
  }
  set_certainty(report(site, compare,
                       fmt::format("a `torch.device` is never equal to a string, so this comparison is always {}",
                                   is_equal ? "False" : "True"),
                       fmt::format("compare its type: `{}.type {} {}`", text_of(site, device),
                                   is_equal ? "==" : "!=", text_of(site, text))),
                certainty);
}

} // namespace

extern constinit const Rule kDeviceAsText = {.info = {.code = "DP890",
                                                      .name = "device-as-text",
                                                      .summary = "a `torch.device` that is compared with a string",
                                                      .root_cause = "Training: Wrong Training Step",
                                                      .symptoms = "Wrong Result",
                                                      .stage = "Training",
                                                      .frameworks = "PyTorch",
                                                      .severity = Severity::Error,
                                                      .tier = Tier::On,
                                                      .documentation = R"(## What it finds

`device == "cuda"` where `device` is a `torch.device`, as `tensor.device` and `model.device` are; and
`tensor.device == torch.device("cuda")`, as a tensor on the GPU is on `cuda:0`. The same for `device in ("cuda", "cuda:0")`, and for `"cuda" in device`,
which raises an error. The device may come from another function, an attribute or a field of a dataclass. Where only an annotation says that a parameter
is a `torch.device`, it is a hint. Also the other way around: `device.type` and `device.index` of a device that is a string.

## Why it is wrong

The comparison is False without any error, so the branch for that device never runs.

## Bad

```python
import torch


def wait(x: torch.Tensor):
    if x.device == "cuda":
        torch.cuda.synchronize()
```

## Good

```python
import torch


def wait(x: torch.Tensor):
    if x.device.type == "cuda":
        torch.cuda.synchronize()
```

## When it is wrong

Where the value may also be a string, such as a command-line argument.

## References

- torch.device: type and index
)"},
                                             .names = "type index",
                                             .nodes = {NodeKind::Compare},
                                             .on_node = check};

} // namespace deepperf::rules::device_as_text
