#include "check/baseline.h"

#include "base/json.h"
#include "check/fingerprint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

namespace deepperf::check {

namespace {

using Json = nlohmann::json;

constexpr u64 kVersion = 1;

// A path may hold bytes that are no UTF-8, which JSON cannot: compared is what would be written.
std::string as_json_has_it(const std::string &path) {
  return parse_json<Json>(json_text(Json(path))).get<std::string>();
}

std::string parse_failure(std::string_view text, std::size_t wrong_at) {
  const std::string_view before = text.substr(0, std::min(wrong_at == 0 ? 0 : wrong_at - 1, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return fmt::format("not a baseline: it is not JSON, see line {}, column {}", line, column);
}

struct WrongEntry {
  std::string why;
};

const Json &member(const Json &entry, const char *key, bool (*is_right)(const Json &), std::string_view type) {
  const auto found = entry.find(key);
  if (found == entry.end() || !is_right(*found)) {
    throw WrongEntry{fmt::format("its \"{}\" must be {}", key, type)};
  }
  return *found;
}

u64 read_fingerprint(const std::string &digits) {
  u64 value = 0;
  const char *const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != 16 || stop != end || error != std::errc()) {
    throw WrongEntry{"its \"code\" must be 16 hexadecimal digits"};
  }
  return value;
}

void read_entry(const Json &json, Baseline &baseline) {
  if (!json.is_object()) {
    throw WrongEntry{"it must be an object"};
  }
  const auto is_text = [](const Json &value) { return value.is_string(); };
  const auto is_count = [](const Json &value) { return value.is_number_unsigned() && value.get<u64>() != 0; };
  BaselineEntry entry;
  entry.path = member(json, "path", is_text, "a string").get<std::string>();
  entry.rule = member(json, "rule", is_text, "a string").get<std::string>();
  entry.fingerprint = read_fingerprint(member(json, "code", is_text, "a string").get<std::string>());
  // Two branches may have added the same one.
  u64 &count = baseline.counts[std::move(entry)];
  count = std::max(count, member(json, "count", is_count, "a positive number").get<u64>());
}

std::filesystem::path real_folder(const std::filesystem::path &folder) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::absolute(folder, error), error);
  return error ? folder : real;
}

std::vector<BaselineEntry> entries_of(const Result &result, BaselinePaths &paths) {
  const std::vector<u64> prints = fingerprints(result);
  std::vector<BaselineEntry> entries;
  entries.reserve(prints.size());
  for (std::size_t i = 0; i < prints.size(); ++i) {
    const rules::Finding &finding = result.findings[i];
    // Findings come file by file.
    const bool is_same_file = i != 0 && result.findings[i - 1].file == finding.file;
    entries.push_back({is_same_file ? entries.back().path : paths.entry_path(result.files[finding.file.value].path),
                       std::string(finding.rule->code), prints[i]});
  }
  return entries;
}

// Files of which this check says all there is to say.
std::set<std::string> checked_files(const Result &result, BaselinePaths &paths) {
  std::vector<bool> failed(result.files.size());
  for (const FileError &error : result.errors) {
    failed[error.file.value] = failed[error.file.value] || error.level == FileError::Level::Unreadable;
  }
  std::set<std::string> checked;
  for (std::size_t i = 0; i < result.files.size(); ++i) {
    if (result.files[i].source != nullptr && !failed[i]) {
      checked.insert(paths.entry_path(result.files[i].path));
    }
  }
  return checked;
}

} // namespace

std::variant<Baseline, std::string> parse_baseline(std::string_view text) {
  std::size_t wrong_at = 0;
  const Json json = parse_json<Json>(text, &wrong_at);
  if (json.is_discarded()) {
    return parse_failure(text, wrong_at);
  }
  const auto version = json.is_object() ? json.find("version") : json.end();
  if (!json.is_object() || version == json.end() || !version->is_number_unsigned()) {
    return "not a baseline: it has no \"version\"";
  }
  if (version->get<u64>() > kVersion) {
    return fmt::format("written by a newer deepperf: its version is {}, and this program reads up to {}",
                       version->get<u64>(), kVersion);
  }
  const auto findings = json.find("findings");
  if (findings == json.end() || !findings->is_array()) {
    return "not a baseline: its \"findings\" must be a list";
  }
  Baseline baseline;
  if (const auto tests = json.find("with_tests"); tests != json.end()) {
    if (!tests->is_boolean()) {
      return "not a baseline: its \"with_tests\" must be true or false";
    }
    baseline.with_tests = tests->get<bool>();
  }
  std::size_t number = 0;
  try {
    for (const Json &entry : *findings) {
      ++number;
      read_entry(entry, baseline);
    }
  } catch (const WrongEntry &wrong) {
    return fmt::format("not a baseline: entry {} of \"findings\" is wrong: {}", number, wrong.why);
  }
  return baseline;
}

