#include "server/documents.h"

#include "server/message.h"
#include "server/uri.h"

#include <gtest/gtest.h>

#include <string>

namespace deepperf::server {
namespace {

TEST(Documents, ChangesAreAppliedInTheirOrder) {
  std::string text = "a = '😀'\nb = 2\n";
  apply_changes(Json::parse(R"([
    {"range": {"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 7}}, "text": "é"},
    {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}, "text": ""}])"),
                Encoding::Utf16, text);
  EXPECT_EQ(text, "a = '😀é'\n");
  apply_changes(Json::parse(R"([{"text": "new"}])"), Encoding::Utf16, text);
  EXPECT_EQ(text, "new");
}

TEST(Documents, AChangeOfWhatIsNotOpenIsRefused) {
  Documents documents;
  EXPECT_THROW(documents.change(Json::parse(R"({"textDocument": {"uri": "file:///a.py"}, "contentChanges": []})"),
                                Encoding::Utf16),
               RequestError);
}

TEST(Documents, ANotebookIsWhatItsCellsAre) {
  Documents documents;
  documents.open_notebook(Json::parse(R"({
    "notebookDocument": {"uri": "file:///n.ipynb", "version": 1, "notebookType": "jupyter-notebook",
      "cells": [{"kind": 1, "document": "cell:1"}, {"kind": 2, "document": "cell:2"}]},
    "cellTextDocuments": [{"uri": "cell:1", "languageId": "markdown", "text": "# hi", "version": 1},
                          {"uri": "cell:2", "languageId": "python", "text": "x = 1", "version": 1}]})"),
                          {});
  documents.change_notebook(Json::parse(R"({
    "notebookDocument": {"uri": "file:///n.ipynb", "version": 2},
    "change": {"cells": {
      "structure": {"array": {"start": 0, "deleteCount": 1, "cells": [{"kind": 2, "document": "cell:3"}]},
                    "didOpen": [{"uri": "cell:3", "languageId": "python", "text": "y = 2", "version": 1}],
                    "didClose": [{"uri": "cell:1"}]},
      "textContent": [{"document": {"uri": "cell:2", "version": 2},
        "changes": [{"range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}, "text": "7"}]}]}}})"),
                            Encoding::Utf16);
  const Json notebook = Json::parse(documents.bytes_of("/n.ipynb").value());
  ASSERT_EQ(notebook["cells"].size(), 2U);
  EXPECT_EQ(notebook["cells"][0]["source"], "y = 2");
  EXPECT_EQ(notebook["cells"][1]["source"], "x = 7");
  EXPECT_EQ(documents.find("cell:1"), nullptr);
  documents.close_notebook(Json::parse(R"({"notebookDocument": {"uri": "file:///n.ipynb"}})"));
  EXPECT_FALSE(documents.bytes_of("/n.ipynb"));
}

TEST(Documents, UrisArePathsAndBack) {
  EXPECT_EQ(path_of_uri("file:///home/a%20b/%C3%BC.py"), "/home/a b/ü.py");
  EXPECT_EQ(uri_of_path("/home/a b/ü.py"), "file:///home/a%20b/%C3%BC.py");
  EXPECT_EQ(path_of_uri("file:///a/../b//c/"), "/b/c");
  EXPECT_EQ(path_of_uri("file:///100%"), "/100%");
  EXPECT_FALSE(path_of_uri("untitled:Untitled-1"));
  EXPECT_EQ(checked_path({{"/r"}, true}, "file:///r/a.py"), "a.py");
  EXPECT_EQ(checked_path({{"/r"}, true}, "file:///rest/a.py"), "/rest/a.py");
  EXPECT_EQ(uri_of_checked({{"/r"}, true}, "a.py"), "file:///r/a.py");
}

TEST(Messages, HalfASurrogatePairIsReplaced) {
  EXPECT_EQ(parse_message(R"({"a": "x\ud83dy\ude00\ud83d\ude00"})").value()["a"], "x\uFFFDy\uFFFD😀");
  EXPECT_FALSE(parse_message("{"));
  EXPECT_FALSE(parse_message("{\"a\": \"\xff\"}"));
}

} // namespace
} // namespace deepperf::server
