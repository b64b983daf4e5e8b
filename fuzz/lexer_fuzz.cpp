// Any bytes as tokens: every token lies in the text, and they come in order and to an end.
#include "base/symbol.h"
#include "python/lexer.h"
#include "python/source.h"
#include "python/token_dump.h"

#include <cstdlib>
#include <string>
#include <string_view>

using namespace deepperf;

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  const python::LoadResult loaded =
      python::load_bytes("x.py", std::string_view(reinterpret_cast<const char *>(data), size));
  if (!loaded.ok()) {
    return 0;
  }
  LocalSymbols symbols;
  python::ErrorList errors;
  python::Lexer lexer(loaded.source, symbols, errors);
  for (const python::Segment &segment : loaded.source.segments) {
    lexer.begin(segment);
    python::Token token;
    u32 end = segment.begin;
    u32 blocks = 0;
    do {
      lexer.next(token);
      if (token.start < end || token.end < token.start || token.end > segment.end) {
        std::abort();
      }
      end = token.end;
      blocks += token.kind == python::Tok::Indent ? 1 : 0;
      if (token.kind == python::Tok::Dedent && blocks-- == 0) {
        std::abort();
      }
    } while (token.kind != python::Tok::EndOfFile);
  }
  std::string out;
  python::dump_tokens(loaded.source, symbols, out);
  return 0;
}
