#include "bench/pair.h"

#include "base/json.h"
#include "base/nearest.h"
#include "bench/files.h"
#include "bench/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>

namespace deepperf::bench {

namespace {

constexpr std::size_t kLargestDescription = std::size_t{1} << 20;

std::string_view type_name(const toml::node &node) {
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "a list";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
  case toml::node_type::floating_point:
    return "a number";
  case toml::node_type::boolean:
    return "true or false";
  default:
    return "a date or time";
  }
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

class Reader {
public:
  Reader(Pair &pair, std::vector<PairProblem> &problems) : pair_(pair), problems_(problems) {}

  void read(const toml::table &table) {
    const std::vector<Key> keys = known_keys();
    std::vector<std::string> names;
    for (const Key &key : keys) {
      names.emplace_back(key.name);
    }
    for (const auto &[name, node] : table) {
      const auto key = std::ranges::find(keys, name.str(), &Key::name);
      if (key == keys.end()) {
        complain(name.source().begin.line,
                 fmt::format("unknown key '{}'{}", name.str(), did_you_mean(name.str(), names)));
      } else {
        key->read(node);
      }
    }
    for (const std::string_view needed : {"id", "title", "library", "root_cause", "symptoms", "measure"}) {
      const bool may_lack = needed == "measure" && !pair_.is_documented; // there is nothing to measure
      if (!table.contains(needed) && !may_lack) {
        complain(0, fmt::format("'{}' is missing", needed));
      }
    }
    std::erase(pair_.libraries, "python"); // what it needs is always there
    check_whole(table);
  }

  void complain(u32 line, std::string message) {
    problems_.push_back({pair_.folder + "/pp.toml", line, std::move(message)});
  }

private:
  struct Key {
    std::string_view name;
    std::function<void(const toml::node &)> read;
  };

  [[nodiscard]] std::vector<Key> known_keys() {
    return {
        {"id", text(pair_.id)},
        {"title", text(pair_.title)},
        {"source", text(pair_.source)},
        {"library", [this](const toml::node &node) { read_words("library", node, pair_.libraries); }},
        {"versions", [this](const toml::node &node) { read_versions(node); }},
        {"root_cause", text(pair_.root_cause)},
        {"symptoms", [this](const toml::node &node) { read_words("symptoms", node, pair_.symptoms); }},
        {"introducing_stage", text(pair_.introducing_stage)},
        {"exposing_stage", text(pair_.exposing_stage)},
        {"rules", [this](const toml::node &node) { read_words("rules", node, pair_.rules); }},
        {"static", flag(pair_.is_static)},
        {"static_reason", text(pair_.static_reason)},
        {"documented", flag(pair_.is_documented)},
        {"documented_reason", text(pair_.documented_reason)},
        {"measure", [this](const toml::node &node) { read_measure(node); }},
        {"growth", [this](const toml::node &node) { read_growth(node); }},
        {"growth_knob", text(pair_.growth_knob)},
        {"tolerance", [this](const toml::node &node) { read_tolerance(node); }},
        {"compare", flag(pair_.compares)},
        {"compare_reason", text(pair_.compare_reason)},
        {"stand_in", text(pair_.stand_in)},
        {"runnable", flag(pair_.is_runnable)},
        {"reason", text(pair_.reason)},
        {"knobs", [this](const toml::node &node) { read_knobs("knobs", node, pair_.knobs); }},
        {"quick", [this](const toml::node &node) { read_knobs("quick", node, pair_.quick); }},
    };
  }

  void complain_of_type(const toml::node &node, std::string_view expected) {
    complain(node.source().begin.line, fmt::format("expected {}, not {}", expected, type_name(node)));
  }

  std::function<void(const toml::node &)> text(std::string &field) {
    return [this, &field](const toml::node &node) {
      if (const auto *value = node.as_string()) {
        field = value->get();
      } else {
        complain_of_type(node, "a string");
      }
    };
  }

