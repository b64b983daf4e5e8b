#include "python/cpython_dump.h"

#include "python/literals.h"
#include "python/tree_dump.h"

#include <array>
#include <charconv>

namespace deepperf::python {

namespace {

// Deeper trees than this are cut, because printing them by recursion would use up the stack. CPython itself gives up on
// them earlier.
constexpr u32 kDeepest = 4000;

// ---- Places ---------------------------------------------------------------------------------------------------------

// Turns offsets into the places that CPython 3.11 gives to nodes.
//
// Outside of f-strings these are the true ones. The expression in `{…}` though is parsed from a copy, "(…)", whose
// first line CPython shifts to where it thinks the brace stands. It goes wrong in two cases, and we must follow:
//   - a brace that has only blanks after it on its line is taken to stand at the start of the line (or of the string);
//   - a string that starts on the copy's first line and ends on a later one is not shifted. If that is an f-string,
//     what is in it starts from the wrong place too.
class Places {
public:
  explicit Places(const Source &source) : source_(source) {}

  using Place = Source::LineColumn;

  [[nodiscard]] Place start(u32 offset) const {
    Place place = source_.line_column(offset);
    if (inside_ && place.line == copy_.line) {
      place.column = offset - copy_.brace + (starts_multiline_string(offset) ? 0 : copy_.column);
    }
    return place;
  }

  [[nodiscard]] Place end(u32 offset) const {
    Place place = source_.line_column(offset);
    if (inside_ && place.line == copy_.line) {
      place.column = offset - copy_.brace + copy_.column;
    }
    return place;
  }

  // While one of these lives, offsets are those of nodes between the braces of a FormattedValue.
  class Braces {
  public:
    Braces(Places &places, u32 brace, const StringPart *token)
        : places_(places), outer_(places.copy_), was_inside_(places.inside_) {
      if (token != nullptr) {
        places.enter(brace, *token);
      }
    }
    Braces(const Braces &) = delete;
    Braces &operator=(const Braces &) = delete;
    ~Braces() {
      places_.copy_ = outer_;
      places_.inside_ = was_inside_;
    }

  private:
    Places &places_;
    struct Copy {
      u32 line = 0;   // of the brace
      u32 brace = 0;  // its offset; this is where the copy's "(" stands
      u32 column = 0; // where CPython places that "("
    } outer_;
    bool was_inside_;
    friend class Places;
  };

private:
  void enter(u32 brace, const StringPart &token) {
    Place brace_place = source_.line_column(brace);
    Place token_place = start(token.start); // as the enclosing copy has it
    bool first_line = brace_place.line == source_.line_column(token.start).line;
    u32 column = first_line ? token_place.column : 0;
    if (!only_blanks_behind(brace)) {
      column = first_line ? column + brace - token.start : brace_place.column;
    }
    copy_ = {brace_place.line, brace, column};
    inside_ = true;
  }

  [[nodiscard]] bool only_blanks_behind(u32 brace) const {
    std::string_view text = source_.text();
    std::size_t next = text.find_first_not_of(" \t\f", brace + std::size_t{1});
    return next != std::string_view::npos && (text[next] == '\n' || text[next] == '\r');
  }

  // Only strings in three quotes can. Inside f-strings 3.11 allows no backslash, so the next quotes end it.
  [[nodiscard]] bool starts_multiline_string(u32 offset) const {
    std::string_view text = source_.text();
    std::size_t quote = text.find_first_not_of("rRbBuUfF", offset);
    if (quote == std::string_view::npos || quote - offset > 2 || (text[quote] != '"' && text[quote] != '\'')) {
      return false;
    }
    std::string_view quotes = text.substr(quote, 3);
    if (quotes.size() < 3 || quotes[1] != quotes[0] || quotes[2] != quotes[0]) {
      return false;
    }
    std::size_t close = text.find(quotes, quote + 3);
    return text.substr(0, close).find_first_of("\n\r", quote) != std::string_view::npos;
  }

