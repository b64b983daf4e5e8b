// What a configuration file or a command line sets, each value with the place that says so.
#pragma once

#include "config/keys.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::config {

// Both from 1; line 0 is the command line.
struct Place {
  u32 line = 0;
  u32 column = 0;
};

struct PlacedText {
  std::string text; // of a flag: true or false
  Place place;
};

struct Entry {
  PlacedText name;
  std::vector<PlacedText> values; // one, unless the table is of lists
};

struct Setting {
  const Key *key = nullptr;
  Place place;
  std::vector<PlacedText> values; // one, unless it is a list
  std::vector<Entry> entries;     // of a table, in the order of the file
};

struct Settings {
  std::string file;   // as people call it; empty if there is none
  std::string folder; // that its patterns are relative to: absolute, without a slash at its end unless it is the root
  std::vector<Setting> settings; // in the order of the table of keys; what is not set is missing
};

const Setting *find_setting(const Settings &settings, std::string_view key);

// The only value of a key that has one; nothing if it is not set.
std::optional<std::string> find_value(const Settings &settings, std::string_view key);

// The command line wins, but for what it ignores, which adds to what the file ignores.
Settings merge(Settings file, const Settings &command_line);

} // namespace deepperf::config
