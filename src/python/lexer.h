// Bytes to tokens, one at a time and on demand: the parser pulls.
//
// The lexer knows about indentation, brackets and line continuation, but not about grammar. F-strings are the parser's
// business: the lexer gives their opening, and the parser then reads the text itself and seeks.
#pragma once

#include "base/symbol.h"
#include "python/source.h"
#include "python/syntax_error.h"
#include "python/token.h"

#include <string_view>
#include <vector>

namespace deepperf::python {

class Lexer {
public:
  Lexer(const Source &source, LocalSymbols &symbols, ErrorList &errors);

  // Starts on a segment of the source.
  void begin(const Segment &segment);
  void next(Token &token);

  // Where the lexer is in a line: at its very start, after its indentation, or after its first token.
  enum class Line : u8 { Inside, Before, Entered };

  // What is needed to look ahead and come back. Only for looks within one logical line.
  struct State {
    const char *at;
    u32 depth;
    u32 pending_dedents;
    Line line;
    std::size_t comments;
  };
  [[nodiscard]] State save() const;
  void restore(const State &state);

  // For f-strings and recovery: goes on reading at `offset`.
  void seek(u32 offset) { at_ = base_ + offset; }
  // As seek(), and what stands there begins a line, outside all brackets.
  void seek_line_start(u32 offset);
  [[nodiscard]] u32 offset() const { return static_cast<u32>(at_ - base_); }
  [[nodiscard]] const char *base() const { return base_; }
  [[nodiscard]] u32 segment_end() const { return static_cast<u32>(end_ - base_); }
  // How many brackets are open.
  u32 depth = 0;

  // At a line break: does the next line that has something on it begin a block?
  [[nodiscard]] bool next_line_is_indented() const;
  // Column of the innermost block.
  [[nodiscard]] u32 indentation() const { return indents_.back(); }
  [[nodiscard]] bool saw_mixed_tabs() const { return mixed_tabs_; }

  std::vector<Span> comments;

private:
  bool begin_line(Token &token);
  bool enter_line();
  void lex_name(Token &token);
  void lex_nonascii_name(Token &token, u32 length);
  void lex_number(Token &token);
  void lex_string(Token &token, u32 prefix_length);
  void lex_magic(Token &token);
  void skip_comment();
  bool skip_continuation();
  void set(Token &token, Tok kind, u32 length);
  void error(const char *from, const char *to, std::string message);

  const char *at_ = nullptr;
  const char *run_begin_ = nullptr; // bytes of names that are not all ASCII, one after the other
  const char *run_end_ = nullptr;
  const char *base_ = nullptr;
  const char *end_ = nullptr;
  Line line_ = Line::Before;
  bool notebook_ = false;
  bool mixed_tabs_ = false;
  u32 pending_dedents_ = 0;
  std::vector<u32> indents_;     // columns with tabs to multiples of 8
  std::vector<u32> alt_indents_; // columns with tabs counted as 1, to notice mixtures
  LocalSymbols &symbols_;
  ErrorList &errors_;
};

} // namespace deepperf::python
