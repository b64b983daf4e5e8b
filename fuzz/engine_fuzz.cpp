// Any bytes as a file that uses the frameworks, and what is behind a zero byte as another one that it imports:
// everything from imports to the rules.
#include "base/arena.h"
#include "base/symbol.h"
#include "model/import_scan.h"
#include "model/project.h"
#include "rules/linting.h"

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

// False: not even readable.
bool parse(const char *path, u32 index, const std::string &text, Arena &arena, LocalSymbols &symbols,
           model::ParsedFile &file) {
  python::LoadResult loaded = python::load_bytes(path, text);
  file.path = path;
  file.index = {index};
  file.source = std::move(loaded.source);
  if (loaded.ok()) {
    file.tree = python::parse(file.source, arena, symbols);
    model::find_imports(file);
    check_scan(file, symbols);
  }
  return loaded.ok();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char *>(data), size);
  const std::size_t cut = std::min(all.find('\0'), size);
  const std::string frameworks = "import tensorflow as tf, torch, jax, numpy as np\n";
  const std::string first = frameworks + "import other\nfrom other import *\n" + std::string(all.substr(0, cut));
  const std::string second = frameworks + std::string(all.substr(std::min(cut + 1, size)));
  Arena arena;
  LocalSymbols symbols;
  model::ParsedFile file;
  model::ParsedFile other;
  if (parse("x.py", 0, first, arena, symbols, file) && parse("other.py", 1, second, arena, symbols, other)) {
    const std::unique_ptr<model::Project> project = model::analyse({&file, &other});
    static const rules::RuleSet kRules(rules::listed_rules());
    std::vector<rules::RuleFailure> failures;
    rules::lint(*project, kRules, failures);
    if (!failures.empty()) {
      std::abort();
    }
  }
  return 0;
}
