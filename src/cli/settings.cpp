#include "cli/settings.h"

#include "cli/suggest.h"
#include "config/read.h"
#include "frameworks/user_apis.h"
#include "project/requirements.h"
#include "report/place.h"
#include "rules/user_deprecations.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace deepperf::cli {

namespace {

using config::PlacedText;
using config::Setting;
using config::Settings;

// ---- The command line as settings

std::vector<PlacedText> split_lists(const std::vector<std::string> &lists) {
  std::vector<PlacedText> words;
  for (const std::string_view word : check::split_selectors(lists)) {
    words.push_back({std::string(word), {}});
  }
  return words;
}

check::Selection select(const std::vector<PlacedText> &words) {
  std::vector<std::string> texts;
  std::ranges::transform(words, std::back_inserter(texts), &PlacedText::text);
  std::vector<std::string> unknown; // of the command line: those of a file have been checked
  check::Selection selection = check::select(texts, unknown);
  if (!unknown.empty()) {
    throw CLI::ValidationError(unknown_rule(unknown[0]));
  }
  return selection;
}

void add(Settings &settings, std::string_view key, std::vector<PlacedText> values) {
  if (!values.empty()) {
    settings.settings.push_back({config::find_key(key), {}, std::move(values), {}});
  }
}

Settings command_line_settings(const CheckArguments &arguments) {
  const auto one = [](const std::string &text) {
    return text.empty() ? std::vector<PlacedText>() : std::vector<PlacedText>{{text, {}}};
  };
  Settings settings;
  add(settings, "select", split_lists(arguments.select));
  add(settings, "ignore", split_lists(arguments.ignore));
  add(settings, "min-severity", one(arguments.min_severity));
  add(settings, "fail-on", one(arguments.fail_on));
  add(settings, "all", one(arguments.all ? "true" : ""));
  add(settings, "unsafe-fixes", one(arguments.unsafe_fixes ? "true" : ""));
  return settings;
}

// ---- The file

Settings file_settings(const CheckArguments &arguments) {
  if (arguments.isolated) {
    return {};
  }
  const std::vector<std::string> &paths = arguments.options.paths;
  const std::string first = paths.empty() ? "." : paths.front() == "-" ? arguments.stdin_filename : paths.front();
  const std::optional<config::FoundFile> file = arguments.config_file.empty()
                                                    ? config::find_file(first)
                                                    : std::optional(config::open_file(arguments.config_file));
  if (!file) {
    return {};
  }
  config::Reading reading = config::read(*file);
  std::string problems;
  for (const config::Problem &problem : reading.problems) {
    problems += fmt::format("{}{}", problems.empty() ? "" : "\ndeepperf: ", config::describe(file->path, problem));
  }
  if (!problems.empty()) {
    throw std::runtime_error(problems);
  }
  return std::move(reading.settings);
}

// ---- What they mean

void remove(std::vector<const rules::RuleInfo *> &rules, const std::vector<const rules::RuleInfo *> &unwanted) {
  std::erase_if(rules,
                [&](const rules::RuleInfo *rule) { return std::ranges::find(unwanted, rule) != unwanted.end(); });
}

// Rules that are on, and those that the user adds.
check::Selection extend(std::optional<check::Selection> selection, const check::Selection &more) {
  if (!selection) {
    selection.emplace();
    std::ranges::copy_if(rules::all_rules(), std::back_inserter(selection->rules),
                         [](const rules::RuleInfo *rule) { return rule->tier != rules::Tier::Off; });
  }
  selection->rules.insert(selection->rules.end(), more.rules.begin(), more.rules.end());
  selection->named.insert(selection->named.end(), more.named.begin(), more.named.end());
  return std::move(*selection);
}

// A name or the longest prefix of a code says most exactly which rule is meant.
const config::Entry *most_specific(const Setting &setting, const rules::RuleInfo &rule) {
  const config::Entry *best = nullptr;
  std::size_t most = 0;
  for (const config::Entry &entry : setting.entries) {
    const std::string &selector = entry.name.text;
    if (check::selects(selector, rule)) {
      const std::size_t exactness = check::find_rule(selector) == &rule ? rule.code.size() : selector.size();
      if (best == nullptr || exactness >= most) {
        best = &entry;
        most = exactness;
      }
    }
  }
  return best;
}

void set_severities(const Setting &setting, check::FilterOptions &options) {
  for (const rules::RuleInfo *rule : rules::all_rules()) {
    const config::Entry *const entry = most_specific(setting, *rule);
    if (entry == nullptr) {
      continue;
    }
    const std::string &severity = entry->values.front().text;
    if (severity == "off") {
      options.ignore.rules.push_back(rule);
    } else {
      options.severities.emplace_back(rule, severity_called(severity));
    }
  }
}

bool is_from_file(const PlacedText &word) { return word.place.line != 0; }

// What the file ignores is still what the command line may ask for by name.
check::Selection ignored_rules(const Settings &settings, const Setting &ignore) {
  std::vector<PlacedText> of_file;
  std::vector<PlacedText> of_command_line;
  std::ranges::partition_copy(ignore.values, std::back_inserter(of_file), std::back_inserter(of_command_line),
                              is_from_file);
  check::Selection ignored = select(of_file);
  const Setting *const selected = config::find_setting(settings, "select");
  if (selected != nullptr && !std::ranges::any_of(selected->values, is_from_file)) {
    remove(ignored.rules, select(selected->values).named);
  }
  const check::Selection more = select(of_command_line);
  ignored.rules.insert(ignored.rules.end(), more.rules.begin(), more.rules.end());
  return ignored;
}

void add_patterns(const Settings &settings, std::string_view key, project::IgnoreRules &rules) {
  if (const Setting *const setting = config::find_setting(settings, key)) {
    for (const PlacedText &pattern : setting->values) {
      project::add_rules(pattern.text, rules);
    }
  }
}

std::string file_and_line(const Settings &settings, config::Place place) {
  return fmt::format("{}:{}", std::filesystem::path(settings.file).filename().string(), place.line);
}

void teach_versions(const Settings &settings) {
  project::Requirements targets;
  if (const Setting *const versions = config::find_setting(settings, "target-versions")) {
    for (const config::Entry &entry : versions->entries) {
      project::VersionRange range = project::parse_range(entry.values.front().text).value_or(project::VersionRange());
      range.where = file_and_line(settings, entry.name.place);
      targets[entry.name.text] = std::move(range);
    }
  }
  project::set_target_versions(std::move(targets));
}

// What goes into the cache's key: versions are not part of it, as the cache compares those by itself.
std::string teach_names(const Settings &settings) {
  std::string taught;
  if (const Setting *const wrappers = config::find_setting(settings, "wrappers")) {
    std::vector<UserApi> apis;
    for (const config::Entry &entry : wrappers->entries) {
      apis.push_back({entry.name.text, kind_named(entry.values.front().text)});
      taught += fmt::format("wrapper {} {}\n", entry.name.text, entry.values.front().text);
    }
    add_user_apis(apis);
  }
  std::vector<rules::UserDeprecation> deprecations;
  if (const Setting *const deprecated = config::find_setting(settings, "deprecated")) {
    for (const config::Entry &entry : deprecated->entries) {
      const std::string where = file_and_line(settings, entry.name.place);
      deprecations.push_back({entry.name.text, entry.values.front().text, where});
      taught += fmt::format("deprecated {} {} {}\n", entry.name.text, entry.values.front().text, where);
    }
  }
  rules::set_user_deprecations(std::move(deprecations));
  return taught;
}

} // namespace

