#include "python/tree_dump.h"

#include <algorithm>
#include <array>

namespace deepperf::python {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(NodeKind::TypeParam) + 1> kNodeKindNames = {
    "BoolOp",        "NamedExpr",
    "BinOp",         "UnaryOp",
    "Lambda",        "IfExp",
    "Dict",          "Set",
    "ListComp",      "SetComp",
    "DictComp",      "GeneratorExp",
    "Await",         "Yield",
    "YieldFrom",     "Compare",
    "Call",          "FormattedValue",
    "JoinedStr",     "Constant",
    "Attribute",     "Subscript",
    "Starred",       "Name",
    "List",          "Tuple",
    "Slice",         "Backquote",
    "InvalidExpr",   "MagicExpr",
    "FunctionDef",   "ClassDef",
    "Return",        "Delete",
    "Assign",        "AugAssign",
    "AnnAssign",     "For",
    "While",         "If",
    "With",          "Match",
    "Raise",         "Try",
    "Assert",        "Import",
    "ImportFrom",    "Global",
    "Nonlocal",      "ExprStmt",
    "Pass",          "Break",
    "Continue",      "TypeAlias",
    "Print",         "Exec",
    "Magic",         "InvalidStmt",
    "MatchValue",    "MatchSingleton",
    "MatchSequence", "MatchMapping",
    "MatchClass",    "MatchStar",
    "MatchAs",       "MatchOr",
    "Keyword",       "Param",
    "Alias",         "ExceptHandler",
    "TypeParam",
};
constexpr std::array<std::string_view, 3> kContextNames = {"Load", "Store", "Del"};
constexpr std::array<std::string_view, 13> kOperatorNames = {
    "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv"};
constexpr std::array<std::string_view, 2> kBoolOperatorNames = {"And", "Or"};
constexpr std::array<std::string_view, 4> kUnaryOperatorNames = {"Invert", "Not", "UAdd", "USub"};
constexpr std::array<std::string_view, 10> kCompareOperatorNames = {"Eq",  "NotEq", "Lt",    "LtE", "Gt",
                                                                    "GtE", "Is",    "IsNot", "In",  "NotIn"};
constexpr std::array<std::string_view, 9> kConstantKindNames = {"None",  "True",      "False", "Ellipsis", "Int",
                                                                "Float", "Imaginary", "Str",   "Bytes"};
constexpr std::array<std::string_view, 5> kParamKindNames = {"PositionalOnly", "Regular", "VarArgs", "KeywordOnly",
                                                             "KwArgs"};
constexpr std::array<std::string_view, 3> kTypeParamKindNames = {"TypeVar", "ParamSpec", "TypeVarTuple"};
static_assert(kNodeKindNames.back() == "TypeParam");

template <class Enum, std::size_t size>
std::string_view pick(const std::array<std::string_view, size> &names, Enum value) {
  auto index = static_cast<std::size_t>(value);
  return index < size ? names[index] : "?";
}

// Deeper trees than this are cut, because printing them by recursion would use up the stack.
constexpr u32 kDeepestDumped = 4000;
// Longer literals are cut: the dump is for looking at the tree, not at the data.
constexpr std::size_t kLongestText = 120;

class TreeDumper {
public:
  TreeDumper(const Source &source, std::string &out) : source_(source), out_(out) {}

  void block(std::string_view field, const Block &body) { nodes(field, body); }

private:
  // ---- Lines --------------------------------------------------------------------------------------------------------

  void start_line(std::string_view field) {
    out_.append(2 * static_cast<std::size_t>(depth_), ' ');
    out_ += field;
    out_ += ": ";
  }

  void place(u32 offset) {
    Position position = source_.position(offset);
    if (position.cell != 0) {
      out_ += std::to_string(position.cell) + ":";
    }
    out_ += std::to_string(position.line) + ":" + std::to_string(position.column);
  }

  void span(Span where) {
    out_ += ' ';
    place(where.start);
    out_ += '-';
    place(where.end);
  }

