#include "rules/caller_choice.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::sync_in_compiled {

using namespace python;

namespace {

// In a function that torch.compile compiles, also through calls, and not in one that is kept out of it.
bool is_compiled(const Site &site) {
  for (const model::FunctionInfo *function = site.function; function != nullptr; function = function->parent) {
    if (const FunctionDef *definition = function->definition()) {
      for (const Expr *decorator : definition->decorators) {
        if (text_of(site, decorator).find("disable") != std::string_view::npos) {
          return false;
        }
      }
    }
    if ((function->tracers & model::kByTorch) != 0) {
      return true;
    }
  }
  return false;
}

// Behind a test that mostly fails while compiling, or on the way to an error.
bool is_aside(const Site &site) {
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    if (node->kind == NodeKind::Raise || node->kind == NodeKind::Assert || node->kind == NodeKind::ExceptHandler) {
      return true;
    }
    const auto *branch = as<If>(node);
    const std::string_view test = branch != nullptr ? text_of(site, branch->test) : std::string_view{};
    return test.find("is_compiling") != std::string_view::npos || test.find("debug") != std::string_view::npos ||
           test.find("verbose") != std::string_view::npos;
  });
}

void add_finding(Site &site, const Node &place, const char *message, const char *advice) {
  if (!is_aside(site)) {
    Finding &finding = report(site, place, message, advice);
    finding.tier = is_callers_choice(site) ? Tier::Hint : finding.tier;
  }
}

void check_call(Site &site, const Call &call) {
  if (!is_compiled(site)) {
    return;
  }
  const std::string_view method = called_method(call);
  if (method == "item" || method == "tolist") {
    if (model::is_on_cpu(receiver_of(call))) {
      add_finding(site, call, "Python needs this value, which causes a graph break",
                  "keep it a tensor, or move it out of the compiled function");
      return;
    }
    add_finding(site, call, "Python needs this value, which causes a graph break and a host-device synchronization",
                "keep it a tensor, or move it out of the compiled function");
    return;
  }
  const std::string_view api = called_api(site, call);
  if (api == "print") {
    // What is under a test is perhaps never printed.
    if (enclosing(site, NodeKind::If) != nullptr) {
      return;
    }
    add_finding(site, call, "`print` causes a graph break", "print outside the compiled function");
  } else if (call.args.size() == 1 && model::kind_of(call.args[0]) == Kind::TorchTensor) {
    add_finding(site, call, "Python needs this value, which causes a graph break and a host-device synchronization",
                "keep it a tensor, or move it out of the compiled function");
  }
}

// A tensor, or what a parameter gives that is treated like one: x.sum().
bool is_tensor(const Site &site, const Expr *expr) {
  if (model::kind_of(expr) == Kind::TorchTensor) {
    return true;
  }
  const auto *call = as<Call>(expr);
  const auto *name = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
  if (name == nullptr || !call->keywords.empty()) {
    return false;
  }
  const std::string_view method = called_method(*call);
  return (method == "sum" || method == "mean" || method == "max" || method == "min" || method == "norm" ||
          method == "any" || method == "all") &&
         model::kind_of(name) == Kind::Unknown && site.function->has_param(name->id);
}

// Is the value of the test one that only the device knows?
bool is_tensor_test(const Site &site, const Expr *test) {
  if (const auto *negation = as<UnaryOp>(test)) {
    return is_tensor_test(site, negation->operand);
  }
  if (const auto *compare = as<Compare>(test)) {
    return compare->rest.size() == 1 && compare->rest[0].op <= CompareOperator::GtE &&
           (is_tensor(site, compare->left) || is_tensor(site, compare->rest[0].right));
  }
  // A name alone may ask whether there is a tensor at all.
  return test->kind == NodeKind::Call && is_tensor(site, test);
}

void check_branch(Site &site, const Node &node) {
  const Expr *test =
      node.kind == NodeKind::If ? static_cast<const If &>(node).test : static_cast<const While &>(node).test;
  if (is_tensor_test(site, test) && is_compiled(site)) {
    add_finding(site, *test, "this branch depends on a tensor's value, which causes a graph break",
                "use `torch.where` or `torch.cond`, or branch outside the compiled function");
  }
}

} // namespace

extern constinit const Rule kSyncInCompiled = {
    .info = {.code = "DP235",
             .name = "sync-in-compiled",
             .summary = "code under `torch.compile` that causes a graph break",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Abnormal GPU Utilization",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .documentation = R"(## What it finds

`.item()`, `.tolist()`, `float(tensor)`, `print` and branches on a tensor's value in a function or model that `torch.compile` compiles, and
in what those call.

## Why it costs

torch.compile captures Python code as one graph. Where Python needs a value that only the device has, or does something that a graph cannot
express, the graph breaks: the part so far runs, control returns to Python, and a new graph starts after it. Nothing is fused across the
break, each part is launched separately, and reading a value waits for the device. With `fullgraph=True` it is an error.

## Bad

```python
import torch

@torch.compile
def step(x):
    scale = x.abs().max().item()
    if x.sum() > 0:
        x = x / scale
    return x
```

## Good

```python
import torch

@torch.compile
def step(x):
    scale = x.abs().max()
    return torch.where(x.sum() > 0, x / scale, x)
```

## When it is wrong

With `torch._dynamo.config.capture_scalar_outputs = True`, `.item()` stays in the graph. A graph break that is rare or outside the hot path
costs little.

## References

- PyTorch documentation: torch.compile, common graph breaks
)"},
    .calls = "*.item TorchTensor.tolist print float int bool",
    .on_call = check_call,
    .nodes = {NodeKind::If, NodeKind::While},
    .on_node = check_branch};

} // namespace deepperf::rules::sync_in_compiled
