#include "check/joined_lines.h"

#include "base/arena.h"
#include "base/symbol.h"
#include "base/workers.h"
#include "python/children.h"
#include "python/parser.h"

#include <algorithm>

namespace deepperf::check {

namespace {

class StringFinder {
public:
  StringFinder(const python::Source &source, std::vector<LineRange> &found) : source_(source), found_(found) {}

  void visit(const python::Node *node) {
    if (const python::StringConstant *string = python::as_string(node)) {
      add(string->parts);
    } else if (const auto *joined = python::as<python::JoinedStr>(node)) {
      add(joined->parts);
    }
    python::for_each_child(node, [this](const python::Node *child) { visit(child); });
  }

private:
  void add(const Array<python::StringPart> &parts) {
    for (const python::StringPart &part : parts) {
      const LineRange range{source_.line_column(part.start).line, source_.line_column(part.end).line};
      if (range.first < range.last) {
        found_.push_back(range);
      }
    }
  }

  const python::Source &source_;
  std::vector<LineRange> &found_;
};

void find_backslashes(const python::Source &source, const std::vector<python::Span> &comments,
                      std::vector<LineRange> &found) {
  const std::string_view text = source.text();
  for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1)) {
    if (at + 1 == text.size() || (text[at + 1] != '\n' && text[at + 1] != '\r')) {
      continue;
    }
    const auto after = std::ranges::upper_bound(comments, at, {}, &python::Span::start);
    if (after != comments.begin() && std::prev(after)->end > at) {
      continue;
    }
    const u32 line = source.line_column(static_cast<u32>(at)).line;
    found.push_back({line, line + 1});
  }
}

} // namespace

std::vector<LineRange> find_joined_lines(const python::Source &source) {
  std::vector<LineRange> found;
  // The parser needs a stack that the caller may not have.
  on_large_stack([&] {
    Arena arena;
    LocalSymbols symbols;
    const python::Tree tree = python::parse(source, arena, symbols);
    StringFinder finder(source, found);
    for (const python::Stmt *statement : tree.body) {
      finder.visit(statement);
    }
    find_backslashes(source, tree.comments, found);
  });
  std::ranges::sort(found, {}, &LineRange::first);
  std::vector<LineRange> joined;
  for (const LineRange &range : found) {
    if (!joined.empty() && range.first <= joined.back().last) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

u32 end_of_joined(const std::vector<LineRange> &joined, u32 line) {
  const auto range = std::ranges::lower_bound(joined, line, {}, &LineRange::last);
  return range != joined.end() && range->first <= line ? range->last : line;
}

} // namespace deepperf::check
