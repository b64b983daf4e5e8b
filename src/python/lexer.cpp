#include "python/lexer.h"

#include "base/scan.h"
#include "python/unicode.h"

#include <fmt/format.h>

#include <string>

namespace deepperf::python {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Digits with single underscores between them.
template <class Accept> const char *skip_digits(const char *at, Accept accept) {
  while (accept(*at) || (*at == '_' && accept(at[1]))) {
    ++at;
  }
  return at;
}

// Is the name in front of a quote a string prefix? All are of one or two letters.
bool is_string_prefix(const char *text, std::size_t size) {
  const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
  const char first = lower(text[0]);
  if (size == 1) {
    return first == 'r' || first == 'b' || first == 'u' || first == 'f' || first == 't';
  }
  if (size != 2) {
    return false;
  }
  const char second = lower(text[1]);
  if (first == 'r') {
    return second == 'b' || second == 'f' || second == 't';
  }
  return second == 'r' && (first == 'b' || first == 'f' || first == 't' || first == 'u');
}

// Does a line of a notebook belong to IPython? %magic, !shell, ?help, and the shell commands that it takes without a
// sign where what follows cannot be Python: `pip install x`, `ls -l data`.
bool begins_magic(const char *line) {
  if (*line == '%' || *line == '!' || *line == '?') {
    return true;
  }
  const char *name_end = line;
  while (*name_end >= 'a' && *name_end <= 'z') {
    ++name_end;
  }
  const std::string_view name(line, static_cast<std::size_t>(name_end - line));
  if (*name_end != ' ' || (name != "pip" && name != "conda" && name != "ls" && name != "cd" && name != "cat" &&
                           name != "mkdir" && name != "rm" && name != "cp" && name != "mv")) {
    return false;
  }
  const char *argument = name_end + 1;
  if (*argument == '-') { // an option, not a subtraction
    ++argument;
    return *argument == '-' || (scan::is_name_byte(*argument) && name != "ls") ||
           (scan::is_name_byte(*argument) && *scan::name_end(argument).end == ' ');
  }
  if (*argument == '/' || *argument == '.' || *argument == '~') {
    return argument[1] != ' ' && argument[1] != '=';
  }
  const std::string_view word(argument, static_cast<std::size_t>(scan::name_end(argument).end - argument));
  return !word.empty() && word != "in" && word != "is" && word != "and" && word != "or" && word != "not" &&
         word != "if" && word != "for";
}

const char *skip_line_break(const char *at) { return at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1); }

} // namespace

Lexer::Lexer(const Source &source, LocalSymbols &symbols, ErrorList &errors)
    : base_(source.text().data()), notebook_(source.is_notebook), symbols_(symbols), errors_(errors) {
  indents_.reserve(64);
  alt_indents_.reserve(64);
}

void Lexer::begin(const Segment &segment) {
  at_ = base_ + segment.begin;
  end_ = base_ + segment.end;
  depth = 0;
  pending_dedents_ = 0;
  line_ = Line::Before;
  indents_.assign(1, 0);
  alt_indents_.assign(1, 0);
  if (notebook_) { // a cell may be indented as a whole
    enter_line();
    indents_.erase(indents_.begin(), indents_.end() - 1);
    alt_indents_.erase(alt_indents_.begin(), alt_indents_.end() - 1);
    seek_line_start(segment.begin);
  }
}

Lexer::State Lexer::save() const { return {at_, depth, pending_dedents_, line_, comments.size()}; }

void Lexer::restore(const State &state) {
  at_ = state.at;
  depth = state.depth;
  pending_dedents_ = state.pending_dedents;
  line_ = state.line;
  comments.resize(state.comments);
}

void Lexer::seek_line_start(u32 offset) {
  seek(offset);
  depth = 0;
  line_ = Line::Before;
  while (!comments.empty() && comments.back().start >= offset) {
    comments.pop_back();
  }
}

inline void Lexer::set(Token &token, Tok kind, u32 length) {
  token.kind = kind;
  token.start = static_cast<u32>(at_ - base_);
  token.end = token.start + length;
  at_ += length;
}

void Lexer::error(const char *from, const char *to, std::string message) {
  errors_.add({static_cast<u32>(from - base_), static_cast<u32>(to - base_)}, std::move(message));
}

