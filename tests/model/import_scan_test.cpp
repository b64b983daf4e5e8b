#include "model/import_scan.h"

#include "base/arena.h"
#include "model/imports.h"
#include "python/parser.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace deepperf::model {
namespace {

// `from ..a import b` as "2|a|b".
std::vector<std::string> written(const ParsedFile &file) {
  std::vector<std::string> result;
  for (const ImportRef &import : file.imports) {
    result.push_back(std::to_string(import.level) + "|" + (import.module ? std::string(import.module.text()) : "") +
                     "|" + (import.name ? std::string(import.name.text()) : ""));
  }
  std::ranges::sort(result);
  return result;
}

std::vector<std::string> scanned(std::string_view text) {
  LocalSymbols symbols;
  ParsedFile file;
  const python::Source source = python::load_bytes("x.py", text).source;
  EXPECT_TRUE(scan_imports(source, symbols, file)) << text;
  return written(file);
}

using Imports = std::vector<std::string>;

TEST(ImportScan, Statements) {
  EXPECT_EQ(scanned("import a"), Imports({"0|a|"}));
  EXPECT_EQ(scanned("import a.b as c, d\n"), Imports({"0|a.b|", "0|d|"}));
  EXPECT_EQ(scanned("import a . b, \\\n  c\n"), Imports({"0|a.b|", "0|c|"}));
  EXPECT_EQ(scanned("from a.b import c as d, e\n"), Imports({"0|a.b|c", "0|a.b|e"}));
  EXPECT_EQ(scanned("from a import *"), Imports({"0|a|*"}));
  EXPECT_EQ(scanned("from . import a\nfrom .import b\nfrom.import c\nfrom . . d import e\nfrom ... import f"),
            Imports({"1||a", "1||b", "1||c", "2|d|e", "3||f"}));
  EXPECT_EQ(scanned("from a import (b, # c, d\n  e as f,\n)\nimport g"), Imports({"0|a|b", "0|a|e", "0|g|"}));
  EXPECT_EQ(scanned("from a \\\n  import \\\r\n (b)"), Imports({"0|a|b"}));
  EXPECT_EQ(scanned("try: import a\nexcept ImportError: import b; from c import d; import e"),
            Imports({"0|a|", "0|b|", "0|c|d", "0|e|"}));
}

TEST(ImportScan, WordsThatContainThem) {
  EXPECT_EQ(scanned("from data.from_disk import x\nfrom a.import_tools import from_y"),
            Imports({"0|a.import_tools|from_y", "0|data.from_disk|x"}));
  EXPECT_EQ(scanned("important = import_x(reimport)\nyield from x\nimport y"), Imports({"0|y|"}));
  EXPECT_EQ(scanned("raise X from e\nimport y\nraise X from e; import z"), Imports({"0|y|", "0|z|"}));
}

TEST(ImportScan, StringsAndCommentsHideNothing) {
  EXPECT_EQ(scanned("# from a import (\nimport b"), Imports({"0|b|"}));
  EXPECT_EQ(scanned("'from a import (b, '\nimport c"), Imports({"0|a|b", "0|c|"}));
  EXPECT_EQ(scanned("# import a,\nimport b"), Imports({"0|a|", "0|b|"}));
  EXPECT_EQ(scanned("'import'\nimport a"), Imports({"0|a|"}));
}

TEST(ImportScan, FrameworksAreNoted) {
  LocalSymbols symbols;
  ParsedFile file;
  const python::Source source = python::load_bytes("x.py", "import torch.nn as nn\nfrom .jax import x\n").source;
  ASSERT_TRUE(scan_imports(source, symbols, file));
  EXPECT_EQ(file.frameworks, kTorch);
}

TEST(ImportScan, OtherAlphabetsAreLeftToTheParser) {
  LocalSymbols symbols;
  ParsedFile file;
  EXPECT_FALSE(scan_imports(python::load_bytes("x.py", "import données").source, symbols, file));
  EXPECT_FALSE(scan_imports(python::load_bytes("x.py", "from ﬁles import x").source, symbols, file));
}

// Of a long text each byte is read a few times at most: this would take hours otherwise.
TEST(ImportScan, HostileTextsAreReadOnce) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) {
    text += "import, from ";
  }
  EXPECT_TRUE(scanned(text).empty());
  text = "from a import (";
  for (int i = 0; i < 300'000; ++i) {
    text += "import (";
  }
  EXPECT_TRUE(scanned(text).empty());
  EXPECT_EQ(scanned("import a" + std::string(1'000'000, ' ') + "import b"), Imports({"0|a|", "0|b|"}));
}

// On every fixture of the project: never less than the tree tells.
TEST(ImportScan, ReportsAllThatTheTreeReports) {
  u32 files = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(DEEPPERF_SOURCE_DIR "/tests")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".py") && !path.ends_with(".ipynb")) {
      continue;
    }
    const python::LoadResult loaded = python::load_file(path);
    Arena arena;
    LocalSymbols symbols;
    ParsedFile parsed;
    ParsedFile scan;
    if (!loaded.ok() || !scan_imports(loaded.source, symbols, scan)) {
      continue;
    }
    parsed.tree = python::parse(loaded.source, arena, symbols);
    find_imports(parsed);
    if (parsed.tree.errors.empty()) {
      EXPECT_TRUE(std::ranges::includes(written(scan), written(parsed))) << path;
      EXPECT_EQ(scan.frameworks & parsed.frameworks, parsed.frameworks) << path;
      ++files;
    }
  }
  EXPECT_GT(files, 100U);
}

} // namespace
} // namespace deepperf::model
