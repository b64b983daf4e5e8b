#include "config/show.h"

#include "base/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace deepperf::config {

namespace {

using nlohmann::ordered_json;

std::string origin_of(const Settings &settings, Place place) {
  return place.line == 0 ? "command line" : fmt::format("{}:{}", settings.file, place.line);
}

// Of all values, each origin once.
std::string origins_of(const Settings &settings, const std::vector<PlacedText> &values, Place whole) {
  std::vector<std::string> origins;
  for (const PlacedText &value : values) {
    std::string origin = origin_of(settings, value.place);
    if (std::ranges::find(origins, origin) == origins.end()) {
      origins.push_back(std::move(origin));
    }
  }
  return origins.empty() ? origin_of(settings, whole) : fmt::format("{}", fmt::join(origins, ", "));
}

// JSON's strings are strings of TOML, too. A value is UTF-8 if it comes from TOML; the command line's need not be.
std::string quoted(const std::string &text) { return json_text(ordered_json(text)); }

std::string value_text(const Key &key, const std::vector<PlacedText> &values) {
  const bool is_list = key.form == Form::List || key.form == Form::TableOfLists;
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const PlacedText &value : values) {
    texts.push_back(key.word == Word::Flag ? value.text : quoted(value.text));
  }
  const std::string joined = fmt::format("{}", fmt::join(texts, ", "));
  return is_list ? "[" + joined + "]" : joined;
}

ordered_json value_json(const Key &key, const std::vector<PlacedText> &values) {
  if (key.form == Form::One || key.form == Form::Table) {
    if (values.empty()) {
      return nullptr;
    }
    return key.word == Word::Flag ? ordered_json(values.front().text == "true") : ordered_json(values.front().text);
  }
  ordered_json list = ordered_json::array();
  for (const PlacedText &value : values) {
    list.push_back(value.text);
  }
  return list;
}

struct Line {
  std::string text;
  std::string origin;
};

// The origins stand below each other.
std::string aligned(const std::vector<Line> &lines) {
  constexpr std::size_t kWidest = 50;
  std::size_t width = 0;
  for (const Line &line : lines) {
    width = std::max(width, line.text.size() <= kWidest ? line.text.size() : 0);
  }
  std::string text;
  for (const Line &line : lines) {
    text += line.origin.empty() ? line.text + "\n" : fmt::format("{:<{}}  # {}\n", line.text, width, line.origin);
  }
  return text;
}

} // namespace

std::string show_text(const Settings &settings) {
  std::vector<Line> lines;
  std::vector<Line> tables; // come last: what follows a header is part of that table
  for (const Key &key : all_keys()) {
    const Setting *const setting = find_setting(settings, key.name);
    if (setting == nullptr) {
      lines.push_back({fmt::format("# {}: {}", key.name, key.by_default), "default"});
    } else if (key.form == Form::One || key.form == Form::List) {
      lines.push_back({fmt::format("{} = {}", key.name, value_text(key, setting->values)),
                       origins_of(settings, setting->values, setting->place)});
    } else {
      tables.push_back({"", ""});
      tables.push_back({fmt::format("[{}]", key.name), ""});
      for (const Entry &entry : setting->entries) {
        tables.push_back({fmt::format("{} = {}", quoted(entry.name.text), value_text(key, entry.values)),
                          origin_of(settings, entry.name.place)});
      }
    }
  }
  std::ranges::move(tables, std::back_inserter(lines));
  return fmt::format("# configuration file: {}\n\n{}", settings.file.empty() ? "none" : settings.file, aligned(lines));
}

nlohmann::ordered_json show_json(const Settings &settings) {
  ordered_json shown = ordered_json::object();
  for (const Key &key : all_keys()) {
    const Setting *const setting = find_setting(settings, key.name);
    ordered_json &one = shown[std::string(key.name)];
    if (setting == nullptr) {
      one = {{"value", nullptr}, {"from", "default"}, {"default", key.by_default}};
    } else if (key.form == Form::One || key.form == Form::List) {
      one = {{"value", value_json(key, setting->values)},
             {"from", origins_of(settings, setting->values, setting->place)}};
    } else {
      ordered_json value = ordered_json::object();
      ordered_json from = ordered_json::object();
      for (const Entry &entry : setting->entries) {
        value[entry.name.text] = value_json(key, entry.values);
        from[entry.name.text] = origin_of(settings, entry.name.place);
      }
      one = {{"value", std::move(value)}, {"from", std::move(from)}};
    }
  }
  const ordered_json file = settings.file.empty() ? ordered_json(nullptr) : ordered_json(settings.file);
  return {{"version", 1}, {"file", file}, {"settings", std::move(shown)}};
}

} // namespace deepperf::config
