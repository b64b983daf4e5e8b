// Python's syntax tree. Names and fields are those of CPython's `ast` module wherever it has them, so that its
// documentation is also ours. What differs:
//   - spans are byte offsets into the source and exact, also inside f-strings;
//   - constants are not evaluated: their span is their text (see literals.h for values);
//   - parameters are one list in source order, each with its default;
//   - a few nodes more: Python 2's statements, notebook magics, and Invalid where the parser had to skip something.
//
// All nodes are plain structs in the file's arena. Switch on `kind`, then `as<Call>(node)`.
#pragma once

#include "base/arena.h"
#include "base/symbol.h"
#include "base/types.h"
#include "python/syntax_error.h"

namespace deepperf::python {

enum class NodeKind : u8 {
  // Expressions
  BoolOp,
  NamedExpr,
  BinOp,
  UnaryOp,
  Lambda,
  IfExp,
  Dict,
  Set,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  Await,
  Yield,
  YieldFrom,
  Compare,
  Call,
  FormattedValue,
  JoinedStr,
  Constant,
  Attribute,
  Subscript,
  Starred,
  Name,
  List,
  Tuple,
  Slice,
  Backquote,   // Python 2: `x`
  InvalidExpr, // stands for what could not be parsed
  MagicExpr,   // notebooks: the right side of `files = !ls`
  // Statements
  FunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  AugAssign,
  AnnAssign,
  For,
  While,
  If,
  With,
  Match,
  Raise,
  Try,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  ExprStmt, // `Expr` in CPython
  Pass,
  Break,
  Continue,
  TypeAlias,
  Print,       // Python 2
  Exec,        // Python 2
  Magic,       // notebooks: %magic, !shell, help?
  InvalidStmt, // a statement that was skipped, with what could be read of its block
  // Patterns
  MatchValue,
  MatchSingleton,
  MatchSequence,
  MatchMapping,
  MatchClass,
  MatchStar,
  MatchAs,
  MatchOr,
  // Parts
  Keyword,
  Param,
  Alias,
  ExceptHandler,
  TypeParam,
};

enum class Context : u8 { Load, Store, Del };

enum class Operator : u8 { Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd, FloorDiv };
enum class BoolOperator : u8 { And, Or };
enum class UnaryOperator : u8 { Invert, Not, UAdd, USub };
enum class CompareOperator : u8 { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

// `detail` holds the node's small enum (operator, constant kind, conversion, …); use the typed accessors.
struct Node {
  NodeKind kind;
  Context context : 2 = Context::Load; // of Name, Attribute, Subscript, Starred, List, Tuple
  bool parenthesized : 1 = false;      // an expression in redundant parentheses; they are outside its span
  mutable u8 output : 4 = 0;           // of an expression: what numbers it holds, see model/facts.h
  mutable bool on_cpu : 1 = false;     // of an expression: a tensor in the host's memory
  mutable u8 detail = 0;
  mutable u8 value = 0; // of an expression: what the engine found it to be, see model/facts.h
  u32 start = 0;
  u32 end = 0;

