#include "server/places.h"

#include "base/hash.h"
#include "fix/files.h"
#include "fix/notebook.h"

#include <algorithm>

namespace deepperf::server {

namespace {

// The units before a column that counts characters from 1. What the line does not have counts as one unit each.
u32 units_before(std::string_view line, u32 column, Encoding encoding) {
  const u32 characters = column == 0 ? 0 : column - 1;
  const std::string_view before = line.substr(0, offset_of(line, {0, characters}, Encoding::Utf32));
  return count_units(before, encoding) + characters - count_units(before, Encoding::Utf32);
}

Range range_in_json(const std::string &json, const python::Source &source, python::Span span, Encoding encoding) {
  // Where an edit of the span would be made in the JSON is where the span is. It must change something.
  const rules::Edit edit{span.start, std::max(span.start, span.end), "#"};
  const auto edits = fix::edits_in_json(json, source, {edit});
  if (!edits || edits->empty()) {
    return {};
  }
  return {position_of(json, edits->front().start, encoding), position_of(json, edits->back().end, encoding)};
}

} // namespace

Range NotebookRanges::find(const check::CheckedFile &file, const Document *open, python::Span span, Encoding encoding) {
  Known &known = known_[file.path];
  const u64 hash = open != nullptr                    ? hash_bytes(open->text)
                   : file.source->version.has_value() ? file.source->version->hash
                                                      : 0;
  if (known.hash != hash) {
    known = {.hash = hash, .ranges = {}};
  }
  const auto [place, is_new] = known.ranges.try_emplace({span.start, span.end});
  if (is_new) {
    const std::optional<std::string> json = open != nullptr ? open->text : fix::read_bytes(file.path);
    if (json) {
      place->second = range_in_json(*json, *file.source, span, encoding);
    }
  }
  return place->second;
}

std::string Places::uri_of(const check::CheckedFile &file, u32 cell) const {
  if (const Notebook *const notebook = documents_.find_notebook(file.path)) {
    return cell >= 1 && cell <= notebook->cells.size() ? notebook->cells[cell - 1].uri : notebook->uri;
  }
  const Document *const document = documents_.find_text(file.path);
  return document != nullptr ? document->uri : uri_of_checked(roots_, file.path);
}

void Places::add_mark(const check::CheckedFile &file, Position &position) const {
  const Document *const document = position.line == 0 ? documents_.find_text(file.path) : nullptr;
  if (document != nullptr && document->text.starts_with(kByteOrderMark)) {
    position.character += count_units(kByteOrderMark, encoding_);
  }
}

Location Places::find(FileIndex file, python::Span span) const {
  const check::CheckedFile &checked = result_.files[file.value];
  if (checked.source == nullptr) {
    return find(file);
  }
  const python::Source &source = *checked.source;
  const u32 cell = source.position(span.start).cell;
  Location location{.uri = uri_of(checked, cell), .range = {}};
  if (source.is_notebook && documents_.find_notebook(checked.path) == nullptr) {
    location.range = notebooks_.find(checked, documents_.find_text(checked.path), span, encoding_);
    return location;
  }
  location.range.start = position_in(source, span.start, encoding_);
  const u32 end = std::max(span.start, span.end);
  const bool is_in_cell = source.position(end).cell == cell;
  location.range.end = is_in_cell ? position_in(source, end, encoding_) : location.range.start;
  add_mark(checked, location.range.start);
  add_mark(checked, location.range.end);
  return location;
}

Location Places::find(const check::FileError &error) const {
  const check::CheckedFile &checked = result_.files[error.file.value];
  Location location{.uri = uri_of(checked, error.cell), .range = {}};
  const bool is_json = error.cell != 0 && documents_.find_notebook(checked.path) == nullptr;
  if (error.line == 0 || is_json) {
    return location;
  }
  Range &range = location.range;
  range.start = {error.line - 1, units_before(error.line_text, error.column, encoding_)};
  range.end = {error.line - 1, units_before(error.line_text, std::max(error.column, error.end_column), encoding_)};
  add_mark(checked, range.start);
  add_mark(checked, range.end);
  return location;
}

Location Places::find(FileIndex file) const { return {.uri = uri_of(result_.files[file.value], 0), .range = {}}; }

std::optional<FileIndex> find_file(const check::Result &result, const Documents &documents, const Roots &roots,
                                   std::string_view uri) {
  const Document *const document = documents.find(uri);
  const std::string path = document != nullptr ? document->path : checked_path(roots, uri);
  const auto found = std::ranges::lower_bound(result.files, path, {}, &check::CheckedFile::path);
  if (found == result.files.end() || found->path != path) {
    return std::nullopt;
  }
  return FileIndex{static_cast<u32>(found - result.files.begin())};
}

} // namespace deepperf::server
