#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace deepperf::report {

namespace {

struct Style {
  std::string_view bold;
  std::string_view red;
  std::string_view blue;
  std::string_view dim;
  std::string_view reset;
};

constexpr Style kPlain{};
constexpr Style kColored{"\x1b[1m", "\x1b[1;31m", "\x1b[34m", "\x1b[2m", "\x1b[0m"};

constexpr std::size_t kFrameWidth = 100;

std::size_t character_start(std::string_view text, u32 column) {
  std::size_t at = 0;
  for (u32 i = 1; i < column && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && (static_cast<u8>(text[at]) & 0xC0U) == 0x80) {
      ++at;
    }
  }
  return at;
}

u32 count_characters(std::string_view text) {
  return static_cast<u32>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<u8>(c) & 0xC0U) != 0x80; }));
}

// The line with the place underlined. Long lines are cut around the place; control characters become spaces.
void write_frame(const check::Problem &problem, const Style &style, std::string &out) {
  if (problem.line_text.empty() || problem.line == 0) {
    return;
  }
  u32 column = problem.column;
  std::string_view line = problem.line_text;
  std::string_view lead;
  if (column > kFrameWidth / 2 && count_characters(line.substr(0, 4 * kFrameWidth)) > kFrameWidth) {
    const u32 cut = column - static_cast<u32>(kFrameWidth) / 2;
    line.remove_prefix(character_start(line, cut + 1));
    column -= cut;
    lead = "…";
  }
  const std::size_t room = character_start(line, static_cast<u32>(kFrameWidth) + 1);
  const bool cut_end = room < line.size();
  std::string shown(line.substr(0, room));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<u8>(c) < 0x20 || c == 0x7F; }, ' ');
  const std::string number = fmt::format("{}", problem.line);
  const u32 length =
      std::clamp<u32>(problem.end_column - problem.column, 1, static_cast<u32>(kFrameWidth) - column + 1);
  fmt::format_to(std::back_inserter(out), "{}  {} | {}{}{}{}\n", style.blue, number, style.reset, lead, shown,
                 cut_end ? "…" : "");
  fmt::format_to(std::back_inserter(out), "{}  {:{}} | {}{:{}}{}{:^>{}}{}\n", style.blue, "", number.size(),
                 style.reset, "", column - 1 + (lead.empty() ? 0 : 1), style.red, "", length, style.reset);
}

std::string_view level_name(check::Problem::Level level) {
  switch (level) {
  case check::Problem::Level::Note:
    return "note";
  case check::Problem::Level::SyntaxError:
    return "syntax error";
  default:
    return "cannot be checked";
  }
}

} // namespace

void write_text(const check::Result &result, const TextOptions &options, std::string &out) {
  const Style &style = options.color ? kColored : kPlain;
  u64 errors = 0;
  u64 unreadable = 0;
  for (const check::FileProblems &file : result.files) {
    for (const check::Problem &problem : file.problems) {
      errors += problem.level == check::Problem::Level::SyntaxError ? 1 : 0;
      unreadable += problem.level == check::Problem::Level::Unreadable ? 1 : 0;
      out += style.bold;
      out += file.path;
      out += style.reset;
      if (problem.cell != 0) {
        fmt::format_to(std::back_inserter(out), ":cell {}", problem.cell);
      }
      if (problem.line != 0) {
        fmt::format_to(std::back_inserter(out), ":{}:{}", problem.line, problem.column);
      }
      const std::string_view color = problem.level == check::Problem::Level::Note ? style.blue : style.red;
      fmt::format_to(std::back_inserter(out), ": {}{}{}: {}\n", color, level_name(problem.level), style.reset,
                     problem.message);
      write_frame(problem, style, out);
    }
    if (file.suppressed != 0) {
      errors += file.suppressed;
      fmt::format_to(std::back_inserter(out), "{}{}{}: {} more syntax errors in this file are not shown\n", style.bold,
                     file.path, style.reset, file.suppressed);
    }
    out += '\n';
  }
  const auto plural = [](u64 count) { return count == 1 ? "" : "s"; };
  fmt::format_to(std::back_inserter(out), "{}checked {} file{}: ", style.dim, result.file_count,
                 plural(result.file_count));
  if (errors == 0 && unreadable == 0) {
    out += "nothing found";
  } else {
    fmt::format_to(std::back_inserter(out), "{} syntax error{}", errors, plural(errors));
    if (unreadable != 0) {
      fmt::format_to(std::back_inserter(out), ", {} that could not be checked", unreadable);
    }
  }
  out += style.reset;
  out += '\n';
}

} // namespace deepperf::report
