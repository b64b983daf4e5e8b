// Losses of Keras: which labels go with which outputs.
#include "shapes/keras.h"
#include "shapes/tf.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace keras_losses {
namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// In small letters without underscores.
std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : last_part(text)) {
    if (c != '_') {
      name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"meansquarederror", "mse"},
      {"meanabsoluteerror", "mae"},
      {"meansquaredlogarithmicerror", "msle"},
      {"meanabsolutepercentageerror", "mape"},
      {"huberloss", "huber"},
  };
  const auto *const found = std::ranges::find(kShort, name, &std::pair<std::string_view, std::string_view>::first);
  return found != std::end(kShort) ? std::string(found->second) : name;
}

// Compare each value with its label.
bool is_elementwise(std::string_view loss) {
  static constexpr std::string_view kNames[] = {
      "binarycrossentropy", "mse", "mae", "msle", "mape", "huber", "logcosh", "poisson"};
  return std::ranges::find(kNames, loss) != std::end(kNames);
}

// Whether a tensor comes out of a sigmoid: versions differ in what they make of other outputs.
bool is_sigmoid(Operation &op, const Tensor &output) {
  if (output.step == Tensor::kNoStep) {
    return false;
  }
  const Step &step = op.in.steps[output.step];
  if (step.layer == nullptr) {
    return step.operation.text().ends_with("sigmoid");
  }
  const Value activation = keras_argument(op.in, *step.layer, "activation");
  return (activation.is(Tag::Str) || activation.is(Tag::Api)) && last_part(activation.text()) == "sigmoid";
}

struct Verdict {
  std::string message;
  std::string advice;
};

// How many values stand in some dimensions; unknown if that is no constant.
Dim count_in(const std::vector<Dim> &dims, std::size_t from, std::size_t to) {
  i64 count = 1;
  for (std::size_t i = from; i < to; ++i) {
    if (!dims[i].is_constant()) {
      return {};
    }
    count *= dims[i].value;
  }
  return Dim::of(count);
}

// Labels and output of different ranks are matched from the last dimension on: that of the batch meets another.
bool cannot_broadcast(Operation &op, std::vector<Dim> labels, std::vector<Dim> output, Dim batch) {
  labels[0] = batch;
  output[0] = batch;
  for (std::size_t i = 1; i <= std::min(labels.size(), output.size()); ++i) {
    const Dim a = labels[labels.size() - i];
    const Dim b = output[output.size() - i];
    if (a.is_constant() && b.is_constant() && !a.is(1) && !b.is(1) && op.in.terms.differ(a, b)) {
      return true;
    }
  }
  return false;
}