inline void Lexer::lex_name(Token &token) {
  // A run of such bytes that is no name is many tokens; its end is looked for once.
  const bool is_known = at_ < run_end_ && at_ >= run_begin_;
  const auto [end, ascii] = is_known ? scan::NameEnd{run_end_, false} : scan::name_end(at_);
  if (!ascii && !is_known) {
    run_begin_ = at_;
    run_end_ = end;
  }
  const auto length = static_cast<u32>(end - at_);
  if (length <= 2 && (*end == '"' || *end == '\'') && is_string_prefix(at_, length)) {
    lex_string(token, length);
    return;
  }
  if (!ascii) {
    lex_nonascii_name(token, length);
    return;
  }
  const Symbol symbol = symbols_.intern_padded(at_, length);
  token.symbol = symbol;
  set(token, symbol.id <= known::keyword_count ? keyword_token(symbol) : Tok::Name, length);
}

void Lexer::next(Token &token) {
  if (line_ != Line::Inside && begin_line(token)) {
    return;
  }
  for (;;) {
    while (*at_ == ' ') {
      ++at_;
    }
    if (scan::starts_name(*at_)) { // every second token
      return lex_name(token);
    }
    // What is one token whatever follows.
    const auto single = [&](Tok kind) { set(token, kind, 1); };
    const auto open = [&](Tok kind) {
      ++depth;
      set(token, kind, 1);
    };
    const auto close = [&](Tok kind) {
      depth -= depth != 0 ? 1 : 0;
      set(token, kind, 1);
    };
    // x, x=
    const auto maybe_equal = [&](Tok plain, Tok equal) {
      const bool has_equal = at_[1] == '=';
      set(token, has_equal ? equal : plain, has_equal ? 2 : 1);
    };
    // x, x=, xx, xx=
    const auto maybe_double = [&](Tok plain, Tok equal, Tok twice, Tok twice_equal) {
      if (at_[1] != at_[0]) {
        maybe_equal(plain, equal);
      } else {
        const bool has_equal = at_[2] == '=';
        set(token, has_equal ? twice_equal : twice, has_equal ? 3 : 2);
      }
    };
    switch (*at_) {
    case '\t':
    case '\f':
      ++at_;
      continue;
    case '(':
      return open(Tok::LParen);
    case ')':
      return close(Tok::RParen);
    case '[':
      return open(Tok::LBracket);
    case ']':
      return close(Tok::RBracket);
    case '{':
      return open(Tok::LBrace);
    case '}':
      return close(Tok::RBrace);
    case ',':
      return single(Tok::Comma);
    case ';':
      return single(Tok::Semicolon);
    case '~':
      return single(Tok::Tilde);
    case '`':
      return single(Tok::Backquote);
    case '=':
      return maybe_equal(Tok::Equal, Tok::EqualEqual);
    case ':':
      return maybe_equal(Tok::Colon, Tok::ColonEqual);
    case '@':
      return maybe_equal(Tok::At, Tok::AtEqual);
    case '!':
      return maybe_equal(Tok::Exclamation, Tok::NotEqual);
    case '+':
      return maybe_equal(Tok::Plus, Tok::PlusEqual);
    case '%':
      return maybe_equal(Tok::Percent, Tok::PercentEqual);
    case '&':
      return maybe_equal(Tok::Ampersand, Tok::AmpersandEqual);
    case '|':
      return maybe_equal(Tok::Pipe, Tok::PipeEqual);
    case '^':
      return maybe_equal(Tok::Caret, Tok::CaretEqual);
    case '-':
      return at_[1] == '>' ? set(token, Tok::Arrow, 2) : maybe_equal(Tok::Minus, Tok::MinusEqual);
    case '*':
      return maybe_double(Tok::Star, Tok::StarEqual, Tok::DoubleStar, Tok::DoubleStarEqual);
    case '/':
      return maybe_double(Tok::Slash, Tok::SlashEqual, Tok::DoubleSlash, Tok::DoubleSlashEqual);
    case '<':
      return at_[1] == '>' ? set(token, Tok::NotEqual, 2) // Python 2
                           : maybe_double(Tok::Less, Tok::LessEqual, Tok::LeftShift, Tok::LeftShiftEqual);
    case '>':
      return maybe_double(Tok::Greater, Tok::GreaterEqual, Tok::RightShift, Tok::RightShiftEqual);
    case '.':
      if (is_digit(at_[1])) {
        return lex_number(token);
      }
      return at_[1] == '.' && at_[2] == '.' ? set(token, Tok::Ellipsis, 3) : single(Tok::Dot);
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return lex_number(token);
    case '"':
    case '\'':
      return lex_string(token, 0);
    case '\n':
    case '\r':
      if (depth != 0) {
        at_ = skip_line_break(at_);
        continue;
      }
      set(token, Tok::Newline, 0);
      at_ = skip_line_break(at_);
      token.end = offset();
      line_ = Line::Before;
      return;
    case '#':
      skip_comment();
      continue;
    case '\\':
      if (skip_continuation()) {
        continue;
      }
      return single(Tok::Invalid);
    case '\0':
      if (at_ < end_) {
        error(at_, at_ + 1, "NUL byte in the source");
        ++at_;
        continue;
      }
      if (depth == 0 && line_ == Line::Inside) {
        line_ = Line::Before;
        return set(token, Tok::Newline, 0);
      }
      return set(token, Tok::EndOfFile, 0);
    case '?':
      if (notebook_) { // `name?` asks for help; the rest of the line is none of Python's business
        at_ = scan::line_end(at_);
        continue;
      }
      return single(Tok::Invalid);
    default:
      return single(Tok::Invalid);
    }
  }
}

