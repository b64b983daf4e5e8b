#include "rules/loss_call.h"
#include "rules/loss_flow.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::graph_cut_by_copy {

using namespace python;

namespace {

// The part of the argument that hangs on an autograd graph: the argument itself, or what a list or comprehension of it
// holds; null if there is none.
const Expr *part_with_graph(const Site &site, const Expr *value, u32 depth = 0) {
  if (const auto *list = as<List>(value)) {
    for (const Expr *element : list->elts) {
      if (const Expr *part = part_with_graph(site, element, depth)) {
        return part;
      }
    }
    return nullptr;
  }
  if (const auto *all = as<ListComp>(value)) {
    return part_with_graph(site, all->elt, depth);
  }
  if (const auto *call = as<Call>(value);
      call != nullptr && receiver_of(*call) != nullptr &&
      (called_method(*call) == "item" || called_method(*call) == "detach" || called_method(*call) == "tolist")) {
    return part_with_graph(site, receiver_of(*call), depth);
  }
  if (const auto *data = as<Attribute>(value); data != nullptr && data->attr.text() == "data") {
    return part_with_graph(site, data->value, depth);
  }
  const auto *name = as<Name>(value);
  if (name != nullptr && depth == 0 && model::kind_of(name) == Kind::Number) {
    const Expr *written = last_assigned(site, *name); // of a `loss.item()` that got a name
    return written != nullptr && written->kind == NodeKind::Call ? part_with_graph(site, written, depth + 1) : nullptr;
  }
  return model::has_grad(value) ? value : nullptr;
}

// `x.detach()` or `x.data`
bool is_detached(const Expr *value) {
  const auto *call = as<Call>(value);
  const auto *data = as<Attribute>(value);
  return (call != nullptr && called_method(*call) == "detach") || (data != nullptr && data->attr.text() == "data");
}

bool is_loss(const Site &site, const Expr *expr) {
  if (const auto *call = as<Call>(expr)) {
    return is_loss_function(called_api(site, *call)) || model::kind_of(call->func) == Kind::TorchLoss;
  }
  return text_of(site, expr).find("loss") != std::string_view::npos;
}

// `torch.tensor([loss1, loss2], requires_grad=True)`, whatever becomes of it: who asks for gradients of a list of
// results wants those of the model. Of one tensor it may be a leaf that is optimized itself.
void check_list(Site &site, const Call &call, const Expr &value) {
  const Keyword *const asked = keyword_argument(call, "requires_grad");
  const auto *name = as<Name>(&value);
  const Expr *const written = name != nullptr ? last_assigned(site, *name) : &value;
  const auto *all = as<ListComp>(written);
  const auto *list = as<List>(written);
  const Expr *const element = all != nullptr                           ? all->elt
                              : list != nullptr && !list->elts.empty() ? list->elts[0]
                                                                       : nullptr;
  if (asked == nullptr || bool_of(site, asked->value) != true || element == nullptr || is_detached(element) ||
      model::kind_of(element) != Kind::TorchTensor || !model::has_grad(element)) {
    return;
  }
  report(site, call,
         fmt::format("`{}` copies the values without their autograd graph, so `backward()` reaches no parameter",
                     text_of(site, call.func)),
         "use `torch.stack(…)`, which keeps the graph");
}

void check(Site &site, const Call &call) {
  const Expr *value = argument(call, 0, "data");
  const Expr *part = value != nullptr ? part_with_graph(site, value) : nullptr;
  if (part == nullptr || under_no_grad(site) || site.function == nullptr) {
    return;
  }
  const std::string_view api = called_api(site, call);
  if (api == "torch.as_tensor" && part == value) {
    return; // the same tensor
  }
  if (part != value && is_detached(value) && !is_loss(site, part)) {
    return; // a new tensor to be optimized itself
  }
  const Call *backward = backward_of(site.memory, site.project, *site.function, &call, Way::Alone);
  if (backward == nullptr) {
    check_list(site, call, *value);
    return;
  }
  const bool is_list = part != value;
  Finding &finding =
      report(site, call,
             fmt::format("`{}` copies the values without their autograd graph, so `backward()` reaches no parameter",
                         text_of(site, call.func)),
             is_list && value->kind != NodeKind::Call && value->kind != NodeKind::Attribute
                 ? "use `torch.stack(…)`, which keeps the graph"
                 : fmt::format("use `{}` itself", text_of(site, part)));
  const Site there = site_of(site, *backward);
  finding.notes.push_back({there.module != nullptr ? there.module->file : site.module->file, backward->span(),
                           "backward() is called on it here"});
}

} // namespace

extern constinit const Rule kGraphCutByCopy = {
    .info = {.code = "DP869",
             .name = "graph-cut-by-copy",
             .summary = "`backward()` on a copy of the loss that has no autograd graph",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result, Slow Convergence",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`torch.tensor(…)`, `torch.FloatTensor(…)` or `Variable(…)` of a loss, or of a list of losses, that is part of an autograd graph, where
`backward()` is called on the result.

## Why it is wrong

These create a new tensor from the values alone. With `requires_grad=True` the call of `backward()` succeeds, but it computes the gradient
of a tensor that is not connected to the model: no parameter receives a gradient, and the model never learns.

## Bad

```python
import torch
import torch.nn.functional as F


def train(model, loader):
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        losses = [F.cross_entropy(model(x), y), model(x).pow(2).mean()]
        loss = torch.tensor([weight * loss for weight, loss in zip((1.0, 0.1), losses)], requires_grad=True).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch
import torch.nn.functional as F


def train(model, loader):
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        losses = [F.cross_entropy(model(x), y), model(x).pow(2).mean()]
        loss = torch.stack([weight * loss for weight, loss in zip((1.0, 0.1), losses)]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
```

## When it is wrong

No such case is known.

## References

- PyTorch documentation, `torch.tensor`
)"},
    .calls =
        "torch.tensor torch.Tensor torch.FloatTensor torch.cuda.FloatTensor torch.as_tensor torch.autograd.Variable",
    .on_call = check};

} // namespace deepperf::rules::graph_cut_by_copy
