#include "python/token_dump.h"

#include "base/write.h"
#include "python/lexer.h"

namespace deepperf::python {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      result += c;
    }
  }
  return result;
}

} // namespace

void dump_tokens(const Source &source, LocalSymbols &symbols, std::string &out) {
  ErrorList errors;
  Lexer lexer(source, symbols, errors);
  for (const Segment &segment : source.segments) {
    lexer.begin(segment);
    Token token;
    do {
      lexer.next(token);
      const Position position = source.position(token.start);
      if (position.cell != 0) {
        write(out, "cell {} ", position.cell);
      }
      write(out, "{}:{}\t{}\t{}\n", position.line, position.column, token_name(token.kind),
            escaped(source.text().substr(token.start, token.end - token.start)));
    } while (token.kind != Tok::EndOfFile);
  }
}

} // namespace deepperf::python
