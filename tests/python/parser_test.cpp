// The grammar as a whole is tested against CPython (cpython_oracle.py). Here is what CPython 3.11 does not accept, and
// what it does not show: newer syntax, Python 2, recovery, notebooks, hostile input, spans.
#include "parse_text.h"

#include "base/workers.h"
#include "python/tree_dump.h"

#include <gtest/gtest.h>

namespace deepperf::python {
namespace {

// ---- Newer syntax ---------------------------------------------------------------------------------------------------

TEST(Parser, TypeAliasesAndTypeParameters) {
  EXPECT_EQ(parse_text("type X[T: int, *Ts, **P] = list[T]").body(),
            "TypeAlias(name=Name(id='X', ctx=Store()), type_params=[TypeVar(name='T', bound=Name(id='int', "
            "ctx=Load())), TypeVarTuple(name='Ts'), ParamSpec(name='P')], value=Subscript(value=Name(id='list', "
            "ctx=Load()), slice=Name(id='T', ctx=Load()), ctx=Load()))");
  EXPECT_TRUE(parse_text("def f[T](x: T) -> T: ...\nclass A[T = int](B[T]): pass").tree.errors.empty());
}

TEST(Parser, TypeIsStillAName) {
  EXPECT_EQ(parse_text("type = 1").body(), "Assign(targets=[Name(id='type', ctx=Store())], value=Constant(value=1))");
  EXPECT_EQ(parse_text("type(x)").body(),
            "Expr(value=Call(func=Name(id='type', ctx=Load()), args=[Name(id='x', ctx=Load())], keywords=[]))");
}

TEST(Parser, MatchIsStillAName) {
  for (const char *text : {"match = 1", "match(x)", "match(x)[a:b]", "match[a]", "match[x]: int", "match * 2",
                           "match - 1", "match not in x", "match, b = c", "match.x", "match: int"}) {
    const Parsed parsed = parse_text(text);
    EXPECT_TRUE(parsed.tree.errors.empty()) << text << " " << parsed.error();
    EXPECT_NE(parsed.tree.body[0]->kind, NodeKind::Match) << text;
  }
  for (const char *text : {"match x:\n case 1: pass", "match (x):\n case 1: pass", "match [a, b]:\n case 1: pass",
                           "match -x:\n case 1: pass", "match *a, b:\n case 1: pass", "match not x:\n case 1: pass",
                           "match x, y:\n case 1: pass", "match f'{x:a}':\n case 1: pass"}) {
    const Parsed parsed = parse_text(text);
    EXPECT_TRUE(parsed.tree.errors.empty()) << text << " " << parsed.error();
    EXPECT_EQ(parsed.tree.body[0]->kind, NodeKind::Match) << text;
  }
}

TEST(Parser, FStringsNestToAnyDepth) {
  EXPECT_EQ(parse_text("f'{d['a']}'").body(),
            "Expr(value=JoinedStr(values=[FormattedValue(value=Subscript(value=Name(id='d', ctx=Load()), "
            "slice=Constant(value='a'), ctx=Load()), conversion=-1)]))");
  EXPECT_TRUE(parse_text("f'{f'{f'{f'{1}'}'}'}'").tree.errors.empty());
  EXPECT_TRUE(parse_text("x = f'{\n  a  # comment }\n  + b\n}'\ny = 1").tree.errors.empty());
  EXPECT_TRUE(parse_text("f'{x:{y:{z}}}' f'{'\\n'.join(a)}'").tree.errors.empty());
  EXPECT_TRUE(parse_text("f'{x:=^10}' f'{(x:=5)}' f'{x!=y}' f'{x!r:>{w}}'").tree.errors.empty());
}

TEST(Parser, TStrings) {
  const Parsed parsed = parse_text("t'a{b!r:c}'");
  ASSERT_TRUE(parsed.tree.errors.empty());
  const auto *string = as<JoinedStr>(as<ExprStmt>(parsed.tree.body[0])->value);
  ASSERT_NE(string, nullptr);
  EXPECT_TRUE(string->is_template());
}

TEST(Parser, ExceptWithoutParentheses) {
  const Parsed parsed = parse_text("try: pass\nexcept ValueError, TypeError: pass\nexcept A, B as c: pass\n"
                                   "except A, B, c: pass\nexcept* D, E: pass");
  ASSERT_TRUE(parsed.tree.errors.empty()) << parsed.error();
  EXPECT_FALSE(parsed.tree.is_python2);
  const auto *statement = as<Try>(parsed.tree.body[0]);
  for (const ExceptHandler *handler : statement->handlers) {
    EXPECT_EQ(handler->type->kind, NodeKind::Tuple);
  }
  EXPECT_EQ(statement->handlers[1]->name.text(), "c");
}

// ---- Python 2 -------------------------------------------------------------------------------------------------------

struct Python2Case {
  const char *text;
  NodeKind kind;
};

TEST(Parser, Python2Statements) {
  for (const auto &[text, kind] : {Python2Case{"print 'a', b", NodeKind::Print},
                                   {"print 'a' % b,", NodeKind::Print},
                                   {"print not x", NodeKind::Print},
                                   {"print x if y else z", NodeKind::Print},
                                   {"print `x`", NodeKind::Print},
                                   {"exec 'code' in ns", NodeKind::Exec},
                                   {"exec code in a, b", NodeKind::Exec},
                                   {"raise E, 'message'", NodeKind::Raise},
                                   {"raise E, 'message', tb", NodeKind::Raise},
                                   {"try: pass\nexcept E, e: pass", NodeKind::Try},
                                   {"try: pass\nexcept (A, B), e: pass", NodeKind::Try},
                                   {"x = 0777", NodeKind::Assign},
                                   {"x = 10L + 0xFFl", NodeKind::Assign},
                                   {"x = ur'a\\b'", NodeKind::Assign},
                                   {"x = a <> b", NodeKind::Assign},
                                   {"x = `a, b`", NodeKind::Assign},
                                   {"def f(a, (b, (c, d)), e=1): pass", NodeKind::FunctionDef},
                                   {"x = lambda (a, b): a", NodeKind::Assign},
                                   {"x = [a for a in 1, 2]", NodeKind::Assign}}) {
    const Parsed parsed = parse_text(text);
    EXPECT_TRUE(parsed.tree.errors.empty()) << text << " " << parsed.error();
    EXPECT_TRUE(parsed.tree.is_python2) << text;
    ASSERT_EQ(parsed.tree.body.size(), 1U) << text;
    EXPECT_EQ(parsed.tree.body[0]->kind, kind) << text;
  }
}

TEST(Parser, PrintToAFileIsPrintAndStillCPythonsTree) {
  const Parsed parsed = parse_text("print >>sys.stderr, 'a', b");
  ASSERT_TRUE(parsed.tree.errors.empty());
  const auto *print = as<Print>(parsed.tree.body[0]);
  ASSERT_NE(print, nullptr);
  EXPECT_EQ(parsed.text(*print->dest), "sys.stderr");
  EXPECT_EQ(print->values.size(), 2U);
  EXPECT_TRUE(print->newline);
  EXPECT_EQ(parsed.body().substr(0, 36), "Expr(value=Tuple(elts=[BinOp(left=Na");
}

TEST(Parser, Python3UsesOfPython2Words) {
  for (const char *text : {"print(1)", "print", "print = 3", "x = print", "print.x", "print, x", "exec(a)", "exec = 1",
                           "print (a), b", "f(print=1)", "print not in x", "00", "0_0"}) {
    const Parsed parsed = parse_text(text);
    EXPECT_TRUE(parsed.tree.errors.empty()) << text << " " << parsed.error();
    EXPECT_FALSE(parsed.tree.is_python2) << text;
  }
}

TEST(Parser, OldNames) {
  EXPECT_TRUE(
      parse_text("x.cuda(async=True)\ndef f(async=False): return async\nself.async = await").tree.errors.empty());
}

// ---- Recovery -------------------------------------------------------------------------------------------------------

// How many statements of each kind the module has at its top.
u32 count(const Parsed &parsed, NodeKind kind) {
  u32 found = 0;
  for (const Stmt *statement : parsed.tree.body) {
    found += statement->kind == kind ? 1 : 0;
  }
  return found;
}

TEST(Parser, OneBrokenStatementCostsThatStatement) {
  struct Case {
    const char *text;
    const char *error;
    u32 good; // Assign statements that must survive
  };
  for (const auto &[text, error, good] :
       {Case{"a = 1\nb = = 2\nc = 3\n", "2:5: expected an expression, not '='", 2},
        {"a = (1,\nb = 2\nc = 3\n", "2:3: expected ')' for the '(' on line 1, not '='", 2},
        {"a = foo(1, 2\nb = 2\nc = 3\n", "2:1: expected ')' for the '(' on line 1, not name", 2},
        {"a = [1, 2\ndef f():\n  x = 1\nc = 3\n", "2:1: expected ']' for the '[' on line 1, not 'def'", 1},
        {"a = 'abc\nb = 2\n", "1:5: this string is not closed on its line", 2},
        {"a = 1 2\nb = 2\n", "1:7: expected the end of the statement, not number", 1},
        {"a = $\nb = 2\n", "1:5: invalid character '$'", 1},
        {"import\nb = 2\n", "1:7: expected a name, not end of line", 1},
        {"a = )\nb = 2\n", "1:5: expected an expression, not ')'", 1},
        {"f() = 1\nb = 2\n", "1:1: this cannot be assigned to", 1},
        {"a = f'{x'\nc = 2\n", "1:9: this string is not closed on its line", 1},
        {"a = f'{b}}'\nc = 2\n", "1:10: a single '}' in an f-string must be written '}}'", 1},
        {"a = 1\n  b = 2\nc = 3\n", "2:3: unexpected indentation", 2}}) {
    const Parsed parsed = parse_text(text);
    EXPECT_EQ(parsed.error(), error) << text;
    EXPECT_EQ(count(parsed, NodeKind::Assign), good) << text;
  }
}

TEST(Parser, ABrokenHeaderKeepsItsBlock) {
  const Parsed parsed = parse_text("if x = 1:\n  a = 1\n  b = 2\nelse:\n  c = 3\nd = 4\n");
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
  ASSERT_EQ(parsed.tree.body.size(), 3U);
  const auto *first = as<InvalidStmt>(parsed.tree.body[0]);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->body.size(), 2U);
  EXPECT_EQ(parsed.tree.body[2]->kind, NodeKind::Assign);
}

TEST(Parser, AForgottenColonCostsNothing) {
  const Parsed parsed = parse_text("for x in y\n  a = 1\nb = 2\n");
  EXPECT_EQ(parsed.error(), "1:11: expected ':'");
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
  const auto *loop = as<For>(parsed.tree.body[0]);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->body.size(), 1U);
}

