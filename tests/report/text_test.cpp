#include "report/text.h"

#include "base/printable.h"
#include "check/checked_text.h"

#include <gtest/gtest.h>

namespace deepperf::report {

namespace {

using check::CheckedText;
using check::FileError;
using check::kLoopRule;
using check::kMapRule;

constexpr rules::RuleInfo kWrongRule{.code = "DP801",
                                     .name = "wrong",
                                     .root_cause = "Training: Loss Mismatch",
                                     .symptoms = "Wrong Result",
                                     .stage = "Training",
                                     .severity = rules::Severity::Error};
constexpr rules::RuleInfo kAdviceRule{.code = "DP130", .name = "workers", .severity = rules::Severity::Advice};
constexpr rules::RuleInfo kOldRule{.code = "DP302", .name = "deprecated", .severity = rules::Severity::Note};

std::string text_of(const check::Result &result, const Options &options = {}) {
  std::string out;
  write_text(result, options, out);
  return out;
}

// A finding over several lines with a chain through two files, a hint, and errors of each level.
CheckedText example() {
  CheckedText text;
  const FileIndex a = text.file("a.py", "for i in n:\n\tä = ds.map(  \n      parse)\nsess.run(op)\n");
  const FileIndex b = text.file("b.py", "x = 1\ny = f(x)\n");
  text.result.files.push_back({"c.py"});
  rules::Finding &map = text.finding(kMapRule, a, "ds.map(  \n      parse)");
  map.message = "map runs one element at a time";
  map.advice = "pass num_parallel_calls=tf.data.AUTOTUNE";
  map.notes = {{a, text.find(a, "for i in n:"), "in this loop"}, {b, text.find(b, "f(x)"), "which this calls"}};
  map.fix = rules::Fix{true, {{map.span.end - 1, map.span.end - 1, ", num_parallel_calls=tf.data.AUTOTUNE"}}};
  rules::Finding &loop = text.finding(kLoopRule, a, "sess.run(op)");
  loop.tier = rules::Tier::Hint;
  loop.fix = rules::Fix{false, {}};
  text.finding(kWrongRule, b, "f(x)").message = "two\nlines";
  text.result.errors = {
      {{0}, FileError::Level::Note, 1, 1, 4, 0, "this file is Python 2", "for i in n:"},
      {{1}, FileError::Level::SyntaxError, 2, 3, 4, 0, "expected ')'", "y = f(x)"},
      {{2}, FileError::Level::Unreadable, 0, 0, 0, 0, "cannot read: no such file", ""},
  };
  text.result.files[1].suppressed_errors = 2;
  text.result.hidden = {.advice = 1, .notes = 2, .suppressed = 3};
  text.result.seconds = 1.5;
  return text;
}

TEST(Text, SummaryThenWhatIsMostSevere) {
  EXPECT_EQ(text_of(example().result),
            R"(1 error, 1 warning, 1 piece of advice and 3 syntax errors in 2 files; 1 file could not be checked
1 possible problem and 2 notes are not shown (--all shows them); 3 suppressed by comments
1 can be fixed with --fix, 1 more with --fix --unsafe-fixes

b.py:2:5: error DP801 wrong: two lines
  2 | y = f(x)
    |     ^^^^

a.py:2:6: warning DP101 sequential-map: map runs one element at a time
  2 | /  ä = ds.map(  
  3 | |       parse)
    | |____________^
    a.py:1:1: in this loop
      1 | for i in n:
    b.py:2:5: which this calls
      2 | y = f(x)
  help: pass num_parallel_calls=tf.data.AUTOTUNE (fixable with --fix)

a.py:1:1: note: this file is Python 2
  1 | for i in n:
    | ^^^
b.py:2:3: syntax error: expected ')'
  2 | y = f(x)
    |   ^
b.py: 2 more syntax errors in this file are not shown
c.py: cannot be checked: cannot read: no such file

Possible problems (not proven)
  DP201 graph-op-in-loop: it is slow
    a.py:4
    help: fixable with --fix --unsafe-fixes
)");
}

TEST(Text, Statistics) {
  CheckedText text = example();
  text.result.errors.clear();
  text.result.files[1].suppressed_errors = 0;
  text.result.hidden = {};
  EXPECT_EQ(text_of(text.result,
                    {.on_terminal = true, .statistics = true, .offer_safe_fixes = false, .offer_unsafe_fixes = false}),
            R"(1 error, 1 warning and 1 piece of advice in 2 files (1.50 s)

     1  DP101 sequential-map
     1  DP201 graph-op-in-loop
     1  DP801 wrong

     1  API: Inefficient API Usage
     1  Model: Confusion with Computation Graph
     1  Training: Loss Mismatch
)");
}

TEST(Text, NothingFound) {
  CheckedText text;
  text.file("a.py", "x = 1\n");
  EXPECT_EQ(text_of(text.result), "No problems found in 1 file\n");
  text.result.hidden.notes = 1;
  EXPECT_EQ(text_of(text.result), "No problems found in 1 file\n1 note is not shown (--all shows it)\n");
}

TEST(Text, EqualWarningsAreOneEntryWithItsPlaces) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "f1\nf2\nf3\nf4\n");
  const FileIndex b = text.file("b.py", "f5\n");
  for (const char *code : {"f1", "f2", "f3", "f4"}) {
    text.finding(kMapRule, a, code).message = "the same";
  }
  text.finding(kMapRule, b, "f5").message = "the same";
  text.finding(kWrongRule, b, "f5").message = "another";
  const std::string grouped = text_of(text.result);
  EXPECT_NE(grouped.find("a.py:1:1: warning DP101 sequential-map: the same\n"), std::string::npos) << grouped;
  EXPECT_NE(grouped.find("also: a.py:2, 3, 4; b.py:1 (5 places in all, in 2 files; --expand shows each)\n"),
            std::string::npos)
      << grouped;
  EXPECT_EQ(grouped.find("a.py:2:1"), std::string::npos);
  EXPECT_NE(text_of(text.result, {.expand = true}).find("a.py:2:1: warning DP101"), std::string::npos);
}

