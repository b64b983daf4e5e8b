#include "python/parser_impl.h"

#include "base/scan.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace deepperf::python {

namespace {

// After so many broken statements the rest of a file is not Python.
constexpr u32 kMaxBrokenStatements = 200;
// More text than this inside brackets that are never closed is not searched for a place to go on.
constexpr u32 kRecoveryReach = 64 * 1024;

// Keywords that never stand inside an expression: where one begins a line, an earlier bracket was left open.
bool begins_statement_only(Tok token) {
  switch (token) {
  case Tok::kw_assert:
  case Tok::kw_break:
  case Tok::kw_class:
  case Tok::kw_continue:
  case Tok::kw_def:
  case Tok::kw_del:
  case Tok::kw_elif:
  case Tok::kw_except:
  case Tok::kw_finally:
  case Tok::kw_global:
  case Tok::kw_import:
  case Tok::kw_nonlocal:
  case Tok::kw_pass:
  case Tok::kw_raise:
  case Tok::kw_return:
  case Tok::kw_try:
  case Tok::kw_while:
  case Tok::kw_with:
    return true;
  default:
    return false;
  }
}

bool continues_compound(Tok token) {
  return token == Tok::kw_elif || token == Tok::kw_else || token == Tok::kw_except || token == Tok::kw_finally;
}

bool closes_bracket(char c) { return c == ')' || c == ']' || c == '}'; }

// Offset of the first byte that is not valid UTF-8.
u32 first_invalid_utf8(std::string_view text) {
  // Halve towards it: a prefix that ends inside a character is tried a little longer.
  std::size_t good = 0;
  std::size_t bad = text.size();
  while (bad - good > 64) {
    std::size_t middle = good + (bad - good) / 2;
    while (middle > good && (static_cast<u8>(text[middle]) & 0xC0U) == 0x80) {
      --middle;
    }
    if (middle == good) {
      break;
    }
    if (simdjson::validate_utf8(text.data() + good, middle - good)) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  for (std::size_t at = good; at < bad; ++at) {
    if ((static_cast<u8>(text[at]) & 0xC0U) != 0x80 && !simdjson::validate_utf8(text.data() + good, at - good)) {
      break;
    }
    if ((static_cast<u8>(text[at]) & 0xC0U) != 0x80) {
      good = at;
    }
  }
  return static_cast<u32>(good);
}

} // namespace

Parser::Parser(const Source &source, Arena &arena, LocalSymbols &symbols, Scratch &scratch)
    : source_(source), arena_(arena), lexer_(source, symbols, errors_), scratch_(scratch) {}

Tree Parser::run() {
  const std::string_view whole = source_.text();
  if (!simdjson::validate_utf8(whole.data(), whole.size())) {
    const u32 at = first_invalid_utf8(whole);
    errors_.add({at, at + 1}, fmt::format("byte 0x{:02x} is not valid UTF-8; declare the encoding or convert the file",
                                          static_cast<u8>(whole[at])));
  }
  Collect<Stmt *> statements(*this, scratch_.stmts);
  WrittenFiles files;
  for (const Segment &segment : source_.segments) {
    if (segment.is_written()) {
      if (FunctionDef *file = parse_written(segment, files); file != nullptr) {
        statements.push(file);
      }
    } else {
      parse_segment(segment, statements);
    }
  }
  height_ = 0;
  for (const WrittenFile &written : files.all) {
    written.file->body = arena_.copy(written.statements.data(), written.statements.size());
  }
  tree_.body = arena_.copy(statements.data(), statements.size());
  tree_.comments = std::move(lexer_.comments);
  tree_.errors = std::move(errors_.errors);
  std::stable_sort(tree_.errors.begin(), tree_.errors.end(),
                   [](const SyntaxError &a, const SyntaxError &b) { return a.span.start < b.span.start; });
  tree_.suppressed_errors = errors_.suppressed;
  return std::move(tree_);
}

void Parser::parse_segment(const Segment &segment, Collect<Stmt *> &statements) {
  lexer_.begin(segment);
  current_ = {};
  previous_end_ = segment.begin;
  lexer_.next(current_);
  while (!at(Tok::EndOfFile)) {
    parse_statements_until(Tok::EndOfFile, statements);
  }
}

// A cell that is written to a file is code of another module, with names of its own: a function that nobody calls
// comes nearest to that. Cells that are added to the same file become part of it, and null is returned.
FunctionDef *Parser::parse_written(const Segment &segment, WrittenFiles &files) {
  const std::string_view target = text({segment.target_begin, segment.target_end});
  Collect<Stmt *> statements(*this, scratch_.stmts);
  parse_segment(segment, statements); // how deep they are is no concern of a block
  WrittenFile *&latest = files.latest[target];
  const bool is_new = latest == nullptr || !segment.appends;
  if (is_new) {
    latest = &files.all.emplace_back();
    latest->file = make<FunctionDef>(segment.begin);
    latest->file->name = intern("%%writefile"); // what no code can mean
    latest->file->name_span = {segment.target_begin, segment.target_end};
  }
  latest->file->end = segment.end;
  latest->statements.insert(latest->statements.end(), statements.data(), statements.data() + statements.size());
  return is_new ? latest->file : nullptr;
}

void Parser::expect_closing(Tok kind, u32 opening) {
  if (!at(kind)) {
    const u32 line = source_.position(opening).line;
    if (source_.position(current_.start).line == line) {
      fail_expected(describe(kind));
    }
    fail(fmt::format("expected {} for the '{}' on line {}, not {}", describe(kind), source_.text()[opening], line,
                     describe(current_.kind)));
  }
  advance();
}

Symbol Parser::expect_name() {
  // Python 2 and early Python 3 had `async` and `await` as plain names.
  if (!at(Tok::Name) && !at(Tok::kw_async) && !at(Tok::kw_await)) {
    fail_expected("a name");
  }
  const Symbol name = current_.symbol;
  advance();
  return name;
}

Token Parser::peek() {
  const Lexer::State state = lexer_.save();
  Token token;
  lexer_.next(token);
  lexer_.restore(state);
  return token;
}

void Parser::fail(std::string message) { fail_at({current_.start, current_.end}, std::move(message)); }

void Parser::fail_at(Span span, std::string message) {
  errors_.add(span, std::move(message));
  throw Bail{};
}

void Parser::fail_expected(std::string_view what) {
  if (at(Tok::Invalid)) {
    const std::string_view character = text({current_.start, current_.end});
    if (static_cast<u8>(character[0]) < 0x20 || (static_cast<u8>(character[0]) >= 0x80 && character.size() == 1)) {
      fail(fmt::format("invalid character 0x{:02x}", static_cast<u8>(character[0])));
    }
    fail(fmt::format("invalid character '{}'", character));
  }
  fail(fmt::format("expected {}, not {}", what, describe(current_.kind)));
}

void Parser::python2(Span evidence) {
  if (!tree_.is_python2) {
    tree_.is_python2 = true;
    tree_.python2_evidence = evidence;
  }
}

// A block has at least one statement, also where none could be read: who looks at its first or last one need not ask.
Block Parser::block_of(Collect<Stmt *> &statements) {
  if (statements.empty()) {
    auto *missing = make<InvalidStmt>(previous_end_);
    missing->end = previous_end_;
    statements.push(missing);
  }
  return arena_.copy(statements.data(), statements.size());
}

// `: statements` on one line, or a line break and an indented block.
Block Parser::parse_suite() {
  if (at(Tok::Colon)) {
    advance();
  } else if (at(Tok::Newline) && lexer_.next_line_is_indented()) {
    // The colon was forgotten, but what is meant is clear.
    errors_.add({previous_end_, previous_end_}, "expected ':'");
  } else {
    fail_expected("':'");
  }
  const Nest nest(*this);
  if (!at(Tok::Newline)) {
    Collect<Stmt *> statements(*this, scratch_.stmts);
    parse_simple_statements(statements);
    return block_of(statements);
  }
  const u32 colon = previous_end_;
  advance();
  if (!at(Tok::Indent)) {
    errors_.add({current_.start, current_.end}, "expected an indented block");
    previous_end_ = colon;
    Collect<Stmt *> none(*this, scratch_.stmts);
    return block_of(none);
  }
  return parse_indented_block();
}

Block Parser::parse_indented_block() {
  const u32 end = previous_end_;
  advance(); // the Indent
  previous_end_ = end;
  Collect<Stmt *> statements(*this, scratch_.stmts);
  parse_statements_until(Tok::Dedent, statements);
  if (at(Tok::Dedent)) {
    const u32 last = previous_end_;
    advance();
    previous_end_ = last;
  }
  return block_of(statements);
}

void Parser::parse_statements_until(Tok end, Collect<Stmt *> &statements) {
  while (!at(end) && !at(Tok::EndOfFile)) {
    if (at(Tok::Dedent)) { // one that belongs to nothing, left over by recovery
      advance();
      continue;
    }
    parse_statement_or_recover(statements);
  }
}

void Parser::parse_statement_or_recover(Collect<Stmt *> &statements) {
  const u32 start = current_.start;
  const u32 nesting = nesting_;
  try {
    if (at(Tok::Indent)) {
      const Nest nest(*this);
      errors_.add({current_.start, current_.end}, "unexpected indentation");
      auto *invalid = make<InvalidStmt>(start);
      invalid->body = parse_indented_block();
      invalid->end = previous_end_;
      statements.push(invalid);
      return;
    }
    if (continues_compound(current_.kind) && !statements.empty() && statements.back()->kind == NodeKind::InvalidStmt) {
      throw Bail{}; // its `if` or `try` was not understood, which has been said
    }
    parse_statement(statements);
  } catch (const Bail &) {
    nesting_ = nesting;
    recover(start, statements);
  }
}

// Behind an error: leaves out the rest of the statement but keeps what can be read of its block.
void Parser::recover(u32 statement_start, Collect<Stmt *> &statements) {
  auto *invalid = make<InvalidStmt>(statement_start);
  if (++broken_statements_ > kMaxBrokenStatements) {
    skip_segment();
  } else {
    skip_statement(statement_start, lexer_.indentation());
  }
  invalid->end = std::max(previous_end_, statement_start);
  if (at(Tok::Indent) && nesting_ < kMaxNesting) {
    ++nesting_;
    invalid->body = parse_indented_block();
    invalid->end = previous_end_;
    --nesting_;
  }
  statements.push(invalid);
}

// Not further back than recovery looks anywhere: a line can be as long as the file.
u32 Parser::line_start_of(u32 offset) const {
  const std::string_view all = source_.text();
  const u32 limit = offset > kRecoveryReach ? offset - kRecoveryReach : 0;
  while (offset > limit && all[offset - 1] != '\n' && all[offset - 1] != '\r' && all[offset - 1] != '\0') {
    --offset;
  }
  return offset;
}

u32 Parser::column_of_line(u32 line_start) const {
  u32 column = 0;
  for (const char *at = source_.text().data() + line_start;; ++at) {
    if (*at == ' ') {
      ++column;
    } else if (*at == '\t') {
      column = (column / 8 + 1) * 8;
    } else {
      return column;
    }
  }
}

bool Parser::is_first_of_line(u32 offset) const {
  const std::string_view all = source_.text();
  while (offset > 0 && (all[offset - 1] == ' ' || all[offset - 1] == '\t' || all[offset - 1] == '\f')) {
    --offset;
  }
  return offset == 0 || all[offset - 1] == '\n' || all[offset - 1] == '\r' || all[offset - 1] == '\0';
}

// Goes on until the statement's logical line ends. Where a bracket was left open that could be the end of the file, so
// a line that must be a new statement ends it too.
void Parser::skip_statement(u32 statement_start, u32 indentation) {
  const u32 error_at = current_.start;
  if (lexer_.depth > 0) {
    // An error on a later line that is not further in than the statement: most likely a statement of its own, after a
    // bracket that should have been closed.
    const u32 line = line_start_of(error_at);
    if (line > statement_start && column_of_line(line) <= indentation && !closes_bracket(source_.text()[line])) {
      lexer_.seek_line_start(line);
      lexer_.next(current_);
      return;
    }
  }
  for (;;) {
    if (at(Tok::EndOfFile) || at(Tok::Indent) || at(Tok::Dedent)) {
      break;
    }
    if (at(Tok::Newline)) {
      const u32 end = previous_end_;
      advance();
      previous_end_ = end;
      return;
    }
    if (lexer_.depth > 0 && begins_statement_only(current_.kind) && current_.start > statement_start &&
        is_first_of_line(current_.start)) {
      lexer_.seek_line_start(line_start_of(current_.start));
      lexer_.next(current_);
      return;
    }
    if (at(Tok::FString)) {
      skip_fstring();
    }
    if (lexer_.depth > 0 && current_.start - error_at > kRecoveryReach) {
      break;
    }
    advance();
  }
  if (lexer_.depth == 0 || at(Tok::Indent) || at(Tok::Dedent)) {
    return;
  }
  // A bracket is open and nothing told where the statement ends: go on with the next line that is not further in.
  const char *base = lexer_.base();
  u32 line = error_at;
  for (;;) {
    const char *end = scan::line_end(base + line);
    line = static_cast<u32>(end - base) + 1;
    if (line >= lexer_.segment_end()) {
      skip_segment();
      return;
    }
    const char first = base[line + (scan::spaces_end(base + line) - (base + line))];
    if (first != '\n' && first != '\r' && first != '#' && column_of_line(line) <= indentation) {
      break;
    }
  }
  previous_end_ = line;
  lexer_.seek_line_start(line);
  lexer_.next(current_);
}

void Parser::skip_segment() {
  lexer_.seek_line_start(lexer_.segment_end());
  lexer_.next(current_);
}

Tree parse(const Source &source, Arena &arena, LocalSymbols &symbols) {
  static thread_local Scratch scratch;
  return Parser(source, arena, symbols, scratch).run();
}

} // namespace deepperf::python