  const Source &source_;
  Braces::Copy copy_;
  bool inside_ = false;
};

// ---- The dump -------------------------------------------------------------------------------------------------------

class Dumper {
public:
  Dumper(const Source &source, bool attributes, std::string &out)
      : source_(source), places_(source), attributes_(attributes), out_(out) {}

  void module(const Tree &tree) {
    open("Module");
    list("body", tree.body);
    field("type_ignores") += "[]";
    out_ += ')';
  }

private:
  // ---- Fields and attributes ----------------------------------------------------------------------------------------

  void open(std::string_view name) {
    out_ += name;
    out_ += '(';
  }

  // No value ends in an opening parenthesis, so that one means that this is the first field.
  std::string &field(std::string_view name) {
    if (out_.back() != '(') {
      out_ += ", ";
    }
    out_ += name;
    return out_ += '=';
  }

  void number(std::string_view name, u32 value) {
    std::array<char, 16> buffer{};
    auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    field(name).append(buffer.data(), end);
  }

  struct Range {
    Places::Place start;
    Places::Place end;
  };

  [[nodiscard]] Range range_of(Span span) const {
    if (!attributes_) {
      return {};
    }
    return {places_.start(span.start), places_.end(span.end)};
  }

  void close(const Range &range) {
    if (attributes_) {
      number("lineno", range.start.line);
      number("col_offset", range.start.column);
      number("end_lineno", range.end.line);
      number("end_col_offset", range.end.column);
    }
    out_ += ')';
  }

  void close(const Node &node) { close(range_of(node.span())); }

  void child(std::string_view name, const Node *value) {
    field(name);
    node(value);
  }

  void optional(std::string_view name, const Node *value) {
    if (value != nullptr) {
      child(name, value);
    }
  }

  template <class T, class Print> void list(std::string_view name, const Array<T> &items, Print print) {
    field(name) += '[';
    bool first = true;
    for (const T &item : items) {
      if (!first) {
        out_ += ", ";
      }
      first = false;
      print(item);
    }
    out_ += ']';
  }

  template <class T> void list(std::string_view name, const Array<T *> &items) {
    list(name, items, [this](const T *item) { node(item); });
  }

  void symbol_text(Symbol symbol) { out_ += python_repr_str(symbol.text()); }

  void symbol(std::string_view name, Symbol value) {
    field(name);
    symbol_text(value);
  }

  void optional(std::string_view name, Symbol value) {
    if (value) {
      symbol(name, value);
    }
  }

  void symbols(std::string_view name, const Array<Symbol> &values) {
    list(name, values, [this](Symbol value) { symbol_text(value); });
  }

  void enumerator(std::string_view name, std::string_view value) {
    field(name) += value;
    out_ += "()";
  }

  void context(const Node &node) { enumerator("ctx", name_of(node.context)); }

  // ---- Nodes --------------------------------------------------------------------------------------------------------

  template <class T> static const T &to(const Node &node) { return static_cast<const T &>(node); }

  void node(const Node *value) {
    if (value == nullptr) {
      out_ += "None";
      return;
    }
    if (depth_ >= kDeepest) {
      out_ += "...";
      return;
    }
    ++depth_;
    if (value->kind < NodeKind::FunctionDef) {
      expression(*value);
    } else if (value->kind < NodeKind::MatchValue) {
      statement(*value);
    } else {
      pattern_or_part(*value);
    }
    --depth_;
  }

  // Nodes with no more than one child that is always there.
  void simple(std::string_view name, const Node &parent, std::string_view field_name, const Node *value) {
    open(name);
    child(field_name, value);
    close(parent);
  }

  void bare(std::string_view name, const Node &parent) {
    open(name);
    close(parent);
  }

