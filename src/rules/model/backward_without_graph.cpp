#include "base/known_names.h"
#include "model/classes.h"
#include "rules/assignments.h"
#include "rules/callables.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

namespace deepperf::rules::backward_without_graph {

using namespace python;

namespace {

// loss = CrossEntropyLoss(reduction="none")(…): one number for each sample
const Node *unreduced(const Site &site, const Expr *loss) {
  const auto *call = as<Call>(written_value(site, loss));
  if (call == nullptr) {
    return nullptr;
  }
  const Call *maker = call;
  const std::string_view api = called_api(site, *call);
  if (!api.starts_with("torch.nn.functional.")) {
    const model::Value callee = value_of(site, call->func);
    if (!callee.is_kind(Kind::TorchLoss) || callee.maker() == nullptr || callee.alternatives != nullptr ||
        callee.many || callee.open) {
      return nullptr;
    }
    maker = callee.maker();
  }
  const Keyword *reduction = keyword_argument(*maker, "reduction");
  const auto *text = reduction != nullptr ? as_string(reduction->value) : nullptr;
  return text != nullptr && string_of(site_of(site, *maker), reduction->value) == "none" ? call : nullptr;
}

// Under no_grad() here, or with a forward() that is.
bool runs_without_graph(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  const model::FunctionInfo *const forward =
      callee.is(model::Value::Tag::Object) ? model::find_method_of(*callee.type, known::sym_forward) : nullptr;
  return under_no_grad(site_at(site, *site.function, call)) || (forward != nullptr && forward->no_grad);
}

// What the loss was computed from without a graph: the forward pass under no_grad(), or `.detach()`; null if that is
// not seen in this function.
const Expr *cut_before(const Site &site, const Expr *loss) {
  const Expr *expr = written_value(site, loss);
  bool is_elsewhere = false; // in a function that is called, whose names are others
  constexpr u32 kMostSteps = 8;
  for (u32 depth = 0; expr != nullptr && depth < kMostSteps; ++depth) {
    if (const auto *name = as<Name>(expr)) {
      expr = is_elsewhere ? name : written_value(site, name);
      if (expr == name) {
        return nullptr;
      }
      continue;
    }
    // A sum of terms, each with a factor: `sum(w * term.detach() for w, term in …)`.
    const bool are_terms = expr->kind == NodeKind::GeneratorExp || expr->kind == NodeKind::ListComp;
    const auto *terms = are_terms ? static_cast<const ComprehensionExpr *>(expr) : nullptr;
    const auto *product = as<BinOp>(terms != nullptr ? terms->elt : expr);
    if (product != nullptr) {
      const bool is_left = model::kind_of(product->left) == Kind::TorchTensor;
      const bool is_right = model::kind_of(product->right) == Kind::TorchTensor;
      expr = is_left != is_right ? (is_left ? product->left : product->right) : nullptr;
      continue;
    }
    if (terms != nullptr) {
      expr = terms->elt;
      continue;
    }
    const auto *call = as<Call>(expr);
    if (call == nullptr) {
      return nullptr;
    }
    if (called_method(*call) == "argmax") {
      return nullptr; // DP923 says why
    }
    if (called_method(*call) == "detach") {
      return call;
    }
    if (model::kind_of(call->func) == Kind::TorchModule) {
      // That nothing is seen to record a graph in its layers does not prove that nothing does.
      return runs_without_graph(site, *call) ? call : nullptr;
    }
    const model::FunctionInfo *const callee = called_function(site, *call);
    if (const Expr *const result =
            callee != nullptr && callee->module == site.module ? only_result(*callee) : nullptr) {
      expr = result;
      is_elsewhere = true;
      continue;
    }
    expr = !call->args.empty() ? call->args[0] : receiver_of(*call);
  }
  return nullptr;
}

// The loss is computed, but from nothing that has a graph.
bool check_cut(Site &site, const Call &call) {
  const model::Value loss = value_of(site, receiver_of(call));
  if (!loss.is_kind(Kind::TorchTensor) || loss.grad != model::kNoGradient || loss.alternatives != nullptr ||
      loss.container || loss.open || function_has_word(site, {"requires_grad", "enable_grad", "set_grad_enabled"})) {
    return false;
  }
  const Expr *const cut = cut_before(site, receiver_of(call));
  if (cut == nullptr) {
    return false;
  }
  Finding &finding = report(site, call, "`backward()` fails here: no autograd graph leads from this loss to the model",
                            "compute the loss from outputs of the model that are not detached, with gradients enabled");
  add_note(finding, site, *cut, "the graph ends here");
  return true;
}

void check(Site &site, const Call &call) {
  if (site.module->is_test || receiver_of(call) == nullptr) {
    return;
  }
  // A tensor that is made with requires_grad=True is a graph of its own.
  const auto *made = as<Call>(written_value(site, receiver_of(call)));
  const bool is_leaf = made != nullptr && keyword_argument(*made, "requires_grad") != nullptr;
  // A graph that was recorded before can be walked here, too.
  if (made != nullptr && !is_leaf && under_no_grad(site) && under_no_grad(site_of(site, *made)) &&
      !file_has_word(site, {"enable_grad", "set_grad_enabled(True", "inference_mode(False"})) {
    report(site, call, "`backward()` fails here: under `torch.no_grad()` no autograd graph is recorded",
           "compute the loss with gradients enabled, and keep `no_grad()` for evaluation");
    return;
  }
  if (check_cut(site, call)) {
    return;
  }
  if (call.args.empty() && call.keywords.empty()) {
    if (const Node *loss = unreduced(site, receiver_of(call))) {
      Finding &finding =
          report(site, call, "`backward()` fails: with `reduction=\"none\"` the loss has one number for each sample",
                 fmt::format("reduce it first: `{}.mean().backward()`", text_of(site, receiver_of(call))));
      add_note(finding, site, *loss, "the loss is computed here");
    }
  }
}

// `torch.set_grad_enabled(False)` as a statement in a loop that trains, and nothing that switches it on again
void check_switch(Site &site, const Call &call) {
  const bool is_statement = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  if (!is_statement || call.args.size() != 1 || bool_of(site, call.args[0]) != false || site.module->is_test ||
      project_has_word(site,
                       {"set_grad_enabled(True", "enable_grad", "set_grad_enabled(mode", "set_grad_enabled(prev"})) {
    return;
  }
  const auto trains = [](const model::Loop *loop) {
    for (; loop != nullptr; loop = loop->parent) {
      if (loop->trains) {
        return true;
      }
    }
    return false;
  };
  bool is_repeated = trains(loop_around(site));
  for (const model::CallSite *caller : site.function->called_by) {
    is_repeated = is_repeated || trains(caller->loop);
  }
  if (is_repeated) {
    report(site, call, "this switches gradients off for good, so the next training step fails in `backward()`",
           "use it as a context: `with torch.no_grad():`");
  }
}

} // namespace

extern constinit const Rule kBackwardWithoutGraph = {
    .info = {.code = "DP269",
             .name = "backward-without-graph",
             .summary = "`backward()` where no graph is recorded, or on a loss that is not a single number",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`backward()` under `torch.no_grad()`, `backward()` on a loss of outputs that were detached or computed under it, `backward()` on a loss with `reduction="none"`, and `torch.set_grad_enabled(False)` as a statement in a program that trains
on and never enables gradients again.

## Why it is wrong

Without a graph `backward()` fails with "element 0 of tensors does not require grad". A loss with one value per sample has no gradient unless one is passed to
`backward()`.

## Bad

```python
import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = torch.nn.CrossEntropyLoss(reduction="none")
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
```

## Good

```python
import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = torch.nn.CrossEntropyLoss(reduction="none")
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y).mean()
        loss.backward()
        optimizer.step()
```

## When it is wrong

Where a function enables gradients by a context manager of its own.
)"},
    .calls = "TorchTensor.backward torch.set_grad_enabled",
    .on_call = [](Site &site, const Call &call) {
      if (called_method(call) == "backward") {
        check(site, call);
      } else {
        check_switch(site, call);
      }
    }};

} // namespace deepperf::rules::backward_without_graph