rules::Severity severity_called(std::string_view name) {
  for (const rules::Severity severity : {rules::Severity::Note, rules::Severity::Advice, rules::Severity::Warning}) {
    if (report::severity_name(severity) == name) {
      return severity;
    }
  }
  return rules::Severity::Error;
}

config::Settings settings_in_force(const CheckArguments &arguments) {
  const Settings command_line = command_line_settings(arguments);
  for (const Setting &setting : command_line.settings) {
    if (setting.key->word == config::Word::Rule) {
      select(setting.values); // to complain of unknown ones before anything else
    }
  }
  return config::merge(file_settings(arguments), command_line);
}

check::FilterOptions filter_options(const config::Settings &settings) {
  check::FilterOptions options;
  if (const Setting *const selected = config::find_setting(settings, "select")) {
    options.select = select(selected->values);
  }
  if (const Setting *const more = config::find_setting(settings, "extend-select")) {
    options.select = extend(std::move(options.select), select(more->values));
  }
  if (const Setting *const ignored = config::find_setting(settings, "ignore")) {
    options.ignore = ignored_rules(settings, *ignored);
  }
  if (const Setting *const severities = config::find_setting(settings, "severity")) {
    set_severities(*severities, options);
  }
  if (const Setting *const ignores = config::find_setting(settings, "per-file-ignores")) {
    options.folder = settings.folder;
    for (const config::Entry &entry : ignores->entries) {
      check::PerFileIgnore one;
      one.is_inverted = entry.name.text.starts_with('!');
      project::add_rules(std::string_view(entry.name.text).substr(one.is_inverted ? 1 : 0), one.pattern);
      one.rules = select(entry.values);
      options.per_file_ignores.push_back(std::move(one));
    }
  }
  options.all = config::find_value(settings, "all") == "true";
  if (const std::optional<std::string> least = config::find_value(settings, "min-severity")) {
    options.min_severity = severity_called(*least);
  }
  return options;
}

void apply_settings(const config::Settings &settings, CheckArguments &arguments) {
  arguments.fail_on = config::find_value(settings, "fail-on").value_or("");
  arguments.unsafe_fixes = config::find_value(settings, "unsafe-fixes") == "true";
  arguments.exclusions.replace_usual = config::find_setting(settings, "exclude") != nullptr;
  arguments.exclusions.folder = settings.folder;
  add_patterns(settings, "exclude", arguments.exclusions.rules);
  add_patterns(settings, "extend-exclude", arguments.exclusions.rules);
  const bool excludes = arguments.exclusions.replace_usual || !arguments.exclusions.rules.patterns.empty();
  arguments.options.exclude = excludes ? &arguments.exclusions : nullptr;
  teach_versions(settings);
  arguments.options.taught = teach_names(settings);
}

} // namespace deepperf::cli