  void expression(const Node &expr) {
    switch (expr.kind) {
    case NodeKind::BoolOp:
      open("BoolOp");
      enumerator("op", name_of(to<BoolOp>(expr).op()));
      list("values", to<BoolOp>(expr).values);
      return close(expr);
    case NodeKind::NamedExpr:
      open("NamedExpr");
      child("target", to<NamedExpr>(expr).target);
      child("value", to<NamedExpr>(expr).value);
      return close(expr);
    case NodeKind::BinOp:
      open("BinOp");
      child("left", to<BinOp>(expr).left);
      enumerator("op", name_of(to<BinOp>(expr).op()));
      child("right", to<BinOp>(expr).right);
      return close(expr);
    case NodeKind::UnaryOp:
      open("UnaryOp");
      enumerator("op", name_of(to<UnaryOp>(expr).op()));
      child("operand", to<UnaryOp>(expr).operand);
      return close(expr);
    case NodeKind::Lambda:
      open("Lambda");
      arguments(to<Lambda>(expr).params);
      child("body", to<Lambda>(expr).body);
      return close(expr);
    case NodeKind::IfExp:
      open("IfExp");
      child("test", to<IfExp>(expr).test);
      child("body", to<IfExp>(expr).body);
      child("orelse", to<IfExp>(expr).orelse);
      return close(expr);
    case NodeKind::Dict:
      open("Dict");
      list("keys", to<Dict>(expr).items, [this](const DictItem &item) { node(item.key); });
      list("values", to<Dict>(expr).items, [this](const DictItem &item) { node(item.value); });
      return close(expr);
    case NodeKind::Set:
      open("Set");
      list("elts", to<Set>(expr).elts);
      return close(expr);
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      comprehension(to<ComprehensionExpr>(expr));
      return close(expr);
    case NodeKind::Await:
      return simple("Await", expr, "value", to<Await>(expr).value);
    case NodeKind::Yield:
      open("Yield");
      optional("value", to<Yield>(expr).value);
      return close(expr);
    case NodeKind::YieldFrom:
      return simple("YieldFrom", expr, "value", to<YieldFrom>(expr).value);
    case NodeKind::Compare:
      open("Compare");
      child("left", to<Compare>(expr).left);
      list("ops", to<Compare>(expr).rest, [this](const CompareItem &item) { (out_ += name_of(item.op)) += "()"; });
      list("comparators", to<Compare>(expr).rest, [this](const CompareItem &item) { node(item.right); });
      return close(expr);
    case NodeKind::Call:
      open("Call");
      child("func", to<Call>(expr).func);
      list("args", to<Call>(expr).args);
      list("keywords", to<Call>(expr).keywords);
      return close(expr);
    case NodeKind::FormattedValue: // only ever inside a JoinedStr, which prints them itself
      return simple("FormattedValue", expr, "value", to<FormattedValue>(expr).value);
    case NodeKind::JoinedStr:
      return joined_string(to<JoinedStr>(expr));
    case NodeKind::Constant:
      return constant(to<Constant>(expr));
    case NodeKind::Attribute:
      open("Attribute");
      child("value", to<Attribute>(expr).value);
      symbol("attr", to<Attribute>(expr).attr);
      context(expr);
      return close(expr);
    case NodeKind::Subscript:
      open("Subscript");
      child("value", to<Subscript>(expr).value);
      child("slice", to<Subscript>(expr).slice);
      context(expr);
      return close(expr);
    case NodeKind::Starred:
      open("Starred");
      child("value", to<Starred>(expr).value);
      context(expr);
      return close(expr);
    case NodeKind::Name:
      open("Name");
      symbol("id", to<Name>(expr).id);
      context(expr);
      return close(expr);
    case NodeKind::List:
      open("List");
      list("elts", to<List>(expr).elts);
      context(expr);
      return close(expr);
    case NodeKind::Tuple:
      tuple(to<Tuple>(expr));
      return close(expr);
    case NodeKind::Slice:
      open("Slice");
      optional("lower", to<Slice>(expr).lower);
      optional("upper", to<Slice>(expr).upper);
      optional("step", to<Slice>(expr).step);
      return close(expr);
    case NodeKind::Backquote:
      return simple("Backquote", expr, "value", to<Backquote>(expr).value);
    default:
      return bare(name_of(expr.kind), expr);
    }
  }

