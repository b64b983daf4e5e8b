#include "study/liu.h"

#include "study/csv.h"
#include "study/files.h"
#include "study/post.h"
#include "study/table.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace deepperf::study {

namespace {

// How the published labels write the objects. A name with a * in front is the end of many: "lstm layer".
struct Written {
  char phase; // of the label
  std::string_view name;
  char paper_phase;
  int number;
};

constexpr std::array kWritten = std::to_array<Written>({
    {'d', "d", 'D', 1},
    {'d', "dt", 'D', 2},
    {'d', "di", 'D', 3},
    {'d', "dv", 'D', 4},
    {'d', "dm", 'D', 5},
    {'d', "ds", 'D', 6},
    {'d', "db", 'D', 7},
    {'d', "da", 'D', 8},
    {'d', "dp", 'D', 9},
    {'m', "label", 'D', 10}, // from here to "derivative" the paper has moved them to another phase
    {'m', "loss", 'T', 1},
    {'m', "learning rate", 'T', 8},
    {'m', "statement", 'T', 9},
    {'m', "optimizer", 'T', 15},
    {'m', "derivative", 'T', 18},
    {'m', "*layer", 'M', 1},
    {'m', "*trained model", 'M', 4},
    {'m', "*model", 'M', 2},
    {'m', "weight", 'M', 3},
    {'m', "model graph", 'M', 5},
    {'m', "activation", 'M', 6},
    {'m', "saved model file", 'M', 7},
    {'m', "trained weight", 'M', 8},
    {'m', "filter", 'M', 9},
    {'m', "operation", 'M', 10},
    {'m', "summary", 'M', 11},
    {'t', "loss", 'T', 1},
    {'t', "model", 'T', 2},
    {'t', "gradient", 'T', 3},
    {'t', "trained model", 'T', 4},
    {'t', "weight", 'T', 5},
    {'t', "dv", 'T', 6},
    {'t', "checkpoint", 'T', 7},
    {'t', "batch", 'T', 10},
    {'t', "training progress", 'T', 11},
    {'t', "layer", 'T', 12},
    {'t', "training data", 'T', 13},
    {'t', "training step", 'T', 14},
    {'t', "session", 'T', 16},
    {'t', "training history", 'T', 17},
    {'p', "model", 'P', 1},
    {'p', "prediction result", 'P', 2},
    {'p', "layer", 'P', 3},
    {'p', "weight", 'P', 4},
    {'p', "threshold", 'P', 5},
    {'e', "accuracy", 'E', 1},
    {'e', "metric", 'E', 2},
    {'e', "result", 'E', 3},
    {'e', "*time", 'E', 4},
    {'e', "evaluation method", 'E', 5},
    {'e', "training", 'E', 6},
    {'r', "gpu", 'R', 1},
    {'r', "gpu memory", 'R', 2},
    {'r', "gpu/cpu", 'R', 3},
    {'r', "tpu", 'R', 4},
    {'r', "cpu", 'R', 5},
    {'r', "ram", 'R', 6},
    {'v', "data", 'V', 1},
    {'v', "model", 'V', 2},
    {'v', "evaluation", 'V', 3},
    {'v', "*layer", 'V', 4},
    {'v', "progress", 'V', 5},
    {'v', "result", 'V', 6},
    {'v', "tensorboard", 'V', 7},
});

bool fits(const Written &written, std::string_view object) {
  return written.name[0] == '*' ? object.ends_with(written.name.substr(1)) : object == written.name;
}

i64 number_of(std::string_view text, const std::string &place) {
  i64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(fmt::format("{}: '{}' is not a number", place, shorten(text, 40)));
  }
  return value;
}

LiuPost post_of(const CsvRow &row, const std::string &place) {
  if (row.size() != 8) {
    throw std::runtime_error(
        fmt::format("{}: {} fields where there should be 8 (title, tags, id, views, score, created, "
                    "answered, label)",
                    place, row.size()));
  }
  LiuPost post;
  post.title = decode_entities(row[0]);
  for (const std::string_view tag : split_list(row[1], ',')) {
    post.tags.emplace_back(tag.size() > 2 && tag.front() == '<' && tag.back() == '>' ? tag.substr(1, tag.size() - 2)
                                                                                     : tag);
  }
  post.id = number_of(row[2], place);
  post.views = number_of(row[3], place);
  post.score = number_of(row[4], place);
  post.created = row[5];
  post.answered = row[6];
  const auto asked = parse_time(post.created);
  const auto answered = parse_time(post.answered);
  const std::vector<std::string_view> label = split_list(row[7], ',');
  if (!asked || !answered || label.size() != 3 || label[2].size() != 1) {
    throw std::runtime_error(fmt::format("{}: a time or the label (verb,object,phase) cannot be read", place));
  }
  post.days = static_cast<double>(*answered - *asked) / 86'400'000.0;
  post.rounded_days = std::strtod(fmt::format("{:.2f}", post.days).c_str(), nullptr);
  post.year = static_cast<int>(number_of(std::string_view(post.created).substr(0, 4), place));
  post.framework = liu_framework(row[1]);
  post.verb = label[0];
  post.raw_object = label[1];
  post.raw_phase = label[2][0];
  post.object = liu_object(post.raw_phase, post.raw_object);
  return post;
}

} // namespace

