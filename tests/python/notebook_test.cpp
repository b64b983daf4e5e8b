#include "python/notebook.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace deepperf::python {
namespace {

using namespace std::string_literals;
using CellTexts = std::vector<std::pair<u32, std::string>>;

LoadResult load_notebook(std::string_view json) { return load_bytes("test.ipynb", json); }

// Number and text of every segment, checking what must hold for all of them on the way.
CellTexts cells(std::string_view json) {
  const LoadResult result = load_notebook(json);
  EXPECT_TRUE(result.ok()) << result.errors.at(0).message;
  EXPECT_TRUE(result.source.is_notebook);
  CellTexts texts;
  const std::string_view text = result.source.text();
  std::size_t end = 0;
  for (const Segment &segment : result.source.segments) {
    EXPECT_EQ(segment.begin, end);
    EXPECT_EQ(text.at(segment.end), '\0');
    texts.emplace_back(segment.cell, text.substr(segment.begin, segment.end - segment.begin));
    end = segment.end + 1;
  }
  EXPECT_EQ(text.size(), end);
  return texts;
}

// A notebook of one code cell. `code` is written as it stands between the quotes.
std::string one_cell(const std::string &code) {
  return R"({"cells": [{"cell_type": "code", "outputs": [], "source": ")" + code + R"("}], "nbformat": 4})";
}

bool is_kept(const std::string &code) { return cells(one_cell(code)).size() == 1; }

// "line:column message" of the only error.
std::string notebook_error(std::string_view json) {
  const LoadResult result = load_notebook(json);
  EXPECT_EQ(result.errors.size(), 1U);
  if (result.ok()) {
    return "";
  }
  EXPECT_EQ(result.source.text(), "");
  EXPECT_TRUE(result.source.segments.empty());
  const SourceError &only = result.errors[0];
  return std::to_string(only.line) + ":" + std::to_string(only.column) + " " + only.message;
}

TEST(Notebook, CodeCellsOfVersionFour) {
  EXPECT_EQ(cells(R"({
    "cells": [
      {"cell_type": "markdown", "metadata": {}, "source": ["# Title"]},
      {"cell_type": "code", "metadata": {}, "outputs": [{"text": "no code"}], "source": ["import torch\n", "x = 1"]},
      {"cell_type": "raw", "source": "raw"},
      {"cell_type": "code", "source": "print('\u00e9 \ud83d\ude00 \"')\n"},
      {"cell_type": "code", "source": []}
    ],
    "metadata": {"kernelspec": {"language": "python", "name": "python3"}, "language_info": {"name": "python"}},
    "nbformat": 4, "nbformat_minor": 2})"),
            (CellTexts{{2, "import torch\nx = 1"}, {4, "print('é 😀 \"')\n"}, {5, ""}}));
}

TEST(Notebook, CodeCellsOfVersionThree) {
  EXPECT_EQ(cells(R"({"metadata": {"name": ""}, "nbformat": 3, "worksheets": [
      {"cells": [{"cell_type": "heading", "level": 1, "source": ["Title"]},
                 {"cell_type": "code", "language": "python", "input": ["a = 1\n", "b"], "outputs": []}]},
      {"cells": [{"cell_type": "code", "language": "julia", "input": "x"},
                 {"cell_type": "code", "input": "c"}]}]})"),
            (CellTexts{{2, "a = 1\nb"}, {4, "c"}}));
}

TEST(Notebook, PositionsAreWithinTheCell) {
  const LoadResult result = load_notebook(R"({"cells": [
      {"cell_type": "code", "source": "a\nb"},
      {"cell_type": "markdown", "source": "text"},
      {"cell_type": "code", "source": ["c\r\n", "数 = d\n"]},
      {"cell_type": "code", "source": "e"}]})");
  ASSERT_TRUE(result.ok());
  const Source &source = result.source;
  const auto place = [&](std::size_t offset) {
    const Position position = source.position(static_cast<u32>(offset));
    return std::to_string(position.cell) + "/" + std::to_string(position.line) + ":" + std::to_string(position.column);
  };
  EXPECT_EQ(place(source.text().find('a')), "1/1:1");
  EXPECT_EQ(place(source.text().find('b')), "1/2:1");
  EXPECT_EQ(place(source.segments[0].end), "1/2:2") << "the NUL belongs to the cell before it";
  EXPECT_EQ(place(source.text().find('c')), "3/1:1");
  EXPECT_EQ(place(source.text().find('d')), "3/2:5");
  EXPECT_EQ(place(source.segments[1].end), "3/3:1");
  EXPECT_EQ(place(source.text().find('e')), "4/1:1");

  EXPECT_EQ(source.line_text(source.segments[0].end), "b");
  EXPECT_EQ(source.line_text(source.segments[1].begin), "c");
  EXPECT_EQ(source.line_text(source.segments[1].end), "");
  EXPECT_EQ(source.line_text(source.segments[2].begin), "e");

  // Over the whole text: a, b, c, d, an empty line, e.
  EXPECT_EQ(source.line_column(source.segments[2].begin).line, 6U);
}