TEST(Text, ThreeEqualWarningsStayApart) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "f1\nf2\nf3\n");
  for (const char *code : {"f1", "f2", "f3"}) {
    text.finding(kMapRule, a, code).message = "the same";
  }
  EXPECT_NE(text_of(text.result).find("a.py:3:1: warning"), std::string::npos);
}

TEST(Text, AdviceIsOneEntryForEachRuleAndNotesForEachMessage) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "f1\nf2\nf3\nf4\n");
  text.finding(kAdviceRule, a, "f1").message = "loader";
  text.finding(kAdviceRule, a, "f2").message = "another loader";
  text.finding(kOldRule, a, "f3").message = "Variable is deprecated";
  text.finding(kOldRule, a, "f4").message = "volatile is deprecated";
  EXPECT_EQ(text_of(text.result), R"(2 pieces of advice and 2 notes in 1 file

Worth trying
  DP130 workers: loader
    a.py:1, 2

Notes
  DP302 deprecated: Variable is deprecated
    a.py:3
  DP302 deprecated: volatile is deprecated
    a.py:4
)");
}

TEST(Text, ManyPlacesAreCounted) {
  CheckedText text;
  std::string code;
  for (int i = 0; i < 9; ++i) {
    code += "f" + std::to_string(i) + "\n";
  }
  const FileIndex a = text.file("a.py", code);
  for (int i = 0; i < 9; ++i) {
    text.finding(kOldRule, a, "f" + std::to_string(i)).message = "Variable is deprecated";
  }
  text.finding(kOldRule, text.file("b.py", "f\n"), "f").message = "Variable is deprecated";
  EXPECT_NE(text_of(text.result)
                .find("    10 places in 2 files: a.py:1, 2, 3, 4, 5, 6 and 4 more places (--expand lists them)\n"),
            std::string::npos)
      << text_of(text.result);
}

