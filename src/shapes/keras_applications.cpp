// keras.applications: what the models take and give, by their published sizes.
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_applications {
namespace {

struct Architecture {
  std::string_view name;
  i64 size;     // of the pictures that the classifier takes
  i64 channels; // of the last map
  i64 least;    // size of a picture
};

constexpr Architecture kArchitectures[] = {
    {"VGG16", 224, 512, 32},           {"VGG19", 224, 512, 32},
    {"ResNet50", 224, 2048, 32},       {"ResNet101", 224, 2048, 32},
    {"ResNet152", 224, 2048, 32},      {"ResNet50V2", 224, 2048, 32},
    {"ResNet101V2", 224, 2048, 32},    {"ResNet152V2", 224, 2048, 32},
    {"InceptionV3", 299, 2048, 75},    {"InceptionResNetV2", 299, 1536, 75},
    {"Xception", 299, 2048, 71},       {"MobileNet", 224, 1024, 32},
    {"MobileNetV2", 224, 1280, 32},    {"DenseNet121", 224, 1024, 32},
    {"DenseNet169", 224, 1664, 32},    {"DenseNet201", 224, 1920, 32},
    {"NASNetLarge", 331, 4032, 32},    {"NASNetMobile", 224, 1056, 32},
    {"EfficientNetB0", 224, 1280, 32}, {"EfficientNetB1", 240, 1280, 32},
    {"EfficientNetB2", 260, 1408, 32}, {"EfficientNetB3", 300, 1536, 32},
    {"EfficientNetB4", 380, 1792, 32}, {"EfficientNetB5", 456, 2048, 32},
    {"EfficientNetB6", 528, 2304, 32}, {"EfficientNetB7", 600, 2560, 32},
};

const Architecture *find(std::string_view api) {
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const auto *const found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found != std::end(kArchitectures) ? found : nullptr;
}

// How many places of the last map there are along one side; only where padding does not matter.
Dim places(const Architecture &model, Dim size) {
  if (model.name.starts_with("VGG") && size.is_constant()) { // pooling without padding, five times
    return Dim::of(size.value / 32);
  }
  const bool halves_exactly = model.least == 32 && model.name.find("NASNet") == std::string_view::npos;
  return halves_exactly && size.is_constant() && size.value % 32 == 0 ? Dim::of(size.value / 32) : Dim{};
}

void refuse(Operation &op, std::string message, std::string advice) {
  if (Problem *problem = op.report(Fault::ImpossibleLayer, std::move(message))) {
    problem->advice = std::move(advice);
  }
}

void make_application(Operation &op) {
  Object &object = *op.layer;
  const Architecture *const model = find(object.content.api.text());
  if (model == nullptr || op.is_open) {
    return;
  }
  const auto arg = [&](std::string_view name) { return keras_argument(op.in, object, name); };
  const Truth has_top = op.in.truth(arg("include_top"));
  const Value weights = arg("weights");
  const bool is_imagenet = weights.is(Tag::Str) && weights.number != 0 && weights.text() == "imagenet";
  const Value given = arg("input_shape");
  std::vector<Dim> shape;
  const bool has_shape = given.is_sequence() && op.in.as_dims(given, shape) && shape.size() == 3;
  const Value tensor = arg("input_tensor");
  Value input;
  if (tensor.is(Tag::Tensor)) {
    input = tensor;
  } else if (!tensor.is(Tag::None)) {
    return;
  } else if (has_shape || (given.is(Tag::None) && has_top == Truth::Yes)) {
    if (!has_shape) {
      shape = {Dim::of(model->size), Dim::of(model->size), Dim::of(3)};
    }
    input = made(op, op.in.heap.shape({op.in.fresh("N"), shape[0], shape[1], shape[2]}), Dtype::Unknown);
  } else if (given.is(Tag::None) && has_top == Truth::No) {
    input = made(op, op.in.heap.shape({op.in.fresh("N"), Dim{}, Dim{}, Dim::of(3)}), Dtype::Unknown);
  }
  if (has_shape) {
    const bool is_small = has_top == Truth::No && ((shape[0].is_constant() && shape[0].value < model->least) ||
                                                   (shape[1].is_constant() && shape[1].value < model->least));
    // Channels first: the first size is the number of channels.
    const bool may_be_turned = shape[0].is_constant() && shape[0].value <= 4;
    if (is_small && !may_be_turned) {
      refuse(op,
             fmt::format("{} takes images of at least {} by {}, but is created for {}", model->name, model->least,
                         model->least, op.in.text_of(op.in.heap.shape(shape))),
             fmt::format("enlarge the images, or use input_shape=({0}, {0}, 3)", model->least));
      return;
    }
    const bool is_other =
        is_imagenet && has_top == Truth::Yes && !may_be_turned &&
        (op.in.terms.differ(shape[0], Dim::of(model->size)) || op.in.terms.differ(shape[1], Dim::of(model->size)));
    if (is_other) {
      refuse(op,
             fmt::format("{} with its classifier takes images of {} by {}, but is created for {}", model->name,
                         model->size, model->size, op.in.text_of(op.in.heap.shape(shape))),
             "use include_top=False and your own classifier, or resize the images");
      return;
    }
    if (is_imagenet && !may_be_turned && op.in.terms.differ(shape[2], Dim::of(3))) {
      refuse(op,
             fmt::format("{} with weights of ImageNet takes 3 channels, but is created for {}", model->name,
                         op.in.text_of(op.in.heap.shape(shape))),
             "repeat the channel three times, or use weights=None");
      return;
    }
  }
  if (!input.is(Tag::Tensor) || !input.tensor->shape.has_rank(4)) {
    return;
  }
  keras_set(op.in, object, "input", input);
  const Shape &from = input.tensor->shape;
  const Value pooling = arg("pooling");
  std::vector<Dim> dims = {from.dims[0]};
  if (has_top == Truth::Yes) {
    dims.push_back(op.in.as_dim(arg("classes")));
  } else if (has_top == Truth::No && pooling.is(Tag::None)) {
    dims.insert(dims.end(), {places(*model, from.dims[1]), places(*model, from.dims[2]), Dim::of(model->channels)});
  } else if (has_top == Truth::No && pooling.is(Tag::Str)) {
    dims.push_back(Dim::of(model->channels));
  } else {
    return;
  }
  keras_set(op.in, object, "output", made(op, op.in.heap.shape(dims), Dtype::Unknown, {input.tensor}));
}

Value call_application(Operation &op) { return find_transfer("keras_model")->call(op); }

constexpr TransferEntry kTable[] = {
    {"keras_application", call_application, make_application},
};

} // namespace
} // namespace keras_applications

std::span<const TransferEntry> keras_application_transfers() { return keras_applications::kTable; }

} // namespace deepperf::shapes