Verdict lint(Operation &op, std::string_view name, const LabelsAndOutput &both) {
  const Tensor &labels = both.labels;
  const Tensor &output = both.output;
  const Shape &out = output.shape;
  const std::string_view written = name == "binarycrossentropy"              ? std::string_view("binary_crossentropy")
                                   : name == "categoricalcrossentropy"       ? "categorical_crossentropy"
                                   : name == "sparsecategoricalcrossentropy" ? "sparse_categorical_crossentropy"
                                                                             : name;
  const std::string shapes = fmt::format("labels {} and an output of {}", op.in.text_of(labels), op.in.text_of(output));
  Terms &terms = op.in.terms;
  const Dim classes = out.from_end(0);
  if (labels.shape.kind == Shape::Kind::Tail) { // one-hot labels of something
    const Dim last = labels.shape.from_end(0);
    const bool must_be_same = name == "categoricalcrossentropy" || (both.is_strict && is_elementwise(name));
    if (must_be_same && out.rank() >= 2 && last.is_constant() && classes.is_constant() && terms.differ(last, classes)) {
      return {fmt::format("{} takes labels of the output's shape, but gets {}", written, shapes),
              fmt::format("the last layer needs {} units", terms.text(last))};
    }
    return {};
  }
  std::vector<Dim> got = dims_in(labels.shape);
  if (got.size() == 1 && both.adds_column && out.rank() == 2) {
    got.push_back(Dim::of(1));
  }
  if (out.rank() < 2 || got.empty()) {
    return {};
  }
  if (got.size() == out.rank() + 1 && got.back().is(1) && !both.is_strict) {
    got.pop_back(); // Keras does
  }
  const Dim last = got.back();
  const bool same_rank = got.size() == out.rank();
  // A last dimension of 1 is dropped or added where the ranks differ by one.
  const bool may_be_squeezed = !both.is_strict && ((got.size() + 1 == out.rank() && classes.is(1)) ||
                                                   (out.rank() + 1 == got.size() && last.is(1)) ||
                                                   (got.size() + 1 == out.rank() && !classes.is_constant()) ||
                                                   (out.rank() + 1 == got.size() && !last.is_constant()));
  const auto differ_inside = [&] {
    for (u32 i = 1; same_rank && i + 1 < out.rank(); ++i) {
      const bool may_repeat = !both.is_strict && (got[i].is(1) || out.dims[i].is(1));
      if (terms.differ(got[i], out.dims[i]) && !may_repeat) {
        return true;
      }
    }
    return false;
  };
  const std::string_view flatten = "put Flatten() or a global pooling layer before the last Dense layers";
  if (name == "categoricalcrossentropy") {
    if (same_rank && (terms.differ(last, classes) || differ_inside())) {
      return {fmt::format("{} takes one-hot labels, but gets {}", written, shapes),
              last.is(1) ? "use sparse_categorical_crossentropy, or to_categorical on the labels"
                         : fmt::format("the last layer needs {} units", terms.text(last))};
    }
    if (!same_rank && !may_be_squeezed) {
      return {fmt::format("{} takes one-hot labels, but gets {}", written, shapes),
              std::string(got.size() < out.rank() && out.rank() > 2
                              ? flatten
                              : "use sparse_categorical_crossentropy for class indices")};
    }
  } else if (name == "sparsecategoricalcrossentropy") {
    if (same_rank && terms.is_at_least(last, 2) && terms.is_at_least(classes, 2)) {
      return {fmt::format("{} takes class indices, but gets {}", written, shapes),
              "use categorical_crossentropy for one-hot labels, or argmax(axis=-1) of them"};
    }
    const std::vector<Dim> all = dims_in(out);
    const Dim wanted = count_in(all, 1, all.size() - 1);
    const Dim given = count_in(got, 1, got.size());
    if (wanted.is_constant() && given.is_constant() && wanted != given && terms.is_at_least(classes, 2)) {
      return {
          fmt::format("{} takes one class index for each output, but gets {}", written, shapes),
          std::string(given.is(1) ? flatten : "give the labels the shape of the output without its last dimension")};
    }
  } else if (is_elementwise(name)) {
    const bool is_binary = name == "binarycrossentropy";
    const bool fits_last = !terms.differ(last, classes) || ((last.is(1) || classes.is(1)) && !both.is_strict);
    const bool is_checked = is_binary && terms.differ(last, classes) && is_sigmoid(op, output);
    const std::string message = fmt::format("{} compares values one by one, but gets {}", written, shapes);
    if (same_rank && (!fits_last || is_checked || differ_inside())) {
      return {message, fits_last && !is_checked ? "make the model return the shape of the labels"
                                                : fmt::format("the last layer needs {} units", terms.text(last))};
    }
    const bool is_refused =
        both.is_strict || (is_binary && is_sigmoid(op, output)) || cannot_broadcast(op, got, dims_in(out), both.batch);
    if (!same_rank && !may_be_squeezed && is_refused) {
      return {message,
              std::string(got.size() < out.rank() ? flatten : "make the model return the shape of the labels")};
    }
  }
  return {};
}

// loss_fn(y_true, y_pred), of a class or a function
Value call_loss(Operation &op) {
  const Tensor *const labels = converted(op, "y_true");
  const Tensor *const output = converted(op, "y_pred");
  if (labels != nullptr && output != nullptr) {
    const std::string name =
        plain_name(op.layer != nullptr && op.layer->content.api ? op.layer->content.api.text() : op.api.text());
    const bool has_batch = output->shape.is_known() && output->shape.rank() > 0;
    keras_check_labels(op, name, {*labels, *output, has_batch ? output->shape.dims[0] : Dim{}}, "y_true");
  }
  return made(op, {}, Dtype::Unknown, {output});
}

constexpr TransferEntry kTable[] = {{"keras_loss", call_loss}};

} // namespace
} // namespace keras_losses

std::string keras_loss_name(const Value &loss) {
  if (loss.is(Tag::Str) || loss.is(Tag::Api)) {
    return keras_losses::plain_name(loss.text());
  }
  if (loss.is(Tag::Object) && loss.object->type == nullptr && loss.object->content.api) {
    return keras_losses::plain_name(loss.object->content.api.text());
  }
  return {};
}

void keras_check_labels(Operation &op, std::string_view loss, const LabelsAndOutput &both, std::string_view place) {
  if (both.labels.shape.kind == Shape::Kind::Unknown || !both.output.shape.is_known()) {
    return;
  }
  keras_losses::Verdict verdict = keras_losses::lint(op, loss, both);
  if (verdict.message.empty()) {
    return;
  }
  if (Problem *problem = op.in.report(Fault::LossTargetShape, op.place(place), std::move(verdict.message))) {
    op.in.add_chain(*problem, both.output);
    op.in.add_chain(*problem, both.labels);
    problem->advice = std::move(verdict.advice);
  }
}

std::span<const TransferEntry> keras_loss_transfers() { return keras_losses::kTable; }

} // namespace deepperf::shapes
