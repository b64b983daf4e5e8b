// The parser's class, private to parser*.cpp: recursive descent for statements and atoms, precedence climbing for
// operators. An error inside a statement throws Bail, which only the statement loop catches.
#pragma once

#include "python/lexer.h"
#include "python/parser.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

namespace deepperf::python {

// Deeper nesting of brackets and blocks is refused: it would cost stack here and in everything that walks the tree.
// (CPython refuses more than 200 brackets or 100 blocks.)
inline constexpr u32 kMaxNesting = 500;
// The same for trees that grow without nesting, like a + b + c + … and chains of elif.
inline constexpr u32 kMaxHeight = 4000;

// Thrown when a statement cannot be parsed; the error has been recorded.
struct Bail : std::exception { // should it ever escape, it costs that file and no more
  [[nodiscard]] const char *what() const noexcept override { return "a syntax error outside of statements"; }
};

// Lists under construction. Kept from file to file, so that parsing allocates nothing but nodes.
struct Scratch {
  std::vector<Expr *> exprs;
  std::vector<Stmt *> stmts;
  std::vector<Keyword *> keywords;
  std::vector<Param *> params;
  std::vector<Alias *> aliases;
  std::vector<Symbol> names;
  std::vector<DictItem> dict_items;
  std::vector<CompareItem> compare_items;
  std::vector<Comprehension *> generators;
  std::vector<WithItem> with_items;
  std::vector<ExceptHandler *> handlers;
  std::vector<TypeParam *> type_params;
  std::vector<StringPart> string_parts;
  std::vector<MatchCase> cases;
  std::vector<Pattern *> patterns;
  std::vector<MatchMappingItem> mapping_items;
  std::vector<MatchClassKeyword> class_keywords;
};

class Parser {
public:
  Parser(const Source &source, Arena &arena, LocalSymbols &symbols, Scratch &scratch);
  Tree run();

private:
  // Collects the elements of a list whose length is not known yet, and the height of the tallest.
  template <class T> class Collect {
  public:
    Collect(Parser &parser, std::vector<T> &scratch) : parser_(parser), scratch_(scratch), base_(scratch.size()) {}
    Collect(const Collect &) = delete;
    Collect &operator=(const Collect &) = delete;
    ~Collect() { scratch_.resize(base_); }
    void push(T item) {
      scratch_.push_back(item);
      note_height();
    }
    void note_height() { height_ = std::max(height_, parser_.height_); }
    [[nodiscard]] std::size_t size() const { return scratch_.size() - base_; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    void pop() { scratch_.pop_back(); }
    T *data() { return scratch_.data() + base_; }
    T &front() { return scratch_[base_]; }
    T &back() { return scratch_.back(); }
    Array<T> finish() {
      parser_.set_height(height_);
      return parser_.arena_.copy(scratch_.data() + base_, size());
    }

  private:
    Parser &parser_;
    std::vector<T> &scratch_;
    std::size_t base_;
    u32 height_ = 0;
  };

  // Counts a level of nesting for as long as it lives.
  class Nest {
  public:
    explicit Nest(Parser &parser) : parser_(parser) {
      if (parser.nesting_ >= kMaxNesting) {
        parser.fail("this is nested too deeply");
      }
      ++parser.nesting_;
    }
    Nest(const Nest &) = delete;
    Nest &operator=(const Nest &) = delete;
    ~Nest() { --parser_.nesting_; }

  private:
    Parser &parser_;
  };

  // What `%%writefile` cells of a notebook write; the body of a file is complete when all of them are parsed.
  struct WrittenFile {
    FunctionDef *file = nullptr;
    std::vector<Stmt *> statements;
  };
  struct WrittenFiles {
    std::deque<WrittenFile> all;
    std::unordered_map<std::string_view, WrittenFile *> latest; // by name
  };

  // ---- parser.cpp: tokens, errors, blocks
  void parse_segment(const Segment &segment, Collect<Stmt *> &statements);
  FunctionDef *parse_written(const Segment &segment, WrittenFiles &files);
  void advance() {
    previous_end_ = current_.end;
    lexer_.next(current_);
  }
  [[nodiscard]] bool at(Tok kind) const { return current_.kind == kind; }
  bool accept(Tok kind) {
    if (current_.kind != kind) {
      return false;
    }
    advance();
    return true;
  }
  void expect(Tok kind) {
    if (current_.kind != kind) {
      fail_expected(describe(kind));
    }
    advance();
  }
  // The closing of a bracket that was opened at `opening`.
  void expect_closing(Tok kind, u32 opening);
  Symbol expect_name();
  Token peek();

  [[noreturn]] void fail(std::string message);
  [[noreturn]] void fail_at(Span span, std::string message);
  [[noreturn]] void fail_expected(std::string_view what);
  void python2(Span evidence);

  [[nodiscard]] std::string_view text(Span span) const {
    return source_.text().substr(span.start, span.end - span.start);
  }

  template <class T> T *make(u32 start) {
    T *node = arena_.make<T>();
    node->kind = T::kKind;
    node->start = start;
    node->end = previous_end_;
    return node;
  }
  // The node about to be built is one taller than `children`.
  void set_height(u32 children) {
    if (children >= kMaxHeight) {
      fail("this expression is too long a chain");
    }
    height_ = children + 1;
  }

  Block block_of(Collect<Stmt *> &statements);
  Block parse_suite();
  Block parse_indented_block();
  void parse_statements_until(Tok end, Collect<Stmt *> &statements);
  void parse_statement_or_recover(Collect<Stmt *> &statements);
  void recover(u32 statement_start, Collect<Stmt *> &statements);
  void skip_statement(u32 statement_start, u32 indentation);
  void skip_segment();
  [[nodiscard]] bool is_first_of_line(u32 offset) const;
  [[nodiscard]] u32 line_start_of(u32 offset) const;
  [[nodiscard]] u32 column_of_line(u32 line_start) const;

  // ---- parser_statements.cpp
  void parse_statement(Collect<Stmt *> &statements);
  void parse_simple_statements(Collect<Stmt *> &statements);
  Stmt *parse_simple_statement();
  Stmt *parse_compound_statement();
  Stmt *parse_expression_statement();
  Stmt *finish_expression_statement(Expr *first, u32 start);
  Stmt *parse_assignment(Expr *first, u32 start);
  Stmt *parse_annotated(Expr *target, u32 start);
  Stmt *parse_if();
  Stmt *parse_while();
  Stmt *parse_for(u32 start, bool is_async);
  Stmt *parse_try();
  ExceptHandler *parse_handler(Try *statement);
  Stmt *parse_with(u32 start, bool is_async);
  bool parse_parenthesized_with_items(Collect<WithItem> &items);
  WithItem parse_with_item();
  Expr *parse_star_target();
  Stmt *parse_function(u32 start, bool is_async, Array<Expr *> decorators);
  Stmt *parse_class(Array<Expr *> decorators);
  Stmt *parse_decorated();
  Array<TypeParam *> parse_type_params();
  Array<Param *> parse_params(Tok end, bool annotations);
  Param *parse_param(bool annotations);
  Stmt *parse_import();
  Stmt *parse_import_from();
  Alias *parse_import_alias();
  Symbol parse_dotted_name();
  Stmt *parse_raise();
  Stmt *parse_delete();
  Stmt *parse_assert();
  Stmt *parse_return();
  template <class T> Stmt *parse_names_statement();
  Stmt *parse_type_alias();
  Stmt *parse_print();
  Stmt *parse_exec();
  Stmt *parse_magic();
  Stmt *parse_match();
  bool looks_like_match();
  bool looks_like_type_alias();

  // ---- parser_expressions.cpp
  enum Precedence : u8 { // of binary operators; 0 is none
    kNone,
    kOr,
    kAnd,
    kNot,
    kCompare,
    kBitOr,
    kBitXor,
    kBitAnd,
    kShift,
    kSum,
    kTerm,
    kUnary,
    kPower,
  };
  struct OperatorInfo {
    u8 precedence = kNone;
    u8 op = 0;
  };
  static const OperatorInfo &operator_info(Tok token);

  Expr *parse_star_expressions(); // a, *b: a Tuple where there is a comma
  Expr *parse_yield_or_star_expressions();
  Expr *parse_tuple_rest(Expr *first, u32 start, Expr *(Parser::*element)());
  Expr *parse_star_expression();
  Expr *parse_star_named_expression();
  Expr *parse_named_expression();
  Expr *parse_expression();
  Expr *parse_conditional(Expr *body, u32 start);
  Expr *parse_lambda();
  Expr *parse_operators(u8 least);
  Expr *parse_operator_rest(Expr *left, u32 start, u8 least);
  Expr *parse_comparison(Expr *left, u32 start);
  bool accept_compare_operator(CompareOperator &op);
  Expr *parse_unary(UnaryOperator op, u8 operand);
  Expr *parse_await();
  Expr *parse_primary();
  Expr *parse_trailers(Expr *primary, u32 start);
  Expr *parse_atom();
  Expr *parse_paren();
  Expr *parse_list();
  Expr *parse_dict_or_set();
  Expr *parse_yield();
  Expr *parse_backquote();
  Expr *parse_call(Expr *func, u32 start);
  void parse_arguments(u32 opening, Collect<Expr *> &args, Collect<Keyword *> &keywords);
  Expr *parse_subscript(Expr *value, u32 start);
  Expr *parse_slice();
  Expr *parse_generator(Expr *element, u32 start);
  Array<Comprehension *> parse_generators(bool in_list);
  Expr *parse_target_list(Tok end);
  Expr *make_name();
  Expr *make_constant(ConstantKind kind);
  void set_context(Expr *target, Context context);
  [[nodiscard]] bool starts_expression(Tok token) const;

  // ---- parser_strings.cpp
  Expr *parse_strings();
  [[nodiscard]] StringPart string_part(const Token &token) const;
  void parse_fstring_values(const StringPart &opening, bool in_spec, Collect<Expr *> &values);
  Expr *parse_replacement_field(const StringPart &opening);
  void skip_fstring();
  void add_piece(const StringPart &opening, u32 start, u32 end, Collect<Expr *> &values);

  // ---- parser_patterns.cpp
  MatchCase parse_case();
  Pattern *parse_patterns();
  Pattern *parse_maybe_star_pattern();
  Pattern *parse_pattern();
  Pattern *parse_or_pattern();
  Pattern *parse_closed_pattern();
  Pattern *parse_group_or_sequence_pattern();
  Pattern *parse_sequence_pattern();
  Pattern *parse_mapping_pattern();
  Pattern *parse_name_pattern();
  Pattern *parse_class_pattern(Expr *cls, u32 start);
  Expr *parse_literal_expression();

  const Source &source_;
  Arena &arena_;
  ErrorList errors_;
  Lexer lexer_;
  Tree tree_;
  Token current_;
  u32 previous_end_ = 0;
  u32 nesting_ = 0;
  u32 broken_statements_ = 0;
  u32 height_ = 0; // of the expression parsed last

  Scratch &scratch_;
};

} // namespace deepperf::python