  // Without its closing parenthesis, because in an f-string its place is not its own.
  void tuple(const Tuple &value) {
    open("Tuple");
    list("elts", value.elts);
    context(value);
  }

  // Without its closing parenthesis too.
  void comprehension(const ComprehensionExpr &expr) {
    open(name_of(expr.kind));
    child(expr.kind == NodeKind::DictComp ? "key" : "elt", expr.elt);
    if (expr.kind == NodeKind::DictComp) {
      child("value", expr.value);
    }
    list("generators", expr.generators, [this](const Comprehension *generator) {
      open("comprehension");
      child("target", generator->target);
      child("iter", generator->iter);
      list("ifs", generator->ifs);
      number("is_async", generator->is_async ? 1 : 0);
      out_ += ')';
    });
  }

  void arguments(const Array<Param *> &params) {
    // CPython has one list for each kind of parameter, and the defaults in lists beside them.
    auto of_kind = [&](std::string_view name, ParamKind kind) {
      field(name) += '[';
      each(
          params, [&](const Param &param) { return param.param_kind() == kind; }, [this](const Param &p) { node(&p); });
    };
    auto single = [&](std::string_view name, ParamKind kind) {
      for (const Param *param : params) {
        if (param->param_kind() == kind) {
          return child(name, param);
        }
      }
    };
    auto print_default = [this](const Param &param) { node(param.default_value); };
    field("args");
    open("arguments");
    of_kind("posonlyargs", ParamKind::PositionalOnly);
    of_kind("args", ParamKind::Regular);
    single("vararg", ParamKind::VarArgs);
    of_kind("kwonlyargs", ParamKind::KeywordOnly);
    field("kw_defaults") += '[';
    each(
        params, [](const Param &param) { return param.param_kind() == ParamKind::KeywordOnly; }, print_default);
    single("kwarg", ParamKind::KwArgs);
    field("defaults") += '[';
    each(
        params,
        [](const Param &param) {
          bool positional = param.param_kind() == ParamKind::PositionalOnly || param.param_kind() == ParamKind::Regular;
          return positional && param.default_value != nullptr;
        },
        print_default);
    out_ += ')';
  }

  // The rest of a list after its opening bracket: those parameters that are wanted.
  template <class Wanted, class Print> void each(const Array<Param *> &params, Wanted wanted, Print print) {
    bool first = true;
    for (const Param *param : params) {
      if (wanted(*param)) {
        out_ += first ? "" : ", ";
        first = false;
        print(*param);
      }
    }
    out_ += ']';
  }

  // ---- Constants ----------------------------------------------------------------------------------------------------

  void constant(const Constant &value) {
    open("Constant");
    field("value");
    std::string_view text = source_.text().substr(value.start, value.end - value.start);
    switch (value.constant_kind()) {
    case ConstantKind::None:
    case ConstantKind::True:
    case ConstantKind::False:
    case ConstantKind::Ellipsis:
      out_ += singleton_name(value.constant_kind());
      break;
    case ConstantKind::Int:
      out_ += int_decimal(text);
      break;
    case ConstantKind::Float:
      out_ += python_repr(float_value(text));
      break;
    case ConstantKind::Imaginary:
      out_ += python_repr_imaginary(float_value(text));
      break;
    case ConstantKind::Str: {
      const auto &string = static_cast<const StringConstant &>(value);
      out_ += python_repr_str(string_value(source_, string));
      kind_of(string.parts);
      break;
    }
    case ConstantKind::Bytes:
      out_ += python_repr_bytes(bytes_value(source_, static_cast<const StringConstant &>(value)));
      break;
    }
    close(value);
  }

  static std::string_view singleton_name(ConstantKind kind) {
    switch (kind) {
    case ConstantKind::True:
      return "True";
    case ConstantKind::False:
      return "False";
    case ConstantKind::Ellipsis:
      return "Ellipsis";
    default:
      return "None";
    }
  }

