#include "report/place.h"

#include "base/printable.h"
#include "base/write.h"

#include <algorithm>
#include <iterator>

namespace deepperf::report {

Place place_of(const check::Result &result, FileIndex file, python::Span span) {
  const check::CheckedFile &checked = result.files[file.value];
  Place place;
  place.path = checked.path;
  place.source = checked.source;
  if (place.source != nullptr) {
    place.start = place.source->position(span.start);
    place.end = place.source->position(std::max(span.start, span.end));
  }
  return place;
}

void write_place(std::string_view path, u32 cell, u32 line, u32 column, std::string &out) {
  out += printable(path);
  if (cell != 0) {
    write(out, ":cell {}", cell);
  }
  if (line != 0) {
    write(out, ":{}", line);
  }
  if (line != 0 && column != 0) {
    write(out, ":{}", column);
  }
}

std::string_view severity_name(rules::Severity severity) {
  switch (severity) {
  case rules::Severity::Error:
    return "error";
  case rules::Severity::Warning:
    return "warning";
  case rules::Severity::Advice:
    return "advice";
  default:
    return "note";
  }
}

std::string_view level_name(check::FileError::Level level) {
  switch (level) {
  case check::FileError::Level::Note:
    return "note";
  case check::FileError::Level::SyntaxError:
    return "syntax error";
  default:
    return "cannot be checked";
  }
}

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> items;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    items.push_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return items;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end != 0) {
      words.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

} // namespace deepperf::report
