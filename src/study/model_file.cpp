#include "study/model_file.h"

#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace deepperf::study {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kMagic = "deepperf study model 1\n";
constexpr std::array<std::string_view, kBlocks> kBlockNames = {
    "title words", "title characters", "title parts", "concepts", "body words", "code words", "errors"};

template <class T> void append(T value, std::string &out) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out += static_cast<char>(static_cast<u64>(value) >> (8 * i));
  }
}

// Reads what `append` wrote; throws at the end of the bytes.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) {
      throw std::runtime_error("it is truncated");
    }
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }

  u64 number(std::size_t size) {
    u64 value = 0;
    const std::string_view part = take(size);
    for (std::size_t i = 0; i < size; ++i) {
      value |= static_cast<u64>(static_cast<unsigned char>(part[i])) << (8 * i);
    }
    return value;
  }

  bool empty() const { return bytes_.empty(); }

private:
  std::string_view bytes_;
};

// Weights as 16-bit shares of the largest one of their class.
std::string write_weights(const Model &model, std::vector<float> &scales) {
  const LinearModel &linear = model.linear;
  scales.assign(linear.classes, 0);
  for (std::size_t i = 0; i < linear.weights.size(); ++i) {
    float &scale = scales[i % linear.classes];
    scale = std::max(scale, std::abs(linear.weights[i]));
  }
  std::string out;
  const u32 features = linear.weighting.features();
  for (u32 feature = 0; feature <= features; ++feature) { // the constant is the last
    if (feature < features) {
      const u32 gram = linear.weighting.gram(feature);
      const std::string_view text = model.table.text(gram);
      append(static_cast<u8>(model.table.block(gram)), out);
      append(static_cast<u16>(text.size()), out);
      out += text;
      append(std::bit_cast<u32>(linear.weighting.rarity(feature)), out);
    }
    for (u32 label = 0; label < linear.classes; ++label) {
      const float weight = linear.weights[static_cast<std::size_t>(feature) * linear.classes + label];
      const float scale = scales[label];
      append(static_cast<u16>(static_cast<std::int16_t>(std::lround(scale == 0 ? 0 : weight / scale * 32767))), out);
    }
  }
  return out;
}

// An infinite one would make every probability not-a-number.
void need_number(double value) {
  if (!(std::abs(value) < 1e30)) {
    throw std::runtime_error("it has a weight that is not a number");
  }
}

void read_weights(std::string_view bytes, u32 features, const std::vector<float> &scales, Model &model) {
  ByteReader reader(bytes);
  LinearModel &linear = model.linear;
  std::vector<u32> grams;
  std::vector<float> rarities;
  for (u32 feature = 0; feature <= features; ++feature) {
    if (feature < features) {
      const u64 block = reader.number(1);
      if (block >= kBlocks) {
        throw std::runtime_error("it has a feature of an unknown kind");
      }
      const std::string_view text = reader.take(reader.number(2));
      grams.push_back(model.table.add(static_cast<Block>(block), text));
      if (grams.back() != feature) {
        throw std::runtime_error("it has a feature twice");
      }
      rarities.push_back(std::bit_cast<float>(static_cast<u32>(reader.number(4))));
      need_number(static_cast<double>(rarities.back()));
    }
    for (u32 label = 0; label < linear.classes; ++label) {
      const auto share = static_cast<float>(static_cast<std::int16_t>(reader.number(2)));
      linear.weights.push_back(share / 32767 * scales[label]);
    }
  }
  if (!reader.empty()) {
    throw std::runtime_error("it has extra bytes after the weights");
  }
  linear.weighting.set(std::move(grams), std::move(rarities), model.table.size());
}

OrderedJson describe(const Model &model) {
  OrderedJson json;
  json["program"] = "deepperf " DEEPPERF_VERSION;
  json["method"] = model.keywords ? "keywords" : "linear";
  json["trained on"] = {{"file", model.source}, {"rows", model.rows}};
  json["label"] = model.label_column;
  json["text"] = model.text_columns;
  json["several"] = model.several;
  json["seed"] = model.seed;
  json["classes"] = OrderedJson::array();
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    json["classes"].push_back({{"name", model.classes[i]}, {"posts", model.class_sizes[i]}});
  }
  return json;
}

OrderedJson describe_features(const FeatureOptions &options) {
  OrderedJson json;
  json["word n-grams"] = options.word_grams;
  json["character n-grams"] = {options.char_least, options.char_most};
  json["concepts"] = options.concepts;
  json["dropped words"] = options.dropped;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    json["block weights"][std::string(kBlockNames[i])] = options.weights[i];
  }
  return json;
}

// A fraction, or a number that is too large, is none.
template <class T> T whole(const OrderedJson &json) {
  if (!json.is_number_unsigned() || json.get<u64>() > std::numeric_limits<T>::max()) {
    throw std::runtime_error("a number in it should be a whole one");
  }
  return json.get<T>();
}