  // CPython notes the prefix of a concatenation's first token, and only the small letter.
  void kind_of(const Array<StringPart> &tokens) {
    if (!tokens.empty() && source_.text()[tokens.front().start] == 'u') {
      field("kind") += "'u'";
    }
  }

  // ---- f-strings ----------------------------------------------------------------------------------------------------

  // A run of string tokens, whose place all nodes made from them share.
  struct Tokens {
    Array<StringPart> parts;
    Range range;
  };

  void joined_string(const JoinedStr &string) {
    Tokens whole = {string.parts, range_of(string.span())};
    pieces(string, whole, whole);
  }

  // Everything in an f-string has the place of the whole concatenation. A format spec though has that of the one token
  // it stands in, and shares it with the text at its end.
  void pieces(const JoinedStr &string, const Tokens &whole, const Tokens &own) {
    open(string.is_template() ? "TemplateStr" : "JoinedStr");
    field("values") += '[';
    // CPython makes one Constant of neighbouring pieces of text, none of empty ones.
    std::string text;
    bool first = true;
    auto separate = [&] {
      out_ += first ? "" : ", ";
      first = false;
    };
    auto flush = [&](const Tokens &tokens) {
      if (!text.empty()) {
        separate();
        open("Constant");
        field("value") += python_repr_str(text);
        kind_of(tokens.parts);
        close(tokens.range);
        text.clear();
      }
    };
    const StringConstant *before = nullptr;
    for (const Expr *value : string.values) {
      const StringConstant *piece = as_string(value);
      if (piece != nullptr) {
        text += string_value(source_, *piece);
      } else if (const auto *formatted = as<FormattedValue>(value)) {
        if (formatted->is_debug() && !string.is_template() && !ends_in_debug_text(before, *formatted)) {
          text += debug_text(*formatted);
        }
        flush(whole);
        separate();
        formatted_value(*formatted, string.is_template(), whole);
      } else {
        flush(whole);
        separate();
        node(value);
      }
      before = piece;
    }
    flush(own);
    out_ += ']';
    close(own.range);
  }

  // Whether the text of f"{x = }" already stands in the tree as the piece before the value.
  static bool ends_in_debug_text(const StringConstant *piece, const FormattedValue &value) {
    return piece != nullptr && !piece->parts.empty() && piece->parts.back().verbatim &&
           piece->parts.back().end == value.debug_text.end;
  }

  std::string debug_text(const FormattedValue &value) const {
    std::string text;
    std::string_view source =
        source_.text().substr(value.debug_text.start, value.debug_text.end - value.debug_text.start);
    for (std::size_t i = 0; i < source.size(); ++i) {
      bool crlf = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
      if (!crlf) {
        text += source[i] == '\r' ? '\n' : source[i];
      }
    }
    return text;
  }

  void formatted_value(const FormattedValue &value, bool is_template, const Tokens &whole) {
    open(is_template ? "Interpolation" : "FormattedValue");
    field("value");
    StringPart *token = token_around(value, whole.parts);
    {
      Places::Braces braces(places_, value.start, token);
      braced_expression(value);
    }
    if (is_template && value.value != nullptr) {
      const Expr &inner = *value.value;
      field("str") += python_repr_str(source_.text().substr(inner.start, inner.end - inner.start));
    }
    field("conversion");
    if (value.conversion() != 0) {
      out_ += std::to_string(value.conversion());
    } else {
      out_ += value.is_debug() && value.format_spec == nullptr ? "114" : "-1"; // {x=} is {x=!r}
    }
    if (value.format_spec != nullptr) {
      field("format_spec");
      if (token != nullptr) {
        pieces(*value.format_spec, whole, {{token, 1}, range_of({token->start, token->end})});
      } else {
        pieces(*value.format_spec, whole, whole);
      }
    }
    close(whole.range);
  }

