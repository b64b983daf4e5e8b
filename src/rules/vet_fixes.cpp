#include "rules/vet_fixes.h"

#include "base/word.h"
#include "python/children.h"

#include <algorithm>
#include <string_view>

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

bool is_in_formatted_string(const Node *node, const Edit &edit) {
  if (edit.start < node->start || edit.end > node->end) {
    return false;
  }
  if (node->kind == NodeKind::JoinedStr) {
    return true;
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || is_in_formatted_string(child, edit); });
  return found;
}

// Before Python 3.12 there must be no quote of the string's own kind, no backslash and no line end between the braces.
bool breaks_formatted_string(const Tree &tree, const Edit &edit) {
  if (edit.replacement.find_first_of("\"'\\\n#") == std::string::npos) {
    return false;
  }
  const auto behind =
      std::ranges::upper_bound(tree.body, edit.start, {}, [](const Stmt *statement) { return statement->start; });
  return behind != tree.body.begin() && is_in_formatted_string(*std::prev(behind), edit);
}

bool is_good(const ParsedFile &file, const Edit &edit) {
  return !loses_comment(file, edit) && !splits_line(edit) && !joins_words(file.source.text(), edit) &&
         !breaks_formatted_string(file.tree, edit);
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
    if (!std::ranges::all_of(finding.fix->edits, [&](const Edit &edit) { return is_good(file, edit); })) {
      finding.fix.reset();
      continue;
    }
    for (Edit &edit : finding.fix->edits) {
      use_line_ends_of(file, edit);
    }
  }
}

} // namespace deepperf::rules
