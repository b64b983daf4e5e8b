#include "model/pipeline.h"
#include "rules/keras.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::inputs_scaled_twice {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

// Those of models that scale pictures themselves do nothing.
bool scales_pixels(std::string_view api) {
  return api.ends_with(".preprocess_input") && api.find("applications") != std::string_view::npos &&
         api.find("efficientnet") == std::string_view::npos && api.find("mobilenet_v3") == std::string_view::npos &&
         api.find("convnext") == std::string_view::npos && api.find("regnet") == std::string_view::npos;
}

// The preprocess_input that is called, also where it was chosen from a table of models; empty if it is none.
std::string_view preprocessing_of(const Site &site, const Call &call) {
  const std::string_view api = called_api(site, call);
  if (const auto *layer = as<Call>(call.func); layer != nullptr && !layer->args.empty()) { // Lambda(function)(x)
    const Value function =
        called_api(site, *layer).ends_with("layers.Lambda") ? value_of(site, layer->args[0]) : Value{};
    return function.is(Value::Tag::Api) && scales_pixels(function.name().text()) ? function.name().text()
                                                                                 : std::string_view{};
  }
  // One of several that a setting chooses from.
  std::string_view chosen;
  bool is_mixed = false;
  for_each_alternative(site.project.callee_of(&call), [&](const Value &one) {
    const bool scales = one.is(Value::Tag::Api) && scales_pixels(one.name().text());
    chosen = scales ? one.name().text() : chosen;
    is_mixed |= !scales;
  });
  if (!chosen.empty() && !is_mixed) {
    return chosen;
  }
  if (!api.empty() || call.args.size() != 1 || call.func->kind != NodeKind::Name ||
      !site.project.callee_of(&call).is_unknown()) {
    return scales_pixels(api) ? api : std::string_view{};
  }
  std::string_view found;
  bool is_other = false;
  visit_origins(site, *site.function, call.func, [&](const Origin &origin) {
    const Value value = value_of(site_of_origin(site, *origin.function), origin.expr);
    const bool scales = value.is(Value::Tag::Api) && scales_pixels(value.name().text());
    found = scales ? value.name().text() : found;
    is_other |= !scales && origin.parameter_of == nullptr;
    return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
  });
  return is_other ? std::string_view{} : found;
}

bool is_near(double number, double wanted) { return std::abs(number - wanted) < 0.01 * wanted; }

enum class Factor : u8 { Other, Down, Up };

// `x / 255.0`, `x * (1 / 255)`: pixels become small numbers; `x * 255`: they become pixels again.
Factor factor_of(const Site &site, const BinOp &operation) {
  constexpr double kLargest = 255.0;
  const std::optional<double> right = number_of(site, operation.right);
  const std::optional<double> left = number_of(site, operation.left);
  const double number = right.value_or(left.value_or(0));
  if (operation.op() == Operator::Div && right.has_value()) {
    return is_near(number, kLargest) || is_near(number, kLargest / 2) ? Factor::Down : Factor::Other;
  }
  if (operation.op() == Operator::Mult && number > 0) {
    return is_near(number, 1 / kLargest) || is_near(number, 2 / kLargest) ? Factor::Down
           : is_near(number, kLargest) || is_near(number, kLargest / 2)   ? Factor::Up
                                                                          : Factor::Other;
  }
  return Factor::Other;
}

// Where the values of an expression were scaled before, or what they begin as.
struct Before {
  const FunctionInfo *function = nullptr;
  const Expr *scaled = nullptr;
  const Call *input = nullptr;          // keras.Input
  const FunctionInfo *mapper = nullptr; // a function whose parameter it is
  u32 parameter = 0;
};

class ScalingSearch {
public:
  explicit ScalingSearch(const Site &site) : site_(site) {}

  Onward operator()(const Origin &origin) {
    const Site there = site_of_origin(site_, *origin.function);
    if (origin.parameter_of != nullptr) {
      found.mapper = origin.parameter_of;
      found.parameter = origin.parameter;
      return Onward::Through;
    }
    if (const auto *operation = as<BinOp>(origin.expr)) {
      const Factor factor = factor_of(there, *operation);
      if (factor == Factor::Down) {
        found.scaled = origin.expr;
        found.function = origin.function;
      }
      return factor == Factor::Other ? Onward::Through : Onward::Stop;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return origin.expr->kind == NodeKind::Subscript ? Onward::Through : Onward::Stop;
    }
    const std::string_view api = called_api(there, *call);
    if (api == "tensorflow.keras.Input" || api == "tensorflow.keras.layers.Input") {
      found.input = call;
      return Onward::Stop;
    }
    const Value callee = site_.project.callee_of(call);
    const bool keeps = api == "tensorflow.cast" || api.starts_with("tensorflow.image.") || api == "numpy.expand_dims" ||
                       api == "numpy.array" || api == "numpy.asarray" || api == "tensorflow.expand_dims" ||
                       api == "tensorflow.reshape" || called_method(*call) == "astype" ||
                       (callee.is_kind(Kind::KerasLayer) && is_augmentation(callee));
    return keeps && !api.ends_with("standardization") && !api.ends_with("convert_image_dtype") ? Onward::Through
                                                                                               : Onward::Stop;
  }