  static StringPart *token_around(const FormattedValue &value, const Array<StringPart> &tokens) {
    for (StringPart &token : tokens) {
      if (token.start <= value.start && value.start < token.end) {
        return &token;
      }
    }
    return nullptr;
  }

  // CPython parses "(a, b)" for `{a, b}`, so that a tuple or generator takes in the braces' place.
  void braced_expression(const FormattedValue &formatted) {
    const Expr *value = formatted.value;
    const auto *pair = as<Tuple>(value);
    const auto *generator = as<GeneratorExp>(value);
    const Expr *first = pair != nullptr && !pair->elts.empty() ? pair->elts.front()
                        : generator != nullptr                 ? generator->elt
                                                               : nullptr;
    if (!attributes_ || first == nullptr || value->parenthesized || has_own_parentheses(*value, *first)) {
      return node(value);
    }
    if (pair != nullptr) {
      tuple(*pair);
    } else {
      comprehension(*generator);
    }
    std::size_t end = source_.text().find_first_of("!:=}", value->end);
    end = end == std::string_view::npos ? value->end : end + 1;
    close({places_.start(formatted.start), places_.end(static_cast<u32>(end))});
  }

  // Whether the parentheses in front of `first` are all closed right after it, or one is the whole's.
  bool has_own_parentheses(const Expr &whole, const Expr &first) const {
    std::string_view text = source_.text();
    i32 open_count = 0;
    for (char c : text.substr(whole.start, first.start - whole.start)) {
      open_count += c == '(' ? 1 : 0;
    }
    for (char c : text.substr(first.end, whole.end - first.end)) {
      if (c == ')') {
        --open_count;
      } else if (c == ',' || c == 'f' || c == 'a') { // of `for` and `async`
        break;
      }
    }
    return open_count > 0;
  }

  // ---- Statements ---------------------------------------------------------------------------------------------------

  void type_params(const Array<TypeParam *> &params) {
    if (!params.empty()) {
      list("type_params", params);
    }
  }

