#include "rules/reach.h"
#include "rules/tracing.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::side_effect_in_function {

using namespace python;

namespace {

// What people put in to see when it is traced, or what a test counts.
void report_hint(Site &site, const Node &node, std::string message, std::string advice) {
  report(site, node, std::move(message), std::move(advice)).tier = Tier::Hint;
}

// Is the counter asked for in a test of traced code, `if self.steps % 100 == 0`? Then that never happens.
bool decides(const Site &site, const AugAssign &counter) {
  const auto *attribute = as<Attribute>(counter.target);
  const auto *name = as<Name>(counter.target);
  const Node *within = site.function != nullptr ? site.function->node : nullptr;
  return within != nullptr && !site.module->is_test && any_node_inside(within, [&](const Node *node) {
           const auto *test = as<If>(node);
           return test != nullptr && any_node(test->test, [&](const Node *part) {
                    const auto *load = as<Attribute>(part);
                    const auto *plain = as<Name>(part);
                    return (attribute != nullptr && load != nullptr && load->attr == attribute->attr) ||
                           (name != nullptr && plain != nullptr && plain->id == name->id);
                  });
         });
}

bool is_of_family(const model::Value &object, const model::ClassInfo *type) {
  return object.is(model::Value::Tag::Object) &&
         (std::ranges::find(object.type->mro, type) != object.type->mro.end() ||
          std::ranges::any_of(type->mro, [&](const model::ClassInfo *one) { return one == object.type.get(); }));
}

// Is the attribute of such an object read there? What is printed is there to see how often the function is traced.
bool is_read_in(const model::Scope &scope, const Node &node, const model::ClassInfo *type, Symbol attribute) {
  const auto *call = as<Call>(&node);
  const std::string_view called = call != nullptr ? called_name(*call) : std::string_view{};
  const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
  if (called == "print" || method == "info" || method == "debug" || method == "warning") {
    return false;
  }
  const auto *load = as<Attribute>(&node);
  if (load != nullptr && load->attr == attribute && load->context == Context::Load &&
      is_of_family(model::value_of(scope, load->value), type)) {
    return true;
  }
  bool found = false;
  for_each_child(&node, [&](const Node *child) { found = found || is_read_in(scope, *child, type, attribute); });
  return found;
}

// Is the counter of an object read by code that is traced with it, `beta = self.step / warmup`? There it is a constant,
// the number of traces so far.
bool is_read_while_traced(const Site &site, const AugAssign &counter) {
  const auto *attribute = as<Attribute>(counter.target);
  const auto *object = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  if (object == nullptr || definition == nullptr || site.function->type == nullptr || site.module->is_test ||
      object->id.text() != "self") {
    return false;
  }
  std::vector<const model::FunctionInfo *> functions = reached_functions(*site.function, *definition);
  functions.push_back(site.function);
  const model::ClassInfo *const type = site.function->type;
  return std::ranges::any_of(functions, [&](const model::FunctionInfo *one) {
    return one->definition() != nullptr && std::ranges::any_of(one->definition()->body, [&](const Stmt *statement) {
             return is_read_in(model::scope_of(site.project, *one), *statement, type, attribute->attr);
           });
  });
}

bool is_made_before(const Site &site, const Name &list, const For &loop) {
  const Expr *made = last_assigned(site, list);
  return made != nullptr && made->kind == NodeKind::List && made->start < loop.start;
}

// `for i in tf.range(n): outputs.append(x)`: the body becomes part of the graph and is traced once.
bool check_staged(Site &site, const Node &node) {
  const auto *call = as<Call>(&node);
  const auto *list = call != nullptr && called_method(*call) == "append" ? as<Name>(receiver_of(*call)) : nullptr;
  for (const Node *ancestor : site.ancestors) {
    const auto *loop = as<For>(ancestor);
    const auto *range = loop != nullptr ? as<Call>(loop->iter) : nullptr;
    if (list != nullptr && range != nullptr && called_api(site, *range) == "tensorflow.range" &&
        is_made_before(site, *list, *loop)) {
      Finding &finding = report(
          site, node,
          "a loop over `tf.range` is part of the graph, so the list gets one symbolic tensor that cannot be used "
          "after the loop",
          "write to a `tf.TensorArray`, and call `stack()` after the loop");
      add_note(finding, site, *loop->iter, "the loop");
      return true;
    }
  }
  return false;
}

void check(Site &site, const Node &node) {
  if (!site.module->tensorflow || (tracers_at(site) & model::kByTfFunction) == 0) {
    return;
  }
  if (node.kind == NodeKind::Call && check_staged(site, node)) { // also of a list that is local
    return;
  }
  switch (side_effect_at(site, node)) {
  case SideEffect::Print:
    report_hint(site, node,
                "`print` runs only while the function is traced, and prints symbolic tensors without values",
                "use `tf.print`");
    return;
  case SideEffect::Append:
    report_hint(site, node,
                "`append` runs once, during tracing, and leaves a symbolic tensor in a list outside the function",
                "return the value and append it outside the function");
    return;
  case SideEffect::Counter: {
    Finding &finding = report(site, node, "this counts how often the function is traced, not how often it is called",
                              "use a `tf.Variable`, or count outside the function");
    const auto &counter = static_cast<const AugAssign &>(node);
    finding.tier = decides(site, counter) || is_read_while_traced(site, counter) ? finding.tier : Tier::Hint;
    return;
  }
  case SideEffect::Clock:
    report_hint(site, node, "the clock is read once, during tracing: the time is a constant in the compiled function",
                "measure outside the function");
    return;
  case SideEffect::Random:
    report(site, node, "this number is drawn once, during tracing, and is the same in every call",
           "use `tf.random`, or pass the number as an argument");
    return;
  case SideEffect::Store: {
    if (enclosing(site, NodeKind::If) != nullptr ||
        model::kind_of(static_cast<const Assign &>(node).value) != Kind::Tensor) {
      return;
    }
    Finding &finding =
        report(site, node, "this stores a symbolic tensor outside of the function, which has no value after the trace",
               "return the tensor, or assign it to a `tf.Variable`");
    finding.tier = is_read_outside(site, static_cast<const Assign &>(node)) ? finding.tier : Tier::Hint;
    return;
  }
  case SideEffect::Numpy: // a rule of its own
  case SideEffect::None:
    return;
  }
}

} // namespace