  std::function<void(const toml::node &)> flag(bool &field) {
    return [this, &field](const toml::node &node) {
      if (const auto *value = node.as_boolean()) {
        field = value->get();
      } else {
        complain_of_type(node, "true or false");
      }
    };
  }

  // A string, or a list of them.
  void read_words(std::string_view name, const toml::node &node, std::vector<std::string> &words) {
    if (const auto *one = node.as_string()) {
      words.push_back(one->get());
      return;
    }
    const toml::array *list = node.as_array();
    if (list == nullptr) {
      complain_of_type(node, fmt::format("a list of strings for '{}'", name));
      return;
    }
    for (const toml::node &element : *list) {
      if (const auto *word = element.as_string()) {
        words.push_back(word->get());
      } else {
        complain_of_type(element, "a string");
      }
    }
  }

  void read_versions(const toml::node &node) {
    text(pair_.versions)(node);
    if (!pair_.versions.empty() && !matches_version("0", pair_.versions)) {
      complain(node.source().begin.line,
               fmt::format("'{}' is not a range of versions; write comparisons with commas between them, such as "
                           "\">=1.4,<2.0\"",
                           pair_.versions));
    }
  }

  void read_measure(const toml::node &node) {
    const std::string_view word = node.value_or(std::string_view());
    for (const Measure measure : {Measure::Time, Measure::Memory, Measure::Growth}) {
      if (word == name_of(measure)) {
        pair_.measure = measure;
        return;
      }
    }
    complain(node.source().begin.line, R"('measure' must be "time", "memory" or "growth")");
  }

  void read_growth(const toml::node &node) {
    const std::string_view word = node.value_or(std::string_view());
    if (word != "time" && word != "memory") {
      complain(node.source().begin.line, R"('growth' must be "time" or "memory": what grows)");
      return;
    }
    growth_ = word == "memory" ? Metric::Memory : Metric::Time;
  }

  void read_tolerance(const toml::node &node) {
    const std::optional<double> value = node.value<double>();
    if (!value || !std::isfinite(*value) || *value < 0) {
      complain(node.source().begin.line, "'tolerance' must be a number that is not negative");
    } else {
      pair_.tolerance = *value;
    }
  }

  void read_knobs(std::string_view name, const toml::node &node, std::vector<Knob> &knobs) {
    const toml::table *table = node.as_table();
    if (table == nullptr) {
      complain_of_type(node, fmt::format("a table for '{}'", name));
      return;
    }
    std::vector<std::pair<u32, Knob>> found; // toml++ sorts by name
    for (const auto &[key, value] : *table) {
      nlohmann::json json;
      if (const auto *number = value.as_integer()) {
        json = number->get();
      } else if (const auto *real = value.as_floating_point(); real != nullptr && std::isfinite(real->get())) {
        json = real->get();
      } else if (const auto *boolean = value.as_boolean()) {
        json = boolean->get();
      } else if (const auto *string = value.as_string()) {
        json = string->get();
      } else {
        complain_of_type(value, "a number, a string, true or false");
        continue;
      }
      if (!is_identifier(key.str())) {
        complain(key.source().begin.line, fmt::format("'{}' is not the name of a constant", key.str()));
      }
      found.emplace_back(key.source().begin.line, Knob{std::string(key.str()), json_text(json, -1, true)});
    }
    std::ranges::stable_sort(found, {}, &std::pair<u32, Knob>::first);
    for (auto &[line, knob] : found) {
      knobs.push_back(std::move(knob));
    }
  }

  static u32 line_of(const toml::table &table, std::string_view key) {
    const toml::node *node = table.get(key);
    return node == nullptr ? 0 : node->source().begin.line;
  }

  [[nodiscard]] bool has_knob(std::string_view name) const {
    return std::ranges::find(pair_.knobs, name, &Knob::name) != pair_.knobs.end();
  }