std::string_view liu_phase_name(char letter) {
  const auto *found =
      std::find_if(kLiuPhases.begin(), kLiuPhases.end(), [&](const LiuPhase &phase) { return phase.letter == letter; });
  return found == kLiuPhases.end() ? std::string_view() : found->name;
}

const std::vector<LiuObject> &liu_objects() {
  static const std::vector<LiuObject> objects = [] {
    struct Names {
      char phase;
      std::vector<std::string_view> names;
    };
    const std::vector<Names> phases = {
        {'D', {"Data", "Tensor", "Image", "Variable", "Matrix", "Dataset", "Batch", "Vector", "Placeholder", "Label"}},
        {'M',
         {"Layer", "Model", "Weight", "Trained model", "Model graph", "Activation", "Saved model file",
          "Trained weight", "Filter", "Operation", "Summary"}},
        {'T',
         {"Loss", "Model", "Gradient", "Trained model", "Weight", "Variable", "Checkpoint", "Learning rate",
          "Statement", "Batch", "Training progress", "Layer", "Training data", "Training step", "Optimizer", "Session",
          "Training history", "Derivative"}},
        {'P', {"Model", "Prediction result", "Layer", "Weight", "Threshold"}},
        {'E', {"Accuracy", "Other metrics", "Result", "Time", "Evaluation method", "Training"}},
        {'R', {"GPU", "GPU memory", "GPU/CPU", "TPU", "CPU", "RAM"}},
        {'V', {"Data", "Model", "Evaluation", "Layer", "Progress", "Result", "Tensorboard"}},
    };
    std::vector<LiuObject> all;
    for (const Names &phase : phases) {
      int number = 0;
      for (const std::string_view name : phase.names) {
        all.push_back({phase.phase, ++number, name});
      }
    }
    return all;
  }();
  return objects;
}

const LiuObject *liu_object(char phase, std::string_view object) {
  const auto *written = std::find_if(kWritten.begin(), kWritten.end(), [&](const Written &candidate) {
    return candidate.phase == phase && fits(candidate, object);
  });
  if (written == kWritten.end()) {
    return nullptr;
  }
  const std::vector<LiuObject> &objects = liu_objects();
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const LiuObject &candidate) {
    return candidate.phase == written->paper_phase && candidate.number == written->number;
  });
  return found == objects.end() ? nullptr : &*found;
}

std::string liu_model_type(std::string_view object) {
  struct Type {
    std::string_view part; // of the label
    std::string_view name;
  };
  // The first that is part of it; spelling as in the labels.
  constexpr std::array kTypes = std::to_array<Type>({
      {"convLSTM", "convLSTM"},
      {"lstm", "LSTM"},
      {"rnn", "RNN"},
      {"cnn", "CNN"},
      {"dnn", "DNN"},
      {"deconvolution", "Deconvolution"},
      {"convolution", "Convolution"},
      {"embedding", "Embedding"},
      {"dropout", "Dropout"},
      {"input", "Input"},
      {"output", "Output"},
      {"hidden", "Hidden"},
      {"dense", "Dense"},
      {"pooling", "Pooling"},
      {"normalization", "Normalization"},
      {"standarization", "Standardization"},
      {"connected", "Fully connected"},
      {"connnected", "Fully connected"},
      {"bert", "BERT"},
      {"softmax", "Softmax"},
      {"autoencoder", "Autoencoder"},
      {"vgg", "VGG"},
      {"transformer", "Transformer"},
      {"nonlinear", "Nonlinear"},
      {"linear", "Linear"},
      {"mlp", "MLP"},
      {"lambda", "Lambda"},
      {"lambad", "Lambda"},
      {"flatten", "Flatten"},
      {"encoder/decoder", "Encoder/decoder"},
      {"decoder", "Decoder"},
      {"encoder", "Encoder"},
      {"inception", "Inception"},
      {"feed forward", "Feedforward"},
      {"probab", "Probabilistic"},
      {"logistic", "Logistic"},
      {"gradient reversal", "Gradient reversal"},
      {"sharpening", "Sharpening"},
      {"reshaping", "Reshaping"},
      {"attention", "Attention"},
      {"mask", "Mask"},
      {"sorting", "Sorting"},
      {"regression", "Regression"},
      {"alexnet", "AlexNet"},
      {"resnet", "ResNet"},
      {"trained model", "Trained model"},
      {"layer", "Layer"},
      {"model", "Model"},
  });
  const auto *found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const Type &type) { return object.find(type.part) != std::string_view::npos; });
  return found == kTypes.end() ? std::string() : std::string(found->name);
}

std::string_view liu_framework(std::string_view tags) {
  const std::string lower = lower_ascii(tags);
  return lower.find("tensorflow") != std::string::npos ? "TensorFlow"
         : lower.find("pytorch") != std::string::npos  ? "PyTorch"
         : lower.find("theano") != std::string::npos   ? "Theano"
                                                       : "";
}

std::vector<LiuPost> read_liu(const std::string &path) {
  const std::string bytes = read_file(path);
  CsvReader reader(bytes, path);
  std::vector<LiuPost> posts;
  for (CsvRow row; reader.next(row);) {
    posts.push_back(post_of(row, fmt::format("{}:{}", path, reader.line())));
    row.clear();
  }
  if (posts.empty()) {
    throw std::runtime_error(fmt::format("{} has no rows", path));
  }
  return posts;
}

} // namespace deepperf::study