TEST(Notebook, NulInCodeStays) { EXPECT_EQ(cells(one_cell("a\\u0000b")), (CellTexts{{1, "a\0b"s}})); }

TEST(Notebook, WithoutCellsIsFine) {
  EXPECT_EQ(cells(R"({"cells": [], "nbformat": 4})"), CellTexts{});
  EXPECT_EQ(cells(R"({"worksheets": [], "nbformat": 3})"), CellTexts{});
  EXPECT_EQ(cells(R"({"cells": [{"cell_type": "markdown", "source": "x"}]})"), CellTexts{});
}

TEST(Notebook, ByteOrderMarkIsSkipped) {
  const LoadResult result = load_notebook("\xEF\xBB\xBF" + one_cell("x"));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.source.has_bom);
  EXPECT_EQ(result.source.text(), "x\0"s);
}

TEST(Notebook, OtherLanguagesHaveNoCode) {
  const auto in_language = [](const std::string &metadata) {
    return cells(R"({"cells": [{"cell_type": "code", "source": "x"}], "metadata": )" + metadata + "}").size();
  };
  EXPECT_EQ(in_language(R"({"kernelspec": {"language": "R"}})"), 0U);
  EXPECT_EQ(in_language(R"({"kernelspec": {"name": "swift"}})"), 0U);
  EXPECT_EQ(in_language(R"({"kernelspec": {"name": "my_env"}})"), 1U);
  EXPECT_EQ(in_language(R"({"language_info": {"name": "julia"}})"), 0U);
  EXPECT_EQ(in_language(R"({"kernelspec": {"language": "python"}, "language_info": {"name": "scala"}})"), 0U);
  EXPECT_EQ(in_language(R"({"kernelspec": {"language": "Python"}})"), 1U);
  EXPECT_EQ(in_language(R"({"language_info": {"name": "python3"}})"), 1U);
  EXPECT_EQ(in_language(R"({"language_info": {"name": "ipython"}})"), 1U);
  EXPECT_EQ(in_language(R"({"kernelspec": {"language": ""}})"), 1U);
  EXPECT_EQ(in_language(R"({"kernelspec": {"language": 3}})"), 1U);
  EXPECT_EQ(in_language("[]"), 1U);
  EXPECT_EQ(cells(R"({"cells": [{"cell_type": "code", "source": "ls",
                      "metadata": {"vscode": {"languageId": "shellscript"}}}]})"),
            CellTexts{});
}

TEST(Notebook, CellMagicsDecideWhetherItIsPython) {
  for (const char *code : {"%%time\\nx", "%%timeit -n 3\\nx", "%%capture out\\nx", "%%prun", "%%python3\\r\\nx",
                           "%%writefile foo.py\\nx", "%%writefile -a \\\"a/foo.py\\\"\\nx", "%%file foo.py \\nx",
                           "%%tensorflow_version 2.x\\nx", "\\n \\n%%time\\nx", "%%time\\n\\n%%capture\\nx"}) {
    EXPECT_TRUE(is_kept(code)) << code;
  }
  for (const char *code :
       {"%%bash\\nls", "%%html", "%%writefile foo.sh\\nx", "%%writefile\\nx", "%%cython\\nx", "%%javascript\\nx",
        "%%unheard_of\\nx", "%%timer\\nx", "%%\\nx", "%%!\\nls", "\\n%%sql\\nx", "%%time\\n%%bash\\nls"}) {
    EXPECT_FALSE(is_kept(code)) << code;
  }
  for (const char *code : {"%matplotlib inline\\nx", "!pip install x", "x %% y", "x\\n%%bash"}) {
    EXPECT_TRUE(is_kept(code)) << code;
  }
}

TEST(Notebook, LeftOutCellsStillCount) {
  EXPECT_EQ(
      cells(R"({"cells": [{"cell_type": "code", "source": "%%bash\nls"}, {"cell_type": "code", "source": "x"}]})"),
      (CellTexts{{2, "x"}}));
}

TEST(Notebook, WhatPythonWritesIsRead) {
  // All of this comes from json.dumps, but no standard allows it.
  EXPECT_EQ(cells(R"({"cells": [{"cell_type": "code", "source": "x\ud800y\udc00z",
                     "outputs": [NaN, Infinity, -Infinity, 1e999, 123456789012345678901234567890, -0.5e+3, 0,
                                 "\ud83d\ude00", true, false, null, {}, []]}]})"),
            (CellTexts{{1, "x\uFFFDy\uFFFDz"}}));
}

TEST(Notebook, EmptyFile) {
  EXPECT_EQ(notebook_error(""), "0:0 empty notebook");
  EXPECT_EQ(notebook_error(" \n "), "0:0 empty notebook");
}