TEST(Text, FourThingsOrMoreHaveThreeToStartWith) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "f1\nf2\nf3\nf4\nf5\n");
  text.finding(kMapRule, a, "f1").message = "one";
  text.finding(kMapRule, a, "f2").message = "two";
  text.finding(kLoopRule, a, "f3").message = "three";
  text.finding(kWrongRule, a, "f4").message = "four";
  const std::string out = text_of(text.result);
  EXPECT_NE(
      out.find("Fix first:\n  1. a.py:4 DP801: four\n  2. a.py:1 DP101: one (2 places)\n  3. a.py:3 DP201: three\n"),
      std::string::npos)
      << out;
}

TEST(Text, QuietIsErrorsAndWarningsOnly) {
  const std::string out = text_of(example().result, {.quiet = true});
  EXPECT_TRUE(out.starts_with("b.py:2:5: error DP801")) << out;
  EXPECT_NE(out.find("b.py:2:3: syntax error"), std::string::npos);
  EXPECT_EQ(out.find("Possible"), std::string::npos);
}

TEST(Text, VerboseNamesTheCause) {
  EXPECT_NE(text_of(example().result, {.verbose = true})
                .find("  root cause: Training: Loss Mismatch; symptoms: Wrong Result; stage: Training\n"),
            std::string::npos);
}

TEST(Text, LinesFitTheTerminal) {
  CheckedText text = example();
  text.result.findings[0].message = std::string(50, 'w') + " " + std::string(50, 'x') + " " + std::string(50, 'y');
  const std::string out = text_of(text.result, {.width = 80});
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    EXPECT_LE(end - at, 80U) << out.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_NE(out.find("\n  " + std::string(50, 'w')), std::string::npos) << out;
}

TEST(Text, ColorIsOnlyAdded) {
  const CheckedText text = example();
  const std::string plain = text_of(text.result);
  const std::string colored = text_of(text.result, {.color = true});
  std::string stripped;
  for (std::size_t at = 0; at < colored.size(); ++at) {
    if (colored[at] == '\x1b') {
      at = colored.find('m', at);
    } else {
      stripped += colored[at];
    }
  }
  EXPECT_NE(colored, plain);
  EXPECT_EQ(stripped, plain);
}

TEST(Text, LongLinesAreCutAroundThePlace) {
  CheckedText text;
  const FileIndex a = text.file("a.py", "x = " + std::string(300, 'a') + " + here(" + std::string(300, 'b') + ")");
  text.finding(kMapRule, a, "here");
  const std::string out = text_of(text.result);
  EXPECT_NE(out.find("a + here(bbb"), std::string::npos);
  EXPECT_NE(out.find(std::string(50, ' ') + "^^^^\n"), std::string::npos);
  EXPECT_EQ(out.find(std::string(101, 'b')), std::string::npos);
}

TEST(Text, LongPlacesAreCutInTheMiddle) {
  CheckedText text;
  std::string code = "f(\n";
  for (int i = 2; i < 40; ++i) {
    code += "  line" + std::to_string(i) + ",\n";
  }
  const FileIndex a = text.file("a.py", code + ")\n");
  text.finding(kMapRule, a, code + ")");
  const std::string out = text_of(text.result);
  EXPECT_NE(out.find("   7 | |   line7,\n     | | …\n  37 | |   line37,\n"), std::string::npos) << out;
  EXPECT_NE(out.find("  40 | | )\n     | |_^\n"), std::string::npos) << out;
}

TEST(Text, NothingFromAFileControlsTheTerminal) {
  CheckedText text;
  const FileIndex a = text.file("a\x1b]0;x\x07\n.py", "x = '\x1b[31m\xC2\x9B\xE2\x80\xAE'\n");
  text.finding(kMapRule, a, "x").message = "\x1b[2J\xE2\x80\xAE";
  const std::string out = text_of(text.result);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find("\xC2\x9B"), std::string::npos);
  EXPECT_EQ(out.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_NE(out.find("a\\x1b]0;x\\x07 .py:1:1: "), std::string::npos) << out;
}

TEST(Printable, KeepsLettersOfAllLanguages) {
  EXPECT_EQ(printable("größe 日本 😀"), "größe 日本 😀");
  EXPECT_EQ(printable("a\xFFz\xE2\x82"), "a\\xffz\\xe2\\x82");
  EXPECT_EQ(printable_code("a\tb\x1b[c"), "a b [c");
}

} // namespace

} // namespace deepperf::report
