#include "report/shown_lines.h"

#include <algorithm>

namespace deepperf::report {

namespace {

constexpr u32 kContext = 4;           // lines before and after a place
constexpr u32 kMostLinesOfPlace = 40; // of the place itself
constexpr u32 kMostLength = 4'000;    // bytes of a line; what is longer was not written by hand

python::Segment segment_of(const python::Source &source, u32 cell) {
  const auto found = std::ranges::find(source.segments, cell, &python::Segment::cell);
  return found == source.segments.end() ? python::Segment{0, static_cast<u32>(source.text().size())} : *found;
}

// A character that would be cut in two is left out.
std::string_view shortened(std::string_view line) {
  if (line.size() <= kMostLength) {
    return line;
  }
  u32 end = kMostLength;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return line.substr(0, end);
}

u32 next_line(const python::Source &source, u32 start, std::string_view line) {
  const u32 end = start + static_cast<u32>(line.size());
  return end + (source.part(end, end + 2) == "\r\n" ? 2 : 1);
}

} // namespace

void ShownLines::add(FileIndex file, const Place &place) {
  if (place.source == nullptr) {
    return;
  }
  std::set<u32> &lines = lines_[{file.value, place.start.cell}];
  const u32 first = place.start.line - std::min(kContext, place.start.line - 1);
  // A place that goes on in another cell ends with its own.
  const u32 end = place.end.cell == place.start.cell ? place.end.line : place.start.line;
  const u32 last = std::min(end, place.start.line + kMostLinesOfPlace) + kContext;
  for (u32 line = first; line <= last; ++line) {
    lines.insert(line);
  }
}

std::vector<LineRun> ShownLines::runs(const check::Result &result) const {
  std::vector<LineRun> runs;
  for (const auto &[place, wanted] : lines_) {
    const auto &[file, cell] = place;
    const python::Source &source = *result.files[file].source;
    const python::Segment segment = segment_of(source, cell);
    u32 offset = segment.begin;
    u32 last = 0; // of the lines in `runs`
    for (u32 line = 1; line <= *wanted.rbegin() && offset < segment.end; ++line) {
      const std::string_view text = source.line_text(offset);
      if (wanted.contains(line)) {
        if (last == 0 || last + 1 != line) {
          runs.push_back({{file}, cell, line, {}});
        }
        runs.back().lines.push_back(shortened(text));
        last = line;
      }
      offset = next_line(source, offset, text);
    }
  }
  return runs;
}

} // namespace deepperf::report
