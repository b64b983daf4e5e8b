#include "python/parser_impl.h"

namespace deepperf::python {

MatchCase Parser::parse_case() {
  MatchCase result;
  if (!at(Tok::Name) || current_.symbol != known::sym_case) {
    fail_expected("'case'");
  }
  advance();
  result.pattern = parse_patterns();
  if (accept(Tok::kw_if)) {
    result.guard = parse_named_expression();
  }
  result.body = parse_suite();
  return result;
}

// At the top of a case a sequence needs no brackets.
Pattern *Parser::parse_patterns() {
  const u32 start = current_.start;
  Pattern *first = parse_maybe_star_pattern();
  if (!at(Tok::Comma) && first->kind != NodeKind::MatchStar) {
    return first;
  }
  Collect<Pattern *> patterns(*this, scratch_.patterns);
  patterns.push(first);
  while (accept(Tok::Comma) && !at(Tok::Colon) && !at(Tok::kw_if)) {
    patterns.push(parse_maybe_star_pattern());
  }
  auto *sequence = make<MatchSequence>(start);
  sequence->patterns = patterns.finish();
  return sequence;
}

Pattern *Parser::parse_maybe_star_pattern() {
  if (!at(Tok::Star)) {
    return parse_pattern();
  }
  const u32 start = current_.start;
  advance();
  const Symbol name = expect_name();
  auto *star = make<MatchStar>(start);
  star->name = name == known::sym__ ? Symbol{} : name;
  return star;
}

Pattern *Parser::parse_pattern() {
  const Nest nest(*this);
  const u32 start = current_.start;
  Pattern *pattern = parse_or_pattern();
  if (!accept(Tok::kw_as)) {
    return pattern;
  }
  const Symbol name = expect_name();
  auto *binding = make<MatchAs>(start);
  binding->pattern = pattern;
  binding->name = name;
  return binding;
}

Pattern *Parser::parse_or_pattern() {
  const u32 start = current_.start;
  Pattern *first = parse_closed_pattern();
  if (!at(Tok::Pipe)) {
    return first;
  }
  Collect<Pattern *> patterns(*this, scratch_.patterns);
  patterns.push(first);
  while (accept(Tok::Pipe)) {
    patterns.push(parse_closed_pattern());
  }
  auto *alternatives = make<MatchOr>(start);
  alternatives->patterns = patterns.finish();
  return alternatives;
}

Pattern *Parser::parse_closed_pattern() {
  const u32 start = current_.start;
  height_ = 0;
  switch (current_.kind) {
  case Tok::LParen:
  case Tok::LBracket:
    return parse_group_or_sequence_pattern();
  case Tok::LBrace:
    return parse_mapping_pattern();
  case Tok::Name:
    return parse_name_pattern();
  case Tok::kw_None:
  case Tok::kw_True:
  case Tok::kw_False: {
    const ConstantKind kind = at(Tok::kw_None)   ? ConstantKind::None
                              : at(Tok::kw_True) ? ConstantKind::True
                                                 : ConstantKind::False;
    advance();
    auto *singleton = make<MatchSingleton>(start);
    singleton->detail = static_cast<u8>(kind);
    return singleton;
  }
  default: {
    Expr *value = parse_literal_expression();
    auto *literal = make<MatchValue>(start);
    literal->value = value;
    return literal;
  }
  }
}

// A number with a sign, a complex number such as -1+2j, or strings.
Expr *Parser::parse_literal_expression() {
  if (at(Tok::String) || at(Tok::FString)) {
    return parse_strings();
  }
  if (!at(Tok::Minus) && !at(Tok::Int) && !at(Tok::Float) && !at(Tok::Imaginary)) {
    fail_expected("a pattern");
  }
  return parse_operators(kSum);
}

Pattern *Parser::parse_group_or_sequence_pattern() {
  const u32 start = current_.start;
  const bool is_paren = at(Tok::LParen);
  const Tok closing = is_paren ? Tok::RParen : Tok::RBracket;
  advance();
  Collect<Pattern *> patterns(*this, scratch_.patterns);
  bool comma = false;
  while (!at(closing)) {
    patterns.push(parse_maybe_star_pattern());
    comma = accept(Tok::Comma);
    if (!comma) {
      break;
    }
  }
  expect_closing(closing, start);
  if (is_paren && patterns.size() == 1 && !comma && patterns.front()->kind != NodeKind::MatchStar) {
    return patterns.front();
  }
  auto *sequence = make<MatchSequence>(start);
  sequence->patterns = patterns.finish();
  return sequence;
}

Pattern *Parser::parse_mapping_pattern() {
  const u32 start = current_.start;
  advance();
  Collect<MatchMappingItem> items(*this, scratch_.mapping_items);
  Symbol rest;
  while (!at(Tok::RBrace)) {
    if (accept(Tok::DoubleStar)) {
      rest = expect_name();
    } else {
      MatchMappingItem item;
      switch (current_.kind) {
      case Tok::kw_None:
        item.key = make_constant(ConstantKind::None);
        break;
      case Tok::kw_True:
        item.key = make_constant(ConstantKind::True);
        break;
      case Tok::kw_False:
        item.key = make_constant(ConstantKind::False);
        break;
      case Tok::Name:
        item.key = parse_primary();
        break;
      default:
        item.key = parse_literal_expression();
        break;
      }
      expect(Tok::Colon);
      item.pattern = parse_pattern();
      items.push(item);
    }
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  expect_closing(Tok::RBrace, start);
  auto *mapping = make<MatchMapping>(start);
  mapping->items = items.finish();
  mapping->rest = rest;
  return mapping;
}

// A capture, the wildcard, a dotted value, or a class.
Pattern *Parser::parse_name_pattern() {
  const u32 start = current_.start;
  Expr *name = make_name();
  const Symbol symbol = static_cast<Name *>(name)->id;
  bool dotted = false;
  while (accept(Tok::Dot)) {
    const Symbol attr = expect_name();
    auto *attribute = make<Attribute>(start);
    attribute->attr = attr;
    attribute->value = name;
    set_height(height_);
    name = attribute;
    dotted = true;
  }
  if (at(Tok::LParen)) {
    return parse_class_pattern(name, start);
  }
  if (dotted) {
    auto *value = make<MatchValue>(start);
    value->value = name;
    return value;
  }
  auto *capture = make<MatchAs>(start);
  capture->name = symbol == known::sym__ ? Symbol{} : symbol;
  return capture;
}

Pattern *Parser::parse_class_pattern(Expr *cls, u32 start) {
  const u32 opening = current_.start;
  advance();
  Collect<Pattern *> patterns(*this, scratch_.patterns);
  Collect<MatchClassKeyword> keywords(*this, scratch_.class_keywords);
  while (!at(Tok::RParen)) {
    if (at(Tok::Name) && peek().kind == Tok::Equal) {
      MatchClassKeyword keyword;
      keyword.attr = expect_name();
      advance();
      keyword.pattern = parse_pattern();
      keywords.push(keyword);
    } else {
      patterns.push(parse_pattern());
    }
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  expect_closing(Tok::RParen, opening);
  auto *pattern = make<MatchClass>(start);
  pattern->cls = cls;
  pattern->patterns = patterns.finish();
  pattern->keywords = keywords.finish();
  return pattern;
}

} // namespace deepperf::python
