#include "rules/keras.h"

#include <array>
#include <fmt/format.h>
#include <limits>

namespace deepperf::rules::flatten_into_huge_dense {

using namespace python;

namespace {

using model::Value;

// Weights of one layer from which on it is worth a word: 512 MB as float32, and Adam needs three times that.
// VGG-16's largest has 103 million.
constexpr i64 kHuge = i64{1} << 27;
constexpr i64 kMost = i64{1} << 40;

// Height, width and channels, or only channels after a Flatten.
struct Shape {
  std::array<i64, 3> size = {};
  u32 rank = 0;
};

std::optional<Shape> shape_of(const Site &site, const Expr *expr, bool with_batch) {
  const auto *tuple = as<Tuple>(expr);
  if (tuple == nullptr) {
    return std::nullopt;
  }
  Shape shape;
  for (u32 i = with_batch ? 1 : 0; i < tuple->elts.size(); ++i) {
    const std::optional<i64> size = integer_of(site, tuple->elts[i]);
    if (!size.has_value() || *size <= 0 || *size > kMost || shape.rank == 3) {
      return std::nullopt;
    }
    shape.size[shape.rank++] = *size;
  }
  return shape;
}

// A number, or two that are the same: 3, (3, 3).
std::optional<i64> square_of(const Site &site, const Expr *expr) {
  if (const auto *pair = as<Tuple>(expr)) {
    const std::optional<i64> first = pair->elts.size() == 2 ? integer_of(site, pair->elts[0]) : std::nullopt;
    return first.has_value() && first == integer_of(site, pair->elts[1]) ? first : std::nullopt;
  }
  return integer_of(site, expr);
}

// What a convolution or pooling leaves of a length; nothing where its padding is not known.
std::optional<i64> windowed(const Site &site, const Call &call, i64 length, i64 window, i64 stride) {
  const Expr *given = keyword_argument(call, "padding") != nullptr ? keyword_argument(call, "padding")->value : nullptr;
  const std::optional<std::string> padding =
      given == nullptr ? std::optional<std::string>("valid") : string_of(site, given);
  if (!padding.has_value() || stride <= 0 || window <= 0) {
    return std::nullopt;
  }
  const i64 covered = *padding == "same" ? length : length - window + 1;
  return covered > 0 ? std::optional((covered + stride - 1) / stride) : std::nullopt;
}

class Walk {
public:
  explicit Walk(const Site &site) : site_(site) {}

  // Takes one layer; false where its shape cannot be told.
  bool step(const Value &layer) {
    if (!layer.is(Value::Tag::Instance) || layer.maker() == nullptr || !layer.name()) {
      return false;
    }
    const Call &call = *layer.maker();
    const Site there = site_of(site_, call);
    const std::string_view api = layer.name().text();
    const std::string_view name = api.substr(api.rfind('.') + 1);
    if (shape_.rank == 0) {
      const Expr *plain =
          keyword(call, "input_shape") != nullptr ? keyword(call, "input_shape") : keyword(call, "shape");
      const std::optional<Shape> start =
          plain != nullptr ? shape_of(there, plain, false) : shape_of(there, keyword(call, "batch_input_shape"), true);
      if (!start.has_value() || has_hidden_arguments(call)) {
        return false;
      }
      shape_ = *start;
      if (name == "InputLayer" || name == "Input") {
        return true;
      }
    }
    if (name == "Flatten") {
      return flatten();
    }
    if (name == "Dense") {
      const std::optional<i64> units = integer_of(there, argument(call, 0, "units"));
      if (!units.has_value() || *units <= 0 || *units > kMost) {
        return false;
      }
      if (flat_ && shape_.size[0] > 4096 && shape_.size[0] >= (kHuge + *units - 1) / *units) {
        huge = &call;
        inputs = shape_.size[0];
        width = *units;
      }
      flat_ = false;
      shape_.size[shape_.rank - 1] = *units;
      return true;
    }
    if (name == "Conv2D" || name == "MaxPooling2D" || name == "MaxPool2D" || name == "AveragePooling2D") {
      return slide(there, call, name == "Conv2D");
    }
    return name == "Dropout" || name == "BatchNormalization" || name == "Activation" || name == "ReLU" ||
           name == "LeakyReLU" || name == "Rescaling" || name == "SpatialDropout2D" || name == "LayerNormalization";
  }

  const Call *huge = nullptr;
  i64 inputs = 0;
  i64 width = 0;

private:
  static const Expr *keyword(const Call &call, std::string_view name) {
    const Keyword *given = keyword_argument(call, name);
    return given != nullptr ? given->value : nullptr;
  }

  bool flatten() {
    i64 product = 1;
    for (u32 i = 0; i < shape_.rank; ++i) {
      if (__builtin_mul_overflow(product, shape_.size[i], &product) || product > kMost) {
        return false;
      }
    }
    shape_ = {{product}, 1};
    flat_ = true;
    return true;
  }

