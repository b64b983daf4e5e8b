#include "python/parser_impl.h"

#include "base/scan.h"

namespace deepperf::python {

StringPart Parser::string_part(const Token &token) const {
  StringPart part;
  part.start = token.start;
  part.end = token.end;
  part.prefix_length = token.prefix_length;
  part.quote_length = token.quote_length;
  for (u32 i = 0; i < token.prefix_length; ++i) {
    switch (source_.text()[token.start + i] | 0x20) {
    case 'r':
      part.raw = true;
      break;
    case 'b':
      part.bytes = true;
      break;
    case 'u':
      part.unicode = true;
      break;
    case 'f':
      part.format = true;
      break;
    case 't':
      part.templ = true;
      break;
    default:
      break;
    }
  }
  return part;
}

// One or more string tokens: a constant, or a JoinedStr if one of them is an f-string or t-string.
Expr *Parser::parse_strings() {
  const u32 start = current_.start;
  Collect<StringPart> parts(*this, scratch_.string_parts);
  Collect<Expr *> values(*this, scratch_.exprs);
  bool joined = false;
  height_ = 0;
  while (at(Tok::String) || at(Tok::FString)) {
    StringPart part = string_part(current_);
    if (at(Tok::FString)) {
      if (!joined) { // the plain strings before it become values
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const StringPart earlier = parts.data()[i];
          auto *piece = make<StringConstant>(earlier.start);
          piece->detail = static_cast<u8>(ConstantKind::Str);
          piece->end = earlier.end;
          piece->parts = arena_.copy(&earlier, 1);
          values.push(piece);
        }
        joined = true;
      }
      parse_fstring_values(part, false, values);
      part.end = lexer_.offset();
      current_.end = part.end;
    } else if (joined) {
      auto *piece = make<StringConstant>(part.start);
      piece->detail = static_cast<u8>(ConstantKind::Str);
      piece->end = part.end;
      piece->parts = arena_.copy(&part, 1);
      values.push(piece);
    } else if (part.raw && part.unicode) {
      python2({part.start, part.end}); // ur""
    }
    parts.push(part);
    advance();
  }
  if (joined) {
    auto *string = make<JoinedStr>(start);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      string->detail |= static_cast<u8>(parts.data()[i].templ);
    }
    string->parts = arena_.copy(parts.data(), parts.size());
    string->values = values.finish();
    return string;
  }
  auto *string = make<StringConstant>(start);
  string->kind = NodeKind::Constant;
  string->detail = static_cast<u8>(parts.front().bytes ? ConstantKind::Bytes : ConstantKind::Str);
  string->parts = arena_.copy(parts.data(), parts.size());
  height_ = 1;
  return string;
}

void Parser::add_piece(const StringPart &opening, u32 start, u32 end, Collect<Expr *> &values) {
  if (start == end) {
    return;
  }
  StringPart part;
  part.start = start;
  part.end = end;
  part.raw = opening.raw;
  auto *piece = make<StringConstant>(start);
  piece->detail = static_cast<u8>(ConstantKind::Str);
  piece->end = end;
  piece->parts = arena_.copy(&part, 1);
  height_ = 1;
  values.push(piece);
}