  void statement(const Node &stmt) {
    switch (stmt.kind) {
    case NodeKind::FunctionDef:
      return function(to<FunctionDef>(stmt));
    case NodeKind::ClassDef:
      return class_definition(to<ClassDef>(stmt));
    case NodeKind::Return:
      open("Return");
      optional("value", to<Return>(stmt).value);
      return close(stmt);
    case NodeKind::Delete:
      open("Delete");
      list("targets", to<Delete>(stmt).targets);
      return close(stmt);
    case NodeKind::Assign:
      open("Assign");
      list("targets", to<Assign>(stmt).targets);
      child("value", to<Assign>(stmt).value);
      return close(stmt);
    case NodeKind::AugAssign:
      open("AugAssign");
      child("target", to<AugAssign>(stmt).target);
      enumerator("op", name_of(to<AugAssign>(stmt).op()));
      child("value", to<AugAssign>(stmt).value);
      return close(stmt);
    case NodeKind::AnnAssign:
      return annotated_assign(to<AnnAssign>(stmt));
    case NodeKind::For:
      open(to<For>(stmt).is_async ? "AsyncFor" : "For");
      child("target", to<For>(stmt).target);
      child("iter", to<For>(stmt).iter);
      list("body", to<For>(stmt).body);
      list("orelse", to<For>(stmt).orelse);
      return close(stmt);
    case NodeKind::While:
      open("While");
      child("test", to<While>(stmt).test);
      list("body", to<While>(stmt).body);
      list("orelse", to<While>(stmt).orelse);
      return close(stmt);
    case NodeKind::If:
      open("If");
      child("test", to<If>(stmt).test);
      list("body", to<If>(stmt).body);
      list("orelse", to<If>(stmt).orelse);
      return close(stmt);
    case NodeKind::With:
      open(to<With>(stmt).is_async ? "AsyncWith" : "With");
      list("items", to<With>(stmt).items, [this](const WithItem &item) { with_item(item); });
      list("body", to<With>(stmt).body);
      return close(stmt);
    case NodeKind::Match:
      open("Match");
      child("subject", to<Match>(stmt).subject);
      list("cases", to<Match>(stmt).cases, [this](const MatchCase &item) { match_case(item); });
      return close(stmt);
    case NodeKind::Raise:
      open("Raise");
      optional("exc", to<Raise>(stmt).exc);
      optional("cause", to<Raise>(stmt).cause);
      optional("python2_value", to<Raise>(stmt).python2_value);
      optional("python2_traceback", to<Raise>(stmt).python2_traceback);
      return close(stmt);
    case NodeKind::Try:
      open(to<Try>(stmt).is_star ? "TryStar" : "Try");
      list("body", to<Try>(stmt).body);
      list("handlers", to<Try>(stmt).handlers);
      list("orelse", to<Try>(stmt).orelse);
      list("finalbody", to<Try>(stmt).finalbody);
      return close(stmt);
    case NodeKind::Assert:
      open("Assert");
      child("test", to<Assert>(stmt).test);
      optional("msg", to<Assert>(stmt).msg);
      return close(stmt);
    case NodeKind::Import:
      open("Import");
      list("names", to<Import>(stmt).names);
      return close(stmt);
    case NodeKind::ImportFrom:
      open("ImportFrom");
      optional("module", to<ImportFrom>(stmt).module);
      list("names", to<ImportFrom>(stmt).names);
      number("level", to<ImportFrom>(stmt).level);
      return close(stmt);
    case NodeKind::Global:
      open("Global");
      symbols("names", to<Global>(stmt).names);
      return close(stmt);
    case NodeKind::Nonlocal:
      open("Nonlocal");
      symbols("names", to<Nonlocal>(stmt).names);
      return close(stmt);
    case NodeKind::ExprStmt:
      return simple("Expr", stmt, "value", to<ExprStmt>(stmt).value);
    case NodeKind::TypeAlias:
      open("TypeAlias");
      child("name", to<TypeAlias>(stmt).name);
      type_params(to<TypeAlias>(stmt).type_params);
      child("value", to<TypeAlias>(stmt).value);
      return close(stmt);
    case NodeKind::Print:
      return print(to<Print>(stmt));
    case NodeKind::Exec:
      open("Exec");
      child("body", to<Exec>(stmt).body);
      optional("globals", to<Exec>(stmt).globals);
      optional("locals", to<Exec>(stmt).locals);
      return close(stmt);
    case NodeKind::Magic:
      open("Magic");
      list("body", to<Magic>(stmt).body);
      return close(stmt);
    case NodeKind::InvalidStmt:
      open("InvalidStmt");
      list("body", to<InvalidStmt>(stmt).body);
      return close(stmt);
    default: // Pass, Break, Continue
      return bare(name_of(stmt.kind), stmt);
    }
  }

  void function(const FunctionDef &stmt) {
    open(stmt.is_async ? "AsyncFunctionDef" : "FunctionDef");
    symbol("name", stmt.name);
    arguments(stmt.params);
    list("body", stmt.body);
    list("decorator_list", stmt.decorators);
    optional("returns", stmt.returns);
    type_params(stmt.type_params);
    close(stmt);
  }

  void class_definition(const ClassDef &stmt) {
    open("ClassDef");
    symbol("name", stmt.name);
    list("bases", stmt.bases);
    list("keywords", stmt.keywords);
    list("body", stmt.body);
    list("decorator_list", stmt.decorators);
    type_params(stmt.type_params);
    close(stmt);
  }

  void annotated_assign(const AnnAssign &stmt) {
    open("AnnAssign");
    child("target", stmt.target);
    child("annotation", stmt.annotation);
    optional("value", stmt.value);
    number("simple", as<Name>(stmt.target) != nullptr && !stmt.target->parenthesized ? 1 : 0);
    close(stmt);
  }

  void with_item(const WithItem &item) {
    open("withitem");
    child("context_expr", item.context_expr);
    optional("optional_vars", item.optional_vars);
    out_ += ')';
  }

