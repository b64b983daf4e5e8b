#include "model/name_traits.h"

#include <algorithm>
#include <array>
#include <vector>

namespace deepperf::model {

namespace {

constexpr std::array<std::string_view, 8> kDimensions = {"shape", "get_shape", "ndims", "ndim",
                                                         "rank",  "axis",      "dims",  "perm"};
constexpr std::array<std::string_view, 30> kFew = {
    "heads",      "scales",    "levels",  "losses",  "layers",     "stages",     "towers",   "gpus",
    "devices",    "clones",    "strides", "metrics", "replicas",   "anchors",    "ratios",   "aspects",
    "modalities", "endpoints", "classes", "replica", "tracks",     "cells",      "branches", "tasks",
    "octaves",    "splits",    "pyramid", "keys",    "end_points", "kernel_size"};

// Behind `num_` or `n_`: how many there are, which is never many.
constexpr std::array<std::string_view, 20> kFewCounted = {
    "device", "gpu",     "layer",  "head",    "label", "labels", "run",   "runs",   "fold",  "folds",
    "worker", "workers", "thread", "threads", "model", "models", "agent", "agents", "stack", "stacks"};

bool counts_few(std::string_view text) {
  const std::size_t behind = text.starts_with("num_") ? 4 : text.starts_with("n_") ? 2 : 0;
  return behind != 0 && std::ranges::find(kFewCounted, text.substr(behind)) != kFewCounted.end();
}

// Is one of the words the whole text, or what comes after its last underscore?
template <std::size_t N> bool ends_in_word(std::string_view text, const std::array<std::string_view, N> &words) {
  return std::ranges::any_of(words, [text](std::string_view word) {
    return text == word ||
           (text.size() > word.size() && text.ends_with(word) && text[text.size() - word.size() - 1] == '_');
  });
}

u8 read_traits(std::string_view text) {
  const bool is_verb = text.starts_with("get_") || text.starts_with("make_") || text.starts_with("build_") ||
                       text.starts_with("create_") || text.starts_with("load_") || text.starts_with("train_");
  const bool is_loader = (text.ends_with("loader") || text.ends_with("_dl")) &&
                         (!is_verb || text.starts_with("train_") || text.starts_with("load_"));
  const bool is_model = !is_verb && (text.ends_with("model") || text.ends_with("net") || text.ends_with("network") ||
                                     text.ends_with("backbone") || text.ends_with("discriminator"));
  u8 traits = 0;
  const auto add = [&traits](NameTrait trait, bool has) { traits |= has ? static_cast<u8>(trait) : u8{0}; };
  add(kCountsDimensions, ends_in_word(text, kDimensions) || text.ends_with("_axes"));
  add(kNamesFew, ends_in_word(text, kFew) || counts_few(text));
  add(kLoaderName, is_loader);
  add(kTokenizerName,
      !is_verb && (text == "tokenizer" || text.ends_with("_tokenizer") || text.starts_with("tokenizer_")));
  add(kModelName, is_model);
  add(kSaysBeam, text.find("beam") != std::string_view::npos);
  add(kAsksForEager, text.starts_with("executing_eagerly"));
  return traits;
}

} // namespace

constinit thread_local KnownTraits known_traits;

u8 find_name_traits(Symbol name) {
  constexpr u8 kRead = 128;
  thread_local std::vector<u8> known;
  if (name.id >= known.size()) {
    known.resize(std::max<std::size_t>(name.id + 1, known.size() * 2));
    known_traits = {known.data(), static_cast<u32>(known.size())};
  }
  u8 &traits = known[name.id];
  if (traits == 0) {
    traits = read_traits(name.text()) | kRead;
  }
  return traits;
}

} // namespace deepperf::model