  bool slide(const Site &there, const Call &call, bool is_convolution) {
    if (shape_.rank != 3 || has_hidden_arguments(call) || keyword(call, "data_format") != nullptr ||
        keyword(call, "dilation_rate") != nullptr || call.args.size() > (is_convolution ? 2U : 1U)) {
      return false;
    }
    const Expr *size = is_convolution ? argument(call, 1, "kernel_size") : argument(call, 0, "pool_size");
    const std::optional<i64> window = size != nullptr  ? square_of(there, size)
                                      : is_convolution ? std::nullopt
                                                       : std::optional<i64>(2);
    const Expr *given = keyword(call, "strides");
    const std::optional<i64> stride = given != nullptr && !is_none(given) ? square_of(there, given)
                                      : is_convolution                    ? std::optional<i64>(1)
                                                                          : window;
    if (!window.has_value() || !stride.has_value()) {
      return false;
    }
    for (u32 i = 0; i < 2; ++i) {
      const std::optional<i64> left = windowed(there, call, shape_.size[i], *window, *stride);
      if (!left.has_value()) {
        return false;
      }
      shape_.size[i] = *left;
    }
    if (is_convolution) {
      const std::optional<i64> filters = integer_of(there, argument(call, 0, "filters"));
      if (!filters.has_value() || *filters <= 0 || *filters > kMost) {
        return false;
      }
      shape_.size[2] = *filters;
    }
    return true;
  }

  const Site &site_;
  Shape shape_;
  bool flat_ = false;
};

void say(Site &site, const Node &place, i64 inputs, i64 units) {
  const double weights = static_cast<double>(inputs) * static_cast<double>(units);
  report(site, place,
         fmt::format("this layer multiplies {} inputs by {} units: {:.0f} million weights, {:.1f} GB as float32",
                     inputs, units, weights / 1e6, weights * 4 / 1e9),
         "reduce the image first with strides or pooling, or use global average pooling instead of flattening");
}

void check_keras(Site &site, const Call &call) {
  const Value model = Value::made_by(Kind::KerasModel, &call, canonical_name("tensorflow.keras.Sequential"));
  Walk walk(site);
  for (const Value &layer : layers_of_sequential(site, model)) {
    if (!walk.step(layer)) {
      return;
    }
    if (walk.huge != nullptr) {
      if (site_of(site, *walk.huge).module == site.module) {
        say(site, *walk.huge, walk.inputs, walk.width);
      }
      return;
    }
  }
}

// A product of three or more: channels times height times width.
u32 factors_of(const Expr *expr) {
  const auto *product = as<BinOp>(expr);
  return product != nullptr && product->op() == Operator::Mult ? factors_of(product->left) + factors_of(product->right)
                                                               : 1;
}

void check_torch(Site &site, const Call &call) {
  const Expr *inputs = argument(call, 0, "in_features");
  if (inputs == nullptr || factors_of(inputs) < 3) {
    return;
  }
  const std::optional<i64> in = integer_of(site, inputs);
  const std::optional<i64> out = integer_of(site, argument(call, 1, "out_features"));
  if (in.has_value() && out.has_value() && *in > 0 && *out > 0 && *in < kMost && *out < kMost &&
      *in >= (kHuge + *out - 1) / *out) {
    say(site, call, *in, *out);
  }
}

void check(Site &site, const Call &call) {
  if (called_api(site, call) == "torch.nn.Linear") {
    check_torch(site, call);
  } else {
    check_keras(site, call);
  }
}

} // namespace

extern constinit const Rule kFlattenIntoHugeDense = {
    .info = {.code = "DP214",
             .name = "flatten-into-huge-dense",
             .summary = "a flattened image that goes into a dense layer of more than 134 million weights",
             .root_cause = "Model: Inefficient Model Structure",
             .symptoms = "Out of Memory, Slow Execution Time, Abnormal GPU Memory Usage",
             .stage = "Model Building",
             .frameworks = "TensorFlow, Keras, PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "64191241 58125788_1",
             .documentation = R"(## What it finds

A Keras `Sequential` with known sizes that has a `Flatten` before a `Dense` layer of more than 134 million weights (2 to the power of 27),
and `nn.Linear(channels * height * width, units)` of that size.

## Why it costs

At this size the layer alone takes half a gigabyte as float32, and two gigabytes with its gradient and Adam's moments. It is the usual cause
of "OOM when allocating tensor with shape[3075200,512]".

## Bad

```python
from tensorflow import keras

model = keras.Sequential([
    keras.layers.Conv2D(32, 3, activation="relu", input_shape=(312, 312, 3)),
    keras.layers.Flatten(),
    keras.layers.Dense(512, activation="relu"),
])
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([
    keras.layers.Conv2D(32, 3, activation="relu", input_shape=(312, 312, 3)),
    keras.layers.GlobalAveragePooling2D(),
    keras.layers.Dense(512, activation="relu"),
])
```

## When it is wrong

Where the memory is available and the model needs the weights. The largest layer of VGG-16 has 103 million weights and is not reported.

## References

- Stack Overflow 64191241 and 58125788, from the study
)"},
    .calls = "tensorflow.keras.Sequential tensorflow.keras.models.Sequential torch.nn.Linear",
    .on_call = check};

} // namespace deepperf::rules::flatten_into_huge_dense
