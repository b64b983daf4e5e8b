// Any bytes as a file that uses TensorFlow: everything from parsing to the rules.
#include "base/arena.h"
#include "base/symbol.h"
#include "model/project.h"
#include "rules/registry.h"

#include <string>
#include <string_view>

using namespace deepperf;

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  std::string text = "import tensorflow as tf\n";
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
  const std::unique_ptr<model::Project> project = model::analyse({&file});
  rules::judge(*project);
  return 0;
}
