#include "study/label.h"

#include "study/liu.h"
#include "study/porter_stemmer.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace deepperf::study {

namespace {

// A text as stems with a blank around each, so that phrases can be looked for as such.
std::string stemmed(std::string_view text) {
  std::string out = " ";
  for (const std::string_view word : words(text)) {
    out += porter_stem(word.substr(0, 60)) + ' ';
  }
  return out;
}

// Words that speak for a label. Phrases with commas between them, in plain English; stemming makes other forms fit too.
struct Cue {
  std::string_view label;
  std::string_view phrases;
  double weight = 1;
};

struct CompiledCue {
  std::string_view label;
  std::string phrase; // plain
  std::string stems;  // with blanks around
  double weight = 1;
};

std::vector<CompiledCue> compile(std::span<const Cue> cues) {
  std::vector<CompiledCue> compiled;
  for (const Cue &cue : cues) {
    for (const std::string_view phrase : split_list(cue.phrases, ',')) {
      compiled.push_back({cue.label, std::string(phrase), stemmed(phrase), cue.weight});
    }
  }
  return compiled;
}

// ---------------------------------------------------------------------------------------------------- how-to questions

// Objects of the taxonomy by the words that name them. Longer phrases come first within a line's label as they are
// matched by length.
constexpr std::array kObjects = std::to_array<Cue>({
    {"D1",
     "data, file, csv, text, sentence, sequence, string, audio, json, pickle, tfrecord, record, input, feature, list, "
     "value, element, array, numpy, dataframe, pandas, word, video, h5, hdf5"},
    {"D2",
     "tensor, sparse tensor, ragged tensor, tensor shape, einsum, matmul, dimension, slice, reshape, concatenate"},
    {"D3", "image, picture, jpeg, png, pixel, mask image, photo, bounding box"},
    {"D4", "variable, tf variable, shared variable"},
    {"D5", "matrix, matrices, covariance matrix"},
    {"D6", "dataset, train test split, tf data dataset, dataloader, tfds, data loader"},
    {"D7", "batch, minibatch, mini batch, batch size"},
    {"D8", "vector"},
    {"D9", "placeholder, feed dict"},
    {"M1",
     "layer, lstm, gru, rnn, convolution, conv2d, conv1d, dense, dropout, embedding, pooling, max pooling, batch "
     "normalization, softmax, attention, lambda layer, hidden layer, output layer, input layer, neuron, cell, fully "
     "connected, bidirectional, decoder, encoder, flatten, channel"},
    {"M2",
     "model, neural network, network, cnn, autoencoder, gan, mlp, sequential model, functional api, estimator, module"},
    {"M3", "weight, bias, kernel, parameter, initializer"},
    {"M4", "trained model, pre trained model, pretrained model, saved model, transfer learning, resnet, vgg16, bert, "
           "inception"},
    {"M5", "model graph, computation graph, computational graph, graph, graphdef, pb file, frozen graph"},
    {"M6", "activation, activation function, relu, sigmoid"},
    {"M7", "saved model file, onnx, tflite, savedmodel"},
    {"M9", "filter"},
    {"M10", "operation, custom op, op"},
    {"M11", "summary, model summary"},
    {"T1",
     "loss, loss function, cost function, cross entropy, custom loss, triplet loss, regularization loss, mse loss"},
    {"T2", "training, training a model, train a model, fine tune, training loop, epoch"},
    {"T3", "gradient, gradients, jacobian, hessian, backpropagation, backward, autograd, gradient tape"},
    {"T7", "checkpoint"},
    {"T8", "learning rate, learning rate decay, scheduler"},
    {"T9", "while loop, tf while loop, for loop, if statement, condition, tf cond"},
    {"T14", "training step, global step, early stopping"},
    {"T15", "optimizer, adam, sgd"},
    {"T16", "session"},
    {"T17", "training history, history"},
    {"T18", "derivative, second derivative"},
    {"P1", "prediction, inference, predict, classify, serve, object detection"},
    {"P2", "prediction result, predicted label, predicted class, class label, probability, probabilities, prediction "
           "output, confidence score"},
    {"P5", "threshold"},
    {"E1", "accuracy, validation accuracy, test accuracy"},
    {"E2", "metric, custom metric, f1 score, f1, precision, recall, auc, perplexity, iou, mean iou, psnr, bleu"},
    {"E3", "confusion matrix, misclassified, error rate"},
    {"E4", "training time, inference time, execution time"},
    {"E5", "cross validation, k fold, evaluation, evaluate"},
    {"R1", "gpu, gpus, cuda, multiple gpus"},
    {"R2", "gpu memory, memory usage, memory"},
    {"R4", "tpu"},
    {"R5", "cpu, cpu core, thread"},
    {"R6", "ram"},
    {"V7", "tensorboard"},
});

// Verbs that decide the phase whatever the object is.
constexpr std::array kVerbs = std::to_array<Cue>({
    {"V", "plot, visualize, visualise, display, print, draw, show, view, see, monitor", 1},
    {"P", "predict, infer, serve, classify, recognize, detect, test", 0.8},
    {"T", "train, retrain, fit, fine, finetune, backpropagate, optimize, learn", 0.8},
    {"E", "evaluate, validate, benchmark, profile", 0.8},
});

// What is shown, by what the object would be otherwise.
std::string_view shown(std::string_view object) {
  switch (object[0]) {
  case 'D':
    return "V1";
  case 'M':
    return object == "M1" ? "V4" : "V2";
  case 'P':
    return "V6";
  case 'E':
    return "V3";
  case 'V':
    return object;
  default:
    return "V2";
  }
}

bool is_adverb(std::string_view word) {
  return word.ends_with("ly") || word == "best" || word == "just" || word == "only" || word == "also" || word == "then";
}

// The place after "how to", "how do i", "how can we": in words. 0 if there is none.
std::size_t behind_how_to(const std::vector<std::string> &lower) {
  for (std::size_t i = 0; i + 1 < lower.size(); ++i) {
    if (lower[i] == "how" && lower[i + 1] == "to") {
      return i + 2;
    }
    if (lower[i] == "how" && i + 2 < lower.size() &&
        (lower[i + 1] == "do" || lower[i + 1] == "can" || lower[i + 1] == "should" || lower[i + 1] == "could")) {
      return i + 3;
    }
  }
  return 0;
}

const LiuObject *object_by_code(std::string_view code) {
  for (const LiuObject &object : liu_objects()) {
    if (fmt::format("{}{}", object.phase, object.number) == code) {
      return &object;
    }
  }
  return nullptr;
}

struct Found {
  std::string_view label;
  std::string phrase;
  double score = 0;
  double rival = 0; // the score of the best object of another phase
};

// The object whose words are nearest after the verb. Longer phrases say more; what comes after "in" or "with" is
// often where something is done, not to what.
Found find_object(const std::string &stems, std::size_t verb_at) {
  static const std::vector<CompiledCue> cues = compile(kObjects);
  Found best;
  const std::size_t aside =
      std::min({stems.find(" in ", verb_at), stems.find(" with ", verb_at), stems.find(" for ", verb_at),
                stems.find(" us ", verb_at), stems.find(" when ", verb_at), stems.size()});
  for (const CompiledCue &cue : cues) {
    const std::size_t at = stems.find(cue.stems, verb_at);
    if (at == std::string::npos) {
      continue;
    }
    const auto blanks = static_cast<double>(std::count(stems.begin() + static_cast<std::ptrdiff_t>(verb_at),
                                                       stems.begin() + static_cast<std::ptrdiff_t>(at), ' '));
    const auto length = static_cast<double>(std::count(cue.stems.begin(), cue.stems.end(), ' ') - 1);
    const double score = (at < aside ? 1.0 : 0.5) * (0.6 + 0.2 * std::min(length, 2.0)) / (1 + 0.12 * blanks);
    if (score > best.score) {
      const bool other_phase = !best.label.empty() && best.label[0] != cue.label[0];
      best = {cue.label, cue.phrase, score, other_phase ? best.score : best.rival};
    } else if (cue.label[0] != best.label[0]) {
      best.rival = std::max(best.rival, score);
    }
  }
  return best;
}

// -------------------------------------------------------------------------------------------------- performance
// problems

constexpr std::array kSymptoms = std::to_array<Cue>({
    {"Memory: out of memory",
     "out of memory, oom, resource exhausted, resourceexhaustederror, memoryerror, memory error, "
     "allocation exceeds, killed, not enough memory, runs out of memory",
     3},
    {"Memory: memory leak",
     "memory leak, leak, memory keeps increasing, memory increases, memory grows, growing memory, "
     "memory usage increases, increasing memory",
     3},
    {"Memory: abnormal GPU memory usage",
     "gpu memory usage, all gpu memory, gpu memory, whole gpu memory, memory of gpu", 2},
    {"Processor: not using GPU",
     "not using gpu, not use gpu, gpu is not used, does not use gpu, gpu not used, gpu not being "
     "used, not detect gpu, only cpu, not utilizing gpu, not running on gpu",
     3},
    {"Processor: abnormal GPU utilization", "gpu utilization, low gpu, gpu usage, volatile gpu, gpu util, gpu idle",
     2.5},
    {"Processor: abnormal CPU utilization", "cpu utilization, cpu usage, high cpu, cpu load", 2},
    {"Time: increasing time over time",
     "slower and slower, gets slower, slower over time, getting slower, slows down, slower "
     "each, slower every, increasing time, progressively slower, longer and longer, "
     "slower after, becomes slower, time increases",
     3},
    {"Time: program hang", "hang, stuck, freeze, never ends, deadlock, infinite, does not finish, stops responding",
     2.5},
    {"Time: slow initialization time",
     "import slow, slow to import, slow import, startup, start up, slow initialization, "
     "takes long to start, slow to start, first run, first call, loading time",
     2.5},
    {"Time: slow execution time",
     "slow, slower, slowly, faster, fast, speed, speed up, takes long, too long, long time, takes "
     "longer, performance, efficient, bottleneck, time consuming, slowness, latency, throughput, "
     "accelerate",
     1},
});

constexpr std::array kCauses = std::to_array<Cue>({
    {"API: not using efficient API",
     "efficient way, efficient, for loop, loop, vectorize, numpy, faster way, alternative, "
     "custom, instead of, best way, without loop, elementwise",
     1.2},
    {"API: inefficient API usage",
     "tf data, dataset, prefetch, map, num parallel calls, feed dict, cache, shuffle, "
     "fit generator, use multiprocessing, workers, estimator, generator, pipeline",
     1},
    {"API: not using batch API",
     "batch, one by one, all at once, large dataset, whole dataset, entire dataset, each image, "
     "single, model predict, predict",
     1},
    {"Model: confusion with computation graph",
     "graph, session, sess run, tf function, retracing, eager, eager execution, "
     "slower and slower, finalize, repeatedly, each iteration, lambda layer",
     1.2},
    {"Model: improper hyper parameter", "batch size, learning rate, hyperparameter, epochs, steps per epoch", 1.2},
    {"Model: inefficient model structure", "model structure, layers, architecture, bidirectional, deep network", 0.6},
    {"Model: improper model parameter", "kernel size, units, number of parameters, filters, dense layer, large model",
     0.6},
    {"Library: buggy library version",
     "version, upgrade, tf 2, tensorflow 2, keras 2, after updating, downgrade, compared to "
     "tensorflow 1, leak",
     1},
    {"Library: mismatched library version", "cuda, cudnn, driver, tensorflow gpu, install, compiled, not detected", 1},
    {"Data: inefficient data transmission",
     "disk, ssd, network, copy, transfer, cloud storage, gcs, s3, load images, reading "
     "data, loading data, hdf5",
     1},
    {"Data: improper data input", "image size, resolution, input size, input shape, data format, large image", 1},
    {"Data: inefficient data preprocessing", "preprocess, preprocessing, normalize, augmentation, tokenize", 0.8},
    {"Hardware: hardware and code mismatch",
     "multiple gpus, multi gpu, tpu, distributed, mirroredstrategy, colab, "
     "slower on gpu, gpu slower than cpu, gpu slower",
     1.2},
    {"Hardware: hardware and library mismatch", "m1, raspberry, arm, avx, rtx, titan", 1},
    {"Hardware: improper configuration",
     "allow growth, per process gpu memory fraction, thread, inter op, intra op, swap", 1},
});

constexpr std::array kStages = std::to_array<Cue>({
    {"environment setting", "install, cuda, cudnn, driver, environment, docker, conda, version", 1},
    {"initialization", "import, initialize, initialization, startup, session creation", 1},
    {"data preparation",
     "dataset, data, load, read, generator, preprocess, preprocessing, tf data, image, batch, shuffle, map, "
     "tfrecord, augmentation, pipeline",
     0.8},
    {"model building", "build model, build a model, compile, layer, lambda layer, graph construction, model creation",
     0.8},
    {"training", "train, training, fit, epoch, backpropagation, gradient, gpu, loss, fit generator, rnn, lstm, keras",
     1},
    {"evaluation", "evaluate, evaluation, validation, test accuracy, metric", 1.2},
    {"hyper parameter tuning", "grid search, hyperparameter, hyperopt, tuner, cross validation", 1.5},
    {"prediction", "predict, prediction, inference, serving, deploy, detection, object detection, tflite", 1.3},
});

// The label that most words speak for.
Proposal best_of(const std::vector<CompiledCue> &cues, const std::string &title, const std::string &body) {
  std::map<std::string_view, double> sums;
  std::map<std::string_view, std::string> reasons;
  double all = 0;
  for (const CompiledCue &cue : cues) {
    const bool in_title = title.find(cue.stems) != std::string::npos;
    const bool in_body = !in_title && body.find(cue.stems) != std::string::npos;
    if (!in_title && !in_body) {
      continue;
    }
    const double weight = cue.weight * (in_title ? 1.0 : 0.4);
    sums[cue.label] += weight;
    all += weight;
    std::string &reason = reasons[cue.label];
    reason += (reason.empty() ? "" : ", ") + cue.phrase;
  }
  const auto best =
      std::max_element(sums.begin(), sums.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  if (best == sums.end()) {
    return {"Unknown", 0, ""};
  }
  // Sure if much speaks for it and little for anything else.
  return {std::string(best->first), best->second / all * (1 - 1 / (1 + best->second)), reasons[best->first]};
}

} // namespace

HowToLabel label_how_to(std::string_view title) {
  HowToLabel label;
  std::vector<std::string> lower;
  for (const std::string_view word : words(title)) {
    lower.push_back(lower_ascii(word));
  }
  std::size_t verb = behind_how_to(lower);
  const bool how_to = verb > 0;
  while (how_to && verb + 1 < lower.size() && is_adverb(lower[verb])) {
    ++verb;
  }
  const std::string stems = stemmed(title);
  std::size_t verb_at = 0;
  if (how_to && verb < lower.size()) {
    label.verb = {lower[verb], 0.9, "behind \"how to\""};
    for (std::size_t i = 0; i <= verb; ++i) { // to the blank after the verb
      verb_at = stems.find(' ', verb_at + 1);
    }
  }
  Found object = find_object(stems, verb_at);
  if (object.score == 0 && verb_at > 0) { // perhaps it stands in front: "Keras LSTM: how to …"
    object = find_object(stems, 0);
    object.score *= 0.5;
  }
  std::string_view code = object.label;
  // Sure where nothing else in the title points to another phase.
  double phase_score = object.score == 0 ? 0 : object.score / (object.score + object.rival);
  std::string phase_reason = object.phrase;
  static const std::vector<CompiledCue> verbs = compile(kVerbs);
  const std::string verb_stem = label.verb.value.empty() ? "" : ' ' + porter_stem(label.verb.value) + ' ';
  const auto decides =
      std::find_if(verbs.begin(), verbs.end(), [&](const CompiledCue &cue) { return cue.stems == verb_stem; });
  if (decides != verbs.end()) {
    phase_score = !code.empty() && code[0] == decides->label[0] ? std::max(phase_score, 0.9) : decides->weight * 0.8;
    phase_reason = label.verb.value + (object.phrase.empty() ? "" : ", " + object.phrase);
    const char phase = decides->label[0];
    if (phase == 'V') {
      code = code.empty() ? "V1" : shown(code);
    } else if (code.empty() || code[0] != phase) {
      code = phase == 'P' ? "P1" : phase == 'T' ? "T2" : "E5";
    }
  }
  if (code.empty()) {
    code = "D1"; // the most frequent one; a score of nearly nothing says that it is a guess
    phase_score = 0.05;
    phase_reason = "nothing";
  }
  const double factor = how_to ? 1 : 0.5;
  if (const LiuObject *found = object_by_code(code); found != nullptr) {
    label.object = {std::string(found->name), std::min(1.0, object.score * factor), object.phrase};
    label.phase = {std::string(1, found->phase), std::min(1.0, phase_score * factor), phase_reason};
  }
  return label;
}

PerformanceLabel label_performance(const Document &document) {
  static const std::vector<CompiledCue> symptoms = compile(kSymptoms);
  static const std::vector<CompiledCue> causes = compile(kCauses);
  static const std::vector<CompiledCue> stages = compile(kStages);
  const std::string title = stemmed(document.title);
  std::string errors;
  for (const std::string &name : document.errors) {
    errors += name + ' ';
  }
  const std::string body = stemmed(document.prose + ' ' + errors);
  PerformanceLabel label;
  label.symptom = best_of(symptoms, title, body);
  label.root_cause = best_of(causes, title, body);
  label.exposing = best_of(stages, title, body);
  // Where a problem shows is seen; where it comes from is guessed from its cause.
  label.introducing = label.exposing;
  label.introducing.score *= 0.7;
  const std::string_view cause = label.root_cause.value;
  if (cause.starts_with("Library") || cause.starts_with("Hardware")) {
    label.introducing = {"environment setting", label.root_cause.score * 0.7, label.root_cause.why};
  } else if (cause.starts_with("Data") || cause == "API: inefficient API usage") {
    label.introducing = {"data preparation", label.root_cause.score * 0.6, label.root_cause.why};
  }
  return label;
}

} // namespace deepperf::study
