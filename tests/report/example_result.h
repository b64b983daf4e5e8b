// A result with a bit of everything, which the tests of all formats report.
#pragma once

#include "check/checked_text.h"

#include <string>
#include <string_view>

namespace deepperf::report {

inline constexpr std::string_view kNotebook = R"nb({"cells": [{"cell_type": "markdown", "source": []},
  {"cell_type": "code", "source": ["x = 1\n", "y = f(x)"]}]})nb";

// A warning over several lines with a fix and a chain through two files, a hint with an empty fix, an error in a
// notebook, problems of each level, and counts of what is not shown.
inline check::CheckedText example_result() {
  using check::FileError;
  check::CheckedText text;
  const FileIndex a = text.file("a.py", "for i in n:\n\tä = ds.map(  \n      parse)\nsess.run(op)\n");
  const FileIndex b = text.file("b.ipynb", kNotebook);
  text.result.files.push_back({"c.py"});
  rules::Finding &map = text.finding(check::kMapRule, a, "ds.map(  \n      parse)");
  map.message = "map runs one element at a time";
  map.advice = "pass num_parallel_calls=tf.data.AUTOTUNE";
  map.notes = {{a, text.find(a, "for i in n:"), "in this loop"}, {b, text.find(b, "f(x)"), "which this calls"}};
  map.fix = rules::Fix{true, {{map.span.end - 1, map.span.end - 1, ", num_parallel_calls=tf.data.AUTOTUNE"}}};
  rules::Finding &loop = text.finding(check::kLoopRule, a, "sess.run(op)");
  loop.tier = rules::Tier::Hint;
  loop.fix = rules::Fix{false, {}};
  rules::Finding &call = text.finding(check::kMapRule, b, "f(x)");
  call.message = "two\nlines";
  call.severity = rules::Severity::Error;
  call.is_overridden = true;
  call.fix = rules::Fix{true, {{call.span.start, call.span.end, "g(x)"}}};
  text.result.errors = {
      {{0}, FileError::Level::Note, 1, 1, 4, 0, "this file is Python 2", "for i in n:"},
      {{1}, FileError::Level::SyntaxError, 2, 3, 4, 2, "expected ')'", "y = f(x)"},
      {{2}, FileError::Level::Unreadable, 0, 0, 0, 0, "cannot read: no such file", ""},
  };
  text.result.files[1].suppressed_errors = 2;
  text.result.hidden = {.advice = 3, .notes = 1, .others = 0, .suppressed = 2};
  return text;
}

// Bytes that no format can show as they are: invalid UTF-8, control characters, and what means something in each.
inline constexpr std::string_view kOddBytes =
    "\x01\x1b[31m\xff <&>\"'|`*_]](x) :,% \x7f \xc2\x9b \r\n\t\xe2\x80\xa8 ]]>";

inline check::CheckedText odd_result() {
  check::CheckedText text;
  const FileIndex file = text.file("a\xff\n\x01<|`%:,&\".py", "x\n");
  text.finding(check::kMapRule, file, "x").message = kOddBytes;
  rules::Finding &advice = text.finding(check::kMapRule, file, "x");
  advice.message = kOddBytes;
  advice.advice = kOddBytes;
  advice.severity = rules::Severity::Advice;
  advice.notes = {{file, advice.span, std::string(kOddBytes)}};
  advice.fix = rules::Fix{true, {{0, 1, std::string(kOddBytes)}}};
  text.result.errors = {{{0}, check::FileError::Level::SyntaxError, 1, 1, 2, 0, std::string(kOddBytes), ""}};
  return text;
}

// True if a terminal would obey something in it.
inline bool has_raw_controls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || (byte == 0xc2 && next < 0xa0)) {
      return true;
    }
  }
  return false;
}

} // namespace deepperf::report