  void word(std::string_view text) {
    out_ += ' ';
    out_ += text;
  }

  void flag(bool set, std::string_view text) {
    if (set) {
      word(text);
    }
  }

  // The source as it stands, made to fit on a line.
  void source_text(Span where) {
    std::string_view text = source_.text().substr(where.start, where.end - where.start);
    std::size_t length = std::min(text.size(), kLongestText);
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
      ++length; // not in the middle of a character
    }
    out_ += ' ';
    for (char c : text.substr(0, length)) {
      if (c == '\n') {
        out_ += "\\n";
      } else if (c != '\r') {
        out_ += c;
      }
    }
    flag(text.size() > length, "…");
  }

  // A part of the tree that is no node.
  template <class Body> void group(std::string_view field, std::string_view name, Body body) {
    start_line(field);
    out_ += name;
    out_ += '\n';
    ++depth_;
    body();
    --depth_;
  }

  void names(std::string_view field, const Array<Symbol> &symbols) {
    start_line(field);
    for (const Symbol &symbol : symbols) {
      flag(&symbol != symbols.begin(), symbol.text());
      if (&symbol == symbols.begin()) {
        out_ += symbol.text();
      }
    }
    out_ += '\n';
  }

  // ---- Nodes --------------------------------------------------------------------------------------------------------

  void node(std::string_view field, const Node *child) {
    if (child == nullptr) {
      return;
    }
    start_line(field);
    out_ += name_of(child->kind);
    span(child->span());
    flag(child->parenthesized, "parenthesized");
    if (depth_ >= kDeepestDumped) {
      out_ += " …\n";
      return;
    }
    details(*child);
    out_ += '\n';
    ++depth_;
    children(*child);
    --depth_;
  }

  template <class T> void nodes(std::string_view field, const Array<T *> &list) {
    for (const T *child : list) {
      node(field, child);
    }
  }

  template <class T> static const T &to(const Node &node) { return static_cast<const T &>(node); }

  // What stands on the node's own line after its place.
  void details(const Node &node) {
    switch (node.kind) {
    case NodeKind::BoolOp:
      return word(name_of(to<BoolOp>(node).op()));
    case NodeKind::BinOp:
      return word(name_of(to<BinOp>(node).op()));
    case NodeKind::AugAssign:
      return word(name_of(to<AugAssign>(node).op()));
    case NodeKind::UnaryOp:
      return word(name_of(to<UnaryOp>(node).op()));
    case NodeKind::Name:
      word(to<Name>(node).id.text());
      return flag(node.context != Context::Load, name_of(node.context));
    case NodeKind::Attribute:
      word(to<Attribute>(node).attr.text());
      return flag(node.context != Context::Load, name_of(node.context));
    case NodeKind::Subscript:
    case NodeKind::Starred:
    case NodeKind::List:
    case NodeKind::Tuple:
      return flag(node.context != Context::Load, name_of(node.context));
    case NodeKind::Constant:
      word(pick(kConstantKindNames, to<Constant>(node).constant_kind()));
      if (to<Constant>(node).constant_kind() >= ConstantKind::Int) {
        source_text(node.span());
      }
      return;
    case NodeKind::FormattedValue: {
      const auto &value = to<FormattedValue>(node);
      if (value.conversion() != 0) {
        out_ += " !";
        out_ += value.conversion();
      }
      return flag(value.is_debug(), "debug");
    }
    case NodeKind::JoinedStr:
      flag(to<JoinedStr>(node).is_template(), "template");
      return source_text(node.span());
    case NodeKind::Param:
      word(pick(kParamKindNames, to<Param>(node).param_kind()));
      return word(to<Param>(node).name.text());
    case NodeKind::TypeParam:
      word(pick(kTypeParamKindNames, to<TypeParam>(node).param_kind()));
      return word(to<TypeParam>(node).name.text());
    case NodeKind::Keyword:
      return word(to<Keyword>(node).name ? to<Keyword>(node).name.text() : "**");
    case NodeKind::FunctionDef:
      word(to<FunctionDef>(node).name.text());
      return flag(to<FunctionDef>(node).is_async, "async");
    case NodeKind::ClassDef:
      return word(to<ClassDef>(node).name.text());
    case NodeKind::For:
      return flag(to<For>(node).is_async, "async");
    case NodeKind::With:
      return flag(to<With>(node).is_async, "async");
    case NodeKind::Try:
      return flag(to<Try>(node).is_star, "star");
    case NodeKind::ExceptHandler:
      return flag(static_cast<bool>(to<ExceptHandler>(node).name), to<ExceptHandler>(node).name.text());
    case NodeKind::Alias:
      word(to<Alias>(node).name.text());
      if (to<Alias>(node).asname) {
        word("as");
        word(to<Alias>(node).asname.text());
      }
      return;
    case NodeKind::ImportFrom:
      out_ += ' ';
      out_.append(to<ImportFrom>(node).level, '.');
      out_ += to<ImportFrom>(node).module.text();
      return;
    case NodeKind::Print:
      return flag(!to<Print>(node).newline, "no newline");
    case NodeKind::Magic:
    case NodeKind::MagicExpr:
    case NodeKind::InvalidExpr:
      return source_text(node.span());
    case NodeKind::MatchSingleton:
      return word(pick(kConstantKindNames, to<MatchSingleton>(node).value()));
    case NodeKind::MatchStar:
      return word(to<MatchStar>(node).name ? to<MatchStar>(node).name.text() : "_");
    case NodeKind::MatchAs:
      return word(to<MatchAs>(node).name ? to<MatchAs>(node).name.text() : "_");
    default:
      return;
    }
  }