std::string baseline_text(const Baseline &baseline) {
  std::string text =
      fmt::format("{{\n  \"version\": {},\n  \"with_tests\": {},\n  \"findings\": [", kVersion, baseline.with_tests);
  bool is_first = true;
  for (const auto &[entry, count] : baseline.counts) {
    text +=
        fmt::format("{}\n    {{\"path\": {}, \"rule\": {}, \"code\": \"{:016x}\", \"count\": {}}}", is_first ? "" : ",",
                    json_text(Json(entry.path)), json_text(Json(entry.rule)), entry.fingerprint, count);
    is_first = false;
  }
  text += is_first ? "]\n}\n" : "\n  ]\n}\n";
  return text;
}

BaselinePaths::BaselinePaths(const std::string &baseline_path)
    : folder_(real_folder(std::filesystem::path(baseline_path).parent_path().empty()
                              ? "."
                              : std::filesystem::path(baseline_path).parent_path())
                  .string()) {}

std::string BaselinePaths::entry_path(const std::string &path) {
  const std::filesystem::path file(path);
  const std::string parent = file.parent_path().empty() ? "." : file.parent_path().string();
  auto found = folders_.find(parent);
  if (found == folders_.end()) {
    const std::filesystem::path relative = real_folder(parent).lexically_relative(folder_);
    found = folders_.emplace(parent, relative == "." ? "" : relative.generic_string() + "/").first;
  }
  return as_json_has_it(found->second + file.filename().string());
}

bool BaselinePaths::is_gone(const std::string &entry_path) const {
  std::error_code error;
  return std::filesystem::status(std::filesystem::path(folder_) / entry_path, error).type() ==
         std::filesystem::file_type::not_found;
}

Baseline make_baseline(const Result &result, BaselinePaths &paths) {
  Baseline baseline;
  for (BaselineEntry &entry : entries_of(result, paths)) {
    ++baseline.counts[std::move(entry)];
  }
  return baseline;
}

BaselineMatch::Supply::Supply(const Baseline &baseline, const BaselinePaths &paths) : left_(baseline.counts) {
  const std::string *path = nullptr;
  bool is_gone = false;
  for (const auto &[entry, count] : baseline.counts) {
    if (path == nullptr || *path != entry.path) {
      path = &entry.path;
      is_gone = paths.is_gone(entry.path);
    }
    if (is_gone) {
      gone_.emplace(std::pair(entry.rule, entry.fingerprint), &entry);
    }
  }
}

const BaselineEntry *BaselineMatch::Supply::take(const BaselineEntry &wanted) {
  if (const auto own = left_.find(wanted); own != left_.end() && own->second != 0) {
    --own->second;
    return &own->first;
  }
  const auto [begin, end] = gone_.equal_range(std::pair(wanted.rule, wanted.fingerprint));
  for (auto moved = begin; moved != end; ++moved) {
    if (u64 &left = left_.at(*moved->second); left != 0) {
      --left;
      return moved->second;
    }
  }
  return nullptr;
}

BaselineMatch::BaselineMatch(const Baseline &baseline, const Result &all, BaselinePaths &paths,
                             const std::optional<std::vector<const rules::RuleInfo *>> &rules)
    : baseline_(baseline), paths_(paths), shown_(baseline, paths) {
  Supply supply(baseline, paths);
  for (const BaselineEntry &entry : entries_of(all, paths)) {
    if (const BaselineEntry *const used = supply.take(entry); used != nullptr && used->path != entry.path) {
      ++moved_[{*used, entry.path}];
    }
  }
  const std::set<std::string> checked = checked_files(all, paths);
  const auto was_run = [&](const std::string &code) {
    return !rules || std::ranges::any_of(*rules, [&](const rules::RuleInfo *rule) { return rule->code == code; });
  };
  for (const auto &[entry, left] : supply.left()) {
    if (left != 0 && was_run(entry.rule) && (checked.contains(entry.path) || paths.is_gone(entry.path))) {
      stale_.emplace(entry, left);
    }
  }
}

void BaselineMatch::hide(Result &result) {
  const std::vector<BaselineEntry> entries = entries_of(result, paths_);
  std::size_t index = 0;
  std::erase_if(result.findings, [&](const rules::Finding &) {
    const bool is_known = shown_.take(entries[index++]) != nullptr;
    result.hidden.baselined += is_known ? 1 : 0;
    return is_known;
  });
}

Baseline BaselineMatch::pruned() const {
  Baseline pruned = baseline_;
  const auto reduce = [&](const BaselineEntry &entry, u64 by) {
    if (const auto found = pruned.counts.find(entry); (found->second -= by) == 0) {
      pruned.counts.erase(found);
    }
  };
  for (const auto &[entry, count] : stale_) {
    reduce(entry, count);
  }
  for (const auto &[move, count] : moved_) {
    reduce(move.first, count);
  }
  for (const auto &[move, count] : moved_) {
    pruned.counts[{move.second, move.first.rule, move.first.fingerprint}] += count;
  }
  return pruned;
}

} // namespace deepperf::check