TEST(Parser, AnErrorInsideABlockStaysInside) {
  const Parsed parsed =
      parse_text("class A:\n  def f(self):\n    x = (\n    y = 1\n  def g(self):\n    return 2\nz = 3\n");
  const auto *definition = as<ClassDef>(parsed.tree.body[0]);
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(definition->body.size(), 2U);
  EXPECT_EQ(parsed.tree.body.size(), 2U);
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
}

TEST(Parser, AStringThatIsNeverClosedIsOneError) {
  const Parsed parsed = parse_text("a = 1\nb = '''text\nmore text here\nc = 2\nd = )\n");
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
  EXPECT_EQ(parsed.error(), "2:5: this string is never closed");
  EXPECT_EQ(count(parsed, NodeKind::Assign), 3U);
}

TEST(Parser, IndentationThatMatchesNothing) {
  const Parsed parsed = parse_text("if x:\n        a = 1\n    b = 2\nc = 3\n");
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
  EXPECT_EQ(parsed.error(), "3:5: this line's indentation matches no line above it");
  EXPECT_EQ(parsed.tree.body.size(), 2U);
}

TEST(Parser, GarbageGivesABoundedNumberOfErrors) {
  std::string garbage;
  for (int i = 0; i < 20000; ++i) {
    garbage += ") ( ] = = + class def $ ? \x01\n";
  }
  const Parsed parsed = parse_text(garbage);
  EXPECT_LE(parsed.tree.errors.size(), ErrorList::kMost);
  EXPECT_GT(parsed.tree.suppressed_errors, 0U);
}

