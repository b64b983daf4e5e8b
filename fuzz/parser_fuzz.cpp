// Any bytes as a .py file: decode, parse, and print the tree, which visits every node and every constant.
#include "base/arena.h"
#include "base/symbol.h"
#include "python/cpython_dump.h"
#include "python/parser.h"
#include "python/source.h"

#include <string>
#include <string_view>

using namespace deepperf;

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  const python::LoadResult loaded =
      python::load_bytes("x.py", std::string_view(reinterpret_cast<const char *>(data), size));
  if (!loaded.ok()) {
    return 0;
  }
  Arena arena;
  LocalSymbols symbols;
  const python::Tree tree = python::parse(loaded.source, arena, symbols);
  std::string out;
  python::dump_cpython(loaded.source, tree, true, out);
  return 0;
}
