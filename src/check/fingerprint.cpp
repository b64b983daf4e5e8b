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
#include <string_view>
#include <vector>

namespace deepperf::check {

namespace {

// Of a statement that is longer, such as a table of a thousand lines, only the part that is reported counts.
constexpr std::size_t kLongStatement = 2000;

// Of code that is longer, only so much is read.
constexpr u32 kLongCode = 32'000;

bool is_statement(const python::Node &node) {
  return node.kind >= python::NodeKind::FunctionDef && node.kind <= python::NodeKind::InvalidStmt;
}

// Decorators may stand before what the node's span begins with.
u32 first_offset(const python::Node *node) {
  u32 first = node->start;
  if (const auto *function = python::as<python::FunctionDef>(node);
      function != nullptr && !function->decorators.empty()) {
    first = std::min(first, function->decorators[0]->start);
  } else if (const auto *type = python::as<python::ClassDef>(node); type != nullptr && !type->decorators.empty()) {
    first = std::min(first, type->decorators[0]->start);
  }
  return first;
}

// All statements of a file, in the order in which they begin; those that begin at the same place from outside to
// inside.
class Statements {
public:
  static constexpr u32 kNone = ~0U;

  explicit Statements(const python::Tree &tree) {
    for (const python::Stmt *statement : tree.body) {
      add(statement, kNone);
    }
  }

  // The innermost one that holds an offset.
  [[nodiscard]] u32 at(u32 offset) const {
    const auto behind = std::ranges::upper_bound(all_, offset, {}, &Statement::first);
    auto found = behind == all_.begin() ? kNone : static_cast<u32>(behind - all_.begin() - 1);
    while (found != kNone && offset >= all_[found].end) {
      found = all_[found].around;
    }
    return found;
  }

  // Without the statements in its body.
  [[nodiscard]] python::Span code_of(u32 place) const { return {all_[place].first, all_[place].header_end}; }

  // The functions and classes around it: `Trainer.fit.`
  [[nodiscard]] std::string scope_of(u32 place) const {
    std::vector<std::string_view> names;
    for (u32 around = all_[place].around; around != kNone; around = all_[around].around) {
      if (const auto *function = python::as<python::FunctionDef>(all_[around].node)) {
        names.push_back(function->name.text());
      } else if (const auto *type = python::as<python::ClassDef>(all_[around].node)) {
        names.push_back(type->name.text());
      }
    }
    std::string scope;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      scope.append(*name).append(".");
    }
    return scope;
  }

private:
  struct Statement {
    const python::Node *node = nullptr;
    u32 first = 0;
    u32 end = 0;
    u32 header_end = 0;
    u32 around = kNone;
  };

  void add(const python::Node *node, u32 around) {
    const auto place = static_cast<u32>(all_.size());
    const u32 first = first_offset(node);
    all_.push_back({node, first, std::max(node->end, node->start + 1), std::max(node->end, first), around});
    if (around != kNone) {
      all_[around].header_end = std::max(std::min(all_[around].header_end, first), all_[around].first);
    }
    python::for_each_child(node, [&](const python::Node *child) { add_inside(child, place); });
  }

  // Statements are children of statements, and of what belongs to them, such as handlers of exceptions.
  void add_inside(const python::Node *child, u32 around) {
    if (is_statement(*child)) {
      add(child, around);
    } else if (child->kind == python::NodeKind::ExceptHandler) {
      python::for_each_child(child, [&](const python::Node *more) { add_inside(more, around); });
    }
  }

  std::vector<Statement> all_;
};

class Fingerprints {
public:
  Fingerprints(const python::Source &source, const python::Tree &tree)
      : source_(source), tree_(tree), statements_(tree) {}

  u64 of(const rules::Finding &finding) {
    const u32 statement = statements_.at(finding.span.start);
    if (statement != Statements::kNone && statement != last_) { // many findings may be in one
      last_ = statement;
      scope_ = statements_.scope_of(statement);
      text_ = text_of(statements_.code_of(statement));
    } else if (statement == Statements::kNone) {
      last_ = statement;
      scope_ = text_ = {};
    }
    if (!text_.empty() && text_.size() <= kLongStatement) {
      return hash_bytes(scope_ + "\n" + text_);
    }
    python::Span span = finding.span;
    span.end = std::min(span.end, span.start + kLongCode);
    return hash_bytes(scope_ + "\n" + text_of(span).substr(0, kLongStatement));
  }

private:
  [[nodiscard]] std::string text_of(python::Span span) const {
    return normalised(source_.part(span.start, span.end), tree_.comments, span.start);
  }

  const python::Source &source_;
  const python::Tree &tree_;
  const Statements statements_;
  u32 last_ = Statements::kNone;
  std::string scope_; // of the last statement
  std::string text_;
};

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
      Fingerprints of_file(*source, tree);
      for (const rules::Finding &finding : files[i]) {
        prints[static_cast<std::size_t>(&finding - all.data())] = of_file.of(finding);
      }
    }
  });
  return prints;
}

} // namespace deepperf::check
