#include "report/frame.h"

#include "base/printable.h"
#include "base/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace deepperf::report {

namespace {

// Of a place with more lines than this, so many at its start and at its end are shown.
constexpr std::size_t kMostLinesOfFrame = 12;
constexpr std::size_t kLinesAtStart = 7;
constexpr std::size_t kLinesAtEnd = 4;

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

std::string cut(std::string_view line, u32 width) {
  const std::size_t room = character_start(line, width + 1);
  return printable_code(line.substr(0, room)) + (room < line.size() ? "…" : "");
}

// The lines that a span covers, each without its end.
std::vector<std::string_view> lines_of(const python::Source &source, python::Span span) {
  std::vector<std::string_view> lines;
  const std::string_view text = source.text();
  for (u32 at = span.start;;) {
    const std::string_view line = source.line_text(at);
    lines.push_back(line);
    const auto end = static_cast<std::size_t>(line.data() - text.data()) + line.size();
    const std::size_t next = text.find('\n', end);
    if (next == text.npos || next + 1 >= span.end) {
      return lines;
    }
    at = static_cast<u32>(next + 1);
  }
}

} // namespace

u32 count_characters(std::string_view text) {
  return static_cast<u32>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<u8>(c) & 0xC0U) != 0x80; }));
}

void write_frame(const Frame &frame, const FrameOptions &options, const Style &style, std::string &out) {
  if (frame.line_text.empty() || frame.line == 0) {
    return;
  }
  const u32 width = std::max(options.width, 20U);
  u32 column = std::max(frame.column, 1U);
  std::string_view line = frame.line_text;
  std::string_view lead;
  if (column > width / 2 && count_characters(line.substr(0, std::size_t{4} * width)) > width) {
    const u32 left_out = column - width / 2;
    line.remove_prefix(character_start(line, left_out + 1));
    column -= left_out;
    lead = "…";
  }
  const std::string number = fmt::format("{}", frame.line);
  write(out, "{}{}  {} | {}{}{}\n", options.indent, style.blue, number, style.reset, lead, cut(line, width));
  if (frame.underline) {
    const u32 end = std::max(frame.end_column, frame.column + 1);
    const u32 length = std::clamp<u32>(end - frame.column, 1, width - std::min(column, width) + 1);
    write(out, "{}{}  {:{}} | {}{:{}}{}{:^>{}}{}\n", options.indent, style.blue, "", number.size(), style.reset, "",
          column - 1 + (lead.empty() ? 0 : 1), style.red, "", length, style.reset);
  }
}

// The line of the place. Of one that is very long, what stands far before the place is left out, so that many places in
// it do not take the square of its length.
static Frame frame_at(const Place &place, python::Span span) {
  constexpr std::size_t kFar = 4096; // bytes; more than any terminal is wide
  Frame frame{.line_text = place.source->line_text(span.start),
              .line = place.start.line,
              .column = place.start.column,
              .end_column = place.start.column + 1};
  const auto before = static_cast<std::size_t>(place.source->text().data() + span.start - frame.line_text.data());
  if (before > kFar && before <= frame.line_text.size()) {
    std::size_t left_out = before - kFar;
    while ((static_cast<u8>(frame.line_text[left_out]) & 0xC0U) == 0x80) {
      ++left_out; // to the start of a character
    }
    frame.column = count_characters(frame.line_text.substr(left_out, before - left_out)) + 1;
    frame.end_column = frame.column + 1;
    frame.line_text.remove_prefix(left_out);
  }
  return frame;
}

void write_line(const Place &place, python::Span span, const FrameOptions &options, const Style &style,
                std::string &out) {
  if (place.source != nullptr) {
    Frame frame = frame_at(place, span);
    frame.underline = false;
    write_frame(frame, options, style, out);
  }
}

void write_code(const Place &place, python::Span span, const FrameOptions &options, const Style &style,
                std::string &out) {
  if (place.source == nullptr) {
    return;
  }
  const bool is_one_line = place.end.line == place.start.line && place.end.cell == place.start.cell;
  const std::vector<std::string_view> lines =
      is_one_line ? std::vector{place.source->line_text(span.start)} : lines_of(*place.source, span);
  if (lines.size() == 1) {
    Frame frame = frame_at(place, span);
    const std::string_view line = frame.line_text;
    frame.end_column = is_one_line ? frame.column + (place.end.column - place.start.column)
                                   : count_characters(line.substr(0, line.find_last_not_of(" \t") + 1)) + 1;
    write_frame(frame, options, style, out);
    return;
  }
  const std::size_t digits = std::to_string(place.start.line + lines.size() - 1).size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > kMostLinesOfFrame && i == kLinesAtStart) {
      write(out, "{}{}  {:>{}} | {}{}|{} …\n", options.indent, style.blue, "", digits, style.reset, style.red,
            style.reset);
      i = lines.size() - kLinesAtEnd;
    }
    write(out, "{}{}  {:>{}} | {}{}{}{} {}\n", options.indent, style.blue, place.start.line + i, digits, style.reset,
          style.red, i == 0 ? "/" : "|", style.reset, cut(lines[i], options.width));
  }
  const u32 end = std::clamp<u32>(place.end.column, 2, options.width);
  write(out, "{}{}  {:>{}} | {}{}|{:_>{}}^{}\n", options.indent, style.blue, "", digits, style.reset, style.red, "",
        end - 1, style.reset);
}

} // namespace deepperf::report
