#include "base/name_table.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::argument_does_not_fit {

using namespace python;

namespace {

// Decorators that leave the parameters as they are.
bool keeps_parameters(const Site &there, const Expr *decorator) {
  const auto *call = as<Call>(decorator);
  const Expr *const function = call != nullptr ? call->func : decorator;
  const std::string_view text = text_of(there, function);
  const std::string_view last = text.substr(text.rfind('.') + 1);
  constexpr std::string_view kKnown[] = {"no_grad",     "inference_mode", "staticmethod", "classmethod",
                                         "enable_grad", "abstractmethod", "jit",          "lru_cache",
                                         "cache",       "compact",        "nowrap"};
  return std::ranges::find(kKnown, last) != std::end(kKnown);
}

bool has_known_signature(const Site &site, const model::FunctionInfo &function) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr || function.is_property) {
    return false;
  }
  Site there = site;
  there.module = function.module;
  there.function = &function;
  return std::ranges::all_of(definition->decorators, [&](const Expr *one) { return keeps_parameters(there, one); }) &&
         std::ranges::none_of(definition->params, [](const Param *param) {
           return param->param_kind() == ParamKind::VarArgs || param->param_kind() == ParamKind::KwArgs ||
                  param->pattern != nullptr;
         });
}

// Is it defined once? Where an `if` or `try` decides which of two definitions counts, nobody knows its parameters.
bool is_only_definition(const model::FunctionInfo &function) {
  const auto is_same = [&function](const Node *node) {
    const auto *other = as<FunctionDef>(node);
    return other != nullptr && other != function.node && other->name == function.name;
  };
  if (function.type != nullptr) {
    return !any_node_inside(function.type->node, is_same);
  }
  if (function.parent == nullptr || function.parent->node == nullptr) {
    return !any_node(function.module->parsed->tree.body, is_same);
  }
  return !any_node_inside(function.parent->node, is_same);
}

// An abstract method stands for that of a subclass or of another base of it, such as `register_buffer` of nn.Module.
bool is_abstract(const model::FunctionInfo &function) {
  const FunctionDef *const definition = function.definition();
  return definition != nullptr && std::ranges::any_of(definition->decorators, [](const Expr *decorator) {
           const auto *attribute = as<Attribute>(decorator);
           const auto *name = as<Name>(decorator);
           return (attribute != nullptr && attribute->attr.text() == "abstractmethod") ||
                  (name != nullptr && name->id.text() == "abstractmethod");
         });
}

// A method that subclasses replace may have other parameters there.
bool is_replaced(const model::FunctionInfo &function) {
  const auto replaces = [&](const auto &self, const model::ClassInfo *type) -> bool {
    return std::ranges::any_of(type->subclasses, [&](const model::ClassInfo *below) {
      return below->members.contains(function.name.id) || self(self, below);
    });
  };
  return function.type != nullptr && (is_abstract(function) || replaces(replaces, function.type));
}

struct Builtin {
  std::string_view name;
  std::array<std::string_view, 2> keywords; // that it takes
};

// Builtins that people give arguments of what they wrap.
constexpr auto kBuiltins = std::to_array<Builtin>({
    {"enumerate", {"iterable", "start"}},
    {"len", {}},
    {"range", {}},
    {"zip", {"strict", ""}},
    {"isinstance", {}},
    {"sorted", {"key", "reverse"}},
});

// In a function that a decorator translates, such as a kernel, names of builtins may mean something else.
bool may_be_translated(const Site &site) {
  static const NameTable kPlain({"staticmethod", "classmethod", "property", "override", "overload", "wraps",
                                 "contextmanager", "lru_cache", "cache", "cached_property", "abstractmethod", "no_grad",
                                 "inference_mode", "hookimpl", "fixture", "main"});
  return std::ranges::any_of(site.ancestors, [](const Node *node) {
    const auto *definition = as<FunctionDef>(node);
    return definition != nullptr && std::ranges::any_of(definition->decorators, [](const Expr *decorator) {
             const auto *call = as<Call>(decorator);
             const Expr *const named = call != nullptr ? call->func : decorator;
             const auto *attribute = as<Attribute>(named);
             const auto *name = as<Name>(named);
             return !kPlain.has(attribute != nullptr ? attribute->attr : name != nullptr ? name->id : Symbol{});
           });
  });
}