  Before found;

private:
  static bool is_augmentation(const Value &layer) {
    const std::string_view api = layer.name().text();
    const std::string_view name = api.substr(api.rfind('.') + 1);
    return name.starts_with("Random") || name == "Resizing" || name == "CenterCrop";
  }

  const Site &site_;
};

Before before(const Site &site, const FunctionInfo &function, const Expr *expr) {
  ScalingSearch search(site);
  visit_origins(site, function, expr, [&](const Origin &origin) { return search(origin); });
  return search.found;
}

// What the functions that are mapped over a dataset before the stage made of the pictures.
Before before_stage(const Site &site, u32 stage, i32 component) {
  Before found;
  model::walk_back(site.project, stage, [&](const model::Stage &at) {
    const bool is_function = at.mapper.is(Value::Tag::Function) || at.mapper.is(Value::Tag::Method);
    if (found.scaled == nullptr && at.info != nullptr && at.info->has(kMaps) && is_function) {
      ScalingSearch search(site);
      visit_result_origins(site, *at.mapper.function, {{.key = {}, .index = component}},
                           [&](const Origin &origin) { return search(origin); });
      found = search.found;
    }
    return found.scaled == nullptr;
  });
  return found;
}

// All calls of fit() on models that are known, worked out once.
struct FitCall {
  const FunctionInfo *function = nullptr;
  const Call *call = nullptr;
  const Call *model = nullptr; // that made the model
};
struct FitCalls : std::vector<FitCall> {};
// Those of models that begin with an Input, by that.
struct FitCallsOfInput : std::unordered_map<const Call *, std::vector<FitCall>> {};

FitCalls find_fit_calls(const model::Project &project) {
  FitCalls found;
  for (const model::Module &module : project.modules) {
    for (const Stmt *statement : module.tensorflow ? module.parsed->tree.body : Block{}) {
      any_node_inside(statement, [&](const Node *node) {
        const auto *call = as<Call>(node);
        if (call == nullptr || called_method(*call) != "fit" || call->args.empty()) {
          return false;
        }
        const FunctionInfo *function = project.caller_of(call);
        const Value callee = project.callee_of(call);
        if (function != nullptr && callee.is(Value::Tag::ApiMethod) && callee.receiver().is_kind(Kind::KerasModel) &&
            callee.receiver().maker() != nullptr) {
          found.push_back({function, call, callee.receiver().maker()});
        }
        return false;
      });
    }
  }
  return found;
}

// `Rescaling(1 / 255)`, which makes small numbers of pixels
bool is_rescaling(const Site &site, const Value &layer) {
  const Call *maker = layer.is_kind(Kind::KerasLayer) ? layer.maker() : nullptr;
  if (maker == nullptr || !layer.name() || !layer.name().text().ends_with(".Rescaling")) {
    return false;
  }
  const Site there = site_of(site, *maker);
  const std::optional<model::ConstantValue> scale =
      setting_of(there, argument_of(there, *maker, 0, "scale"), model::ConstantValue::none());
  const double number = scale.has_value() ? scale->as_number().value_or(0) : 0;
  return is_near(number, 1 / 255.0) || is_near(number, 2 / 255.0);
}

Before before_fit(const Site &site, const FitCall &fit) {
  const Expr *data = fit.call->args[0];
  const auto stage = site.project.stage_at.find(data);
  const u32 from = stage != site.project.stage_at.end()
                       ? stage->second
                       : model::stage_of(site.project, value_of(site_of_origin(site, *fit.function), data));
  return from != 0 ? before_stage(site, from, 0) : before(site, *fit.function, data);
}

// What fit() gives to the model that begins with the Input: the first part of a dataset, or an array.
Before before_input(const Site &site, const Call &input) {
  const FitCallsOfInput &all = site.memory.recall<FitCallsOfInput>(&site.project, [&] {
    FitCallsOfInput found;
    for (const FitCall &fit : find_fit_calls(site.project)) {
      const FunctionInfo *maker = site.project.caller_of(fit.model);
      const Expr *inputs = maker != nullptr ? argument(*fit.model, 0, "inputs") : nullptr;
      const Call *begin = inputs != nullptr ? before(site, *maker, inputs).input : nullptr;
      if (begin != nullptr) {
        found[begin].push_back(fit);
      }
    }
    return found;
  });
  const auto calls = all.find(&input);
  if (calls == all.end()) {
    return {};
  }
  for (const FitCall &fit : calls->second) {
    const Before found = before_fit(site, fit);
    if (found.scaled != nullptr) {
      return found;
    }
  }
  return {};
}

void report_rescaled(Site &site, const Before &found, const Call &layer) {
  Site place = site_of_origin(site, *found.function);
  Finding &finding = report(place, *found.scaled,
                            "the images are scaled here, and the model's `Rescaling` layer scales them again, so it "
                            "sees almost constant input",
                            "remove this scaling, or the layer");
  finding.notes.push_back({site_of(site, layer).module->file, layer.span(), "scaled a second time here"});
}

