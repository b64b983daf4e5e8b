#include "study/keywords.h"

#include "study/files.h"
#include "study/porter_stemmer.h"
#include "study/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace deepperf::study {

KeywordFilter::KeywordFilter(std::vector<std::string> keywords) : keywords_(std::move(keywords)) {
  for (std::size_t i = 0; i < keywords_.size(); ++i) {
    index_.emplace(keywords_[i], i);
  }
}

std::vector<std::size_t> KeywordFilter::matches(std::string_view text) const {
  std::vector<std::size_t> found;
  const auto look_up = [&](const std::string &stems) {
    if (const auto entry = index_.find(stems); entry != index_.end()) {
      found.push_back(entry->second);
    }
  };
  std::string previous;
  for (const std::string_view word : words(text)) {
    std::string stem = porter_stem(word);
    look_up(stem);
    if (!previous.empty()) {
      previous += ' ';
      previous += stem;
      look_up(previous);
    }
    previous = std::move(stem);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

const std::vector<std::string> &published_keywords() {
  static const std::vector<std::string> list = {
      "hangs",      "slowli",  "slower",      "slowest",  "faster",      "fastest",     "speed",     "oom",
      "throughput", "effici",  "overhead",    "gpu util", "extrem slow", "take longer", "run slow",  "very slow",
      "cpu ram",    "gpu ram", "memori leak", "cpu time", "per second",  "slowi tri",   "take long", "perform issu"};
  return list;
}

const std::vector<std::string> &corrected_keywords() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> corrected = published_keywords();
    std::replace(corrected.begin(), corrected.end(), std::string("hangs"), std::string("hang"));
    std::replace(corrected.begin(), corrected.end(), std::string("very slow"), std::string("veri slow"));
    return corrected;
  }();
  return list;
}

std::vector<std::string> impossible_keywords(const std::vector<std::string> &keywords) {
  std::vector<std::string> impossible;
  for (const std::string &keyword : keywords) {
    for (const std::string_view word : words(keyword)) {
      if (porter_stem(word) != word) {
        impossible.push_back(keyword);
        break;
      }
    }
  }
  return impossible;
}

std::vector<std::string> read_keywords(const std::string &path) {
  const std::string bytes = read_file(path);
  std::vector<std::string> keywords;
  std::string_view text = bytes;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::vector<std::string_view> parts = line.starts_with('#') ? std::vector<std::string_view>() : words(line);
    if (parts.size() > 2) {
      throw std::runtime_error(fmt::format("{}: '{}' has more than two words", path, shorten(line, 60)));
    }
    if (!parts.empty()) {
      keywords.push_back(parts.size() == 1 ? std::string(parts[0]) : fmt::format("{} {}", parts[0], parts[1]));
    }
  }
  if (keywords.empty()) {
    throw std::runtime_error(fmt::format("{} has no keywords", path));
  }
  return keywords;
}

} // namespace deepperf::study
