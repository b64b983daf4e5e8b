#include "check/fingerprint.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/symbol.h"
#include "base/workers.h"
#include "python/children.h"
#include "python/parser.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>

namespace deepperf::check {

namespace {

// Of a statement that is longer, such as a table of a thousand lines, only the part that is reported counts.
constexpr std::size_t kLongStatement = 2000;

// The innermost statement that holds an offset, and what is around it.
struct Surroundings {
  std::string scope; // `Trainer.fit.`
  python::Span code; // of the statement, without its body
};

bool is_statement(const python::Node &node) {
  return node.kind >= python::NodeKind::FunctionDef && node.kind <= python::NodeKind::InvalidStmt;
}

class StatementFinder {
public:
  StatementFinder(const python::Tree &tree, u32 offset) : offset_(offset) { visit_block(tree.body); }
  [[nodiscard]] const Surroundings &found() const { return found_; }

private:
  void visit_block(const python::Block &block) {
    for (const python::Stmt *statement : block) {
      if (holds(statement)) {
        enter(statement);
        return;
      }
    }
  }

  // Decorators may stand before what the node's span begins with.
  [[nodiscard]] bool holds(const python::Node *node) const {
    return first_offset(node) <= offset_ && offset_ < std::max(node->end, node->start + 1);
  }
  static u32 first_offset(const python::Node *node) {
    u32 first = node->start;
    if (const auto *function = python::as<python::FunctionDef>(node);
        function != nullptr && !function->decorators.empty()) {
      first = std::min(first, function->decorators[0]->start);
    } else if (const auto *type = python::as<python::ClassDef>(node); type != nullptr && !type->decorators.empty()) {
      first = std::min(first, type->decorators[0]->start);
    }
    return first;
  }

  void enter(const python::Stmt *statement) {
    const python::Node *inner = nullptr;
    u32 header_end = statement->end;
    python::for_each_child(statement, [&](const python::Node *child) { find_inner(child, inner, header_end); });
    if (inner == nullptr) {
      found_.code = {first_offset(statement), std::max(header_end, first_offset(statement))};
      return;
    }
    add_scope(statement);
    enter(static_cast<const python::Stmt *>(inner));
  }

  // Statements are children of statements, and of what belongs to them, such as handlers of exceptions.
  void find_inner(const python::Node *child, const python::Node *&inner, u32 &header_end) {
    if (is_statement(*child)) {
      header_end = std::min(header_end, first_offset(child));
      if (holds(child)) {
        inner = child;
      }
    } else if (child->kind == python::NodeKind::ExceptHandler) {
      python::for_each_child(child, [&](const python::Node *more) { find_inner(more, inner, header_end); });
    }
  }

  void add_scope(const python::Stmt *statement) {
    if (const auto *function = python::as<python::FunctionDef>(statement)) {
      found_.scope.append(function->name.text()).append(".");
    } else if (const auto *type = python::as<python::ClassDef>(statement)) {
      found_.scope.append(type->name.text()).append(".");
    }
  }

  u32 offset_;
  Surroundings found_;
};

u64 fingerprint(const python::Source &source, const python::Tree &tree, const rules::Finding &finding) {
  const StatementFinder finder(tree, finding.span.start);
  const auto text_of = [&](python::Span span) {
    return normalised(source.part(span.start, span.end), tree.comments, span.start);
  };
  std::string text = text_of(finder.found().code);
  if (text.empty() || text.size() > kLongStatement) {
    text = text_of(finding.span).substr(0, kLongStatement);
  }
  return hash_bytes(finder.found().scope + "\n" + text);
}

} // namespace

std::string normalised(std::string_view code, const std::vector<python::Span> &comments, u32 start) {
  std::string text;
  auto comment = std::ranges::lower_bound(comments, start, {}, &python::Span::start);
  for (u32 at = 0; at < code.size(); ++at) {
    while (comment != comments.end() && comment->start < start + at) {
      ++comment;
    }
    if (comment != comments.end() && comment->start == start + at) {
      at += comment->end - comment->start - 1;
      continue;
    }
    const char c = code[at];
    if (static_cast<unsigned char>(c) <= ' ' || c == '(') {
      continue;
    }
    if (c == '\\' && at + 1 < code.size() && (code[at + 1] == '\n' || code[at + 1] == '\r')) {
      continue;
    }
    if ((c == ')' || c == ']' || c == '}') && text.ends_with(',')) {
      text.pop_back();
    }
    if (c != ')') {
      text += c == '\'' ? '"' : c;
    }
  }
  return text;
}

std::vector<u64> fingerprints(const Result &result) {
  // Findings come file by file.
  std::vector<std::span<const rules::Finding>> files;
  const std::span<const rules::Finding> all(result.findings);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].file == all[begin].file) {
      ++end;
    }
    files.push_back(all.subspan(begin, end - begin));
    begin = end;
  }
  std::vector<u64> prints(all.size());
  std::atomic<std::size_t> next{0};
  const auto workers = static_cast<u32>(std::min<std::size_t>(available_cores(), files.size()));
  run_workers(workers, [&](u32) {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      const python::Source *const source = result.files[files[i].front().file.value].source;
      if (source == nullptr) {
        continue;
      }
      Arena arena;
      LocalSymbols symbols;
      const python::Tree tree = python::parse(*source, arena, symbols);
      for (const rules::Finding &finding : files[i]) {
        prints[static_cast<std::size_t>(&finding - all.data())] = fingerprint(*source, tree, finding);
      }
    }
  });
  return prints;
}

} // namespace deepperf::check