  void children(const Node &parent) {
    if (parent.kind < NodeKind::FunctionDef) {
      expression(parent);
    } else if (parent.kind < NodeKind::MatchValue) {
      statement(parent);
    } else {
      pattern_or_part(parent);
    }
  }

  void comprehension(const ComprehensionExpr &expr) {
    node("elt", expr.elt);
    node("value", expr.value);
    for (const Comprehension *generator : expr.generators) {
      group("generators", generator->is_async ? "comprehension async" : "comprehension", [&] {
        node("target", generator->target);
        node("iter", generator->iter);
        nodes("ifs", generator->ifs);
      });
    }
  }

  void expression(const Node &expr) {
    switch (expr.kind) {
    case NodeKind::BoolOp:
      return nodes("values", to<BoolOp>(expr).values);
    case NodeKind::NamedExpr:
      node("target", to<NamedExpr>(expr).target);
      return node("value", to<NamedExpr>(expr).value);
    case NodeKind::BinOp:
      node("left", to<BinOp>(expr).left);
      return node("right", to<BinOp>(expr).right);
    case NodeKind::UnaryOp:
      return node("operand", to<UnaryOp>(expr).operand);
    case NodeKind::Lambda:
      nodes("params", to<Lambda>(expr).params);
      return node("body", to<Lambda>(expr).body);
    case NodeKind::IfExp:
      node("test", to<IfExp>(expr).test);
      node("body", to<IfExp>(expr).body);
      return node("orelse", to<IfExp>(expr).orelse);
    case NodeKind::Dict:
      for (const DictItem &item : to<Dict>(expr).items) {
        node("key", item.key);
        node(item.key != nullptr ? "value" : "**value", item.value);
      }
      return;
    case NodeKind::Set:
      return nodes("elts", to<Set>(expr).elts);
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      return comprehension(to<ComprehensionExpr>(expr));
    case NodeKind::Await:
      return node("value", to<Await>(expr).value);
    case NodeKind::Yield:
      return node("value", to<Yield>(expr).value);
    case NodeKind::YieldFrom:
      return node("value", to<YieldFrom>(expr).value);
    case NodeKind::Compare:
      node("left", to<Compare>(expr).left);
      for (const CompareItem &item : to<Compare>(expr).rest) {
        node(name_of(item.op), item.right);
      }
      return;
    case NodeKind::Call:
      node("func", to<Call>(expr).func);
      nodes("args", to<Call>(expr).args);
      return nodes("keywords", to<Call>(expr).keywords);
    case NodeKind::FormattedValue:
      node("value", to<FormattedValue>(expr).value);
      return node("format_spec", to<FormattedValue>(expr).format_spec);
    case NodeKind::JoinedStr:
      return nodes("values", to<JoinedStr>(expr).values);
    case NodeKind::Attribute:
      return node("value", to<Attribute>(expr).value);
    case NodeKind::Subscript:
      node("value", to<Subscript>(expr).value);
      return node("slice", to<Subscript>(expr).slice);
    case NodeKind::Starred:
      return node("value", to<Starred>(expr).value);
    case NodeKind::List:
      return nodes("elts", to<List>(expr).elts);
    case NodeKind::Tuple:
      return nodes("elts", to<Tuple>(expr).elts);
    case NodeKind::Slice:
      node("lower", to<Slice>(expr).lower);
      node("upper", to<Slice>(expr).upper);
      return node("step", to<Slice>(expr).step);
    case NodeKind::Backquote:
      return node("value", to<Backquote>(expr).value);
    default:
      return;
    }
  }