FeatureOptions read_features(const OrderedJson &json) {
  FeatureOptions options;
  options.word_grams = std::min(whole<u32>(json.at("word n-grams")), 10U);
  options.char_least = std::clamp(whole<u32>(json.at("character n-grams").at(0)), 1U, 20U);
  options.char_most = std::min(whole<u32>(json.at("character n-grams").at(1)), 20U);
  options.concepts = json.at("concepts").get<bool>();
  options.dropped = json.at("dropped words").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < kBlocks; ++i) {
    options.weights[i] = json.at("block weights").at(std::string(kBlockNames[i])).get<double>();
    need_number(options.weights[i]);
  }
  return options;
}

void read_description(const OrderedJson &json, Model &model) {
  const std::string method = json.at("method").get<std::string>();
  if (method != "linear" && method != "keywords") {
    throw std::runtime_error("its method is unknown to this program");
  }
  model.keywords = method == "keywords";
  model.source = json.at("trained on").at("file").get<std::string>();
  model.rows = whole<u64>(json.at("trained on").at("rows"));
  model.label_column = json.at("label").get<std::string>();
  model.text_columns = json.at("text").get<std::vector<std::string>>();
  model.several = json.at("several").get<bool>();
  model.seed = whole<u64>(json.at("seed"));
  for (const OrderedJson &entry : json.at("classes")) {
    model.classes.push_back(entry.at("name").get<std::string>());
    model.class_sizes.push_back(whole<u64>(entry.at("posts")));
  }
  if (model.classes.size() < 2 || model.text_columns.empty()) {
    throw std::runtime_error("it has no classes or no text");
  }
}

void read_linear(const OrderedJson &json, std::string_view payload, Model &model) {
  model.table = GramTable(read_features(json.at("features")));
  LinearModel &linear = model.linear;
  linear.classes = static_cast<u32>(model.classes.size());
  linear.several = model.several;
  const OrderedJson &weights = json.at("weights");
  if (const auto bytes = whole<u64>(weights.at("bytes")); bytes != payload.size()) {
    throw std::runtime_error(fmt::format("it has {} bytes of weights instead of {}", payload.size(), bytes));
  }
  if (weights.at("checksum").get<std::string>() != fmt::format("{:016x}", checksum(payload))) {
    throw std::runtime_error("its weights are damaged");
  }
  linear.options.cost = json.at("chosen").at("cost").get<double>();
  linear.options.balance = json.at("chosen").at("balance").get<double>();
  linear.inner_accuracy = json.at("held back").at("accuracy").get<double>();
  linear.inner_macro_f1 = json.at("held back").at("macro F1").get<double>();
  const auto scales = weights.at("scales").get<std::vector<float>>();
  const OrderedJson &calibration = json.at("calibration");
  linear.calibration.temperature = calibration.at("temperature").get<double>();
  linear.calibration.slopes = calibration.at("slopes").get<std::vector<double>>();
  linear.calibration.offsets = calibration.at("offsets").get<std::vector<double>>();
  if (scales.size() != linear.classes || !(linear.calibration.temperature > 0) ||
      (model.several &&
       (linear.calibration.slopes.size() != linear.classes || linear.calibration.offsets.size() != linear.classes))) {
    throw std::runtime_error("it does not have what each class needs");
  }
  std::ranges::for_each(scales, need_number);
  std::ranges::for_each(linear.calibration.slopes, need_number);
  std::ranges::for_each(linear.calibration.offsets, need_number);
  read_weights(payload, whole<u32>(weights.at("features")), scales, model);
}

void read_keywords(const OrderedJson &json, Model &model) {
  KeywordModel &keyword = model.keyword;
  keyword.alpha = json.at("alpha").get<double>();
  keyword.frequencies = model.class_sizes;
  keyword.weights.resize(model.classes.size());
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    for (const auto &[word, weight] : json.at("words").at(i).items()) {
      keyword.weights[i][word] = {weight.at(0).get<double>(), weight.at(1).get<bool>()};
    }
  }
}

} // namespace