  void match_case(const MatchCase &item) {
    open("match_case");
    child("pattern", item.pattern);
    optional("guard", item.guard);
    list("body", item.body);
    out_ += ')';
  }

  void print(const Print &stmt) {
    if (stmt.python3 != nullptr) {
      return simple("Expr", stmt, "value", stmt.python3);
    }
    open("Print");
    optional("dest", stmt.dest);
    list("values", stmt.values);
    field("newline") += stmt.newline ? "True" : "False";
    close(stmt);
  }

  // ---- Patterns and parts -------------------------------------------------------------------------------------------

  void pattern_or_part(const Node &part) {
    switch (part.kind) {
    case NodeKind::MatchValue:
      return simple("MatchValue", part, "value", to<MatchValue>(part).value);
    case NodeKind::MatchSingleton:
      open("MatchSingleton");
      field("value") += singleton_name(to<MatchSingleton>(part).value());
      return close(part);
    case NodeKind::MatchSequence:
      open("MatchSequence");
      list("patterns", to<MatchSequence>(part).patterns);
      return close(part);
    case NodeKind::MatchMapping:
      open("MatchMapping");
      list("keys", to<MatchMapping>(part).items, [this](const MatchMappingItem &item) { node(item.key); });
      list("patterns", to<MatchMapping>(part).items, [this](const MatchMappingItem &item) { node(item.pattern); });
      optional("rest", to<MatchMapping>(part).rest);
      return close(part);
    case NodeKind::MatchClass:
      open("MatchClass");
      child("cls", to<MatchClass>(part).cls);
      list("patterns", to<MatchClass>(part).patterns);
      list("kwd_attrs", to<MatchClass>(part).keywords,
           [this](const MatchClassKeyword &item) { symbol_text(item.attr); });
      list("kwd_patterns", to<MatchClass>(part).keywords,
           [this](const MatchClassKeyword &item) { node(item.pattern); });
      return close(part);
    case NodeKind::MatchStar:
      open("MatchStar");
      optional("name", to<MatchStar>(part).name);
      return close(part);
    case NodeKind::MatchAs:
      open("MatchAs");
      optional("pattern", to<MatchAs>(part).pattern);
      optional("name", to<MatchAs>(part).name);
      return close(part);
    case NodeKind::MatchOr:
      open("MatchOr");
      list("patterns", to<MatchOr>(part).patterns);
      return close(part);
    case NodeKind::Keyword:
      open("keyword");
      optional("arg", to<Keyword>(part).name);
      child("value", to<Keyword>(part).value);
      return close(part);
    case NodeKind::Param:
      open("arg");
      symbol("arg", to<Param>(part).name);
      optional("annotation", to<Param>(part).annotation);
      optional("pattern", to<Param>(part).pattern);
      return close(part);
    case NodeKind::Alias:
      open("alias");
      symbol("name", to<Alias>(part).name);
      optional("asname", to<Alias>(part).asname);
      return close(part);
    case NodeKind::ExceptHandler:
      open("ExceptHandler");
      optional("type", to<ExceptHandler>(part).type);
      optional("name", to<ExceptHandler>(part).name);
      optional("target", to<ExceptHandler>(part).target);
      list("body", to<ExceptHandler>(part).body);
      return close(part);
    case NodeKind::TypeParam:
      return type_param(to<TypeParam>(part));
    default:
      return;
    }
  }

  void type_param(const TypeParam &param) {
    constexpr std::array<std::string_view, 3> names = {"TypeVar", "ParamSpec", "TypeVarTuple"};
    open(names[param.detail]);
    symbol("name", param.name);
    optional("bound", param.bound);
    optional("default_value", param.default_value);
    close(param);
  }

  const Source &source_;
  Places places_;
  bool attributes_;
  std::string &out_;
  u32 depth_ = 0;
};

} // namespace

void dump_cpython(const Source &source, const Tree &tree, bool attributes, std::string &out) {
  Dumper(source, attributes, out).module(tree);
}

} // namespace deepperf::python