  void statement(const Node &stmt) {
    switch (stmt.kind) {
    case NodeKind::FunctionDef: {
      const auto &function = to<FunctionDef>(stmt);
      nodes("decorators", function.decorators);
      nodes("type_params", function.type_params);
      nodes("params", function.params);
      node("returns", function.returns);
      return block("body", function.body);
    }
    case NodeKind::ClassDef: {
      const auto &cls = to<ClassDef>(stmt);
      nodes("decorators", cls.decorators);
      nodes("type_params", cls.type_params);
      nodes("bases", cls.bases);
      nodes("keywords", cls.keywords);
      return block("body", cls.body);
    }
    case NodeKind::Return:
      return node("value", to<Return>(stmt).value);
    case NodeKind::Delete:
      return nodes("targets", to<Delete>(stmt).targets);
    case NodeKind::Assign:
      nodes("targets", to<Assign>(stmt).targets);
      return node("value", to<Assign>(stmt).value);
    case NodeKind::AugAssign:
      node("target", to<AugAssign>(stmt).target);
      return node("value", to<AugAssign>(stmt).value);
    case NodeKind::AnnAssign:
      node("target", to<AnnAssign>(stmt).target);
      node("annotation", to<AnnAssign>(stmt).annotation);
      return node("value", to<AnnAssign>(stmt).value);
    case NodeKind::For:
      node("target", to<For>(stmt).target);
      node("iter", to<For>(stmt).iter);
      block("body", to<For>(stmt).body);
      return block("orelse", to<For>(stmt).orelse);
    case NodeKind::While:
      node("test", to<While>(stmt).test);
      block("body", to<While>(stmt).body);
      return block("orelse", to<While>(stmt).orelse);
    case NodeKind::If:
      node("test", to<If>(stmt).test);
      block("body", to<If>(stmt).body);
      return block("orelse", to<If>(stmt).orelse);
    case NodeKind::With:
      for (const WithItem &item : to<With>(stmt).items) {
        node("context_expr", item.context_expr);
        node("optional_vars", item.optional_vars);
      }
      return block("body", to<With>(stmt).body);
    case NodeKind::Match:
      node("subject", to<Match>(stmt).subject);
      for (const MatchCase &item : to<Match>(stmt).cases) {
        group("cases", "case", [&] {
          node("pattern", item.pattern);
          node("guard", item.guard);
          block("body", item.body);
        });
      }
      return;
    case NodeKind::Raise:
      node("exc", to<Raise>(stmt).exc);
      node("cause", to<Raise>(stmt).cause);
      node("python2_value", to<Raise>(stmt).python2_value);
      return node("python2_traceback", to<Raise>(stmt).python2_traceback);
    case NodeKind::Try:
      block("body", to<Try>(stmt).body);
      nodes("handlers", to<Try>(stmt).handlers);
      block("orelse", to<Try>(stmt).orelse);
      return block("finalbody", to<Try>(stmt).finalbody);
    case NodeKind::Assert:
      node("test", to<Assert>(stmt).test);
      return node("msg", to<Assert>(stmt).msg);
    case NodeKind::Import:
      return nodes("names", to<Import>(stmt).names);
    case NodeKind::ImportFrom:
      return nodes("names", to<ImportFrom>(stmt).names);
    case NodeKind::Global:
      return names("names", to<Global>(stmt).names);
    case NodeKind::Nonlocal:
      return names("names", to<Nonlocal>(stmt).names);
    case NodeKind::ExprStmt:
      return node("value", to<ExprStmt>(stmt).value);
    case NodeKind::TypeAlias:
      node("name", to<TypeAlias>(stmt).name);
      nodes("type_params", to<TypeAlias>(stmt).type_params);
      return node("value", to<TypeAlias>(stmt).value);
    case NodeKind::Print:
      node("dest", to<Print>(stmt).dest);
      return nodes("values", to<Print>(stmt).values);
    case NodeKind::Exec:
      node("body", to<Exec>(stmt).body);
      node("globals", to<Exec>(stmt).globals);
      return node("locals", to<Exec>(stmt).locals);
    case NodeKind::Magic:
      return block("body", to<Magic>(stmt).body);
    case NodeKind::InvalidStmt:
      return block("body", to<InvalidStmt>(stmt).body);
    default:
      return;
    }
  }