// Before a line's first token: gives true if a token stands there that has no text, or a whole line of magic.
bool Lexer::begin_line(Token &token) {
  if (line_ == Line::Before) {
    line_ = Line::Entered;
    if (enter_line()) {
      set(token, Tok::Indent, 0);
      return true;
    }
  }
  if (pending_dedents_ != 0) {
    --pending_dedents_;
    set(token, Tok::Dedent, 0);
    return true;
  }
  if (*at_ == '\0' && at_ == end_) {
    return false; // the line that is entered at the end of the file never comes
  }
  line_ = Line::Inside;
  if (notebook_ && begins_magic(at_)) {
    lex_magic(token);
    return true;
  }
  return false;
}

// Goes to the next line that has something on it and compares its indentation with the blocks that are open. Gives true
// if it begins a block; if it ends some, counts them.
bool Lexer::enter_line() {
  u32 column = 0;
  u32 alt_column = 0;
  for (;;) {
    const char *line = at_;
    at_ = scan::spaces_end(at_);
    column += static_cast<u32>(at_ - line);
    alt_column += static_cast<u32>(at_ - line);
    switch (*at_) {
    case '\t':
      column = (column / 8 + 1) * 8;
      ++alt_column;
      ++at_;
      continue;
    case '\f':
      column = alt_column = 0;
      ++at_;
      continue;
    case '\n':
    case '\r':
      at_ = skip_line_break(at_);
      column = alt_column = 0;
      continue;
    case '#':
      skip_comment();
      continue;
    case '\\': {
      // The indentation is that of the first line, whatever follows the continuation.
      const char *backslash = at_;
      if (skip_continuation()) {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\f') {
          ++at_;
        }
        if (*at_ == '\n' || *at_ == '\r' || *at_ == '#') {
          continue;
        }
      } else {
        at_ = backslash;
      }
      break;
    }
    case '\0':
      if (at_ < end_) {
        break;
      }
      column = alt_column = 0;
      break;
    default:
      break;
    }
    break;
  }
  if (column > indents_.back()) {
    mixed_tabs_ |= alt_column <= alt_indents_.back();
    indents_.push_back(column);
    alt_indents_.push_back(alt_column);
    return true;
  }
  while (column < indents_.back() && indents_.size() > 1) {
    indents_.pop_back();
    alt_indents_.pop_back();
    ++pending_dedents_;
  }
  if (column < indents_.back()) { // only where a whole notebook cell is indented
    indents_.back() = column;
    alt_indents_.back() = alt_column;
  } else if (column != indents_.back()) {
    error(at_, at_ + 1, "this line's indentation matches no line above it");
    // Take the line as part of the last block that it is not to the left of.
    indents_.push_back(column);
    alt_indents_.push_back(alt_column);
    --pending_dedents_;
  }
  mixed_tabs_ |= alt_column != alt_indents_.back() && *at_ != '\0';
  return false;
}

bool Lexer::next_line_is_indented() const {
  u32 column = 0;
  for (const char *at = at_;; ++at) {
    switch (*at) {
    case ' ':
      ++column;
      break;
    case '\t':
      column = (column / 8 + 1) * 8;
      break;
    case '#':
      at = scan::line_end(at) - 1;
      break;
    case '\n':
    case '\r':
    case '\f':
      column = 0;
      break;
    default:
      return at < end_ && column > indents_.back();
    }
  }
}

void Lexer::lex_nonascii_name(Token &token, u32 length) {
  std::string normalized;
  const u32 valid = identifier_length({at_, length});
  if (valid == 0) {
    set(token, Tok::Invalid, character_length({at_, length}));
    return;
  }
  normalize_identifier({at_, valid}, normalized);
  const Symbol symbol = intern(normalized);
  set(token, symbol.id != 0 && symbol.id <= known::keyword_count ? keyword_token(symbol) : Tok::Name, valid);
  token.symbol = symbol;
}

