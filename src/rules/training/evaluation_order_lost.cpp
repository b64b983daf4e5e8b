#include "model/lookup.h"
#include "rules/assignments.h"
#include "rules/site.h"
#include "rules/tree.h"
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::evaluation_order_lost {

using namespace python;

namespace {

struct Maker {
  const Call *call = nullptr;
  model::Scope scope = {};
};

bool makes_generator(std::string_view method) {
  return method == "flow_from_directory" || method == "flow_from_dataframe" || method == "flow" ||
         method == "image_dataset_from_directory" || method == "text_dataset_from_directory";
}

void add_makers(const Site &site, const Expr *expr, const model::Scope &scope, std::vector<Maker> &found, u32 depth);

// What a function of the project returns, or one part of it.
void add_returned(const Site &site, const model::FunctionInfo &function, std::vector<Maker> &found, u32 depth) {
  const FunctionDef *definition = function.definition();
  if (definition == nullptr) {
    return;
  }
  any_node(definition->body, [&](const Node *node) {
    const auto *result = as<Return>(node);
    if (result != nullptr && result->value != nullptr && result->value->kind != NodeKind::Tuple) {
      add_makers(site, result->value, model::scope_of(site.project, function), found, depth + 1);
    }
    return false;
  });
}

void add_makers(const Site &site, const Expr *expr, const model::Scope &scope, std::vector<Maker> &found, u32 depth) {
  constexpr u32 kMostDepth = 4;
  if (depth > kMostDepth) {
    return;
  }
  std::vector<model::Argument::Given> written = model::written_as(scope, expr);
  if (written.empty()) {
    written.push_back({scope, expr});
  }
  for (const model::Argument::Given &given : written) {
    const auto *call = as<Call>(given.expr);
    if (call == nullptr) {
      found.push_back({});
      continue;
    }
    const model::Value callee = site.project.callee_of(call);
    if (makes_generator(called_name(*call))) {
      found.push_back({call, given.scope});
    } else if (callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method)) {
      add_returned(site, *callee.function, found, depth);
    } else {
      found.push_back({});
    }
  }
}

// Where a function reads labels, by what it reads them of.
struct ReadLabels {
  std::unordered_map<std::string_view, const Node *> by_attribute;           // the first `test.classes`, `test.labels`
  std::unordered_map<std::string_view, std::vector<const Node *>> by_passes; // `[y for x, y in test]`
};

ReadLabels find_labels(const Site &site) {
  ReadLabels found;
  any_node(body_around(site), [&](const Node *node) {
    const auto *attribute = as<Attribute>(node);
    if (attribute != nullptr && attribute->context == Context::Load &&
        (attribute->attr.text() == "classes" || attribute->attr.text() == "labels")) {
      found.by_attribute.emplace(text_of(site, attribute->value), node);
    }
    if (node->kind == NodeKind::ListComp || node->kind == NodeKind::GeneratorExp) {
      const auto *each = static_cast<const ComprehensionExpr *>(node);
      const auto *pair = as<Tuple>(each->generators[0]->target);
      const auto *label = pair != nullptr && pair->elts.size() == 2 ? as<Name>(pair->elts[1]) : nullptr;
      if (label != nullptr && mentions(each->elt, label->id)) {
        found.by_passes[text_of(site, each->generators[0]->iter)].push_back(node);
      }
    }
    return false;
  });
  return found;
}

const ReadLabels &labels_around(const Site &site) {
  return site.memory.recall<ReadLabels>(&body_around(site), [&site] { return find_labels(site); });
}

// Reads the labels of the generator in the order of its files.
const Node *labels_of(const Site &site, std::string_view data) {
  const auto &all = labels_around(site).by_attribute;
  const auto known = all.find(data);
  return known != all.end() ? known->second : nullptr;
}

// The labels in the order of another pass.
const Node *second_pass(const Site &site, const Call &predict, std::string_view data) {
  const auto &all = labels_around(site).by_passes;
  const auto known = all.find(data);
  if (known == all.end()) {
    return nullptr;
  }
  const auto other = std::ranges::find_if(known->second, [&](const Node *node) { return !contains(node, &predict); });
  return other != known->second.end() ? *other : nullptr;
}

bool shuffles(const Site &site, const Maker &maker) {
  constexpr u32 kByNameOnly = 64;
  const model::Argument shuffle = model::argument_of(maker.scope, *maker.call, kByNameOnly, "shuffle");
  const std::optional<model::ConstantValue> value =
      model::constant_of(site.project, shuffle, model::ConstantValue::of(true));
  return value.has_value() && !value->overridable && value->is_true();
}

void check(Site &site, const Call &call) {
  const Expr *data = argument(call, 0, "x");
  data = data == nullptr ? argument(call, 0, "generator") : data;
  if (data == nullptr || site.module->is_test || (data->kind != NodeKind::Name && data->kind != NodeKind::Attribute)) {
    return;
  }
  const std::string_view text = text_of(site, data);
  const Node *labels = labels_of(site, text);
  const bool by_attribute = labels != nullptr;
  labels = by_attribute ? labels : second_pass(site, call, text);
  if (labels == nullptr) {
    return;
  }
  std::vector<Maker> makers;
  add_makers(site, data, scope_of(site), makers, 0);
  const bool is_sure = !makers.empty() && std::ranges::all_of(makers, [&](const Maker &maker) {
    return maker.call != nullptr && shuffles(site, maker);
  });
  if (!is_sure) {
    return;
  }
  const Maker &maker = makers.front();
  Finding &finding =
      report(site.findings, *site.rule, *maker.scope.module, maker.call->span(),
             fmt::format("`{}` shuffles, so the predictions of `{}` are in another order than its labels",
                         called_name(*maker.call), text),
             "pass `shuffle=False` for data that is only evaluated");
  finding.notes.push_back({site.module->file, call.span(), "predicted here"});
  finding.notes.push_back({site.module->file, labels->span(),
                           by_attribute ? "labels in the order of the files" : "labels in the order of another pass"});
}

} // namespace

extern constinit const Rule kEvaluationOrderLost = {
    .info = {.code = "DP947",
             .name = "evaluation-order-lost",
             .summary = "predictions of shuffled data that are compared with labels in another order",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Model Evaluation",
             .frameworks = "Keras, TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`predict()` on what `flow_from_directory()` or `image_dataset_from_directory()` returns by default, next to `test.classes` or to labels that are
collected in a second pass over the same data.

## Why it is wrong

These functions shuffle by default. The predictions come in the order of one pass, while `classes` has the order of the files and a second
pass has a different order, so a report or confusion matrix compares predictions with labels of other samples and shows chance level.

## Bad

```python
from sklearn.metrics import classification_report
from tensorflow.keras.preprocessing.image import ImageDataGenerator

def evaluate(model, folder):
    test = ImageDataGenerator(rescale=1 / 255).flow_from_directory(folder, batch_size=32)
    return classification_report(test.classes, model.predict(test).argmax(axis=1))
```

## Good

```python
from sklearn.metrics import classification_report
from tensorflow.keras.preprocessing.image import ImageDataGenerator

def evaluate(model, folder):
    test = ImageDataGenerator(rescale=1 / 255).flow_from_directory(folder, batch_size=32, shuffle=False)
    return classification_report(test.classes, model.predict(test).argmax(axis=1))
```

## When it is wrong

Where the generator is reset and reads its files in order for another reason.

## References

- Keras documentation of `image_dataset_from_directory`: `shuffle`
)"},
    .calls = "*.predict *.predict_generator",
    .on_call = check};

} // namespace deepperf::rules::evaluation_order_lost