TEST(Parser, InvalidUtf8IsReportedAndTheRestIsRead) {
  const Parsed parsed = parse_text("a = 'x\xff'\nb = 2\n");
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
  EXPECT_EQ(parsed.error(), "1:7: byte 0xff is not valid UTF-8; declare the encoding or convert the file");
  EXPECT_EQ(count(parsed, NodeKind::Assign), 2U);
}

TEST(Parser, NulBytes) {
  const Parsed parsed = parse_text(std::string_view("a = 1\0\nb = '\0'\n# \0 c\nd = 2\n", 26));
  EXPECT_EQ(parsed.tree.errors.size(), 2U);
  EXPECT_EQ(count(parsed, NodeKind::Assign), 3U);
}

// ---- Hostile input --------------------------------------------------------------------------------------------------

std::string repeat(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

// Parses on a worker's stack, as the program does, and walks the tree.
void parse_and_walk(const std::string &text) {
  run_workers(1, [&](u32) {
    const Parsed parsed = parse_text(text);
    std::string out;
    dump_tree(parsed.source, parsed.tree, out);
    EXPECT_FALSE(out.empty());
  });
}

TEST(Parser, DeepNestingIsRefusedAndTheRestIsRead) {
  for (const char *opening : {"(", "[", "{", "f(", "-", "not ", "lambda: ", "a[", "x if y else ", "a ** ", "*(", "f'{",
                              "await ", "(yield ", "{1: ", "~", "lambda x=", "print >> (", "`"}) {
    const Parsed parsed = parse_text("a = " + repeat(opening, 100'000) + "\nb = 2\n");
    EXPECT_GE(parsed.tree.errors.size(), 1U) << opening;
  }
  const Parsed parsed = parse_text("a = " + repeat("(", 100'000) + "1" + repeat(")", 100'000) + "\nb = 2\n");
  EXPECT_EQ(parsed.tree.errors.size(), 1U);
  EXPECT_EQ(count(parsed, NodeKind::Assign), 1U);
}

TEST(Parser, LongChains) {
  parse_and_walk("a = " + repeat("b + ", 3000) + "c\n");
  parse_and_walk("a = b" + repeat(".c", 3000) + "\n");
  parse_and_walk("if a: pass\n" + repeat("elif b: pass\n", 3000));
  for (const char *link : {" + b", ".c", "()", "[0]", " if b else c", " ** b"}) {
    parse_and_walk("a = b" + repeat(link, 200'000) + "\n");
  }
  parse_and_walk("if a: pass\n" + repeat("elif b: pass\n", 200'000));
  // Chains inside chains must not add up to a tree that nothing can walk.
  std::string nested = "x";
  for (int i = 0; i < 100; ++i) {
    nested.insert(0, 1, '(');
    nested += repeat(" + y", 1000);
    nested += ')';
  }
  parse_and_walk(nested);
  nested = "pass\n";
  std::string header;
  for (int i = 0; i < 80; ++i) {
    header += std::string(static_cast<std::size_t>(i), ' ') + "if a: pass\n";
    for (int j = 0; j < 200; ++j) {
      header += std::string(static_cast<std::size_t>(i), ' ') + "elif b: pass\n";
    }
    header += std::string(static_cast<std::size_t>(i), ' ') + "else:\n";
  }
  parse_and_walk(header + std::string(80, ' ') + "pass\n");
}

TEST(Parser, ManyOfEverything) {
  EXPECT_EQ(parse_text(repeat("x = 1\n", 1'000'000)).tree.body.size(), 1'000'000U);
  EXPECT_TRUE(parse_text("x = '" + repeat("aaaaaaaaaa", 1'000'000) + "'\n").tree.errors.empty());
  EXPECT_TRUE(parse_text("x = [" + repeat("1, ", 2'000'000) + "]\n").tree.errors.empty());
  EXPECT_TRUE(parse_text(repeat("a = 1; ", 1'000'000)).tree.errors.empty());
  EXPECT_TRUE(parse_text(repeat("\n", 5'000'000)).tree.body.empty());
  EXPECT_TRUE(parse_text(repeat("# c\n", 1'000'000)).tree.body.empty());
  EXPECT_FALSE(parse_text(repeat("(\n", 1'000'000)).tree.errors.empty());
  EXPECT_FALSE(parse_text(repeat("f'{", 1'000'000)).tree.errors.empty());
  EXPECT_FALSE(parse_text(repeat("'", 3'000'001)).tree.errors.empty());
  EXPECT_FALSE(parse_text(repeat("with (", 100'000)).tree.errors.empty());
  EXPECT_FALSE(parse_text(repeat("match (", 100'000)).tree.errors.empty());
  std::string blocks;
  for (int i = 0; i < 3000; ++i) {
    blocks += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  }
  EXPECT_FALSE(parse_text(blocks).tree.errors.empty());
}

// ---- Notebooks ------------------------------------------------------------------------------------------------------

TEST(Parser, NotebookMagics) {
  const Parsed parsed = parse_text(R"({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
    {"cell_type": "markdown", "metadata": {}, "source": "# Title"},
    {"cell_type": "code", "metadata": {}, "source": ["%matplotlib inline\n", "!pip install \\\n", "  torch\n", "x = !ls\n",
     "y = %env HOME\n", "x?\n", "?x\n", "if x:\n", "    %time z = f(x)\n", "    !ls\n", "a = 1"]},
    {"cell_type": "code", "metadata": {}, "source": "b = (1,\n"},
    {"cell_type": "code", "metadata": {}, "source": "%timeit -r1 for x in y: pass\n%time with f: pass"},
    {"cell_type": "code", "metadata": {}, "source": "%%time\nc = 3"}]})",
                                   "test.ipynb");
  ASSERT_EQ(parsed.tree.errors.size(), 1U) << parsed.error(1);
  const Position position = parsed.source.position(parsed.tree.errors[0].span.start);
  EXPECT_EQ(position.cell, 3U);
  const auto *condition = as<If>(parsed.tree.body[6]);
  ASSERT_NE(condition, nullptr);
  ASSERT_EQ(condition->body.size(), 2U);
  const auto *timed = as<Magic>(condition->body[0]);
  ASSERT_NE(timed, nullptr);
  ASSERT_EQ(timed->body.size(), 1U);
  EXPECT_EQ(parsed.text(*timed->body[0]), "z = f(x)");
  EXPECT_EQ(parsed.text(*parsed.tree.body[parsed.tree.body.size() - 1]), "c = 3");
}

TEST(Parser, NotebookCellsThatOnlyIPythonUnderstands) {
  const auto errors = [](const std::string &code) {
    return parse_text(R"({"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": ")" + code +
                          R"("}]})",
                      "test.ipynb")
        .error();
  };
  EXPECT_EQ(errors("  x = 1\\n  if x:\\n    y = 2\\n  # c\\nz = 3"), "");
  EXPECT_EQ(errors("pip install torch\\nls -l data\\ncd ..\\ncat a.txt | wc"), "");
  EXPECT_EQ(errors("# first\\n%%bash\\nls -l | wc"), "");
  EXPECT_EQ(errors("ls = 1\\nls -1\\ncat in ls\\nrm += 1\\npip.main()"), "");
  EXPECT_NE(errors("x = 1\\n  y = 2"), "");
}

// ---- Spans and comments ---------------------------------------------------------------------------------------------

TEST(Parser, SpansInsideFStringsAreExact) {
  const Parsed parsed = parse_text("x = f'''a\n{ foo(1) !r:>{ w }} b'''\n");
  const auto *string = as<JoinedStr>(as<Assign>(parsed.tree.body[0])->value);
  ASSERT_NE(string, nullptr);
  ASSERT_EQ(string->values.size(), 3U);
  const auto *field = as<FormattedValue>(string->values[1]);
  EXPECT_EQ(parsed.text(*field), "{ foo(1) !r:>{ w }}");
  EXPECT_EQ(parsed.text(*field->value), "foo(1)");
  EXPECT_EQ(parsed.text(*field->format_spec), ">{ w }");
}

TEST(Parser, CommentsAreKept) {
  const Parsed parsed = parse_text("# a\nx = [1,  # b\n  2]\n\n   # c\nmatch (x):  # d\n  case 1: pass # e\n");
  ASSERT_EQ(parsed.tree.comments.size(), 5U);
  const auto comment = [&](std::size_t i) {
    const Span span = parsed.tree.comments[i];
    return parsed.source.text().substr(span.start, span.end - span.start);
  };
  EXPECT_EQ(comment(0), "# a");
  EXPECT_EQ(comment(3), "# d");
  EXPECT_EQ(comment(4), "# e");
}

TEST(Parser, LineEndsAndFormFeeds) {
  for (const char *text : {"if x:\r\n  a = 1\r\n  b = 2\r\nc = 3", "if x:\r  a = 1\r  b = 2\rc = 3",
                           "\fif x:\n  a = 1\n  b = 2\n\f\nc = 3", "if x:\n\ta = 1\n        b = 2\nc = 3",
                           "if x:\n  a = \\\n    1\n  b = \\\r\n 2\nc = 3"}) {
    const Parsed parsed = parse_text(text);
    EXPECT_TRUE(parsed.tree.errors.empty()) << text << parsed.error();
    EXPECT_EQ(parsed.tree.body.size(), 2U) << text;
  }
}

TEST(Parser, EmptyFiles) {
  for (const char *text : {"", "\n", "# only a comment", "   ", "\\\n", "\f"}) {
    const Parsed parsed = parse_text(text);
    EXPECT_TRUE(parsed.tree.body.empty()) << text;
    EXPECT_TRUE(parsed.tree.errors.empty()) << text << parsed.error();
  }
}

} // namespace
} // namespace deepperf::python
