#include "config/read.h"

#include "base/nearest.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

namespace deepperf::config {

namespace {

Place place_of(const toml::source_region &region) { return {region.begin.line, region.begin.column}; }

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

// toml++ puts every part of a dotted key on the stack, without a limit. No configuration needs that many.
constexpr u32 kMostDots = 100;

std::optional<Place> find_endless_key(std::string_view text) {
  u32 line = 1;
  u32 dots = 0;
  char quote = 0;
  bool is_comment = false;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = 0;
      is_comment = false;
    } else if (is_comment) {
      continue;
    } else if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      is_comment = true;
    } else if (c == '.' && ++dots > kMostDots) {
      return Place{line, 1};
    }
  }
  return std::nullopt;
}

// Nothing if it is not TOML; the problem says why.
std::optional<toml::table> parse(std::string_view text, Problem &problem) {
  if (const std::optional<Place> place = find_endless_key(text)) {
    problem = {*place, fmt::format("a key with more than {} parts", kMostDots)};
    return std::nullopt;
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error &error) {
    problem = {place_of(error.source()), fmt::format("not valid TOML: {}", error.description())};
    return std::nullopt;
  }
}

class Reader {
public:
  explicit Reader(Reading &reading) : reading_(reading) {}

  void read(const toml::table &table) {
    for (const auto &[name, node] : table) {
      if (const Key *const key = find_key(name.str())) {
        read_setting(*key, name, node);
      } else if (!has_enough()) {
        complain(name.source(), fmt::format("unknown key '{}'{}", name.str(), did_you_mean(name.str(), key_names())));
      }
    }
    std::ranges::sort(reading_.settings.settings, {}, [](const Setting &setting) { return setting.key; });
    std::ranges::stable_sort(reading_.problems, [](const Problem &left, const Problem &right) {
      return std::pair(left.place.line, left.place.column) < std::pair(right.place.line, right.place.column);
    });
  }

  void complain(const toml::source_region &where, std::string message) {
    reading_.problems.push_back({place_of(where), std::move(message)});
  }

private:
  void complain_of_type(std::string_view name, const std::string &expected, const toml::node &node) {
    complain(node.source(), fmt::format("'{}' must be {}, not {}", name, expected, type_name(node)));
  }

  void read_setting(const Key &key, const toml::key &name, const toml::node &node) {
    Setting setting;
    setting.key = &key;
    setting.place = place_of(name.source());
    switch (key.form) {
    case Form::One:
      read_word(key, key.name, node, setting.values);
      break;
    case Form::List:
      read_list(key, key.name, node, setting.values);
      break;
    case Form::Table:
    case Form::TableOfLists:
      read_table(key, node, setting.entries);
      break;
    }
    reading_.settings.settings.push_back(std::move(setting));
  }

  void read_word(const Key &key, std::string_view name, const toml::node &node, std::vector<PlacedText> &values) {
    if (key.word == Word::Flag) {
      if (const auto flag = node.value_exact<bool>()) {
        values.push_back({*flag ? "true" : "false", place_of(node.source())});
        return;
      }
    } else if (auto text = node.value_exact<std::string>()) {
      add_word(key.word, std::move(*text), node.source(), values);
      return;
    }
    complain_of_type(name, expected_value(key), node);
  }

  void read_list(const Key &key, std::string_view name, const toml::node &node, std::vector<PlacedText> &values) {
    const toml::array *const list = node.as_array();
    if (list == nullptr) {
      complain_of_type(name, expected_value(key), node);
      return;
    }
    for (const toml::node &item : *list) {
      if (auto text = item.value_exact<std::string>()) {
        add_word(key.word, std::move(*text), item.source(), values);
      } else {
        complain_of_type(name, expected_value(key), item);
      }
    }
  }

  void read_table(const Key &key, const toml::node &node, std::vector<Entry> &entries) {
    const toml::table *const table = node.as_table();
    if (table == nullptr) {
      complain_of_type(key.name, "a table", node);
      return;
    }
    for (const auto &[name, value] : *table) {
      if (has_enough()) {
        break;
      }
      // `my.data.load = …` is three tables to TOML.
      if (key.entry == Word::DottedName && value.is_table()) {
        complain(name.source(),
                 fmt::format("a name with dots must be in quotes: \"{}.…\" = {}", name.str(), expected_value(key)));
        continue;
      }
      if (std::string problem = problem_with(key.entry, name.str()); !problem.empty()) {
        complain(name.source(), std::move(problem));
      }
      Entry entry;
      entry.name = {std::string(name.str()), place_of(name.source())};
      const std::string whole = fmt::format("{}.{}", key.name, name.str());
      if (key.form == Form::TableOfLists) {
        read_list(key, whole, value, entry.values);
      } else {
        read_word(key, whole, value, entry.values);
      }
      entries.push_back(std::move(entry));
    }
    std::ranges::sort(entries, [](const Entry &left, const Entry &right) {
      return std::pair(left.name.place.line, left.name.place.column) <
             std::pair(right.name.place.line, right.name.place.column);
    });
  }

  void add_word(Word word, std::string text, const toml::source_region &where, std::vector<PlacedText> &values) {
    if (has_enough()) {
      return;
    }
    std::unordered_set<std::string> &fine = fine_[word];
    if (std::string problem = fine.contains(text) ? std::string() : problem_with(word, text); !problem.empty()) {
      complain(where, std::move(problem));
    } else {
      fine.insert(text);
      values.push_back({std::move(text), place_of(where)});
    }
  }

  // Each problem is looked for among all rules; nobody reads more of them.
  [[nodiscard]] bool has_enough() const {
    constexpr std::size_t kMostProblems = 100;
    return reading_.problems.size() >= kMostProblems;
  }

  Reading &reading_;
  std::map<Word, std::unordered_set<std::string>> fine_; // words that were looked at
};

} // namespace

Reading read(const FoundFile &file) {
  Reading reading;
  reading.settings.file = file.path;
  reading.settings.folder = file.folder;
  Problem problem;
  const std::optional<toml::table> document = parse(file.text, problem);
  if (!document) {
    reading.problems.push_back(std::move(problem));
    return reading;
  }
  Reader reader(reading);
  if (!file.is_pyproject) {
    reader.read(*document);
  } else if (const toml::node *const ours = document->at_path("tool.deepperf").node()) {
    if (const toml::table *const table = ours->as_table()) {
      reader.read(*table);
    } else {
      reader.complain(ours->source(), fmt::format("'tool.deepperf' must be a table, not {}", type_name(*ours)));
    }
  }
  return reading;
}

bool has_tool_table(std::string_view text) {
  Problem problem;
  const std::optional<toml::table> document = parse(text, problem);
  return !document || document->at_path("tool.deepperf").node() != nullptr;
}

std::string describe(std::string_view file, const Problem &problem) {
  return fmt::format("{}:{}:{}: {}", file, problem.place.line, problem.place.column, problem.message);
}

} // namespace deepperf::config
