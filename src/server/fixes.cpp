#include "server/fixes.h"

#include "base/arena.h"
#include "base/symbol.h"
#include "base/workers.h"
#include "check/suppression.h"
#include "fix/edits.h"
#include "fix/fix.h"
#include "python/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace deepperf::server {

namespace {

// Comments count only where the lexer sees one: not in a string that goes over several lines, not after a backslash.
bool silences(const python::Source &source, const rules::Finding &finding) {
  bool is_silent = false;
  // The parser needs a stack that the caller may not have.
  on_large_stack([&] {
    Arena arena;
    LocalSymbols symbols;
    const python::Tree tree = python::parse(source, arena, symbols);
    is_silent = check::Silencer(&source, &tree.comments).is_silenced(finding);
  });
  return is_silent;
}

u64 count_syntax_errors(const python::Source &source) {
  u64 count = 0;
  on_large_stack([&] {
    Arena arena;
    LocalSymbols symbols;
    const python::Tree tree = python::parse(source, arena, symbols);
    count = tree.errors.size() + tree.suppressed_errors;
  });
  return count;
}

// The source with an edit; the segments after it have moved.
python::Source edited_source(const python::Source &source, const rules::Edit &edit) {
  const std::string text = fix::edited(source.text(), {edit});
  python::Source changed;
  changed.path = source.path;
  changed.is_notebook = source.is_notebook;
  changed.segments = source.segments;
  const auto added = static_cast<u32>(edit.replacement.size());
  for (python::Segment &segment : changed.segments) {
    segment.begin += segment.begin > edit.start ? added : 0;
    segment.end += segment.end >= edit.start ? added : 0;
    if (segment.target_end != 0 && segment.target_begin > edit.start) {
      segment.target_begin += added;
      segment.target_end += added;
    }
  }
  std::ranges::copy(text, changed.allocate(text.size()));
  return changed;
}

// Where the line that holds `offset` ends, without blanks there.
u32 end_of_line(const python::Source &source, u32 offset) {
  std::string_view line = source.line_text(offset);
  while (line.ends_with(' ') || line.ends_with('\t')) {
    line.remove_suffix(1);
  }
  return static_cast<u32>(line.data() + line.size() - source.text().data());
}

// Of its first line and its last, and then of all others.
std::vector<u32> line_ends(const python::Source &source, python::Span span) {
  std::vector<u32> ends{end_of_line(source, span.start), end_of_line(source, std::max(span.start, span.end))};
  const std::string_view text = source.text();
  for (std::size_t at = text.find('\n', span.start); at < span.end; at = text.find('\n', at + 1)) {
    ends.push_back(end_of_line(source, static_cast<u32>(at)));
  }
  return ends;
}

} // namespace

std::vector<rules::Edit> edits_together(const check::Result &result, FileIndex file, const std::string &bytes,
                                        std::span<const rules::Finding *const> findings) {
  check::Result small; // of this file alone
  small.files.push_back(result.files[file.value]);
  for (const rules::Finding *const finding : findings) {
    rules::Finding &copy = small.findings.emplace_back(*finding);
    copy.file = {0};
    copy.notes.clear();
  }
  fix::FixOptions options;
  options.unsafe_fixes = true; // whoever calls has chosen
  options.write = false;
  options.stdin_bytes = bytes;
  const fix::FixResult fixed = fix::apply_fixes(small, options);
  fix::EditSet edits;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (fixed.is_fixed[i]) {
      edits.add(findings[i]->fix->edits, small.files[0].source->text().size());
    }
  }
  return edits.edits();
}

std::optional<rules::Edit> suppressing_edit(const check::CheckedFile &file, const rules::Finding &finding) {
  if (file.source == nullptr) {
    return std::nullopt;
  }
  const python::Source &source = *file.source;
  const u64 errors = count_syntax_errors(source);
  std::set<u32> tried;
  constexpr std::size_t kMostTries = 20;
  for (const u32 end : line_ends(source, finding.span)) {
    if (tried.size() == kMostTries || !tried.insert(end).second) {
      continue;
    }
    rules::Edit edit{end, end, fmt::format("  # deepperf: ignore[{}]", finding.rule->code)};
    const python::Source changed = edited_source(source, edit);
    rules::Finding moved = finding;
    const auto added = static_cast<u32>(edit.replacement.size());
    moved.span.start += moved.span.start >= end ? added : 0;
    moved.span.end += moved.span.end > end ? added : 0;
    if (silences(changed, moved) && count_syntax_errors(changed) <= errors) {
      return edit;
    }
  }
  return std::nullopt;
}

Json workspace_edit(const std::vector<rules::Edit> &edits, FileIndex file, const Places &places,
                    const Documents &documents, bool has_versions) {
  std::map<std::string, Json> by_uri;
  for (const rules::Edit &edit : edits) {
    const Location location = places.find(file, {edit.start, edit.end});
    if (places.find(file, {edit.end, edit.end}).uri != location.uri) {
      return nullptr;
    }
    by_uri[location.uri].push_back({{"range", to_json(location.range)}, {"newText", edit.replacement}});
  }
  if (!has_versions) {
    return {{"changes", by_uri}};
  }
  Json changes = Json::array();
  for (auto &[uri, list] : by_uri) {
    const Document *const document = documents.find(uri);
    const Json version = document == nullptr ? Json(nullptr) : Json(document->version);
    changes.push_back({{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", std::move(list)}});
  }
  return {{"documentChanges", std::move(changes)}};
}

} // namespace deepperf::server
