#include "rules/api_history.h"
#include "rules/copies.h"
#include "rules/user_deprecations.h"

#include <fmt/format.h>

namespace deepperf::rules::deprecated_api {

using namespace python;

namespace {

// The user's word needs neither versions nor proof.
bool check_user_deprecation(Site &site, const Node &node) {
  const UserDeprecation *const deprecation = user_deprecation_of(site, node);
  if (deprecation == nullptr) {
    return false;
  }
  const std::string message =
      fmt::format("{} is deprecated in this project ({})", deprecation->name, deprecation->where);
  report(site, node, message, deprecation->message);
  return true;
}

std::vector<std::string_view> deprecated_names() {
  std::vector<std::string_view> names = historic_names();
  const std::vector<std::string_view> more = user_deprecated_names();
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

// The statement around the call where it is `x = Variable(x)`, which would become `x = x`; null if it is another one.
const Assign *sets_itself(const Site &site, const Call &call) {
  const auto *assignment = site.ancestors.size() > 1 ? as<Assign>(site.ancestors[site.ancestors.size() - 2]) : nullptr;
  return assignment != nullptr && assignment->value == original_of(site, &call) && assignment->targets.size() == 1 &&
                 text_of(site, assignment->targets[0]) == text_of(site, call.args[0])
             ? assignment
             : nullptr;
}

// `x` for Variable(x). It is not safe: what Variable() gave was detached from its graph.
void offer_tensor_itself(Finding &finding, const Site &site, const Call &call) {
  if (const Assign *assignment = sets_itself(site, call)) {
    if (const std::optional<Edit> edit = remove_statement(site, *assignment)) {
      set_fix(finding, false, {*edit});
    }
    return;
  }
  const std::string inner(text_of(site, call.args[0]));
  const NodeKind kind = call.args[0]->kind;
  const bool is_simple =
      kind == NodeKind::Name || kind == NodeKind::Attribute || kind == NodeKind::Call || kind == NodeKind::Subscript;
  set_fix(finding, false, {replace(call, is_simple ? inner : "(" + inner + ")")});
}

void check(Site &site, const Node &node) {
  if (check_user_deprecation(site, node)) {
    return;
  }
  const ApiHistory *history = history_of(site, node);
  if (history == nullptr || history->deprecated.empty() || is_version_guarded(site, history->api)) {
    return;
  }
  if (!history->removed.empty() && status_in(site, history->package, history->removed) != Status::Fine) {
    return; // gone altogether: removed-api tells
  }
  const Status status = status_in(site, history->package, history->deprecated);
  if (status == Status::Fine) {
    return;
  }
  Finding &finding =
      report(site, node,
             fmt::format("`{}` is deprecated since {} {}", history->api,
                         history->package == "python" ? "Python" : history->package, history->deprecated),
             fmt::format("use {}", history->instead));
  if (status == Status::Unknown) {
    finding.tier = Tier::Hint;
  }
  // Variable(x) is x since there is only one kind of tensor.
  const auto *call = site.ancestors.empty() ? nullptr : as<Call>(site.ancestors.back());
  if (history->api == "torch.autograd.Variable" && call != nullptr && call->func == &node && call->args.size() == 1 &&
      call->keywords.empty() && call->args[0]->kind != NodeKind::Starred) {
    offer_tensor_itself(finding, site, *call);
  }
  if (!history->renamed_to.empty()) {
    const std::string spelled = spelling_of(site, history->renamed_to);
    if (!spelled.empty() && spelled != text_of(site, &node)) {
      set_fix(finding, status == Status::Gone && does_the_same(site, *history), {replace(node, spelled)});
    }
  }
}

} // namespace

extern constinit const Rule kDeprecatedApi = {
    .info = {.code = "DP302",
             .name = "deprecated-api",
             .summary = "a function or class that the library is going to remove",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Environment Setting",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Note,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

Names of NumPy, PyTorch, torchvision, JAX and Hugging Face libraries that are deprecated in all versions that the
project's requirements allow. Where the versions are unknown, it is a hint.

## Why it costs

A later release may not have the name any more, and some deprecated functions are slower than their replacements.

## Bad

```python
import torch

outer = torch.ger(torch.ones(3), torch.ones(4))
```

## Good

```python
import torch

outer = torch.outer(torch.ones(3), torch.ones(4))
```

## When it is wrong

Where the program has to work with versions that do not have the new name yet; state the oldest version in the
requirements.

## References

- Release notes and documentation of the libraries
)"},
    .listed_names = deprecated_names,
    .on_node = check};

} // namespace deepperf::rules::deprecated_api