  void pattern_or_part(const Node &part) {
    switch (part.kind) {
    case NodeKind::MatchValue:
      return node("value", to<MatchValue>(part).value);
    case NodeKind::MatchSequence:
      return nodes("patterns", to<MatchSequence>(part).patterns);
    case NodeKind::MatchMapping:
      for (const MatchMappingItem &item : to<MatchMapping>(part).items) {
        node("key", item.key);
        node("pattern", item.pattern);
      }
      if (to<MatchMapping>(part).rest) {
        start_line("rest");
        out_ += to<MatchMapping>(part).rest.text();
        out_ += '\n';
      }
      return;
    case NodeKind::MatchClass:
      node("cls", to<MatchClass>(part).cls);
      nodes("patterns", to<MatchClass>(part).patterns);
      for (const MatchClassKeyword &keyword : to<MatchClass>(part).keywords) {
        node(keyword.attr.text(), keyword.pattern);
      }
      return;
    case NodeKind::MatchAs:
      return node("pattern", to<MatchAs>(part).pattern);
    case NodeKind::MatchOr:
      return nodes("patterns", to<MatchOr>(part).patterns);
    case NodeKind::Keyword:
      return node("value", to<Keyword>(part).value);
    case NodeKind::Param:
      node("pattern", to<Param>(part).pattern);
      node("annotation", to<Param>(part).annotation);
      return node("default", to<Param>(part).default_value);
    case NodeKind::ExceptHandler:
      node("type", to<ExceptHandler>(part).type);
      node("target", to<ExceptHandler>(part).target);
      return block("body", to<ExceptHandler>(part).body);
    case NodeKind::TypeParam:
      node("bound", to<TypeParam>(part).bound);
      return node("default", to<TypeParam>(part).default_value);
    default:
      return;
    }
  }

  const Source &source_;
  std::string &out_;
  u32 depth_ = 0;
};

} // namespace

std::string_view name_of(NodeKind kind) { return pick(kNodeKindNames, kind); }
std::string_view name_of(Context context) { return pick(kContextNames, context); }
std::string_view name_of(Operator op) { return pick(kOperatorNames, op); }
std::string_view name_of(BoolOperator op) { return pick(kBoolOperatorNames, op); }
std::string_view name_of(UnaryOperator op) { return pick(kUnaryOperatorNames, op); }
std::string_view name_of(CompareOperator op) { return pick(kCompareOperatorNames, op); }

void dump_tree(const Source &source, const Tree &tree, std::string &out) {
  TreeDumper(source, out).block("body", tree.body);
}

} // namespace deepperf::python