extern constinit const Rule kSideEffectInFunction = {
    .info = {.code = "DP208",
             .name = "side-effect-in-function",
             .summary = "`print`, `append`, counters, clocks or Python randomness inside a `tf.function`",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Wrong Result, Memory Leak",
             .stage = "Model Building",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

Inside a `tf.function`, and in functions that only such functions call: `print` of a tensor, `append` of one to a list outside, a counter in
an attribute or a global, `time.time()`, and numbers drawn with `random` or `numpy.random`.

## Why it is wrong

The Python code of a `tf.function` runs when it is traced: once for each input signature. It prints symbolic tensors, it counts traces, and
the numbers it draws become constants: augmentation with `numpy.random` does the same to every batch. A list outside keeps symbolic tensors
alive, and with them the graph.

## Bad

```python
import numpy as np
import tensorflow as tf

@tf.function
def augment(image):
    angle = np.random.uniform(-1.0, 1.0)
    return tf.image.adjust_brightness(image, angle)
```

## Good

```python
import tensorflow as tf

@tf.function
def augment(image):
    angle = tf.random.uniform([], -1.0, 1.0)
    return tf.image.adjust_brightness(image, angle)
```

## When it is wrong

Printing a constant string, a shape or a dtype to see when tracing happens is assumed to be intended.

## References

- TensorFlow guide "Better performance with tf.function": executing Python side effects
- SonarPython S6928
)"},
    .nodes = {NodeKind::Call, NodeKind::AugAssign, NodeKind::Assign},
    .on_node = check};

} // namespace deepperf::rules::side_effect_in_function
