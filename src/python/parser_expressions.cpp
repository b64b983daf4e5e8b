#include "python/parser_impl.h"

#include <array>

namespace deepperf::python {

const Parser::OperatorInfo &Parser::operator_info(Tok token) {
  static constexpr auto kTable = [] {
    std::array<OperatorInfo, static_cast<std::size_t>(Tok::count)> table{};
    const auto set = [&table](Tok kind, Precedence precedence, Operator op = Operator::Add) {
      table[static_cast<std::size_t>(kind)] = {precedence, static_cast<u8>(op)};
    };
    set(Tok::kw_or, kOr);
    set(Tok::kw_and, kAnd);
    for (const Tok kind : {Tok::Less, Tok::Greater, Tok::LessEqual, Tok::GreaterEqual, Tok::EqualEqual, Tok::NotEqual,
                           Tok::kw_in, Tok::kw_is, Tok::kw_not}) {
      set(kind, kCompare);
    }
    set(Tok::Pipe, kBitOr, Operator::BitOr);
    set(Tok::Caret, kBitXor, Operator::BitXor);
    set(Tok::Ampersand, kBitAnd, Operator::BitAnd);
    set(Tok::LeftShift, kShift, Operator::LShift);
    set(Tok::RightShift, kShift, Operator::RShift);
    set(Tok::Plus, kSum, Operator::Add);
    set(Tok::Minus, kSum, Operator::Sub);
    set(Tok::Star, kTerm, Operator::Mult);
    set(Tok::Slash, kTerm, Operator::Div);
    set(Tok::DoubleSlash, kTerm, Operator::FloorDiv);
    set(Tok::Percent, kTerm, Operator::Mod);
    set(Tok::At, kTerm, Operator::MatMult);
    set(Tok::DoubleStar, kPower, Operator::Pow);
    return table;
  }();
  return kTable[static_cast<std::size_t>(token)];
}

bool Parser::starts_expression(Tok token) const {
  switch (token) {
  case Tok::Name:
  case Tok::Int:
  case Tok::Float:
  case Tok::Imaginary:
  case Tok::String:
  case Tok::FString:
  case Tok::LParen:
  case Tok::LBracket:
  case Tok::LBrace:
  case Tok::Ellipsis:
  case Tok::Backquote:
  case Tok::Plus:
  case Tok::Minus:
  case Tok::Tilde:
  case Tok::kw_False:
  case Tok::kw_None:
  case Tok::kw_True:
  case Tok::kw_await:
  case Tok::kw_async:
  case Tok::kw_lambda:
  case Tok::kw_not:
    return true;
  default:
    return false;
  }
}

// ---- Lists of expressions -------------------------------------------------------------------------------------------

Expr *Parser::parse_star_expressions() {
  const u32 start = current_.start;
  Expr *first = parse_star_expression();
  return at(Tok::Comma) ? parse_tuple_rest(first, start, &Parser::parse_star_expression) : first;
}

Expr *Parser::parse_yield_or_star_expressions() { return at(Tok::kw_yield) ? parse_yield() : parse_star_expressions(); }

// Behind the first element, at its comma; goes on for as long as elements do.
Expr *Parser::parse_tuple_rest(Expr *first, u32 start, Expr *(Parser::*element)()) {
  Collect<Expr *> elements(*this, scratch_.exprs);
  elements.push(first);
  while (accept(Tok::Comma)) {
    if (!starts_expression(current_.kind) && !at(Tok::Star)) {
      break;
    }
    elements.push((this->*element)());
  }
  auto *tuple = make<Tuple>(start);
  tuple->elts = elements.finish();
  return tuple;
}

Expr *Parser::parse_star_expression() {
  if (!at(Tok::Star)) {
    return parse_expression();
  }
  const u32 start = current_.start;
  advance();
  Expr *value = parse_operators(kBitOr);
  auto *starred = make<Starred>(start);
  starred->value = value;
  set_height(height_);
  return starred;
}

Expr *Parser::parse_star_named_expression() {
  return at(Tok::Star) ? parse_star_expression() : parse_named_expression();
}

Expr *Parser::parse_named_expression() {
  const u32 start = current_.start;
  Expr *target = parse_expression();
  if (!at(Tok::ColonEqual) || target->kind != NodeKind::Name || target->parenthesized) {
    return target;
  }
  advance();
  const Nest nest(*this);
  set_context(target, Context::Store);
  Expr *value = parse_expression();
  auto *named = make<NamedExpr>(start);
  named->target = target;
  named->value = value;
  set_height(height_);
  return named;
}

// ---- Operators ------------------------------------------------------------------------------------------------------

Expr *Parser::parse_expression() {
  if (at(Tok::kw_lambda)) {
    return parse_lambda();
  }
  const u32 start = current_.start;
  Expr *expression = parse_operators(kOr);
  return at(Tok::kw_if) ? parse_conditional(expression, start) : expression;
}

Expr *Parser::parse_conditional(Expr *body, u32 start) {
  const Nest nest(*this);
  u32 height = height_;
  advance();
  Expr *test = parse_operators(kOr);
  height = std::max(height, height_);
  expect(Tok::kw_else);
  Expr *orelse = parse_expression();
  auto *conditional = make<IfExp>(start);
  conditional->test = test;
  conditional->body = body;
  conditional->orelse = orelse;
  set_height(std::max(height, height_));
  return conditional;
}

Expr *Parser::parse_lambda() {
  const Nest nest(*this);
  const u32 start = current_.start;
  advance();
  const Array<Param *> params = parse_params(Tok::Colon, false);
  u32 height = height_;
  expect(Tok::Colon);
  Expr *body = parse_expression();
  auto *lambda = make<Lambda>(start);
  lambda->params = params;
  lambda->body = body;
  set_height(std::max(height, height_));
  return lambda;
}

Expr *Parser::make_name() {
  const u32 start = current_.start;
  const Symbol id = current_.symbol;
  advance();
  auto *name = make<Name>(start);
  name->id = id;
  height_ = 1;
  return name;
}

// Attributes, calls and subscripts after an atom.
Expr *Parser::parse_trailers(Expr *primary, u32 start) {
  for (;;) {
    switch (current_.kind) {
    case Tok::Dot: {
      advance();
      if (at(Tok::kw_True) || at(Tok::kw_False)) { // plain names in Python 2: xmlrpclib.False
        python2({start, current_.end});
        current_.kind = Tok::Name;
      }
      const Symbol name = expect_name();
      auto *attribute = make<Attribute>(start);
      attribute->attr = name;
      attribute->value = primary;
      set_height(height_);
      primary = attribute;
      break;
    }
    case Tok::LParen:
      primary = parse_call(primary, start);
      break;
    case Tok::LBracket:
      primary = parse_subscript(primary, start);
      break;
    default:
      return primary;
    }
  }
}

// An expression of operators that bind at least as tightly as `least`.
Expr *Parser::parse_operators(u8 least) {
  const u32 start = current_.start;
  Expr *left = nullptr;
  switch (current_.kind) {
  case Tok::Name: // the most frequent case by far, and often all there is
    left = parse_trailers(make_name(), start);
    break;
  case Tok::kw_not:
    if (least > kNot) {
      fail_expected("an expression");
    }
    left = parse_unary(UnaryOperator::Not, kNot);
    break;
  case Tok::Minus:
    left = parse_unary(UnaryOperator::USub, kUnary);
    break;
  case Tok::Plus:
    left = parse_unary(UnaryOperator::UAdd, kUnary);
    break;
  case Tok::Tilde:
    left = parse_unary(UnaryOperator::Invert, kUnary);
    break;
  default:
    left = parse_primary();
    break;
  }
  return operator_info(current_.kind).precedence < std::max<u8>(least, kOr) ? left
                                                                            : parse_operator_rest(left, start, least);
}

Expr *Parser::parse_unary(UnaryOperator op, u8 operand) {
  const Nest nest(*this);
  const u32 start = current_.start;
  advance();
  Expr *value = parse_operators(operand);
  auto *unary = make<UnaryOp>(start);
  unary->detail = static_cast<u8>(op);
  unary->operand = value;
  set_height(height_);
  return unary;
}

Expr *Parser::parse_operator_rest(Expr *left, u32 start, u8 least) {
  for (;;) {
    const Tok token = current_.kind;
    const OperatorInfo info = operator_info(token);
    if (info.precedence == kNone || info.precedence < least) {
      return left;
    }
    if (info.precedence == kCompare) {
      Expr *comparison = parse_comparison(left, start);
      if (comparison == left) { // a `not` that no `in` follows
        return left;
      }
      left = comparison;
    } else if (info.precedence <= kAnd) {
      Collect<Expr *> values(*this, scratch_.exprs);
      values.push(left);
      while (accept(token)) {
        values.push(parse_operators(info.precedence + 1));
      }
      auto *operation = make<BoolOp>(start);
      operation->detail = static_cast<u8>(token == Tok::kw_or ? BoolOperator::Or : BoolOperator::And);
      operation->values = values.finish();
      left = operation;
    } else {
      const u32 height = height_;
      advance();
      Expr *right = nullptr;
      if (info.precedence == kPower) { // binds to the right, and tighter than a sign on its left only
        const Nest nest(*this);
        right = parse_operators(kUnary);
      } else {
        right = parse_operators(info.precedence + 1);
      }
      auto *operation = make<BinOp>(start);
      operation->detail = info.op;
      operation->left = left;
      operation->right = right;
      set_height(std::max(height, height_));
      left = operation;
    }
  }
}

bool Parser::accept_compare_operator(CompareOperator &op) {
  switch (current_.kind) {
  case Tok::Less:
    op = CompareOperator::Lt;
    break;
  case Tok::Greater:
    op = CompareOperator::Gt;
    break;
  case Tok::LessEqual:
    op = CompareOperator::LtE;
    break;
  case Tok::GreaterEqual:
    op = CompareOperator::GtE;
    break;
  case Tok::EqualEqual:
    op = CompareOperator::Eq;
    break;
  case Tok::NotEqual:
    if (source_.text()[current_.start] == '<') {
      python2({current_.start, current_.end});
    }
    op = CompareOperator::NotEq;
    break;
  case Tok::kw_in:
    op = CompareOperator::In;
    break;
  case Tok::kw_is:
    advance();
    op = CompareOperator::Is;
    if (at(Tok::kw_not)) {
      op = CompareOperator::IsNot;
      break;
    }
    return true;
  case Tok::kw_not:
    if (peek().kind != Tok::kw_in) {
      return false;
    }
    advance();
    op = CompareOperator::NotIn;
    break;
  default:
    return false;
  }
  advance();
  return true;
}

Expr *Parser::parse_comparison(Expr *left, u32 start) {
  Collect<CompareItem> rest(*this, scratch_.compare_items);
  rest.note_height();
  CompareOperator op{};
  while (accept_compare_operator(op)) {
    Expr *right = parse_operators(kBitOr);
    rest.push({op, right});
  }
  if (rest.empty()) {
    return left;
  }
  auto *comparison = make<Compare>(start);
  comparison->left = left;
  comparison->rest = rest.finish();
  return comparison;
}

// ---- Primaries ------------------------------------------------------------------------------------------------------

Expr *Parser::parse_await() {
  const u32 start = current_.start;
  if (!starts_expression(peek().kind)) {
    return make_name(); // an old name
  }
  advance();
  const Nest nest(*this);
  Expr *value = parse_primary();
  auto *await = make<Await>(start);
  await->value = value;
  set_height(height_);
  return await;
}

Expr *Parser::parse_primary() {
  const u32 start = current_.start;
  return parse_trailers(at(Tok::kw_await) ? parse_await() : parse_atom(), start);
}

Expr *Parser::make_constant(ConstantKind kind) {
  const u32 start = current_.start;
  advance();
  auto *constant = make<Constant>(start);
  constant->detail = static_cast<u8>(kind);
  height_ = 1;
  return constant;
}

Expr *Parser::parse_atom() {
  switch (current_.kind) {
  case Tok::Name:
  case Tok::kw_async: // an old name: `.cuda(async=True)`
    return make_name();
  case Tok::Int: {
    // Python 2's 0777 and 10L.
    const std::string_view literal = text({current_.start, current_.end});
    if ((literal.size() > 1 && literal[0] == '0' && literal[1] >= '0' && literal[1] <= '9' &&
         literal.find_first_not_of("0_") != std::string_view::npos) ||
        (literal.back() | 0x20) == 'l') {
      python2({current_.start, current_.end});
    }
    return make_constant(ConstantKind::Int);
  }
  case Tok::Float:
    return make_constant(ConstantKind::Float);
  case Tok::Imaginary:
    return make_constant(ConstantKind::Imaginary);
  case Tok::String:
  case Tok::FString:
    return parse_strings();
  case Tok::kw_None:
    return make_constant(ConstantKind::None);
  case Tok::kw_True:
    return make_constant(ConstantKind::True);
  case Tok::kw_False:
    return make_constant(ConstantKind::False);
  case Tok::Ellipsis:
    return make_constant(ConstantKind::Ellipsis);
  case Tok::LParen:
    return parse_paren();
  case Tok::LBracket:
    return parse_list();
  case Tok::LBrace:
    return parse_dict_or_set();
  case Tok::Backquote:
    return parse_backquote();
  case Tok::Exclamation:
  case Tok::Percent:
    if (source_.is_notebook) { // files = !ls
      const u32 start = current_.start;
      Token line = current_;
      const std::string_view rest = source_.text().substr(start, lexer_.segment_end() - start);
      line.end = start + static_cast<u32>(std::min(rest.find_first_of("\r\n"), rest.size()));
      lexer_.seek(line.end);
      current_ = line;
      advance();
      height_ = 1;
      return make<MagicExpr>(start);
    }
    break;
  default:
    break;
  }
  fail_expected("an expression");
}

// A group, a tuple or a generator expression.
Expr *Parser::parse_paren() {
  const Nest nest(*this);
  const u32 start = current_.start;
  advance();
  if (at(Tok::RParen)) {
    advance();
    height_ = 1;
    return make<Tuple>(start);
  }
  Expr *first = at(Tok::kw_yield) ? parse_yield() : parse_star_named_expression();
  if (at(Tok::kw_for) || at(Tok::kw_async)) {
    Expr *generator = parse_generator(first, start);
    expect_closing(Tok::RParen, start);
    generator->end = previous_end_;
    return generator;
  }
  if (at(Tok::Comma)) {
    Expr *tuple = parse_tuple_rest(first, start, &Parser::parse_star_named_expression);
    expect_closing(Tok::RParen, start);
    tuple->end = previous_end_;
    return tuple;
  }
  expect_closing(Tok::RParen, start);
  if (first->kind == NodeKind::Starred) {
    fail_at(first->span(), "a starred expression needs a tuple around it");
  }
  first->parenthesized = true;
  return first;
}

Expr *Parser::parse_list() {
  const Nest nest(*this);
  const u32 start = current_.start;
  advance();
  Collect<Expr *> elements(*this, scratch_.exprs);
  while (!at(Tok::RBracket)) {
    Expr *element = parse_star_named_expression();
    elements.push(element);
    if (elements.size() == 1 && (at(Tok::kw_for) || at(Tok::kw_async))) {
      u32 height = height_;
      const Array<Comprehension *> generators = parse_generators(true);
      height = std::max(height, height_);
      expect_closing(Tok::RBracket, start);
      auto *comprehension = make<ListComp>(start);
      comprehension->elt = element;
      comprehension->generators = generators;
      set_height(height);
      return comprehension;
    }
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  expect_closing(Tok::RBracket, start);
  auto *list = make<List>(start);
  list->elts = elements.finish();
  return list;
}

Expr *Parser::parse_dict_or_set() {
  const Nest nest(*this);
  const u32 start = current_.start;
  advance();
  Collect<DictItem> items(*this, scratch_.dict_items);
  Collect<Expr *> elements(*this, scratch_.exprs);
  while (!at(Tok::RBrace)) {
    DictItem item;
    bool is_pair = true;
    if (accept(Tok::DoubleStar)) {
      item.value = parse_operators(kBitOr);
    } else {
      item.key = parse_star_named_expression();
      is_pair = at(Tok::Colon) && item.key->kind != NodeKind::Starred;
    }
    if (is_pair ? !elements.empty() : !items.empty()) {
      fail_expected(is_pair ? "',' or '}'" : "':'");
    }
    u32 height = height_;
    if (is_pair && item.key != nullptr) {
      advance();
      item.value = parse_expression();
      height = std::max(height, height_);
    }
    height_ = height;
    if (is_pair) {
      items.push(item);
    } else {
      elements.push(item.key);
    }
    if (items.size() + elements.size() == 1 && item.key != nullptr && (at(Tok::kw_for) || at(Tok::kw_async))) {
      const Array<Comprehension *> generators = parse_generators(false);
      height = std::max(height, height_);
      expect_closing(Tok::RBrace, start);
      ComprehensionExpr *comprehension = is_pair ? static_cast<ComprehensionExpr *>(make<DictComp>(start))
                                                 : static_cast<ComprehensionExpr *>(make<SetComp>(start));
      comprehension->elt = item.key;
      comprehension->value = item.value;
      comprehension->generators = generators;
      set_height(height);
      return comprehension;
    }
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  expect_closing(Tok::RBrace, start);
  if (!elements.empty()) {
    auto *set = make<Set>(start);
    set->elts = elements.finish();
    return set;
  }
  auto *dict = make<Dict>(start);
  dict->items = items.finish();
  return dict;
}

Expr *Parser::parse_yield() {
  const Nest nest(*this);
  const u32 start = current_.start;
  advance();
  if (accept(Tok::kw_from)) {
    Expr *value = parse_expression();
    auto *yield = make<YieldFrom>(start);
    yield->value = value;
    set_height(height_);
    return yield;
  }
  Expr *value = nullptr;
  height_ = 0;
  if (starts_expression(current_.kind) || at(Tok::Star)) {
    value = parse_star_expressions();
  }
  auto *yield = make<Yield>(start);
  yield->value = value;
  set_height(height_);
  return yield;
}

Expr *Parser::parse_backquote() {
  const Nest nest(*this);
  const u32 start = current_.start;
  python2({current_.start, current_.end});
  advance();
  Expr *value = parse_star_expressions();
  expect(Tok::Backquote);
  auto *backquote = make<Backquote>(start);
  backquote->value = value;
  set_height(height_);
  return backquote;
}

// ---- Calls and subscripts -------------------------------------------------------------------------------------------

Expr *Parser::parse_call(Expr *func, u32 start) {
  const Nest nest(*this);
  Collect<Expr *> args(*this, scratch_.exprs);
  Collect<Keyword *> keywords(*this, scratch_.keywords);
  args.note_height(); // of `func`
  const u32 opening = current_.start;
  advance();
  parse_arguments(opening, args, keywords);
  auto *call = make<Call>(start);
  call->func = func;
  call->keywords = keywords.finish();
  height_ -= 1; // of the keywords alone
  args.note_height();
  call->args = args.finish();
  return call;
}

// Behind the opening parenthesis; also for the bases of a class.
void Parser::parse_arguments(u32 opening, Collect<Expr *> &args, Collect<Keyword *> &keywords) {
  while (!at(Tok::RParen)) {
    const u32 start = current_.start;
    if (accept(Tok::Star)) {
      Expr *value = parse_expression();
      auto *starred = make<Starred>(start);
      starred->value = value;
      set_height(height_);
      args.push(starred);
    } else if (accept(Tok::DoubleStar)) {
      Expr *value = parse_expression();
      auto *keyword = make<Keyword>(start);
      keyword->value = value;
      keywords.push(keyword);
    } else {
      Expr *argument = parse_named_expression();
      if (at(Tok::Equal) && argument->kind == NodeKind::Name && !argument->parenthesized) {
        advance();
        Expr *value = parse_expression();
        auto *keyword = make<Keyword>(start);
        keyword->name = static_cast<Name *>(argument)->id;
        keyword->value = value;
        keywords.push(keyword);
      } else if (at(Tok::kw_for) || at(Tok::kw_async)) {
        Expr *generator = parse_generator(argument, start);
        if (args.empty() && keywords.empty() && at(Tok::RParen)) { // the call's parentheses are also its own
          generator->start = opening;
          generator->end = current_.end;
        }
        args.push(generator);
      } else {
        args.push(argument);
      }
    }
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  expect_closing(Tok::RParen, opening);
}

Expr *Parser::parse_subscript(Expr *value, u32 start) {
  const Nest nest(*this);
  u32 height = height_;
  const u32 opening = current_.start;
  advance();
  const u32 slice_start = current_.start;
  Expr *slice = parse_slice();
  if (at(Tok::Comma)) {
    Collect<Expr *> elements(*this, scratch_.exprs);
    elements.push(slice);
    while (accept(Tok::Comma) && !at(Tok::RBracket)) {
      elements.push(parse_slice());
    }
    auto *tuple = make<Tuple>(slice_start);
    tuple->elts = elements.finish();
    slice = tuple;
  } else if (slice->kind == NodeKind::Starred) { // x[*a] is x[(*a,)]
    auto *tuple = make<Tuple>(slice_start);
    tuple->elts = arena_.copy(&slice, 1);
    set_height(height_);
    slice = tuple;
  }
  expect_closing(Tok::RBracket, opening);
  auto *subscript = make<Subscript>(start);
  subscript->value = value;
  subscript->slice = slice;
  set_height(std::max(height, height_));
  return subscript;
}

Expr *Parser::parse_slice() {
  const u32 start = current_.start;
  Expr *lower = nullptr;
  u32 height = 0;
  if (!at(Tok::Colon)) {
    lower = parse_star_named_expression();
    if (!at(Tok::Colon)) {
      return lower;
    }
    height = height_;
  }
  advance();
  Expr *upper = nullptr;
  Expr *step = nullptr;
  if (!at(Tok::Colon) && !at(Tok::Comma) && !at(Tok::RBracket)) {
    upper = parse_expression();
    height = std::max(height, height_);
  }
  if (accept(Tok::Colon) && !at(Tok::Comma) && !at(Tok::RBracket)) {
    step = parse_expression();
    height = std::max(height, height_);
  }
  auto *slice = make<Slice>(start);
  slice->lower = lower;
  slice->upper = upper;
  slice->step = step;
  set_height(height);
  return slice;
}

// ---- Comprehensions and targets -------------------------------------------------------------------------------------

// Behind the element of a generator expression.
Expr *Parser::parse_generator(Expr *element, u32 start) {
  const u32 height = height_;
  const Array<Comprehension *> generators = parse_generators(false);
  auto *generator = make<GeneratorExp>(start);
  generator->elt = element;
  generator->generators = generators;
  set_height(std::max(height, height_));
  return generator;
}

Array<Comprehension *> Parser::parse_generators(bool in_list) {
  Collect<Comprehension *> generators(*this, scratch_.generators);
  while (at(Tok::kw_for) || at(Tok::kw_async)) {
    auto *generator = arena_.make<Comprehension>();
    generator->span.start = current_.start;
    generator->is_async = accept(Tok::kw_async);
    expect(Tok::kw_for);
    generator->target = parse_target_list(Tok::kw_in);
    generators.note_height();
    expect(Tok::kw_in);
    const u32 iter_start = current_.start;
    generator->iter = at(Tok::kw_lambda) ? parse_lambda() : parse_operators(kOr);
    if (in_list && at(Tok::Comma)) { // Python 2: [x for x in 1, 2]
      python2({current_.start, current_.end});
      generator->iter = parse_tuple_rest(generator->iter, iter_start, &Parser::parse_expression);
    }
    generators.note_height();
    Collect<Expr *> conditions(*this, scratch_.exprs);
    while (accept(Tok::kw_if)) {
      const u32 start = current_.start;
      Expr *condition = at(Tok::kw_lambda) ? parse_lambda() : parse_operators(kOr);
      if (at(Tok::ColonEqual) && condition->kind == NodeKind::Name && !condition->parenthesized) {
        // Not in the grammar of 3.8, but accepted since 3.9 where the walrus stands in parentheses only: say so.
        fail_at({start, current_.end}, "an assignment expression needs parentheses here");
      }
      conditions.push(condition);
    }
    generator->ifs = conditions.finish();
    generator->span.end = previous_end_;
    generators.push(generator);
  }
  return generators.finish();
}

// What a `for` assigns to: like star_expressions, but `in` ends it.
Expr *Parser::parse_target_list(Tok end) {
  const u32 start = current_.start;
  const auto element = [this] {
    if (at(Tok::Star)) {
      return parse_star_expression();
    }
    return parse_operators(kBitOr);
  };
  Expr *target = element();
  if (at(Tok::Comma)) {
    Collect<Expr *> elements(*this, scratch_.exprs);
    elements.push(target);
    while (accept(Tok::Comma) && !at(end)) {
      elements.push(element());
    }
    auto *tuple = make<Tuple>(start);
    tuple->elts = elements.finish();
    target = tuple;
  }
  set_context(target, Context::Store);
  return target;
}

// Marks an expression as a target, or fails where it cannot be one.
void Parser::set_context(Expr *target, Context context) {
  switch (target->kind) {
  case NodeKind::Name:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
    break;
  case NodeKind::Starred:
    set_context(static_cast<Starred *>(target)->value, context);
    break;
  case NodeKind::List:
    for (Expr *element : static_cast<List *>(target)->elts) {
      set_context(element, context);
    }
    break;
  case NodeKind::Tuple:
    for (Expr *element : static_cast<Tuple *>(target)->elts) {
      set_context(element, context);
    }
    break;
  default:
    fail_at(target->span(), context == Context::Del ? "this cannot be deleted" : "this cannot be assigned to");
  }
  target->context = context;
}

} // namespace deepperf::python