Model train_model(const Samples &samples, bool keywords, const FeatureOptions &features,
                  const KeywordModelOptions &keyword_options, u64 seed) {
  Model model;
  model.keywords = keywords;
  model.source = std::filesystem::path(samples.source).filename().string();
  model.label_column = samples.label_column;
  model.text_columns = samples.text_columns;
  model.classes = samples.classes;
  model.class_sizes.resize(samples.classes.size());
  for (const LabelSet &labels : samples.labels) {
    for (const u32 label : labels) {
      ++model.class_sizes[label];
    }
  }
  model.rows = samples.labels.size();
  model.seed = seed;
  model.several = samples.several;
  const auto classes = static_cast<u32>(samples.classes.size());
  std::vector<u32> indices(samples.labels.size());
  std::iota(indices.begin(), indices.end(), 0);
  if (keywords) {
    TokenizedSamples tokenized;
    tokenized.labels = &samples.labels;
    tokenized.classes = classes;
    for (const Document &document : samples.documents) {
      tokenized.tokens.push_back(keyword_tokens(document));
    }
    model.keyword = train_keywords(tokenized, indices, keyword_options, seed);
  } else {
    Corpus corpus = make_corpus(samples.documents, features);
    model.linear = train_linear(corpus, indices, {classes, samples.several, &samples.labels, seed});
    model.table = std::move(corpus.table);
  }
  return model;
}

std::vector<double> predict(const Model &model, const Document &document) {
  if (!model.keywords) {
    return probabilities(model.linear, model.table, model.table.look_up(document));
  }
  std::vector<double> scores = keyword_scores(model.keyword, keyword_tokens(document));
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  for (double &value : scores) {
    value = sum == 0 ? 0 : value / sum;
  }
  return scores;
}

u64 checksum(std::string_view bytes) { // FNV-1a
  u64 hash = 14695981039346656037U;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hash;
}

std::string write_model(const Model &model) {
  OrderedJson json = describe(model);
  std::string payload;
  if (model.keywords) {
    json["alpha"] = model.keyword.alpha;
    json["words"] = OrderedJson::array();
    for (const auto &weights : model.keyword.weights) {
      std::map<std::string, KeywordModel::Weight> sorted(weights.begin(), weights.end());
      OrderedJson words = OrderedJson::object();
      for (const auto &[word, weight] : sorted) {
        words[word] = {weight.theta, weight.chosen};
      }
      json["words"].push_back(std::move(words));
    }
  } else {
    const LinearModel &linear = model.linear;
    json["features"] = describe_features(model.table.options());
    json["chosen"] = {{"cost", linear.options.cost}, {"balance", linear.options.balance}};
    json["held back"] = {{"accuracy", linear.inner_accuracy}, {"macro F1", linear.inner_macro_f1}};
    json["calibration"] = {{"temperature", linear.calibration.temperature},
                           {"slopes", linear.calibration.slopes},
                           {"offsets", linear.calibration.offsets}};
    std::vector<float> scales;
    payload = write_weights(model, scales);
    json["weights"] = {{"features", linear.weighting.features()},
                       {"bytes", payload.size()},
                       {"checksum", fmt::format("{:016x}", checksum(payload))},
                       {"scales", scales}};
  }
  std::string out(kMagic);
  out += json_text(json);
  out += '\n';
  out += payload;
  return out;
}

Model read_model(std::string_view bytes, const std::string &name) {
  if (!bytes.starts_with(kMagic)) {
    throw std::runtime_error(fmt::format("{} is not a model from `deepperf study train`", name));
  }
  bytes.remove_prefix(kMagic.size());
  const std::size_t end = bytes.find('\n');
  const OrderedJson json =
      end == std::string_view::npos ? OrderedJson() : parse_json<OrderedJson>(bytes.substr(0, end));
  if (!json.is_object()) {
    throw std::runtime_error(fmt::format("{} is a damaged model: its description cannot be read", name));
  }
  Model model;
  try {
    read_description(json, model);
    if (model.keywords) {
      read_keywords(json, model);
    } else {
      read_linear(json, bytes.substr(end + 1), model);
    }
  } catch (const std::exception &error) { // also what the JSON library throws where something is absent
    throw std::runtime_error(fmt::format("{} is a damaged model: {}", name, error.what()));
  }
  return model;
}

std::vector<std::pair<std::string, double>> strongest(const Model &model, u32 label, std::size_t count) {
  std::vector<std::pair<std::string, double>> all;
  if (model.keywords) {
    for (const auto &[word, weight] : model.keyword.weights[label]) {
      all.emplace_back(word, weight.theta + (weight.chosen ? model.keyword.alpha : 0));
    }
  } else {
    const LinearModel &linear = model.linear;
    for (u32 feature = 0; feature < linear.weighting.features(); ++feature) {
      const u32 gram = linear.weighting.gram(feature);
      if (model.table.block(gram) != Block::TitleChars) { // pieces of words tell people little
        all.emplace_back(
            std::string(model.table.text(gram)),
            static_cast<double>(linear.weights[static_cast<std::size_t>(feature) * linear.classes + label]));
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::pair<std::string, double>> top;
  for (const auto &entry : all) { // one word may be in several blocks
    if (top.size() == count) {
      break;
    }
    if (std::none_of(top.begin(), top.end(), [&](const auto &other) { return other.first == entry.first; })) {
      top.push_back(entry);
    }
  }
  return top;
}

} // namespace deepperf::study
