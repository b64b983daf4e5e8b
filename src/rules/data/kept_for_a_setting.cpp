#include "python/children.h"
#include "python/literals.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::kept_for_a_setting {

using namespace python;

namespace {

// How a function uses a list.
struct Uses {
  std::vector<const Call *> appends;
  const Expr *test = nullptr;   // of the one condition that decides whether the list is read
  bool is_guarded = false;      // an append is under a condition of its own that mentions the test's name
  bool is_read = false;         // without that condition
  bool is_after_return = false; // the condition returns something else early
};

// Goes through a function's code and notes where the list is used, and under which condition.
class Finder {
public:
  Finder(Symbol name, Uses &uses) : name_(name), uses_(uses) {}

  void walk(const Node *node) {
    if (const auto *name = as<Name>(node)) {
      if (name->id == name_ && name->context == Context::Load) {
        read();
      }
      return;
    }
    if (const auto *choice = as<IfExp>(node)) {
      walk(choice->test);
      under({choice->test, true}, [&] { walk(choice->body); });
      under({choice->test, false}, [&] { walk(choice->orelse); });
      return;
    }
    if (const auto *branch = as<If>(node)) {
      walk(branch->test);
      under({branch->test, true}, [&] { walk(branch->body); });
      under({branch->test, false}, [&] { walk(branch->orelse); });
      return;
    }
    if (const auto *call = as<Call>(node)) {
      const auto *receiver = as<Name>(receiver_of(*call));
      if (receiver != nullptr && receiver->id == name_ && called_method(*call) == "append") {
        append(*call);
        return;
      }
    }
    const bool is_loop = node->kind == NodeKind::For || node->kind == NodeKind::While;
    loops_ += is_loop ? 1 : 0;
    for_each_child(node, [&](const Node *child) { walk(child); });
    loops_ -= is_loop ? 1 : 0;
  }

  void walk(const Block &block) {
    const std::size_t outside = tests_.size();
    for (const Stmt *statement : block) {
      walk(static_cast<const Node *>(statement));
      // `if last_only: return x`: what follows is for the other case.
      const auto *branch = as<If>(statement);
      const auto returns = [](const Block &side) { return !side.empty() && side.back()->kind == NodeKind::Return; };
      if (branch != nullptr && returns(branch->body) != returns(branch->orelse) && !was_read_) {
        tests_.push_back({branch->test, returns(branch->orelse)});
        is_after_return_ = true;
      }
    }
    tests_.resize(outside);
  }

private:
  struct Side {
    const Expr *test = nullptr;
    bool holds = true; // or the other side
  };

  template <class F> void under(Side test, F inside) {
    tests_.push_back(test);
    inside();
    tests_.pop_back();
  }

  void read() {
    was_read_ = true;
    // The outermost condition decides, unless both of its sides read the list.
    const bool is_other = !tests_.empty() && uses_.test != nullptr &&
                          (uses_.test != tests_.front().test || side_ != tests_.front().holds);
    if (tests_.empty() || is_other) {
      uses_.is_read = true;
      return;
    }
    uses_.test = tests_.front().test;
    uses_.is_after_return = is_after_return_;
    side_ = tests_.front().holds;
  }

  void append(const Call &call) {
    if (loops_ > 0) {
      uses_.appends.push_back(&call);
    }
    for (const Expr *arg : call.args) {
      walk(arg);
    }
    for (const Side &side : tests_) {
      appended_under_.push_back(side.test);
    }
  }

