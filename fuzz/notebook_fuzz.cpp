// Any bytes as an .ipynb file: read the JSON, join the cells, parse, and map every error back to its cell.
#include "base/arena.h"
#include "base/symbol.h"
#include "python/parser.h"
#include "python/source.h"

#include <cstdlib>
#include <string_view>

using namespace deepperf;

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  const python::LoadResult loaded =
      python::load_bytes("x.ipynb", std::string_view(reinterpret_cast<const char *>(data), size));
  if (!loaded.ok()) {
    return 0;
  }
  Arena arena;
  LocalSymbols symbols;
  const python::Tree tree = python::parse(loaded.source, arena, symbols);
  for (const python::SyntaxError &error : tree.errors) {
    if (loaded.source.position(error.span.start).cell == 0) {
      std::abort(); // an error in a notebook is in one of its cells
    }
  }
  return 0;
}