// The text of an f-string, or of a format spec (which ends at a brace instead of a quote). The lexer stands at its
// first byte; afterwards it is after the closing quote, or at the closing brace.
void Parser::parse_fstring_values(const StringPart &opening, bool in_spec, Collect<Expr *> &values) {
  const std::string_view all = source_.text();
  const char *base = lexer_.base();
  const u32 limit = lexer_.segment_end();
  const char quote = all[opening.start + opening.prefix_length];
  const bool is_long = opening.quote_length == 3;
  u32 piece = lexer_.offset();
  u32 at = piece;
  for (;;) {
    const char c = base[at];
    if (c == quote && (!is_long || (base[at + 1] == quote && base[at + 2] == quote))) {
      add_piece(opening, piece, at, values);
      if (in_spec) {
        fail_at({at, at + 1}, "expected '}' before the end of the f-string");
      }
      lexer_.seek(at + opening.quote_length);
      return;
    }
    if (c == '{') {
      if (!in_spec && base[at + 1] == '{') {
        at += 2;
        continue;
      }
      add_piece(opening, piece, at, values);
      lexer_.seek(at);
      values.push(parse_replacement_field(opening));
      at = piece = lexer_.offset();
      continue;
    }
    if (c == '}') {
      if (in_spec) {
        add_piece(opening, piece, at, values);
        lexer_.seek(at);
        return;
      }
      if (base[at + 1] != '}') {
        fail_at({at, at + 1}, "a single '}' in an f-string must be written '}}'");
      }
      at += 2;
      continue;
    }
    if (c == '\\') {
      if (!opening.raw && base[at + 1] == 'N' && base[at + 2] == '{') { // \N{BULLET}
        while (at < limit && base[at] != '}' && base[at] != '\n' && base[at] != quote) {
          ++at;
        }
        at += base[at] == '}' ? 1 : 0;
      } else if (base[at + 1] == '{' || base[at + 1] == '}') {
        ++at;
      } else if (base[at + 1] == '\r' && base[at + 2] == '\n') {
        at += 3;
      } else {
        at += at + 1 < limit ? 2 : 1;
      }
      continue;
    }
    if (at >= limit || (!is_long && (c == '\n' || c == '\r'))) {
      const u32 opened = opening.start + opening.prefix_length + opening.quote_length;
      if (is_long) {
        errors_.add({opening.start, opened}, "this f-string is never closed");
        errors_.muted = true;
        lexer_.seek(static_cast<u32>(scan::line_end(base + opened) - base));
      } else {
        errors_.add({opening.start, opened}, "this f-string is not closed on its line");
        lexer_.seek(at);
      }
      current_.end = lexer_.offset();
      advance();
      throw Bail{};
    }
    ++at;
  }
}

// `{value!r:spec}`: the lexer stands at the brace, afterwards after the closing one.
Expr *Parser::parse_replacement_field(const StringPart &opening) {
  const Nest nest(*this);
  const u32 start = lexer_.offset();
  const u32 outer_depth = lexer_.depth;
  lexer_.seek(start + 1);
  lexer_.depth = outer_depth + 1; // line breaks mean nothing until the brace is closed
  lexer_.next(current_);
  if (at(Tok::RBrace)) {
    fail("an f-string's braces need an expression");
  }
  const u32 value_start = current_.start;
  Expr *value = parse_yield_or_star_expressions();
  if (at(Tok::kw_for) || at(Tok::kw_async)) { // up to 3.11 a generator needed no parentheses of its own
    value = parse_generator(value, value_start);
  }
  u32 height = height_;
  Span debug_text;
  if (at(Tok::Equal)) {
    advance();
    debug_text = {start + 1, current_.start};
  }
  char conversion = 0;
  if (at(Tok::Exclamation)) {
    advance();
    const std::string_view name = text({current_.start, current_.end});
    if (!at(Tok::Name) || (name != "s" && name != "r" && name != "a")) {
      fail("an f-string's conversion is one of !s, !r and !a");
    }
    conversion = name[0];
    advance();
  }
  JoinedStr *spec = nullptr;
  u32 end = current_.start;
  if (at(Tok::Colon) || at(Tok::ColonEqual)) {
    lexer_.seek(current_.start + 1);
    const u32 spec_start = lexer_.offset();
    Collect<Expr *> values(*this, scratch_.exprs);
    parse_fstring_values(opening, true, values);
    end = lexer_.offset();
    spec = make<JoinedStr>(spec_start);
    spec->end = end;
    spec->values = values.finish();
    height = std::max(height, height_);
  } else if (!at(Tok::RBrace)) {
    fail_expected("'}' in an f-string");
  }
  lexer_.seek(end + 1);
  lexer_.depth = outer_depth;
  auto *field = make<FormattedValue>(start);
  field->end = end + 1;
  field->value = value;
  field->format_spec = spec;
  field->debug_text = debug_text;
  field->detail = static_cast<u8>(conversion);
  set_height(height);
  return field;
}

// Recovery stands at the opening of an f-string: leaves it out as if it were a plain string.
void Parser::skip_fstring() {
  const char *base = lexer_.base();
  const char quote = base[current_.start + current_.prefix_length];
  const char *at = base + lexer_.offset();
  const char *limit = base + lexer_.segment_end();
  const bool is_long = current_.quote_length == 3;
  while (at < limit) {
    at = is_long ? scan::long_string_stop(at, quote) : scan::string_stop(at, quote);
    if (*at == '\\') {
      at += 2;
    } else if (*at == quote && (!is_long || (at[1] == quote && at[2] == quote))) {
      at += current_.quote_length;
      break;
    } else if (!is_long && *at != '\0') {
      break;
    } else {
      ++at;
    }
  }
  lexer_.seek(static_cast<u32>(std::min(at, limit) - base));
  current_.end = lexer_.offset();
}

} // namespace deepperf::python
