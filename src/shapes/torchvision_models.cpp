// Classifiers of torchvision, whose source is not there: how many features reach the last layers, which programs
// replace.
#include "shapes/keras.h"
#include "shapes/more_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace torchvision_models {
namespace {

enum class Head : u8 {
  Linear,  // one layer
  Dropout, // Sequential(Dropout, Linear)
  Vgg,     // Sequential of three Linear layers
  Alex,    // the same, with Dropout before them
};

struct Architecture {
  std::string_view name;
  std::string_view head; // the attribute
  i64 features;
  Head kind;
};

constexpr Architecture kArchitectures[] = {
    {"resnet18", "fc", 512, Head::Linear},
    {"resnet34", "fc", 512, Head::Linear},
    {"resnet50", "fc", 2048, Head::Linear},
    {"resnet101", "fc", 2048, Head::Linear},
    {"resnet152", "fc", 2048, Head::Linear},
    {"resnext50_32x4d", "fc", 2048, Head::Linear},
    {"resnext101_32x8d", "fc", 2048, Head::Linear},
    {"wide_resnet50_2", "fc", 2048, Head::Linear},
    {"wide_resnet101_2", "fc", 2048, Head::Linear},
    {"shufflenet_v2_x1_0", "fc", 1024, Head::Linear},
    {"densenet121", "classifier", 1024, Head::Linear},
    {"densenet161", "classifier", 2208, Head::Linear},
    {"densenet169", "classifier", 1664, Head::Linear},
    {"densenet201", "classifier", 1920, Head::Linear},
    {"mobilenet_v2", "classifier", 1280, Head::Dropout},
    {"efficientnet_b0", "classifier", 1280, Head::Dropout},
    {"efficientnet_b1", "classifier", 1280, Head::Dropout},
    {"efficientnet_b2", "classifier", 1408, Head::Dropout},
    {"efficientnet_b3", "classifier", 1536, Head::Dropout},
    {"efficientnet_b4", "classifier", 1792, Head::Dropout},
    {"vgg11", "classifier", 25088, Head::Vgg},
    {"vgg13", "classifier", 25088, Head::Vgg},
    {"vgg16", "classifier", 25088, Head::Vgg},
    {"vgg19", "classifier", 25088, Head::Vgg},
    {"vgg11_bn", "classifier", 25088, Head::Vgg},
    {"vgg13_bn", "classifier", 25088, Head::Vgg},
    {"vgg16_bn", "classifier", 25088, Head::Vgg},
    {"vgg19_bn", "classifier", 25088, Head::Vgg},
    {"alexnet", "classifier", 9216, Head::Alex},
};

const Architecture *find(std::string_view api) {
  const std::string_view name = api.substr(api.rfind('.') + 1);
  const auto *const found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found != std::end(kArchitectures) ? found : nullptr;
}

Value layer(Interpreter &in, std::string_view api, std::vector<Value> given) {
  Arguments arguments;
  arguments.positional = std::move(given);
  return in.call_api(intern(api), arguments, nullptr);
}

Value linear(Interpreter &in, i64 from, const Value &to) {
  return layer(in, "torch.nn.Linear", {Value::of_int(from), to});
}

Value head_of(Interpreter &in, const Architecture &model, const Value &classes) {
  const auto drop = [&] { return layer(in, "torch.nn.Dropout", {}); };
  const auto relu = [&] { return layer(in, "torch.nn.ReLU", {}); };
  constexpr i64 kWidth = 4096;
  const Value width = Value::of_int(kWidth);
  switch (model.kind) {
  case Head::Linear:
    return linear(in, model.features, classes);
  case Head::Dropout:
    return layer(in, "torch.nn.Sequential", {drop(), linear(in, model.features, classes)});
  case Head::Vgg:
    return layer(in, "torch.nn.Sequential",
                 {linear(in, model.features, width), relu(), drop(), linear(in, kWidth, width), relu(), drop(),
                  linear(in, kWidth, classes)});
  case Head::Alex:
    return layer(in, "torch.nn.Sequential",
                 {drop(), linear(in, model.features, width), relu(), drop(), linear(in, kWidth, width), relu(),
                  linear(in, kWidth, classes)});
  }
  return {};
}

void make_classifier(Operation &op) {
  Object &object = *op.layer;
  const Architecture *const model = find(object.content.api.text());
  op.in.heap.change(object).is_open = true; // it has other layers
  if (model == nullptr || op.is_open) {
    return;
  }
  const Value classes = keras_argument(op.in, object, "num_classes");
  const Value head = head_of(op.in, *model, classes.is_unknown() ? Value::of(Dim{}) : classes);
  op.in.set_attribute(Value::of(&object), intern(model->head), head);
}

Value call_classifier(Operation &op) {
  const Tensor *const input = op.tensor("input");
  const Architecture *const model = op.layer != nullptr ? find(op.layer->content.api.text()) : nullptr;
  if (input == nullptr || model == nullptr) {
    return {};
  }
  // A layer inside that was replaced makes it another model.
  for (const auto &[name, value] : op.layer->content.attributes) {
    const std::string_view text = Symbol{name}.text();
    if (!text.starts_with("*") && text != model->head && !value.is(Tag::Str) && !value.is(Tag::Int)) {
      return {};
    }
  }
  const Value head = keras_get(*op.layer, model->head);
  if (!input->shape.has_rank(4) || !head.is(Tag::Object)) {
    return {};
  }
  const Dim channels = input->shape.dims[1];
  if (channels.is_constant() && !channels.is(3)) {
    if (Problem *problem =
            op.report(Fault::LayerInputSize, fmt::format("{} takes 3 channels, but gets {} of {}", model->name,
                                                         channels.value, op.in.text_of(*input)))) {
      op.in.add_chain(*problem, *input);
      problem->advice = "repeat the channel three times, or replace the first convolution";
    }
    return {};
  }
  Tensor features = *input;
  features.is_parameter = false;
  features.shape = op.in.heap.shape({input->shape.dims[0], Dim::of(model->features)});
  Arguments arguments;
  arguments.positional.push_back(op.result(features, {input}));
  return op.in.call(head, arguments, op.node);
}

constexpr TransferEntry kTable[] = {{"torchvision_classifier", call_classifier, make_classifier}};

} // namespace
} // namespace torchvision_models

std::span<const TransferEntry> torchvision_transfers() { return torchvision_models::kTable; }

} // namespace deepperf::shapes
