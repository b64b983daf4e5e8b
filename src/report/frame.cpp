#include "report/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace deepperf::report {

namespace {

constexpr u32 kWidth = 100;

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

} // namespace

u32 count_characters(std::string_view text) {
  return static_cast<u32>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<u8>(c) & 0xC0U) != 0x80; }));
}

void write_frame(const Frame &frame, std::string_view indent, const Style &style, std::string &out) {
  if (frame.line_text.empty() || frame.line == 0) {
    return;
  }
  u32 column = std::max(frame.column, 1U);
  std::string_view line = frame.line_text;
  std::string_view lead;
  if (column > kWidth / 2 && count_characters(line.substr(0, std::size_t{4} * kWidth)) > kWidth) {
    const u32 cut = column - kWidth / 2;
    line.remove_prefix(character_start(line, cut + 1));
    column -= cut;
    lead = "…";
  }
  const std::size_t room = character_start(line, kWidth + 1);
  const bool cut_end = room < line.size();
  std::string shown(line.substr(0, room));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<u8>(c) < 0x20 || c == 0x7F; }, ' ');
  const std::string number = fmt::format("{}", frame.line);
  fmt::format_to(std::back_inserter(out), "{}{}  {} | {}{}{}{}\n", indent, style.blue, number, style.reset, lead, shown,
                 cut_end ? "…" : "");
  if (frame.underline) {
    const u32 end = std::max(frame.end_column, frame.column + 1);
    const u32 length = std::clamp<u32>(end - frame.column, 1, kWidth - std::min(column, kWidth) + 1);
    fmt::format_to(std::back_inserter(out), "{}{}  {:{}} | {}{:{}}{}{:^>{}}{}\n", indent, style.blue, "", number.size(),
                   style.reset, "", column - 1 + (lead.empty() ? 0 : 1), style.red, "", length, style.reset);
  }
}

} // namespace deepperf::report
