#include "rules/vet_fixes.h"

#include "base/word.h"
#include "python/children.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace deepperf::rules {

using namespace python;
using model::ParsedFile;

namespace {

bool loses_comment(const ParsedFile &file, const Edit &edit) {
  const std::vector<Span> &comments = file.tree.comments;
  for (auto at = std::ranges::lower_bound(comments, edit.start, {}, &Span::start);
       at != comments.end() && at->start < edit.end; ++at) {
    if (edit.replacement.find(file.source.part(at->start, at->end)) == std::string::npos) {
      return true;
    }
  }
  return false;
}

// A line end outside of brackets ends the statement. What is only inserted may be a statement of its own.
bool splits_line(const Edit &edit) {
  if (edit.start == edit.end) {
    return false;
  }
  int depth = 0;
  for (const char c : edit.replacement) {
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == '\n' && depth <= 0) {
      return true;
    }
  }
  return false;
}

// `else(1)/x` becomes `elsersqrt(x)`.
bool joins_words(std::string_view text, const Edit &edit) {
  const auto is_word_at = [text](std::size_t at) { return at < text.size() && is_word_character(text[at]); };
  const bool first = edit.replacement.empty() ? is_word_at(edit.end) : is_word_character(edit.replacement.front());
  const bool last = edit.replacement.empty() ? edit.start > 0 && is_word_at(edit.start - 1)
                                             : is_word_character(edit.replacement.back());
  const bool joins_before =
      edit.start > 0 && is_word_at(edit.start - 1) && first && (edit.start == edit.end || !is_word_at(edit.start));
  const bool joins_after = is_word_at(edit.end) && last && (edit.start == edit.end || !is_word_at(edit.end - 1));
  return joins_before || joins_after;
}

// Of the file of the finding that is looked at, the outermost in source order.
struct FormattedStrings {
  const ParsedFile *file = nullptr;
  std::vector<Span> spans;

  void find_in(const ParsedFile &other) {
    if (file != &other) {
      file = &other;
      spans.clear();
      for (const Stmt *statement : other.tree.body) {
        add(statement);
      }
    }
  }

  void add(const Node *node) {
    if (node->kind == NodeKind::JoinedStr) {
      spans.push_back(node->span());
      return;
    }
    for_each_child(node, [this](const Node *child) { add(child); });
  }
};

// Before Python 3.12 there must be no quote of the string's own kind, no backslash and no line end between the braces.
bool breaks_formatted_string(const ParsedFile &file, const Edit &edit, FormattedStrings &strings) {
  if (edit.replacement.find_first_of("\"'\\\n#") == std::string::npos) {
    return false;
  }
  strings.find_in(file);
  const auto behind = std::ranges::upper_bound(strings.spans, edit.start, {}, &Span::start);
  return behind != strings.spans.begin() && edit.end <= std::prev(behind)->end;
}

// Where something is wrong, as with a string that is never closed, a place in the tree may not be one in the code.
bool is_near_syntax_error(const ParsedFile &file, const Edit &edit) {
  const Tree &tree = file.tree;
  if (tree.errors.empty()) {
    return false;
  }
  const std::string_view text = file.source.text();
  const std::size_t before = text.substr(0, edit.start).rfind('\n');
  const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t line_end = std::min(text.find('\n', edit.end), text.size());
  const bool may_have_more = tree.suppressed_errors != 0 && edit.end > tree.errors.back().span.start;
  return may_have_more || std::ranges::any_of(tree.errors, [&](const SyntaxError &error) {
           return error.span.start <= line_end && error.span.end >= line;
         });
}

bool is_good(const ParsedFile &file, const Edit &edit, FormattedStrings &strings) {
  return !is_near_syntax_error(file, edit) && !loses_comment(file, edit) && !splits_line(edit) &&
         !joins_words(file.source.text(), edit) && !breaks_formatted_string(file, edit, strings);
}

void use_line_ends_of(const ParsedFile &file, Edit &edit) {
  const std::string_view text = file.source.text();
  const std::size_t line_end = text.find('\n');
  if (edit.replacement.find('\n') == std::string::npos || line_end == std::string_view::npos || line_end == 0 ||
      text[line_end - 1] != '\r') {
    return;
  }
  // New lines go before the whole line end.
  if (edit.start == edit.end && edit.start > 0 && text[edit.start - 1] == '\r') {
    --edit.start;
    --edit.end;
  }
  std::string with_returns;
  for (const char c : edit.replacement) {
    if (c == '\n' && !with_returns.ends_with('\r')) {
      with_returns += '\r';
    }
    with_returns += c;
  }
  edit.replacement = std::move(with_returns);
}

} // namespace

void vet_fixes(const model::Project &project, std::vector<Finding> &findings) {
  FormattedStrings strings;
  auto module = project.modules.end();
  for (Finding &finding : findings) {
    if (!finding.fix) {
      continue;
    }
    if (module == project.modules.end() || module->file != finding.file) { // most often that of the finding before
      module = std::ranges::find(project.modules, finding.file, &model::Module::file);
    }
    if (module == project.modules.end()) {
      continue;
    }
    const ParsedFile &file = *module->parsed;
    if (!std::ranges::all_of(finding.fix->edits, [&](const Edit &edit) { return is_good(file, edit, strings); })) {
      finding.fix.reset();
      continue;
    }
    for (Edit &edit : finding.fix->edits) {
      use_line_ends_of(file, edit);
    }
  }
}

} // namespace deepperf::rules
