// What the lexer gives and the parser takes.
#pragma once

#include "base/known_names.h"
#include "base/symbol.h"
#include "base/types.h"

#include <string_view>

namespace deepperf::python {

// clang-format off
#define DEEPPERF_TOKENS(X) \
  X(EndOfFile, "end of file") X(Newline, "end of line") X(Indent, "indented block") X(Dedent, "end of block") \
  X(Name, "name") X(Int, "number") X(Float, "number") X(Imaginary, "number") X(String, "string") \
  X(FString, "f-string") X(Magic, "notebook magic") X(Invalid, "invalid character") \
  X(LParen, "'('") X(RParen, "')'") X(LBracket, "'['") X(RBracket, "']'") X(LBrace, "'{'") X(RBrace, "'}'") \
  X(Comma, "','") X(Colon, "':'") X(Semicolon, "';'") X(Dot, "'.'") X(Ellipsis, "'...'") X(Arrow, "'->'") \
  X(ColonEqual, "':='") X(At, "'@'") X(Exclamation, "'!'") X(Backquote, "'`'") \
  X(Plus, "'+'") X(Minus, "'-'") X(Star, "'*'") X(DoubleStar, "'**'") X(Slash, "'/'") X(DoubleSlash, "'//'") \
  X(Percent, "'%'") X(LeftShift, "'<<'") X(RightShift, "'>>'") X(Ampersand, "'&'") X(Pipe, "'|'") X(Caret, "'^'") \
  X(Tilde, "'~'") X(Less, "'<'") X(Greater, "'>'") X(LessEqual, "'<='") X(GreaterEqual, "'>='") \
  X(EqualEqual, "'=='") X(NotEqual, "'!='") X(Equal, "'='") \
  X(PlusEqual, "'+='") X(MinusEqual, "'-='") X(StarEqual, "'*='") X(DoubleStarEqual, "'**='") X(SlashEqual, "'/='") \
  X(DoubleSlashEqual, "'//='") X(PercentEqual, "'%='") X(AtEqual, "'@='") X(LeftShiftEqual, "'<<='") \
  X(RightShiftEqual, "'>>='") X(AmpersandEqual, "'&='") X(PipeEqual, "'|='") X(CaretEqual, "'^='")
// clang-format on

// Keywords come last and in the order of DEEPPERF_KEYWORDS.
enum class Tok : u8 {
#define DEEPPERF_TOKEN(name, text) name,
  DEEPPERF_TOKENS(DEEPPERF_TOKEN)
#undef DEEPPERF_TOKEN
#define DEEPPERF_TOKEN(name) kw_##name,
      DEEPPERF_KEYWORDS(DEEPPERF_TOKEN)
#undef DEEPPERF_TOKEN
          count
};

inline constexpr Tok keyword_token(Symbol symbol) {
  return static_cast<Tok>(static_cast<u32>(Tok::kw_False) + symbol.id - known::id_False);
}
inline constexpr bool is_keyword(Tok token) { return token >= Tok::kw_False; }

// For messages: "'('", "name", "'while'".
std::string_view describe(Tok token);
// For dumps: "LParen", "Name", "While".
std::string_view token_name(Tok token);

struct Token {
  Tok kind = Tok::EndOfFile;
  // Of strings only. An FString token is just the opening: prefix and quotes.
  u8 prefix_length = 0;
  u8 quote_length = 0;
  u32 start = 0;
  u32 end = 0;
  Symbol symbol; // of names and keywords
};

} // namespace deepperf::python