// A Sequential that begins with `Rescaling(1 / 255)`.
void check_fit(Site &site, const Call &call) {
  const Value callee = site.project.callee_of(&call);
  if (!callee.is(Value::Tag::ApiMethod) || !callee.receiver().is_kind(Kind::KerasModel) ||
      callee.receiver().maker() == nullptr) {
    return;
  }
  for (const Value &layer : layers_of_sequential(site, callee.receiver())) {
    const std::string_view api = layer.name() ? layer.name().text() : std::string_view{};
    const std::string_view name = api.substr(api.rfind('.') + 1);
    if (is_rescaling(site, layer)) {
      const Before found = before_fit(site, {site.function, &call, callee.receiver().maker()});
      if (found.scaled != nullptr) {
        report_rescaled(site, found, *layer.maker());
      }
      return;
    }
    if (name != "InputLayer" && name != "Input" && !name.starts_with("Random") && name != "Resizing" &&
        layer.kind != Kind::Tensor) {
      return;
    }
  }
}

// The stage that maps the function, and what stands before it.
Before before_mapper(const Site &site, const FunctionInfo &mapper, u32 parameter) {
  for (const model::Stage &stage : site.project.stages) {
    const bool is_mapped = (stage.mapper.is(Value::Tag::Function) || stage.mapper.is(Value::Tag::Method)) &&
                           stage.mapper.function == &mapper && stage.info != nullptr && stage.info->has(kMaps);
    if (is_mapped) {
      const u32 first = mapper.type != nullptr && !mapper.is_static ? 1 : 0;
      return before_stage(site, stage.previous, static_cast<i32>(parameter - first));
    }
  }
  return {};
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  if (!site.module->tensorflow || site.module->is_test || site.function == nullptr || call.args.empty() ||
      !project_has_word(site, {"preprocess_input", "Rescaling("})) {
    return;
  }
  if (called_method(call) == "fit") {
    return check_fit(site, call);
  }
  const Value callee = site.project.callee_of(&call);
  const bool rescales = is_rescaling(site, callee);
  const std::string_view api = rescales ? std::string_view{} : preprocessing_of(site, call);
  if (api.empty() && !rescales) {
    return;
  }
  Before found = before(site, *site.function, call.args[0]);
  if (found.scaled == nullptr && found.input != nullptr) {
    found = before_input(site, *found.input);
  } else if (found.scaled == nullptr && found.mapper != nullptr) {
    found = before_mapper(site, *found.mapper, found.parameter);
  }
  if (found.scaled == nullptr) {
    return;
  }
  if (rescales) {
    return report_rescaled(site, found, *callee.maker());
  }
  Site place = site_of_origin(site, *found.function);
  const std::string_view family = api.substr(0, api.rfind('.'));
  Finding &finding = report(place, *found.scaled,
                            fmt::format("the images are scaled here, but `{}.preprocess_input` expects pixels from 0 "
                                        "to 255, so the model sees almost constant input",
                                        family.substr(family.rfind('.') + 1)),
                            "remove this scaling: `preprocess_input` does it");
  finding.notes.push_back({site.module->file, call.span(), "scaled a second time here"});
}

} // namespace

extern constinit const Rule kInputsScaledTwice = {
    .info = {.code = "DP981",
             .name = "inputs-scaled-twice",
             .summary = "images that are divided by 255 before `preprocess_input` or a `Rescaling` layer",
             .root_cause = "Data: Data Preprocessing",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`preprocess_input` of `keras.applications` on values that were already divided by 255 or 127.5: in the same code, by a function that was
mapped over the dataset before, or in the data that `fit()` gives to a model which begins with `preprocess_input`. The functions of
EfficientNet, ConvNeXt, RegNet and MobileNetV3, which do nothing, are left out. The same for a layer `Rescaling(1 / 255)` at the beginning of
the model.

## Why it is wrong

`preprocess_input` subtracts means of about 120, or divides by 127.5. After a division by 255, all pixels are almost the same number, and the
pretrained weights see almost constant input.

## Bad

```python
import tensorflow as tf


def prepare(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, [224, 224]) / 255.0
    return tf.keras.applications.resnet50.preprocess_input(image), label


def batches(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    return ds.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).batch(64).prefetch(tf.data.AUTOTUNE)
```

## Good

```python
import tensorflow as tf


def prepare(path, label):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, [224, 224])
    return tf.keras.applications.resnet50.preprocess_input(image), label


def batches(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    return ds.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).batch(64).prefetch(tf.data.AUTOTUNE)
```

## When it is wrong

Where the data has values up to 65025, as 16-bit images do.

## References

- Keras documentation, "Keras Applications": each model expects its own kind of input preprocessing
)"},
    .nodes = {NodeKind::Call},
    .on_node = check};

} // namespace deepperf::rules::inputs_scaled_twice