TEST(Notebook, MalformedJsonIsOneErrorAtItsPlace) {
  EXPECT_EQ(notebook_error("{\"cells\": [\n  {\"cell_type\" \"code\"}\n]}"), "2:16 malformed notebook: expected ':'");
  EXPECT_EQ(notebook_error("{\"cells\": [1 2]}"), "1:14 malformed notebook: expected ',' or ']'");
  EXPECT_EQ(notebook_error("{\"cells\": {\"a\": 1 2}}"), "1:19 malformed notebook: expected ',' or '}'");
  EXPECT_EQ(notebook_error("{\"cells\": [],}"), "1:14 malformed notebook: expected a key in double quotes");
  EXPECT_EQ(notebook_error("{\"cells\": [],\r\n"), "2:1 malformed notebook: unexpected end of input");
  EXPECT_EQ(notebook_error("{\"cells\": []} x"), "1:15 malformed notebook: unexpected text after its end");
  EXPECT_EQ(notebook_error("{\"cells\": [\n\"abc]}"), "2:1 malformed notebook: unterminated string");
  EXPECT_EQ(notebook_error("[\"a\nb\"]"), "1:4 malformed notebook: line end or control character in a string");
  EXPECT_EQ(notebook_error("[\"\xFF\"]"), "1:3 malformed notebook: invalid UTF-8");
  EXPECT_EQ(notebook_error(R"(["\x"])"), "1:3 malformed notebook: malformed escape in a string");
  EXPECT_EQ(notebook_error(R"(["\u12"])"), "1:3 malformed notebook: malformed escape in a string");
  EXPECT_EQ(notebook_error("[01]"), "1:2 malformed notebook: expected a value");
  EXPECT_EQ(notebook_error("[1.]"), "1:2 malformed notebook: malformed number");
  EXPECT_EQ(notebook_error("[-"), "1:2 malformed notebook: expected a value");
  EXPECT_EQ(notebook_error("]"), "1:1 malformed notebook: expected a value");
  EXPECT_EQ(notebook_error("print('no notebook')"), "1:1 malformed notebook: expected a value");
}

TEST(Notebook, MergeConflictIsNamed) {
  EXPECT_EQ(notebook_error("{\"cells\": [],\n<<<<<<< HEAD\n\"nbformat\": 4\n=======\n\"nbformat\": 3\n>>>>>>> x\n}"),
            "2:1 malformed notebook: unresolved merge conflict");
}

TEST(Notebook, OtherJsonIsNotANotebook) {
  for (const char *json : {"{}", "[]", "3", "\"cells\"", "null", R"({"a": {"cells": []}})", R"({"worksheets": 3})"}) {
    EXPECT_EQ(notebook_error(json), "0:0 not a notebook: it has no cells") << json;
  }
}

TEST(Notebook, WrongTypesAreOneError) {
  EXPECT_EQ(notebook_error(R"({"cells": {}})"), "0:0 malformed notebook: its cells are not a list");
  EXPECT_EQ(notebook_error(R"({"worksheets": [3]})"), "0:0 malformed notebook: a worksheet has no cells");
  EXPECT_EQ(notebook_error(R"({"cells": [3, 4]})"), "0:0 malformed notebook: cell 1 has no cell_type");
  EXPECT_EQ(notebook_error(R"({"cells": [{"cell_type": 3}]})"), "0:0 malformed notebook: cell 1 has no cell_type");
  EXPECT_EQ(notebook_error(R"({"cells": [{"cell_type": "code"}]})"), "0:0 malformed notebook: cell 1 has no source");
  for (const char *code : {"{}", "3", "null", "[[]]", R"(["x", 3])"}) {
    EXPECT_EQ(notebook_error(R"({"cells": [{"cell_type": "raw"}, {"cell_type": "code", "source": )"s + code + "}]}"),
              "0:0 malformed notebook: the source of cell 2 is neither a string nor a list of strings")
        << code;
  }
}

TEST(Notebook, DeepNestingDoesNoHarm) {
  for (const std::size_t depth : {1000U, 2000U, 1000000U}) {
    EXPECT_TRUE(notebook_error(std::string(depth, '[')).starts_with("1:")) << depth;
    EXPECT_TRUE(notebook_error(std::string(depth, '[') + std::string(depth, ']')).starts_with("0:")) << depth;
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) {
      objects += "{\"a\":";
    }
    EXPECT_FALSE(notebook_error(objects).empty()) << depth;
  }
}

TEST(Notebook, EveryCutOffNotebookIsAnError) {
  const std::string whole = one_cell("x = '\\u00e9\\n'");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(notebook_error(whole.substr(0, size)).empty()) << size;
  }
}

TEST(Notebook, EncodingOfTheJsonIsNamed) {
  EXPECT_EQ(notebook_error("\xFF\xFE{\0"s), "0:0 is UTF-16 text; Python needs UTF-8 or a declared encoding");
}

TEST(Notebook, OneErrorDoesNotSpoilTheNext) {
  EXPECT_FALSE(load_notebook("{").ok());
  EXPECT_EQ(cells(one_cell("x")), (CellTexts{{1, "x"}}));
  const std::string big(8 << 20, 'y');
  EXPECT_EQ(cells(one_cell(big)), (CellTexts{{1, big}}));
  EXPECT_EQ(cells(one_cell("z")), (CellTexts{{1, "z"}}));
}

} // namespace
} // namespace deepperf::python
