#include "config/keys.h"

#include "base/nearest.h"
#include "check/selection.h"
#include "frameworks/frameworks.h"
#include "project/gitignore.h"
#include "project/requirements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace deepperf::config {

namespace {

constexpr auto kKeys = std::to_array<Key>({
    {"select", Form::List, Word::Rule, Word::Text, "every rule that is on",
     "Run only these rules: codes (DP101), prefixes of codes (DP1) or names (sequential-map)."},
    {"extend-select", Form::List, Word::Rule, Word::Text, "none", "Run these rules in addition to `select`."},
    {"ignore", Form::List, Word::Rule, Word::Text, "none",
     "Do not run these rules. Takes precedence over `select` and adds to --ignore."},
    {"per-file-ignores", Form::TableOfLists, Word::Rule, Word::Pattern, "none",
     "Rules to ignore in the files that match a pattern. A pattern that starts with `!` means all other files."},
    {"exclude", Form::List, Word::Pattern, Word::Text, "virtual environments, build folders and caches",
     "Do not check these files and folders. Replaces the folders that are skipped by default."},
    {"extend-exclude", Form::List, Word::Pattern, Word::Text, "none", "Additional files and folders to skip."},
    {"severity", Form::Table, Word::SeverityOrOff, Word::Rule, "the severity of each rule",
     "The severity of rules, or `off`. The most specific selector wins."},
    {"min-severity", Form::One, Word::Severity, Word::Text, "advice, if it is proven",
     "Show only findings of at least this severity."},
    {"fail-on", Form::One, Word::SeverityOrNever, Word::Text, "warning",
     "Exit with status 1 for findings of at least this severity."},
    {"all", Form::One, Word::Flag, Word::Text, "false",
     "Show everything, including notes, unproven problems and test code."},
    {"unsafe-fixes", Form::One, Word::Flag, Word::Text, "false",
     "Let --fix and --diff also make changes that need review."},
    {"target-versions", Form::Table, Word::Versions, Word::Package, "from the requirements files",
     "The library versions that the project runs with. Takes precedence over requirements files."},
    {"wrappers", Form::Table, Word::ValueKind, Word::DottedName, "none",
     "Functions whose code deepperf cannot see, and the kind of value that they return."},
    {"deprecated", Form::Table, Word::Text, Word::DottedName, "none",
     "Names that the project no longer wants to use, and their replacements. DP302 reports their uses."},
});

bool is_dotted_name(std::string_view text) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<u8>(c) >= 0x80;
  };
  bool starts = true; // a part of the name
  for (const char c : text) {
    if (c == '.') {
      if (starts) {
        return false;
      }
      starts = true;
    } else if (is_letter(c) || (!starts && c >= '0' && c <= '9')) {
      starts = false;
    } else {
      return false;
    }
  }
  return !starts;
}

std::string listed(const std::vector<std::string> &words) { return fmt::format("'{}'", fmt::join(words, "', '")); }

std::string problem_with_rule(std::string_view text) {
  std::vector<std::string> unknown;
  const std::string word(text);
  const check::Selection selection = check::select({&word, 1}, unknown);
  if (unknown.empty() && !selection.rules.empty() && text.find(',') == std::string_view::npos) {
    return {};
  }
  const bool means_all = text == "ALL" || text == "all";
  return fmt::format("unknown rule '{}'{}", text,
                     means_all ? "; 'DP' selects all rules" : did_you_mean(text, check::known_selectors()));
}

std::string problem_with_pattern(std::string_view text) {
  project::IgnoreRules rules;
  project::add_rules(text, rules);
  return rules.patterns.size() == 1 ? std::string() : fmt::format("'{}' is not a pattern that matches files", text);
}

std::string problem_with_versions(std::string_view text) {
  if (project::parse_range(text)) {
    return {};
  }
  const bool is_bare = project::parse_version(text).has_value() && project::parse_range(">=" + std::string(text));
  return fmt::format("'{}' is not a version range{}", text,
                     is_bare ? fmt::format("; did you mean '>={}' or '=={}'?", text, text)
                             : std::string(" such as '>=2.4' or '>=1.13,<3'"));
}

std::string_view plural_of(Word word) {
  switch (word) {
  case Word::Rule:
    return R"(rules such as ["DP101", "DP2"])";
  case Word::Pattern:
    return R"(patterns such as ["legacy/", "*_pb2.py"])";
  default:
    return "strings";
  }
}

} // namespace

std::span<const Key> all_keys() { return kKeys; }

const Key *find_key(std::string_view name) {
  const auto *const found = std::ranges::find(kKeys, name, &Key::name);
  return found != kKeys.end() ? found : nullptr;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  names.reserve(kKeys.size());
  for (const Key &key : kKeys) {
    names.emplace_back(key.name);
  }
  return names;
}

std::vector<std::string> choices(Word word) {
  switch (word) {
  case Word::Rule:
    return check::known_selectors();
  case Word::Severity:
    return {"error", "warning", "advice", "note"};
  case Word::SeverityOrNever:
    return {"error", "warning", "advice", "note", "never"};
  case Word::SeverityOrOff:
    return {"error", "warning", "advice", "note", "off"};
  case Word::Package:
    return project::known_packages();
  case Word::ValueKind: {
    std::vector<std::string> names;
    for (u8 kind = 1; kind < static_cast<u8>(Kind::kCount); ++kind) {
      names.emplace_back(name_of(static_cast<Kind>(kind)));
    }
    return names;
  }
  default:
    return {};
  }
}

std::string problem_with(Word word, std::string_view text) {
  switch (word) {
  case Word::Rule:
    return problem_with_rule(text);
  case Word::Pattern:
    return problem_with_pattern(text);
  case Word::Versions:
    return problem_with_versions(text);
  case Word::DottedName:
    return is_dotted_name(text) ? std::string() : fmt::format("'{}' is not a dotted Python name", text);
  case Word::Flag:
  case Word::Text:
    return {};
  default:
    break;
  }
  const std::vector<std::string> known = choices(word);
  if (std::ranges::find(known, text) != known.end()) {
    return {};
  }
  const std::string_view what = word == Word::Package     ? "package"
                                : word == Word::ValueKind ? "kind of value"
                                                          : "severity";
  const std::string near = did_you_mean(text, known);
  return fmt::format("unknown {} '{}'{}", what, text, near.empty() ? "; expected one of " + listed(known) : near);
}

std::string expected_value(const Key &key) {
  const auto one = [&]() -> std::string {
    switch (key.word) {
    case Word::Flag:
      return "true or false";
    case Word::Severity:
    case Word::SeverityOrNever:
    case Word::SeverityOrOff:
      return "one of " + listed(choices(key.word));
    case Word::Versions:
      return R"(a version range such as ">=2.4")";
    case Word::ValueKind:
      return R"(a kind of value such as "Dataset")";
    default:
      return "a string";
    }
  };
  switch (key.form) {
  case Form::One:
    return one();
  case Form::List:
  case Form::TableOfLists:
    return fmt::format("a list of {}", plural_of(key.word));
  case Form::Table:
    return one();
  }
  return {};
}

} // namespace deepperf::config
