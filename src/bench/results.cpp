#include "bench/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace deepperf::bench {

namespace {

constexpr u32 kMostDepth = 64;

[[noreturn]] void fail() { throw std::runtime_error("the report about `result` is damaged"); }

u32 digit_of(char c) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t digit = kDigits.find(c);
  if (digit == std::string_view::npos) {
    fail();
  }
  return static_cast<u32>(digit);
}

std::string from_base64(std::string_view text) {
  while (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  u32 bits = 0;
  u32 count = 0;
  for (const char c : text) {
    bits = bits << 6 | digit_of(c);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return bytes;
}

std::vector<double> doubles_of(const std::string &bytes) {
  if (bytes.size() % sizeof(double) != 0) {
    fail();
  }
  std::vector<double> values;
  values.reserve(bytes.size() / sizeof(double));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(double)) {
    u64 bits = 0;
    for (std::size_t i = 0; i < sizeof(double); ++i) { // little-endian, whatever this machine is
      bits |= static_cast<u64>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

Computed read(const nlohmann::json &json, u32 depth) {
  if (depth > kMostDepth || !json.is_object()) {
    fail();
  }
  Computed computed;
  if (json.contains("shape")) {
    computed.kind = Computed::Kind::Array;
    computed.shape = json.at("shape").get<std::vector<u64>>();
    computed.step = json.at("step").get<u64>();
    computed.values = doubles_of(from_base64(json.at("data").get_ref<const std::string &>()));
  } else if (json.contains("text")) {
    computed.text = json.at("text").get<std::string>();
  } else if (json.contains("list")) {
    computed.kind = Computed::Kind::List;
    for (const nlohmann::json &item : json.at("list")) {
      computed.items.emplace_back(std::to_string(computed.items.size()), read(item, depth + 1));
    }
  } else {
    computed.kind = Computed::Kind::Dict;
    for (const nlohmann::json &item : json.at("dict")) {
      computed.items.emplace_back(item.at(0).get<std::string>(), read(item.at(1), depth + 1));
    }
  }
  return computed;
}

bool is_close(double left, double right, double tolerance) {
  if (std::isnan(left) || std::isnan(right)) {
    return std::isnan(left) && std::isnan(right);
  }
  if (std::isinf(left) || std::isinf(right)) {
    return left == right;
  }
  return std::abs(left - right) <= tolerance + tolerance * std::max(std::abs(left), std::abs(right));
}

std::string kind_of(const Computed &computed) {
  switch (computed.kind) {
  case Computed::Kind::Array:
    return computed.shape.empty() ? "a number" : fmt::format("an array of shape ({})", fmt::join(computed.shape, ", "));
  case Computed::Kind::Text:
    return "the text " + computed.text.substr(0, 60);
  case Computed::Kind::List:
    return fmt::format("a list of {} items", computed.items.size());
  default:
    return fmt::format("a dict of {} items", computed.items.size());
  }
}

// [2, 0] of the third row's first element, and so on.
std::string index_of(const std::vector<u64> &shape, u64 flat) {
  std::vector<u64> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = shape[i] == 0 ? 0 : flat % shape[i];
    flat = shape[i] == 0 ? 0 : flat / shape[i];
  }
  return shape.empty() ? "" : fmt::format("[{}]", fmt::join(index, ", "));
}

struct Comparison {
  double tolerance;
  std::string_view buggy; // names of the programs
  std::string_view fixed;
};

std::optional<std::string> difference(const Computed &buggy, const Computed &fixed, const Comparison &comparison,
                                      const std::string &name) {
  const double tolerance = comparison.tolerance;
  const bool is_same_kind = buggy.kind == fixed.kind && buggy.shape == fixed.shape && buggy.step == fixed.step &&
                            buggy.values.size() == fixed.values.size() && buggy.items.size() == fixed.items.size();
  if (!is_same_kind || buggy.text != fixed.text) {
    return fmt::format("{} is {} in {} and {} in {}", name, kind_of(buggy), comparison.buggy, kind_of(fixed),
                       comparison.fixed);
  }
  std::size_t worst = buggy.values.size();
  std::size_t count = 0;
  double largest = -1;
  for (std::size_t i = 0; i < buggy.values.size(); ++i) {
    if (!is_close(buggy.values[i], fixed.values[i], tolerance)) {
      ++count;
      const double distance = std::abs(buggy.values[i] - fixed.values[i]);
      if (worst == buggy.values.size() || distance > largest) {
        worst = i;
        largest = distance;
      }
    }
  }
  if (count != 0) {
    const std::string others = count == 1 ? "" : fmt::format("; {} of {} values differ", count, buggy.values.size());
    return fmt::format("{}{} is {:.9g} in {} and {:.9g} in {} (tolerance {}{})", name,
                       index_of(buggy.shape, worst * buggy.step), buggy.values[worst], comparison.buggy,
                       fixed.values[worst], comparison.fixed, tolerance, others);
  }
  for (std::size_t i = 0; i < buggy.items.size(); ++i) {
    const auto &[key, item] = buggy.items[i];
    if (key != fixed.items[i].first) {
      return fmt::format("{} has {} in {} and {} in {}", name, key, comparison.buggy, fixed.items[i].first,
                         comparison.fixed);
    }
    if (std::optional<std::string> found =
            difference(item, fixed.items[i].second, comparison, fmt::format("{}[{}]", name, key))) {
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

Computed read_computed(const nlohmann::json &json) {
  try {
    return read(json, 0);
  } catch (const nlohmann::json::exception &) {
    fail();
  }
}

std::optional<std::string> first_difference(const Computed &buggy, const Computed &fixed, double tolerance,
                                            std::string_view buggy_name, std::string_view fixed_name) {
  return difference(buggy, fixed, {tolerance, buggy_name, fixed_name}, "result");
}

} // namespace deepperf::bench