  [[nodiscard]] Span span() const { return {start, end}; }
};

// Does one stand inside the other, or is it the same? Both must be of one source.
inline bool contains(const Node *outer, const Node *inner) {
  return outer->start <= inner->start && inner->end <= outer->end;
}

struct Expr : Node {};
struct Stmt : Node {};
struct Pattern : Node {};

// The node as its own type; null if it is something else (or null).
template <class T> T *as(Node *node) {
  return node != nullptr && node->kind == T::kKind ? static_cast<T *>(node) : nullptr;
}
template <class T> const T *as(const Node *node) {
  return node != nullptr && node->kind == T::kKind ? static_cast<const T *>(node) : nullptr;
}

// ---- Expressions ----------------------------------------------------------------------------------------------------

struct BoolOp : Expr {
  static constexpr NodeKind kKind = NodeKind::BoolOp;
  Array<Expr *> values;
  [[nodiscard]] BoolOperator op() const { return static_cast<BoolOperator>(detail); }
};

struct NamedExpr : Expr {
  static constexpr NodeKind kKind = NodeKind::NamedExpr;
  Expr *target = nullptr;
  Expr *value = nullptr;
};

struct BinOp : Expr {
  static constexpr NodeKind kKind = NodeKind::BinOp;
  Expr *left = nullptr;
  Expr *right = nullptr;
  [[nodiscard]] Operator op() const { return static_cast<Operator>(detail); }
};

struct UnaryOp : Expr {
  static constexpr NodeKind kKind = NodeKind::UnaryOp;
  Expr *operand = nullptr;
  [[nodiscard]] UnaryOperator op() const { return static_cast<UnaryOperator>(detail); }
};

enum class ParamKind : u8 { PositionalOnly, Regular, VarArgs, KeywordOnly, KwArgs };

struct Param : Node {
  static constexpr NodeKind kKind = NodeKind::Param;
  Symbol name;
  Expr *annotation = nullptr;
  Expr *default_value = nullptr;
  Expr *pattern = nullptr; // Python 2 tuple parameter: the Tuple; then `name` is empty
  [[nodiscard]] ParamKind param_kind() const { return static_cast<ParamKind>(detail); }
};

struct Lambda : Expr {
  static constexpr NodeKind kKind = NodeKind::Lambda;
  mutable u32 fact = 0; // see FunctionDef
  Array<Param *> params;
  Expr *body = nullptr;
};

struct IfExp : Expr {
  static constexpr NodeKind kKind = NodeKind::IfExp;
  Expr *test = nullptr;
  Expr *body = nullptr;
  Expr *orelse = nullptr;
};

struct DictItem {
  Expr *key = nullptr; // null for `**value`
  Expr *value = nullptr;
};

struct Dict : Expr {
  static constexpr NodeKind kKind = NodeKind::Dict;
  Array<DictItem> items;
};

struct Set : Expr {
  static constexpr NodeKind kKind = NodeKind::Set;
  Array<Expr *> elts;
};

struct Comprehension {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Array<Expr *> ifs;
  bool is_async = false;
  Span span; // from `for` (or `async`) to the end of the last condition
};

// ListComp, SetComp, DictComp and GeneratorExp share their shape; DictComp has a value too.
struct ComprehensionExpr : Expr {
  mutable u32 fact = 0; // see For
  Expr *elt = nullptr;  // `key` of a DictComp
  Expr *value = nullptr;
  Array<Comprehension *> generators;
};
struct ListComp : ComprehensionExpr {
  static constexpr NodeKind kKind = NodeKind::ListComp;
};
struct SetComp : ComprehensionExpr {
  static constexpr NodeKind kKind = NodeKind::SetComp;
};
struct DictComp : ComprehensionExpr {
  static constexpr NodeKind kKind = NodeKind::DictComp;
};
struct GeneratorExp : ComprehensionExpr {
  static constexpr NodeKind kKind = NodeKind::GeneratorExp;
};

struct Await : Expr {
  static constexpr NodeKind kKind = NodeKind::Await;
  Expr *value = nullptr;
};
struct Yield : Expr {
  static constexpr NodeKind kKind = NodeKind::Yield;
  Expr *value = nullptr; // may be null
};
struct YieldFrom : Expr {
  static constexpr NodeKind kKind = NodeKind::YieldFrom;
  Expr *value = nullptr;
};

struct CompareItem {
  CompareOperator op = CompareOperator::Eq;
  Expr *right = nullptr;
};

struct Compare : Expr {
  static constexpr NodeKind kKind = NodeKind::Compare;
  Expr *left = nullptr;
  Array<CompareItem> rest;
};

struct Keyword : Node {
  static constexpr NodeKind kKind = NodeKind::Keyword;
  Symbol name; // empty for `**value`
  Expr *value = nullptr;
};

struct Call : Expr {
  static constexpr NodeKind kKind = NodeKind::Call;
  mutable u32 fact = 0; // what the engine knows of it: a place in model::Project::callees
  Expr *func = nullptr;
  Array<Expr *> args; // positional, with Starred
  Array<Keyword *> keywords;
};

// How a string token is written.
struct StringPart {
  u32 start = 0; // the whole token, with prefix and quotes; for a piece of an f-string, just the text
  u32 end = 0;
  u8 prefix_length = 0;
  u8 quote_length = 0; // 1, 3, or 0 for a piece of an f-string
  bool raw = false;
  bool bytes = false;
  bool unicode = false;  // u""
  bool format = false;   // f""
  bool templ = false;    // t""
  bool verbatim = false; // a piece taken from the source as it stands: the `x = ` of f"{x = }"
};

enum class ConstantKind : u8 { None, True, False, Ellipsis, Int, Float, Imaginary, Str, Bytes };

struct Constant : Expr {
  static constexpr NodeKind kKind = NodeKind::Constant;
  [[nodiscard]] ConstantKind constant_kind() const { return static_cast<ConstantKind>(detail); }
  [[nodiscard]] bool is_string() const {
    return constant_kind() == ConstantKind::Str || constant_kind() == ConstantKind::Bytes;
  }
};

inline bool is_constant(const Node *node, ConstantKind kind) {
  const auto *constant = as<Constant>(node);
  return constant != nullptr && constant->constant_kind() == kind;
}

// A Constant whose kind is Str or Bytes: one part for each token of an implicit concatenation.
struct StringConstant : Constant {
  Array<StringPart> parts;
};

inline const StringConstant *as_string(const Node *node) {
  const auto *constant = as<Constant>(node);
  return constant != nullptr && constant->is_string() ? static_cast<const StringConstant *>(constant) : nullptr;
}

struct JoinedStr;

// `{value!conversion:format_spec}`; its span is the braces and what is between them.
struct FormattedValue : Expr {
  static constexpr NodeKind kKind = NodeKind::FormattedValue;
  Expr *value = nullptr;
  JoinedStr *format_spec = nullptr; // may be null
  Span debug_text;                  // of f"{value = }": from after the brace to after the `=` and its spaces
  [[nodiscard]] char conversion() const { return static_cast<char>(detail); } // 's', 'r', 'a' or 0
  [[nodiscard]] bool is_debug() const { return debug_text.end != 0; }
};

// An f-string or t-string, or a concatenation that has one. `values` holds StringConstants (whole plain strings of the
// concatenation, or pieces between braces) and FormattedValues, in source order.
struct JoinedStr : Expr {
  static constexpr NodeKind kKind = NodeKind::JoinedStr;
  Array<Expr *> values;
  Array<StringPart> parts; // the tokens; empty for a format spec
  [[nodiscard]] bool is_template() const { return detail != 0; }
};

struct Attribute : Expr {
  static constexpr NodeKind kKind = NodeKind::Attribute;
  Symbol attr; // its text ends where the node ends
  Expr *value = nullptr;
};

struct Subscript : Expr {
  static constexpr NodeKind kKind = NodeKind::Subscript;
  Expr *value = nullptr;
  Expr *slice = nullptr;
};

struct Starred : Expr {
  static constexpr NodeKind kKind = NodeKind::Starred;
  Expr *value = nullptr;
};

struct Name : Expr {
  static constexpr NodeKind kKind = NodeKind::Name;
  Symbol id;
  // `detail` is free for the engine: where the function keeps the name, see model::Inference::slot_at
};

struct List : Expr {
  static constexpr NodeKind kKind = NodeKind::List;
  Array<Expr *> elts;
};
struct Tuple : Expr {
  static constexpr NodeKind kKind = NodeKind::Tuple;
  Array<Expr *> elts;
};

struct Slice : Expr {
  static constexpr NodeKind kKind = NodeKind::Slice;
  Expr *lower = nullptr;
  Expr *upper = nullptr;
  Expr *step = nullptr;
};

struct Backquote : Expr {
  static constexpr NodeKind kKind = NodeKind::Backquote;
  Expr *value = nullptr;
};
struct InvalidExpr : Expr {
  static constexpr NodeKind kKind = NodeKind::InvalidExpr;
};
struct MagicExpr : Expr {
  static constexpr NodeKind kKind = NodeKind::MagicExpr;
};

// ---- Statements -----------------------------------------------------------------------------------------------------

using Block = Array<Stmt *>;

enum class TypeParamKind : u8 { TypeVar, ParamSpec, TypeVarTuple };

struct TypeParam : Node {
  static constexpr NodeKind kKind = NodeKind::TypeParam;
  Symbol name;
  Expr *bound = nullptr;
  Expr *default_value = nullptr;
  [[nodiscard]] TypeParamKind param_kind() const { return static_cast<TypeParamKind>(detail); }
};

struct FunctionDef : Stmt {
  static constexpr NodeKind kKind = NodeKind::FunctionDef;
  Symbol name;
  mutable u32 fact = 0; // what the engine knows of it: its place in model::Project::functions, from 1
  bool is_async = false;
  Array<Param *> params;
  Block body;
  Array<Expr *> decorators;
  Expr *returns = nullptr;
  Array<TypeParam *> type_params;
  Span name_span;
};

struct ClassDef : Stmt {
  static constexpr NodeKind kKind = NodeKind::ClassDef;
  Symbol name;
  mutable u32 fact = 0; // the same, in model::Project::classes
  Array<Expr *> bases;
  Array<Keyword *> keywords;
  Block body;
  Array<Expr *> decorators;
  Array<TypeParam *> type_params;
  Span name_span;
};

struct Return : Stmt {
  static constexpr NodeKind kKind = NodeKind::Return;
  Expr *value = nullptr;
};
struct Delete : Stmt {
  static constexpr NodeKind kKind = NodeKind::Delete;
  Array<Expr *> targets;
};
struct Assign : Stmt {
  static constexpr NodeKind kKind = NodeKind::Assign;
  Array<Expr *> targets;
  Expr *value = nullptr;
};
struct AugAssign : Stmt {
  static constexpr NodeKind kKind = NodeKind::AugAssign;
  Expr *target = nullptr;
  Expr *value = nullptr;
  [[nodiscard]] Operator op() const { return static_cast<Operator>(detail); }
};
struct AnnAssign : Stmt {
  static constexpr NodeKind kKind = NodeKind::AnnAssign;
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr;
};

struct For : Stmt {
  static constexpr NodeKind kKind = NodeKind::For;
  mutable u32 fact = 0; // the same, in model::Project::loops
  Expr *target = nullptr;
  Expr *iter = nullptr;
  Block body;
  Block orelse;
  bool is_async = false;
};
struct While : Stmt {
  static constexpr NodeKind kKind = NodeKind::While;
  mutable u32 fact = 0; // see For
  Expr *test = nullptr;
  Block body;
  Block orelse;
};
struct If : Stmt {
  static constexpr NodeKind kKind = NodeKind::If;
  Expr *test = nullptr;
  Block body;
  Block orelse; // an `elif` is one If in here
};

struct WithItem {
  Expr *context_expr = nullptr;
  Expr *optional_vars = nullptr;
};
struct With : Stmt {
  static constexpr NodeKind kKind = NodeKind::With;
  Array<WithItem> items;
  Block body;
  bool is_async = false;
};

struct MatchCase {
  Pattern *pattern = nullptr;
  Expr *guard = nullptr;
  Block body;
};
struct Match : Stmt {
  static constexpr NodeKind kKind = NodeKind::Match;
  Expr *subject = nullptr;
  Array<MatchCase> cases;
};

struct Raise : Stmt {
  static constexpr NodeKind kKind = NodeKind::Raise;
  Expr *exc = nullptr;
  Expr *cause = nullptr;
  Expr *python2_value = nullptr; // raise exc, value, traceback
  Expr *python2_traceback = nullptr;
};

struct ExceptHandler : Node {
  static constexpr NodeKind kKind = NodeKind::ExceptHandler;
  Symbol name;
  Expr *type = nullptr;
  Expr *target = nullptr; // Python 2: `except E, target`, where that is no plain name
  Block body;
};
struct Try : Stmt {
  static constexpr NodeKind kKind = NodeKind::Try;
  Block body;
  Array<ExceptHandler *> handlers;
  Block orelse;
  Block finalbody;
  bool is_star = false; // except*
};

struct Assert : Stmt {
  static constexpr NodeKind kKind = NodeKind::Assert;
  Expr *test = nullptr;
  Expr *msg = nullptr;
};

struct Alias : Node {
  static constexpr NodeKind kKind = NodeKind::Alias;
  Symbol name; // with its dots; `*` for a star import
  Symbol asname;
};
struct Import : Stmt {
  static constexpr NodeKind kKind = NodeKind::Import;
  Array<Alias *> names;
};
struct ImportFrom : Stmt {
  static constexpr NodeKind kKind = NodeKind::ImportFrom;
  Symbol module; // with its dots; empty in `from . import x`
  Array<Alias *> names;
  u32 level = 0;
};

struct Global : Stmt {
  static constexpr NodeKind kKind = NodeKind::Global;
  Array<Symbol> names;
};
struct Nonlocal : Stmt {
  static constexpr NodeKind kKind = NodeKind::Nonlocal;
  Array<Symbol> names;
};

struct ExprStmt : Stmt {
  static constexpr NodeKind kKind = NodeKind::ExprStmt;
  Expr *value = nullptr;
};
struct Pass : Stmt {
  static constexpr NodeKind kKind = NodeKind::Pass;
};
struct Break : Stmt {
  static constexpr NodeKind kKind = NodeKind::Break;
};
struct Continue : Stmt {
  static constexpr NodeKind kKind = NodeKind::Continue;
};

struct TypeAlias : Stmt {
  static constexpr NodeKind kKind = NodeKind::TypeAlias;
  Expr *name = nullptr; // a Name
  Array<TypeParam *> type_params;
  Expr *value = nullptr;
};

// `print a, b` and `print >>dest, a`. The second is also valid Python 3 (it shifts and makes a tuple), though no
// program means that: `python3` keeps what CPython makes of it.
struct Print : Stmt {
  static constexpr NodeKind kKind = NodeKind::Print;
  Expr *dest = nullptr;
  Array<Expr *> values;
  bool newline = true;     // no trailing comma
  Expr *python3 = nullptr; // the expression that CPython 3 sees, if it sees one
};
struct Exec : Stmt {
  static constexpr NodeKind kKind = NodeKind::Exec;
  Expr *body = nullptr;
  Expr *globals = nullptr;
  Expr *locals = nullptr;
};

struct Magic : Stmt {
  static constexpr NodeKind kKind = NodeKind::Magic;
  Block body; // the Python after `%time`, `%timeit`, …
};
struct InvalidStmt : Stmt {
  static constexpr NodeKind kKind = NodeKind::InvalidStmt;
  Block body;
};

// ---- Patterns -------------------------------------------------------------------------------------------------------

struct MatchValue : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchValue;
  Expr *value = nullptr;
};
struct MatchSingleton : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchSingleton;
  [[nodiscard]] ConstantKind value() const { return static_cast<ConstantKind>(detail); }
};
struct MatchSequence : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchSequence;
  Array<Pattern *> patterns;
};
struct MatchMappingItem {
  Expr *key = nullptr;
  Pattern *pattern = nullptr;
};
struct MatchMapping : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchMapping;
  Array<MatchMappingItem> items;
  Symbol rest;
};
struct MatchClassKeyword {
  Symbol attr;
  Pattern *pattern = nullptr;
};
struct MatchClass : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchClass;
  Expr *cls = nullptr;
  Array<Pattern *> patterns;
  Array<MatchClassKeyword> keywords;
};
struct MatchStar : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchStar;
  Symbol name; // empty for `*_`
};
struct MatchAs : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchAs;
  Symbol name; // empty for `_`
  Pattern *pattern = nullptr;
};
struct MatchOr : Pattern {
  static constexpr NodeKind kKind = NodeKind::MatchOr;
  Array<Pattern *> patterns;
};

} // namespace deepperf::python
