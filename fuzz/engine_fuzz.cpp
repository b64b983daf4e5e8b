// Any bytes as a file that uses the frameworks: everything from its imports to the rules.
#include "base/arena.h"
#include "base/symbol.h"
#include "model/import_scan.h"
#include "model/project.h"
#include "rules/registry.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace deepperf;

namespace {

// Files are put together by what their texts tell: an import that only the tree tells would be missed.
void check_scan(const model::ParsedFile &file, LocalSymbols &symbols) {
  model::ParsedFile scanned;
  if (!model::scan_imports(file.source, symbols, scanned) || !file.tree.errors.empty()) {
    return;
  }
  for (const model::ImportRef &import : file.imports) {
    const bool found = std::ranges::any_of(scanned.imports, [&import](const model::ImportRef &other) {
      return other.module == import.module && other.name == import.name && other.level == import.level;
    });
    if (!found) {
      std::abort();
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  std::string text = "import tensorflow as tf, torch, jax, numpy as np\n";
  text.append(reinterpret_cast<const char *>(data), size);
  python::LoadResult loaded = python::load_bytes("x.py", text);
  if (!loaded.ok()) {
    return 0;
  }
  Arena arena;
  LocalSymbols symbols;
  model::ParsedFile file;
  file.path = "x.py";
  file.source = std::move(loaded.source);
  file.tree = python::parse(file.source, arena, symbols);
  model::find_imports(file);
  check_scan(file, symbols);
  const std::unique_ptr<model::Project> project = model::analyse({&file});
  rules::judge(*project);
  return 0;
}