void check_builtin(Site &site, const Call &call, std::string_view api) {
  const auto known = std::ranges::find(kBuiltins, api, &Builtin::name);
  if (known == kBuiltins.end() || may_be_translated(site)) {
    return;
  }
  for (const Keyword *keyword : call.keywords) {
    const bool is_taken =
        !keyword->name || std::ranges::find(known->keywords, keyword->name.text()) != known->keywords.end();
    if (!is_taken) {
      report(site, *keyword,
             fmt::format("`{}()` has no argument `{}`, so this raises a TypeError", api, keyword->name.text()),
             "pass it to the call inside, where it belongs");
      return;
    }
  }
}

// `if fast: model = Engine(…) else: model = Net()`: a name of the function that holds something unknown elsewhere may
// hold it here.
bool may_be_another_object(const Site &site, const Call &call) {
  const auto *name = as<Name>(receiver_of(call));
  return name != nullptr && site.function != nullptr && !site.function->has_param(name->id) &&
         value_of(site, name).open;
}

// `score(x)` of a parameter `score`, under a test: others than the functions that are passed in sight may be meant
// there.
bool is_passed_in(const Site &site, const Call &call) {
  const auto *name = enclosing(site, NodeKind::If) != nullptr ? as<Name>(call.func) : nullptr;
  for (const model::FunctionInfo *at = site.function; at != nullptr && name != nullptr; at = at->parent) {
    if (at->has_param(name->id)) {
      return true;
    }
  }
  return false;
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (call.keywords.empty() || site.module->is_test) {
    return;
  }
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::Api)) {
    check_builtin(site, call, callee.name().text());
    return;
  }
  if (has_hidden_arguments(call) || callee.open || callee.none || callee.alternatives != nullptr ||
      !(callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method))) {
    return;
  }
  const model::FunctionInfo &function = *callee.function;
  const FunctionDef *const definition = function.definition();
  if (definition == nullptr || may_be_another_object(site, call) || is_passed_in(site, call)) {
    return;
  }
  // Nearly all arguments fit, and that is told fast.
  const auto unknown = std::ranges::find_if(call.keywords, [definition](const Keyword *keyword) {
    const auto param = std::ranges::find(definition->params, keyword->name, &Param::name);
    return param == definition->params.end() || (*param)->param_kind() == ParamKind::PositionalOnly;
  });
  if (unknown == call.keywords.end() || !has_known_signature(site, function) || is_replaced(function) ||
      !is_only_definition(function)) {
    return;
  }
  Finding &finding = report(site, **unknown,
                            fmt::format("`{}()` has no parameter `{}`, so this raises a TypeError",
                                        function.name.text(), (*unknown)->name.text()),
                            "use one of its parameters, or omit the argument");
  finding.notes.push_back({function.module->file, definition->name_span, "it is defined here"});
}

} // namespace

extern constinit const Rule kArgumentDoesNotFit = {
    .info = {.code = "DP895",
             .name = "argument-does-not-fit",
             .summary = "a keyword argument that the called function does not have",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Training",
             .frameworks = "PyTorch, TensorFlow, Keras, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A call of a function or method of the project with a keyword argument that it has no parameter for, and builtins that receive
an argument meant for what they wrap: `enumerate(tqdm(loader), total=n)`.

## Why it is wrong

Python raises a TypeError when the line runs, which in a training program may be long after the start.

## Bad

```python
import torch


def update(critic, batch, backup_entropy: bool):
    return critic(torch.as_tensor(batch)).mean() if backup_entropy else None


def train(critic, batch):
    return update(critic, batch, soft_critic=True)
```

## Good

```python
import torch


def update(critic, batch, backup_entropy: bool):
    return critic(torch.as_tensor(batch)).mean() if backup_entropy else None


def train(critic, batch):
    return update(critic, batch, backup_entropy=True)
```

## When it is wrong

Where the function is replaced at run time. The rule is silent about functions with `**kwargs`, with decorators that it
does not know, with several definitions, and about methods that subclasses override.

## References

- Python reference: calls
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::argument_does_not_fit