  Symbol name_;
  Uses &uses_;
  u32 loops_ = 0;
  bool side_ = true;
  bool was_read_ = false;
  bool is_after_return_ = false;
  std::vector<Side> tests_;

public:
  std::vector<const Expr *> appended_under_;
};

// A setting: a parameter, an option, an attribute, or `not` of it. Nothing that is computed on the way.
const Expr *setting_in(const Expr *test) {
  if (const auto *negated = as<UnaryOp>(test)) {
    return setting_in(negated->operand);
  }
  if (const auto *compare = as<Compare>(test);
      compare != nullptr && compare->rest.size() == 1 &&
      (is_none(compare->rest[0].right) || compare->rest[0].right->kind == NodeKind::Constant)) {
    return setting_in(compare->left);
  }
  return test->kind == NodeKind::Name || test->kind == NodeKind::Attribute ? test : nullptr;
}

// `return_all=False`
bool is_off_by_default(const model::FunctionInfo &function, Symbol name) {
  const auto param = std::ranges::find(function.params, name, &Param::name);
  const Expr *const otherwise = param != function.params.end() ? (*param)->default_value : nullptr;
  return otherwise != nullptr && (is_none(otherwise) || is_constant(otherwise, ConstantKind::False));
}

void check(Site &site, const Call &call) {
  const auto *list = as<Name>(receiver_of(call));
  const model::Loop *const loop = long_loop_around(site);
  if (list == nullptr || loop == nullptr || call.args.size() != 1 || !site.module->torch || site.module->is_test ||
      site.function == nullptr || model::kind_of(call.args[0]) != Kind::TorchTensor || model::is_on_cpu(call.args[0]) ||
      site.function->slot_of(list->id) == model::FunctionInfo::kNoSlot) {
    return;
  }
  const FunctionDef *definition = site.function->definition();
  const Block body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
  Uses uses;
  Finder finder(list->id, uses);
  finder.walk(body);
  const auto first = std::ranges::find_if(uses.appends, [](const Call *one) {
    return !one->args.empty() && model::kind_of(one->args[0]) == Kind::TorchTensor;
  });
  if (uses.is_read || uses.test == nullptr || first == uses.appends.end() || *first != &call) {
    return;
  }
  // A forward pass that returns something else early does so for inference, and its other callers train.
  const bool is_forward = in_method(site, Kind::TorchModule, "forward") && uses.is_after_return;
  if (!is_forward && !under_no_grad(site)) {
    return;
  }
  const Expr *const setting = setting_in(uses.test);
  const auto *name = as<Name>(setting);
  const bool is_chosen =
      setting != nullptr && (setting->kind == NodeKind::Attribute || site.function->has_param(name->id));
  const bool is_emptiness = name != nullptr && name->id == list->id;
  // The append itself may ask for the setting.
  const std::string_view text = setting != nullptr ? text_of(site, setting) : std::string_view{};
  const bool is_guarded = std::ranges::any_of(finder.appended_under_, [&](const Expr *test) {
    return text_of(site, test).find(text) != std::string_view::npos;
  });
  if (!is_chosen || is_emptiness || is_guarded || contains(loop->node, uses.test)) {
    return;
  }
  // `for i in range(count): … if count > 0: return cat(kept)`: without the setting, the loop keeps nothing.
  const auto *counted = as<For>(loop->node);
  if (counted != nullptr && any_node(counted->iter, [&](const Node *part) {
        return part->kind == setting->kind && text_of(site, part) == text;
      })) {
    return;
  }
  Finding &finding =
      report(site, call,
             fmt::format("every iteration keeps a tensor in `{}`, but whether it is used depends on `{}`",
                         list->id.text(), text),
             fmt::format("append to `{}` only where `{}` requires it, so that the memory stays free otherwise",
                         list->id.text(), text));
  add_note(finding, site, *uses.test, "it is used only under this condition");
  if (name == nullptr || !is_off_by_default(*site.function, name->id)) {
    finding.tier = Tier::Hint; // the setting may be on wherever the tensors are kept
  }
}

} // namespace

extern constinit const Rule kKeptForASetting = {
    .info = {.code = "DP442",
             .name = "kept-for-a-setting",
             .summary = "tensors of all iterations that are kept even where a setting does not require them",
             .root_cause = "Data: Unnecessary Data Transfer",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop under `torch.no_grad()` that appends a tensor to a list in every iteration, where the list is read only under a test of a
setting: `return torch.stack(images) if return_all else image`. Also a `forward()` that returns something else early for such a
setting. It is a hint unless the setting is a parameter that is off by default.

## Why it costs

The list keeps every tensor alive until the function returns. A sampler of 1000 steps holds 1000 batches of images on the
device, although only one of them is needed.

## Bad

```python
import torch


@torch.no_grad()
def sample(model: torch.nn.Module, shape, steps: int, return_all=False):
    image = torch.randn(shape, device="cuda")
    images = [image]
    for t in range(steps):
        image = image - model(image, t)
        images.append(image)
    return torch.stack(images) if return_all else image
```

## Good

```python
import torch


@torch.no_grad()
def sample(model: torch.nn.Module, shape, steps: int, return_all=False):
    image = torch.randn(shape, device="cuda")
    images = [image]
    for t in range(steps):
        image = image - model(image, t)
        if return_all:
            images.append(image)
    return torch.stack(images) if return_all else image
```

## When it is wrong

Where the setting is on in practice, or the tensors are small. With gradients, autograd keeps most of them anyway, and the
rule is silent.

## References

- PyTorch: CUDA semantics, memory management
)"},
    .calls = "*.append",
    .on_call = check};

} // namespace deepperf::rules::kept_for_a_setting