  void check_whole(const toml::table &table) {
    if (const std::string name = std::filesystem::path(pair_.folder).filename().string();
        !pair_.id.empty() && pair_.id != name) {
      complain(line_of(table, "id"), fmt::format("the id is '{}', but the folder is called '{}'", pair_.id, name));
    }
    for (const Knob &knob : pair_.quick) {
      if (!has_knob(knob.name)) {
        complain(line_of(table, "quick"), fmt::format("'{}' is in [quick] but not in [knobs]", knob.name));
      }
    }
    const bool is_memory = std::ranges::any_of(pair_.symptoms, [](const std::string &symptom) {
      return symptom.starts_with("Memory") || symptom.starts_with("memory");
    });
    pair_.growth_metric = growth_.value_or(is_memory ? Metric::Memory : Metric::Time);
    if (pair_.measure == Measure::Growth && pair_.is_runnable && !has_integer_knob(pair_.growth_knob)) {
      complain(line_of(table, "growth_knob"),
               "a pair that measures growth needs 'growth_knob', the name of an integer in [knobs]");
    }
    const auto need_reason = [&](bool is_so, std::string_view key, const std::string &reason, std::string_view field) {
      if (!is_so && reason.empty()) {
        complain(line_of(table, key), fmt::format("'{} = false' needs a '{}'", key, field));
      }
    };
    need_reason(pair_.is_static, "static", pair_.static_reason, "static_reason");
    need_reason(pair_.is_documented, "documented", pair_.documented_reason, "documented_reason");
    need_reason(pair_.compares, "compare", pair_.compare_reason, "compare_reason");
    need_reason(pair_.is_runnable, "runnable", pair_.reason, "reason");
  }

  [[nodiscard]] bool has_integer_knob(std::string_view name) const {
    const auto knob = std::ranges::find(pair_.knobs, name, &Knob::name);
    return knob != pair_.knobs.end() && knob->value.find_first_not_of("0123456789") == std::string::npos;
  }

  Pair &pair_;
  std::vector<PairProblem> &problems_;
  std::optional<Metric> growth_;
};

} // namespace

std::string_view name_of(Measure measure) {
  switch (measure) {
  case Measure::Time:
    return "time";
  case Measure::Memory:
    return "memory";
  default:
    return "growth";
  }
}

std::string_view name_of(Metric metric) { return metric == Metric::Time ? "time" : "memory"; }

std::string describe(const PairProblem &problem) {
  return problem.line == 0 ? fmt::format("{}: {}", problem.path, problem.message)
                           : fmt::format("{}:{}: {}", problem.path, problem.line, problem.message);
}

Pair read_pair_text(const std::string &folder, std::string_view text, std::vector<PairProblem> &problems) {
  Pair pair;
  pair.folder = folder;
  Reader reader(pair, problems);
  try {
    reader.read(toml::parse(text));
  } catch (const toml::parse_error &error) {
    reader.complain(error.source().begin.line, fmt::format("not valid TOML: {}", error.description()));
  }
  return pair;
}

Pair read_pair(const std::string &folder, std::vector<PairProblem> &problems) {
  const std::string path = folder + "/pp.toml";
  std::string text;
  try {
    text = read_file(path, kLargestDescription);
  } catch (const std::exception &error) {
    problems.push_back({path, 0, error.what()});
    Pair pair;
    pair.folder = folder;
    return pair;
  }
  Pair pair = read_pair_text(folder, text, problems);
  for (const std::string &program : {pair.buggy(), pair.fixed()}) {
    if (std::error_code error; !std::filesystem::is_regular_file(program, error)) {
      pair.has_programs = false;
      if (pair.is_documented) { // else nobody could write it
        problems.push_back({program, 0, "this file is missing"});
      }
    }
  }
  if (!pair.has_programs && pair.is_runnable) {
    pair.is_runnable = false;
    pair.reason = "there is no program: " + pair.documented_reason;
  }
  return pair;
}

std::vector<std::string> pair_folders(const std::string &folder) {
  std::vector<std::string> folders;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (std::error_code ignored; std::filesystem::exists(entry->path() / "pp.toml", ignored)) {
      folders.push_back(entry->path().string());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

} // namespace deepperf::bench
