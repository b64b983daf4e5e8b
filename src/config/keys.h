// The keys that a configuration file may have: the one table that the reader, `deepperf config` and the JSON schema
// work from.
#pragma once

#include "base/types.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::config {

// How values are arranged.
enum class Form : u8 {
  One,
  List,
  Table,        // name -> value
  TableOfLists, // name -> list of values
};

// What a word stands for, which decides what it may be.
enum class Word : u8 {
  Flag,            // true or false
  Rule,            // DP101, DP1 or sequential-map
  Pattern,         // of paths, as in .gitignore
  Severity,        // error, warning, advice or note
  SeverityOrNever, // the same, or never
  SeverityOrOff,   // the same, or off
  Package,         // as pip calls it
  Versions,        // >=2.4,<3
  DottedName,      // my.data.load
  ValueKind,       // Dataset, Tensor, …: the engine's word for a kind of value
  Text,
};

struct Key {
  std::string_view name;
  Form form = Form::One;
  Word word = Word::Text;      // of a value
  Word entry = Word::Text;     // of a table: what its names are
  std::string_view by_default; // what is in force without it, for people
  std::string_view description;
};

std::span<const Key> all_keys();
const Key *find_key(std::string_view name);
std::vector<std::string> key_names();

// All that a word may be, where that is a list: for rules all codes and names, though prefixes of codes are words too.
// Empty where it is not.
std::vector<std::string> choices(Word word);

// What is wrong with it, as the end of a sentence that begins with file, line and column; empty if it is right.
std::string problem_with(Word word, std::string_view text);

// `a list of rules such as ["DP101", "DP2"]`: what should have been there.
std::string expected_value(const Key &key);

} // namespace deepperf::config
