#include "python/parser_impl.h"

#include <cctype>

namespace deepperf::python {

void Parser::parse_statement(Collect<Stmt *> &statements) {
  switch (current_.kind) {
  case Tok::kw_if:
  case Tok::kw_while:
  case Tok::kw_for:
  case Tok::kw_try:
  case Tok::kw_with:
  case Tok::kw_def:
  case Tok::kw_class:
  case Tok::At:
    statements.push(parse_compound_statement());
    return;
  case Tok::kw_async: {
    const Tok next = peek().kind;
    if (next == Tok::kw_def || next == Tok::kw_for || next == Tok::kw_with) {
      statements.push(parse_compound_statement());
      return;
    }
    break;
  }
  case Tok::Name:
    if (current_.symbol == known::sym_match && looks_like_match()) {
      statements.push(parse_match());
      return;
    }
    break;
  default:
    break;
  }
  parse_simple_statements(statements);
}

Stmt *Parser::parse_compound_statement() {
  const u32 start = current_.start;
  switch (current_.kind) {
  case Tok::kw_if:
    return parse_if();
  case Tok::kw_while:
    return parse_while();
  case Tok::kw_for:
    return parse_for(start, false);
  case Tok::kw_try:
    return parse_try();
  case Tok::kw_with:
    return parse_with(start, false);
  case Tok::kw_def:
    return parse_function(start, false, {});
  case Tok::kw_class:
    return parse_class({});
  case Tok::At:
    return parse_decorated();
  default:
    break;
  }
  advance(); // async
  switch (current_.kind) {
  case Tok::kw_def:
    return parse_function(start, true, {});
  case Tok::kw_for:
    return parse_for(start, true);
  default:
    return parse_with(start, true);
  }
}

// a; b; c
void Parser::parse_simple_statements(Collect<Stmt *> &statements) {
  for (;;) {
    Stmt *statement = parse_simple_statement();
    if (!at(Tok::Semicolon) && !at(Tok::Newline) && !at(Tok::EndOfFile)) {
      fail_expected("the end of the statement");
    }
    statements.push(statement);
    if (accept(Tok::Semicolon) && !at(Tok::Newline) && !at(Tok::EndOfFile)) {
      continue;
    }
    if (at(Tok::Newline)) {
      const u32 end = previous_end_; // line breaks are not part of any node
      advance();
      previous_end_ = end;
    }
    return;
  }
}

Stmt *Parser::parse_simple_statement() {
  const u32 start = current_.start;
  switch (current_.kind) {
  case Tok::kw_return:
    return parse_return();
  case Tok::kw_import:
    return parse_import();
  case Tok::kw_from:
    return parse_import_from();
  case Tok::kw_pass:
    advance();
    return make<Pass>(start);
  case Tok::kw_break:
    advance();
    return make<Break>(start);
  case Tok::kw_continue:
    advance();
    return make<Continue>(start);
  case Tok::kw_raise:
    return parse_raise();
  case Tok::kw_assert:
    return parse_assert();
  case Tok::kw_del:
    return parse_delete();
  case Tok::kw_global:
    return parse_names_statement<Global>();
  case Tok::kw_nonlocal:
    return parse_names_statement<Nonlocal>();
  case Tok::Magic:
    return parse_magic();
  case Tok::Name:
    if (current_.symbol.id <= known::soft_keyword_count) { // one of the soft keywords
      if (current_.symbol == known::sym_print) {
        if (Stmt *statement = parse_print()) {
          return statement;
        }
      } else if (current_.symbol == known::sym_exec) {
        if (Stmt *statement = parse_exec()) {
          return statement;
        }
      } else if (current_.symbol == known::sym_type && looks_like_type_alias()) {
        return parse_type_alias();
      }
    }
    break;
  default:
    break;
  }
  return parse_expression_statement();
}

// ---- Expressions and assignments ------------------------------------------------------------------------------------

namespace {

// The operator of `+=` and the like; false for other tokens.
bool augmented_operator(Tok token, Operator &op) {
  switch (token) {
  case Tok::PlusEqual:
    op = Operator::Add;
    return true;
  case Tok::MinusEqual:
    op = Operator::Sub;
    return true;
  case Tok::StarEqual:
    op = Operator::Mult;
    return true;
  case Tok::AtEqual:
    op = Operator::MatMult;
    return true;
  case Tok::SlashEqual:
    op = Operator::Div;
    return true;
  case Tok::PercentEqual:
    op = Operator::Mod;
    return true;
  case Tok::DoubleStarEqual:
    op = Operator::Pow;
    return true;
  case Tok::LeftShiftEqual:
    op = Operator::LShift;
    return true;
  case Tok::RightShiftEqual:
    op = Operator::RShift;
    return true;
  case Tok::PipeEqual:
    op = Operator::BitOr;
    return true;
  case Tok::CaretEqual:
    op = Operator::BitXor;
    return true;
  case Tok::AmpersandEqual:
    op = Operator::BitAnd;
    return true;
  case Tok::DoubleSlashEqual:
    op = Operator::FloorDiv;
    return true;
  default:
    return false;
  }
}

} // namespace

Stmt *Parser::parse_expression_statement() {
  const u32 start = current_.start;
  return finish_expression_statement(parse_yield_or_star_expressions(), start);
}

// Behind the first expression: an assignment of some kind, or just that expression.
Stmt *Parser::finish_expression_statement(Expr *first, u32 start) {
  if (at(Tok::Equal)) {
    return parse_assignment(first, start);
  }
  if (at(Tok::Colon)) {
    return parse_annotated(first, start);
  }
  Operator op{};
  if (augmented_operator(current_.kind, op)) {
    if (first->kind != NodeKind::Name && first->kind != NodeKind::Attribute && first->kind != NodeKind::Subscript) {
      fail_at(first->span(), "this cannot be assigned to with an operator");
    }
    set_context(first, Context::Store);
    advance();
    Expr *value = parse_yield_or_star_expressions();
    auto *assignment = make<AugAssign>(start);
    assignment->detail = static_cast<u8>(op);
    assignment->target = first;
    assignment->value = value;
    return assignment;
  }
  auto *statement = make<ExprStmt>(start);
  statement->value = first;
  return statement;
}

// a = b = value
Stmt *Parser::parse_assignment(Expr *first, u32 start) {
  Collect<Expr *> targets(*this, scratch_.exprs);
  Expr *value = first;
  while (accept(Tok::Equal)) {
    if (value->kind == NodeKind::Starred && !value->parenthesized) {
      fail_at(value->span(), "a starred target must be in a list or tuple");
    }
    set_context(value, Context::Store);
    targets.push(value);
    value = parse_yield_or_star_expressions();
  }
  auto *assignment = make<Assign>(start);
  assignment->targets = targets.finish();
  assignment->value = value;
  return assignment;
}

Stmt *Parser::parse_annotated(Expr *target, u32 start) {
  if (target->kind != NodeKind::Name && target->kind != NodeKind::Attribute && target->kind != NodeKind::Subscript) {
    fail_expected("the end of the statement");
  }
  set_context(target, Context::Store);
  advance();
  Expr *annotation = parse_expression();
  Expr *value = accept(Tok::Equal) ? parse_yield_or_star_expressions() : nullptr;
  auto *assignment = make<AnnAssign>(start);
  assignment->target = target;
  assignment->annotation = annotation;
  assignment->value = value;
  return assignment;
}

Stmt *Parser::parse_return() {
  const u32 start = current_.start;
  advance();
  Expr *value = starts_expression(current_.kind) || at(Tok::Star) ? parse_star_expressions() : nullptr;
  auto *statement = make<Return>(start);
  statement->value = value;
  return statement;
}

Stmt *Parser::parse_delete() {
  const u32 start = current_.start;
  advance();
  Collect<Expr *> targets(*this, scratch_.exprs);
  do {
    if (!targets.empty() && !starts_expression(current_.kind)) {
      break;
    }
    Expr *target = parse_operators(kBitOr);
    set_context(target, Context::Del);
    targets.push(target);
  } while (accept(Tok::Comma));
  auto *statement = make<Delete>(start);
  statement->targets = targets.finish();
  return statement;
}

Stmt *Parser::parse_assert() {
  const u32 start = current_.start;
  advance();
  Expr *test = parse_expression();
  Expr *message = accept(Tok::Comma) ? parse_expression() : nullptr;
  auto *statement = make<Assert>(start);
  statement->test = test;
  statement->msg = message;
  return statement;
}

Stmt *Parser::parse_raise() {
  const u32 start = current_.start;
  advance();
  Expr *exception = nullptr;
  Expr *cause = nullptr;
  Expr *value = nullptr;
  Expr *traceback = nullptr;
  if (starts_expression(current_.kind)) {
    exception = parse_expression();
    if (accept(Tok::kw_from)) {
      cause = parse_expression();
    } else if (at(Tok::Comma)) {
      python2({start, current_.end});
      advance();
      value = parse_expression();
      traceback = accept(Tok::Comma) ? parse_expression() : nullptr;
    }
  }
  auto *statement = make<Raise>(start);
  statement->exc = exception;
  statement->cause = cause;
  statement->python2_value = value;
  statement->python2_traceback = traceback;
  return statement;
}

// global and nonlocal
template <class T> Stmt *Parser::parse_names_statement() {
  const u32 start = current_.start;
  advance();
  Collect<Symbol> names(*this, scratch_.names);
  do {
    names.push(expect_name());
  } while (accept(Tok::Comma));
  auto *statement = make<T>(start);
  statement->names = names.finish();
  return statement;
}

// ---- Imports --------------------------------------------------------------------------------------------------------

Symbol Parser::parse_dotted_name() {
  const Symbol name = expect_name();
  if (!at(Tok::Dot)) {
    return name;
  }
  std::string dotted(name.text());
  while (accept(Tok::Dot)) {
    dotted += '.';
    dotted += expect_name().text();
  }
  return intern(dotted);
}

Alias *Parser::parse_import_alias() {
  const u32 start = current_.start;
  const Symbol name = parse_dotted_name();
  const Symbol asname = accept(Tok::kw_as) ? expect_name() : Symbol{};
  auto *alias = make<Alias>(start);
  alias->name = name;
  alias->asname = asname;
  return alias;
}

Stmt *Parser::parse_import() {
  const u32 start = current_.start;
  advance();
  Collect<Alias *> names(*this, scratch_.aliases);
  do {
    names.push(parse_import_alias());
  } while (accept(Tok::Comma));
  auto *statement = make<Import>(start);
  statement->names = names.finish();
  return statement;
}

Stmt *Parser::parse_import_from() {
  const u32 start = current_.start;
  advance();
  u32 level = 0;
  for (;; advance()) {
    if (at(Tok::Dot)) {
      level += 1;
    } else if (at(Tok::Ellipsis)) {
      level += 3;
    } else {
      break;
    }
  }
  const Symbol module = level > 0 && at(Tok::kw_import) ? Symbol{} : parse_dotted_name();
  expect(Tok::kw_import);
  Collect<Alias *> names(*this, scratch_.aliases);
  if (at(Tok::Star)) {
    const u32 star = current_.start;
    advance();
    auto *alias = make<Alias>(star);
    alias->name = intern("*");
    names.push(alias);
  } else {
    const u32 opening = current_.start;
    const bool in_parens = accept(Tok::LParen);
    for (;;) {
      names.push(parse_import_alias());
      if (!accept(Tok::Comma) || (in_parens && at(Tok::RParen))) {
        break;
      }
    }
    if (in_parens) {
      expect_closing(Tok::RParen, opening);
    }
  }
  auto *statement = make<ImportFrom>(start);
  statement->module = module;
  statement->names = names.finish();
  statement->level = level;
  return statement;
}

// ---- Compound statements --------------------------------------------------------------------------------------------

// A chain of elif is parsed in a loop, as it can be long; each is the only statement in the one before's orelse.
Stmt *Parser::parse_if() {
  If *first = nullptr;
  If *last = nullptr;
  std::vector<If *> chain;
  for (;;) {
    const u32 start = current_.start;
    advance();
    Expr *test = parse_named_expression();
    const Block body = parse_suite();
    auto *branch = make<If>(start);
    branch->test = test;
    branch->body = body;
    if (last == nullptr) {
      first = branch;
    } else {
      Stmt *only = branch;
      last->orelse = arena_.copy(&only, 1);
      if (chain.size() >= kMaxHeight) {
        fail("this chain of elif is too long");
      }
    }
    chain.push_back(branch);
    last = branch;
    if (!at(Tok::kw_elif)) {
      break;
    }
  }
  if (accept(Tok::kw_else)) {
    last->orelse = parse_suite();
  }
  for (If *branch : chain) {
    branch->end = previous_end_;
  }
  return first;
}

Stmt *Parser::parse_while() {
  const u32 start = current_.start;
  advance();
  Expr *test = parse_named_expression();
  const Block body = parse_suite();
  const Block orelse = accept(Tok::kw_else) ? parse_suite() : Block{};
  auto *loop = make<While>(start);
  loop->test = test;
  loop->body = body;
  loop->orelse = orelse;
  return loop;
}

Stmt *Parser::parse_for(u32 start, bool is_async) {
  advance();
  Expr *target = parse_target_list(Tok::kw_in);
  expect(Tok::kw_in);
  Expr *iter = parse_star_expressions();
  const Block body = parse_suite();
  const Block orelse = accept(Tok::kw_else) ? parse_suite() : Block{};
  auto *loop = make<For>(start);
  loop->target = target;
  loop->iter = iter;
  loop->body = body;
  loop->orelse = orelse;
  loop->is_async = is_async;
  return loop;
}

Stmt *Parser::parse_try() {
  const u32 start = current_.start;
  advance();
  auto *statement = make<Try>(start);
  statement->body = parse_suite();
  Collect<ExceptHandler *> handlers(*this, scratch_.handlers);
  while (at(Tok::kw_except)) {
    handlers.push(parse_handler(statement));
  }
  if (accept(Tok::kw_else)) {
    statement->orelse = parse_suite();
  }
  if (accept(Tok::kw_finally)) {
    statement->finalbody = parse_suite();
  } else if (handlers.empty()) {
    errors_.add({current_.start, current_.end}, "expected 'except' or 'finally' for the 'try' above");
  }
  statement->handlers = arena_.copy(handlers.data(), handlers.size());
  statement->end = previous_end_;
  return statement;
}

ExceptHandler *Parser::parse_handler(Try *statement) {
  const u32 start = current_.start;
  advance();
  statement->is_star |= accept(Tok::Star);
  auto *handler = make<ExceptHandler>(start);
  if (!at(Tok::Colon)) {
    const u32 type_start = current_.start;
    handler->type = parse_expression();
    if (at(Tok::Comma)) {
      // Python 2's `except E, e` or 3.14's `except A, B`: in the first the second is what the exception is bound to,
      // which nobody spells like a class.
      Expr *second = nullptr;
      Expr *list = parse_tuple_rest(handler->type, type_start, &Parser::parse_expression);
      const auto *elements = static_cast<Tuple *>(list);
      if (elements->elts.size() == 2 && list->end == elements->elts[1]->end) {
        second = elements->elts[1];
      }
      const auto *name = as<Name>(second);
      const bool is_class_like = name != nullptr && std::isupper(static_cast<unsigned char>(name->id.text()[0])) != 0;
      if (name != nullptr && !is_class_like && !at(Tok::kw_as)) {
        python2({start, list->end});
        handler->name = name->id;
      } else if (second != nullptr && (second->kind == NodeKind::Tuple || second->kind == NodeKind::Subscript)) {
        python2({start, list->end});
        set_context(second, Context::Store);
        handler->target = second;
      } else {
        handler->type = list;
      }
    }
    if (accept(Tok::kw_as)) {
      handler->name = expect_name();
    }
  }
  handler->body = parse_suite();
  handler->end = previous_end_;
  return handler;
}

Stmt *Parser::parse_with(u32 start, bool is_async) {
  advance();
  Collect<WithItem> items(*this, scratch_.with_items);
  if (!at(Tok::LParen) || !parse_parenthesized_with_items(items)) {
    do {
      items.push(parse_with_item());
    } while (accept(Tok::Comma));
  }
  auto *statement = make<With>(start);
  statement->items = items.finish();
  statement->is_async = is_async;
  statement->body = parse_suite();
  statement->end = previous_end_;
  return statement;
}

WithItem Parser::parse_with_item() {
  WithItem item;
  item.context_expr = parse_expression();
  if (accept(Tok::kw_as)) {
    Expr *target = parse_star_target();
    set_context(target, Context::Store);
    item.optional_vars = target;
  }
  return item;
}

Expr *Parser::parse_star_target() { return at(Tok::Star) ? parse_star_expression() : parse_operators(kBitOr); }

// `with (a as b, c as d):`. A parenthesis may also just begin an expression: only what reads as a list of items all the
// way to `):` is one. Otherwise nothing has been consumed.
bool Parser::parse_parenthesized_with_items(Collect<WithItem> &items) {
  const Lexer::State state = lexer_.save();
  const Token opening = current_;
  const u32 end = previous_end_;
  // First find out, by tokens alone, whether the matching parenthesis is followed by a colon.
  Token token;
  const u32 depth = lexer_.depth - 1;
  do {
    lexer_.next(token);
    if (token.kind == Tok::FString) {
      const Token keep = current_;
      current_ = token;
      skip_fstring();
      current_ = keep;
    }
  } while (token.kind != Tok::EndOfFile && lexer_.depth > depth);
  lexer_.next(token);
  const bool followed_by_colon = token.kind == Tok::Colon;
  lexer_.restore(state);
  if (!followed_by_colon) {
    return false;
  }
  advance();
  bool is_list = true;
  while (is_list && !at(Tok::RParen)) {
    if (!starts_expression(current_.kind)) { // yield, *x
      is_list = false;
      break;
    }
    items.push(parse_with_item());
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  if (is_list && at(Tok::RParen) && !items.empty()) { // not at `:=` or `for`
    advance();
    return true;
  }
  while (!items.empty()) {
    items.pop();
  }
  lexer_.restore(state);
  current_ = opening;
  previous_end_ = end;
  return false;
}

Stmt *Parser::parse_decorated() {
  Collect<Expr *> decorators(*this, scratch_.exprs);
  while (accept(Tok::At)) {
    decorators.push(parse_named_expression());
    if (!at(Tok::Newline)) {
      fail_expected("the end of the line");
    }
    advance();
  }
  const Array<Expr *> list = decorators.finish();
  const u32 start = current_.start;
  if (at(Tok::kw_class)) {
    return parse_class(list);
  }
  const bool is_async = accept(Tok::kw_async);
  if (!at(Tok::kw_def)) {
    fail_expected("'def' or 'class' after a decorator");
  }
  return parse_function(start, is_async, list);
}

Stmt *Parser::parse_function(u32 start, bool is_async, Array<Expr *> decorators) {
  advance();
  auto *function = make<FunctionDef>(start);
  function->decorators = decorators;
  function->is_async = is_async;
  function->name_span = {current_.start, current_.end};
  function->name = expect_name();
  if (at(Tok::LBracket)) {
    function->type_params = parse_type_params();
  }
  const u32 opening = current_.start;
  expect(Tok::LParen);
  function->params = parse_params(Tok::RParen, true);
  expect_closing(Tok::RParen, opening);
  if (accept(Tok::Arrow)) {
    function->returns = parse_star_expressions();
  }
  function->body = parse_suite();
  function->end = previous_end_;
  return function;
}

Stmt *Parser::parse_class(Array<Expr *> decorators) {
  const u32 start = current_.start;
  advance();
  auto *definition = make<ClassDef>(start);
  definition->decorators = decorators;
  definition->name_span = {current_.start, current_.end};
  definition->name = expect_name();
  if (at(Tok::LBracket)) {
    definition->type_params = parse_type_params();
  }
  if (at(Tok::LParen)) {
    Collect<Expr *> bases(*this, scratch_.exprs);
    Collect<Keyword *> keywords(*this, scratch_.keywords);
    const u32 opening = current_.start;
    advance();
    parse_arguments(opening, bases, keywords);
    definition->bases = bases.finish();
    definition->keywords = keywords.finish();
  }
  definition->body = parse_suite();
  definition->end = previous_end_;
  return definition;
}

Array<TypeParam *> Parser::parse_type_params() {
  Collect<TypeParam *> params(*this, scratch_.type_params);
  const u32 opening = current_.start;
  advance();
  while (!at(Tok::RBracket)) {
    const u32 start = current_.start;
    TypeParamKind kind = TypeParamKind::TypeVar;
    if (accept(Tok::Star)) {
      kind = TypeParamKind::TypeVarTuple;
    } else if (accept(Tok::DoubleStar)) {
      kind = TypeParamKind::ParamSpec;
    }
    const Symbol name = expect_name();
    Expr *bound = accept(Tok::Colon) ? parse_expression() : nullptr;
    Expr *default_value = accept(Tok::Equal) ? parse_star_expression() : nullptr;
    auto *param = make<TypeParam>(start);
    param->detail = static_cast<u8>(kind);
    param->name = name;
    param->bound = bound;
    param->default_value = default_value;
    params.push(param);
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  expect_closing(Tok::RBracket, opening);
  return params.finish();
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

// Of a function (which may have annotations) or a lambda.
Array<Param *> Parser::parse_params(Tok end, bool annotations) {
  Collect<Param *> params(*this, scratch_.params);
  ParamKind kind = ParamKind::Regular;
  height_ = 0;
  while (!at(end)) {
    const u32 start = current_.start;
    if (accept(Tok::Slash)) {
      for (std::size_t i = 0; i < params.size(); ++i) {
        params.data()[i]->detail = static_cast<u8>(ParamKind::PositionalOnly);
      }
    } else if (accept(Tok::DoubleStar)) {
      Param *param = parse_param(annotations);
      param->detail = static_cast<u8>(ParamKind::KwArgs);
      params.push(param);
    } else if (at(Tok::Star)) {
      advance();
      kind = ParamKind::KeywordOnly;
      if (!at(Tok::Comma)) {
        Param *param = parse_param(annotations);
        param->detail = static_cast<u8>(ParamKind::VarArgs);
        params.push(param);
      }
    } else if (at(Tok::LParen)) { // Python 2: def f(a, (b, c))
      python2({start, current_.end});
      Expr *pattern = parse_paren();
      set_context(pattern, Context::Store);
      auto *param = make<Param>(start);
      param->detail = static_cast<u8>(kind);
      if (pattern->kind == NodeKind::Name) {
        param->name = static_cast<Name *>(pattern)->id;
      } else {
        param->pattern = pattern;
      }
      if (accept(Tok::Equal)) {
        param->default_value = parse_expression();
      }
      params.push(param);
    } else {
      Param *param = parse_param(annotations);
      param->detail = static_cast<u8>(kind);
      if (accept(Tok::Equal)) {
        param->default_value = parse_expression();
      }
      params.push(param);
    }
    if (!accept(Tok::Comma)) {
      break;
    }
  }
  return params.finish();
}

Param *Parser::parse_param(bool annotations) {
  const u32 start = current_.start;
  const Symbol name = expect_name();
  Expr *annotation = nullptr;
  height_ = 0;
  if (annotations && accept(Tok::Colon)) {
    annotation = parse_star_expression(); // *args: *Ts
  }
  auto *param = make<Param>(start);
  param->name = name;
  param->annotation = annotation;
  return param;
}

// ---- Soft keywords --------------------------------------------------------------------------------------------------

// `match` begins a statement if the logical line ends in a colon and could not go on as an expression.
bool Parser::looks_like_match() {
  const Token next = peek();
  switch (next.kind) {
  case Tok::Star:
  case Tok::LParen:
  case Tok::LBracket:
  case Tok::Minus:
  case Tok::Plus:
  case Tok::kw_not:
    break; // could be either
  default:
    if (!starts_expression(next.kind)) {
      return false;
    }
    break;
  }
  const Lexer::State state = lexer_.save();
  const Token keep = current_;
  Tok last = Tok::Name;
  for (;;) {
    lexer_.next(current_);
    if (at(Tok::FString)) {
      skip_fstring();
    }
    if (at(Tok::Newline) || at(Tok::EndOfFile)) {
      break;
    }
    last = current_.kind;
  }
  lexer_.restore(state);
  current_ = keep;
  return last == Tok::Colon;
}

Stmt *Parser::parse_match() {
  const u32 start = current_.start;
  advance();
  const u32 subject_start = current_.start;
  Expr *subject = parse_star_named_expression();
  if (at(Tok::Comma)) {
    subject = parse_tuple_rest(subject, subject_start, &Parser::parse_star_named_expression);
  }
  expect(Tok::Colon);
  expect(Tok::Newline);
  const Nest nest(*this);
  if (!at(Tok::Indent)) {
    fail_expected("an indented 'case'");
  }
  advance();
  Collect<MatchCase> cases(*this, scratch_.cases);
  while (!at(Tok::Dedent) && !at(Tok::EndOfFile)) {
    const u32 case_start = current_.start;
    const u32 nesting = nesting_;
    try {
      cases.push(parse_case());
    } catch (const Bail &) {
      nesting_ = nesting;
      MatchCase broken;
      Collect<Stmt *> statements(*this, scratch_.stmts);
      recover(case_start, statements);
      broken.body = arena_.copy(statements.data(), statements.size());
      cases.push(broken);
    }
  }
  const u32 end = previous_end_;
  accept(Tok::Dedent);
  previous_end_ = end;
  auto *statement = make<Match>(start);
  statement->subject = subject;
  statement->cases = arena_.copy(cases.data(), cases.size());
  return statement;
}

bool Parser::looks_like_type_alias() {
  const Lexer::State state = lexer_.save();
  Token name;
  lexer_.next(name);
  Token behind;
  if (name.kind == Tok::Name) {
    lexer_.next(behind);
  }
  lexer_.restore(state);
  return name.kind == Tok::Name && (behind.kind == Tok::Equal || behind.kind == Tok::LBracket);
}

Stmt *Parser::parse_type_alias() {
  const u32 start = current_.start;
  advance();
  Expr *name = make_name();
  set_context(name, Context::Store);
  const Array<TypeParam *> type_params = at(Tok::LBracket) ? parse_type_params() : Array<TypeParam *>{};
  expect(Tok::Equal);
  Expr *value = parse_expression();
  auto *alias = make<TypeAlias>(start);
  alias->name = name;
  alias->type_params = type_params;
  alias->value = value;
  return alias;
}

// ---- Python 2 -------------------------------------------------------------------------------------------------------

// Python 2's print statement; null where `print` is just a name.
Stmt *Parser::parse_print() {
  const u32 start = current_.start;
  const Token next = peek();
  const bool to_file = next.kind == Tok::RightShift;
  switch (next.kind) {
  case Tok::LParen:
  case Tok::LBracket:
  case Tok::Plus:
  case Tok::Minus:
    return nullptr; // calls and arithmetic read the same in Python 3
  case Tok::kw_not:
    break; // `print not in x` is no print either
  default:
    if (!to_file && !starts_expression(next.kind)) {
      return nullptr;
    }
  }
  if (to_file) {
    // Valid in Python 3, as a shift: parse it so, then take it apart.
    Expr *expression = parse_star_expressions();
    Expr *first = expression;
    Array<Expr *> rest;
    bool newline = true;
    if (auto *tuple = as<Tuple>(expression); tuple != nullptr && !tuple->parenthesized) {
      first = tuple->elts[0];
      rest = {tuple->elts.items + 1, tuple->elts.count - 1};
      newline = tuple->end == tuple->elts.back()->end || source_.text()[tuple->end - 1] != ',' || rest.empty();
    }
    const auto *shift = as<BinOp>(first);
    if (shift == nullptr || shift->op() != Operator::RShift || shift->left->kind != NodeKind::Name || at(Tok::Equal) ||
        at(Tok::Colon)) {
      return finish_expression_statement(expression, start);
    }
    auto *print = make<Print>(start);
    print->dest = shift->right;
    print->values = rest;
    print->newline = newline;
    print->python3 = expression;
    return print;
  }
  if (next.kind == Tok::kw_not) {
    const Lexer::State state = lexer_.save();
    Token token;
    lexer_.next(token);
    lexer_.next(token);
    lexer_.restore(state);
    if (token.kind == Tok::kw_in) {
      return nullptr;
    }
  }
  python2({current_.start, current_.end});
  advance();
  Collect<Expr *> values(*this, scratch_.exprs);
  bool newline = true;
  do {
    if (!starts_expression(current_.kind)) {
      newline = false;
      break;
    }
    values.push(parse_expression());
  } while (accept(Tok::Comma));
  auto *print = make<Print>(start);
  print->values = values.finish();
  print->newline = newline;
  return print;
}

// Python 2's exec statement; null where `exec` is just a name.
Stmt *Parser::parse_exec() {
  const u32 start = current_.start;
  switch (peek().kind) {
  case Tok::Name:
  case Tok::String:
  case Tok::FString:
  case Tok::Backquote:
    break;
  default:
    return nullptr;
  }
  python2({current_.start, current_.end});
  advance();
  Expr *body = parse_operators(kBitOr);
  Expr *globals = nullptr;
  Expr *locals = nullptr;
  if (accept(Tok::kw_in)) {
    globals = parse_expression();
    locals = accept(Tok::Comma) ? parse_expression() : nullptr;
  }
  auto *exec = make<Exec>(start);
  exec->body = body;
  exec->globals = globals;
  exec->locals = locals;
  return exec;
}

// ---- Notebooks ------------------------------------------------------------------------------------------------------

// %magic, !shell or ?help. The magics that time or profile a statement have Python after them.
Stmt *Parser::parse_magic() {
  const u32 start = current_.start;
  const std::string_view line = text({start, current_.end});
  if (line.size() > 1 && line[0] == '%' && line[1] != '%') {
    const std::size_t name_end = std::min(line.find_first_of(" \t", 1), line.size());
    const std::string_view name = line.substr(1, name_end - 1);
    if (name == "time" || name == "timeit" || name == "prun" || name == "memit" || name == "lprun" || name == "mprun") {
      // Leave out options: `-n 10`, `-r3`, `-o`.
      std::size_t at_code = line.find_first_not_of(" \t", name_end);
      while (at_code != std::string_view::npos && line[at_code] == '-' && at_code + 1 < line.size() &&
             std::isalpha(static_cast<unsigned char>(line[at_code + 1])) != 0) {
        const bool takes_value = std::string_view("nrsfTDlm").find(line[at_code + 1]) != std::string_view::npos;
        std::size_t end = std::min(line.find_first_of(" \t", at_code), line.size());
        if (takes_value && end == at_code + 2) { // the value is a word of its own
          end = std::min(line.find_first_not_of(" \t", end), line.size());
          end = std::min(line.find_first_of(" \t", end), line.size());
        }
        at_code = line.find_first_not_of(" \t", end);
      }
      // A loop in one line (`%time for x in data: pass`) is a block, which needs a line of its own to end: not read.
      const std::string_view code = line.substr(std::min(at_code, line.size()));
      const bool is_block = code.starts_with("for ") || code.starts_with("while ") || code.starts_with("with ") ||
                            code.starts_with("if ") || code.starts_with("try:");
      if (at_code != std::string_view::npos && !is_block) {
        lexer_.seek(start + static_cast<u32>(at_code));
        lexer_.next(current_);
        Stmt *statement = parse_simple_statement();
        auto *magic = make<Magic>(start);
        magic->body = arena_.copy(&statement, 1);
        return magic;
      }
    }
  }
  advance();
  return make<Magic>(start);
}

} // namespace deepperf::python