void Lexer::lex_number(Token &token) {
  const char *start = at_;
  const char *at = at_;
  Tok kind = Tok::Int;
  const char marker = static_cast<char>(at[1] | 0x20);
  if (at[0] == '0' && (marker == 'x' || marker == 'o' || marker == 'b')) {
    at = skip_digits(at + 2, [marker](char c) {
      return marker == 'x' ? is_hex_digit(c) : marker == 'o' ? c >= '0' && c <= '7' : c == '0' || c == '1';
    });
    if (at == start + 2) {
      error(start, at, "a number needs digits after its prefix");
    } else if (is_digit(*at)) {
      const char *bad = at;
      at = skip_digits(at, is_digit);
      error(bad, bad + 1, fmt::format("invalid digit '{}' in a number of base {}", *bad, marker == 'o' ? 8 : 2));
    }
  } else {
    at = skip_digits(at, is_digit);
    if (*at == '.') {
      kind = Tok::Float;
      at = skip_digits(at + 1, is_digit);
    }
    if ((*at | 0x20) == 'e') {
      const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-' ? 1 : 0);
      if (is_digit(*exponent)) {
        kind = Tok::Float;
        at = skip_digits(exponent, is_digit);
      }
    }
    if ((*at | 0x20) == 'j') {
      kind = Tok::Imaginary;
      ++at;
    }
  }
  if (kind == Tok::Int && (*at | 0x20) == 'l' && !scan::is_name_byte(at[1])) {
    ++at; // Python 2's long
  }
  set(token, kind, static_cast<u32>(at - start));
}

// A whole string, or the opening of an f-string.
void Lexer::lex_string(Token &token, u32 prefix_length) {
  const char *start = at_;
  const char *at = at_ + prefix_length;
  const char quote = *at;
  const u32 quote_length = at[1] == quote && at[2] == quote ? 3 : 1;
  token.prefix_length = static_cast<u8>(prefix_length);
  token.quote_length = static_cast<u8>(quote_length);
  for (u32 i = 0; i < prefix_length; ++i) {
    const char letter = static_cast<char>(start[i] | 0x20);
    if (letter == 'f' || letter == 't') {
      set(token, Tok::FString, prefix_length + quote_length);
      return;
    }
  }
  at += quote_length;
  for (;;) {
    at = quote_length == 3 ? scan::long_string_stop(at, quote) : scan::string_stop(at, quote);
    if (*at == quote) {
      if (quote_length == 1) {
        ++at;
        break;
      }
      if (at[1] == quote && at[2] == quote) {
        at += 3;
        break;
      }
      ++at;
    } else if (*at == '\\' && at + 1 < end_) {
      at = at[1] == '\r' ? skip_line_break(at + 1) : at + 2;
    } else if (*at == '\0' && at < end_) {
      error(at, at + 1, "NUL byte in the source");
      ++at;
    } else {
      // The end of the line or of the file.
      const char *opened = start + prefix_length + quote_length;
      error(start, opened, quote_length == 3 ? "this string is never closed" : "this string is not closed on its line");
      if (quote_length == 3) {
        at = scan::line_end(opened);
        errors_.muted = true; // what follows may be prose: read on for what can be read, but say no more
      } else if (*at == '\\') {
        ++at;
      }
      break;
    }
  }
  set(token, Tok::String, static_cast<u32>(at - start));
}

// The whole line, with what a backslash at its end joins to it.
void Lexer::lex_magic(Token &token) {
  const char *end = scan::line_end(at_);
  while (end > at_ && end[-1] == '\\' && end < end_ && *end != '\0') {
    end = scan::line_end(skip_line_break(end));
  }
  set(token, Tok::Magic, static_cast<u32>(end - at_));
}

void Lexer::skip_comment() {
  const char *start = at_;
  const char *end = scan::line_end(at_);
  while (*end == '\0' && end < end_) { // a NUL in a comment does not end it
    end = scan::line_end(end + 1);
  }
  comments.push_back({static_cast<u32>(start - base_), static_cast<u32>(end - base_)});
  at_ = end;
}

// At a backslash: skips it and the line break after it, if there is one.
bool Lexer::skip_continuation() {
  const char *behind = at_ + 1;
  if (*behind != '\n' && *behind != '\r') {
    return false;
  }
  at_ = skip_line_break(behind);
  return true;
}

} // namespace deepperf::python
