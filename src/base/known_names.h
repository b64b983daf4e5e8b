// Names whose symbols are known at compile time, so that code can compare against them without a look-up.
//
// The order matters: Python's keywords come first, so that "is a keyword" is one comparison, and in the order of
// python::Token, so that a keyword's token is found by adding.
#pragma once

#include "base/symbol.h"

#include <array>
#include <string_view>

namespace deepperf {

// clang-format off
#define DEEPPERF_KEYWORDS(X) \
  X(False) X(None) X(True) X(and) X(as) X(assert) X(async) X(await) X(break) X(class) X(continue) X(def) X(del) X(elif) \
  X(else) X(except) X(finally) X(for) X(from) X(global) X(if) X(import) X(in) X(is) X(lambda) X(nonlocal) X(not) X(or) \
  X(pass) X(raise) X(return) X(try) X(while) X(with) X(yield)

#define DEEPPERF_SOFT_KEYWORDS(X) X(match) X(case) X(type) X(print) X(exec) X(_)

// What the engine asks for at every call or class, with its text.
#define DEEPPERF_MEMBERS(X) \
  X(init, "__init__") X(call_method, "__call__") X(forward, "forward") X(call, "call") X(process, "process") \
  X(operation, "operator") X(append, "append") X(getitem, "__getitem__")
// clang-format on

namespace known {
enum Id : u32 {
  no_name = 0,
#define DEEPPERF_ID(name) id_##name,
  DEEPPERF_KEYWORDS(DEEPPERF_ID) DEEPPERF_SOFT_KEYWORDS(DEEPPERF_ID)
#undef DEEPPERF_ID
#define DEEPPERF_ID(name, text) id_##name,
      DEEPPERF_MEMBERS(DEEPPERF_ID)
#undef DEEPPERF_ID
          count
};

inline constexpr u32 keyword_count = id_yield;
inline constexpr u32 soft_keyword_count = id__;

#define DEEPPERF_SYMBOL(name) inline constexpr Symbol sym_##name{id_##name};
DEEPPERF_KEYWORDS(DEEPPERF_SYMBOL)
DEEPPERF_SOFT_KEYWORDS(DEEPPERF_SYMBOL)
#undef DEEPPERF_SYMBOL
#define DEEPPERF_SYMBOL(name, text) inline constexpr Symbol sym_##name{id_##name};
DEEPPERF_MEMBERS(DEEPPERF_SYMBOL)
#undef DEEPPERF_SYMBOL

inline constexpr std::array<std::string_view, count> texts = {"",
#define DEEPPERF_TEXT(name) #name,
                                                              DEEPPERF_KEYWORDS(DEEPPERF_TEXT)
                                                                  DEEPPERF_SOFT_KEYWORDS(DEEPPERF_TEXT)
#undef DEEPPERF_TEXT
#define DEEPPERF_TEXT(name, text) text,
                                                                      DEEPPERF_MEMBERS(DEEPPERF_TEXT)
#undef DEEPPERF_TEXT
};
} // namespace known

} // namespace deepperf
