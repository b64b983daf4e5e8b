// The patterns of .gitignore files, with git's exact meaning (gitignore(5), and git's own wildmatch where that is
// vague).
//
// Patterns are compiled once and matched without recursion, in time bounded by pattern × path, because both may come
// from a repository that nobody has looked at.
#pragma once

#include "base/types.h"

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::project {

// What a list of patterns says about a path.
enum class Verdict : u8 {
  None,   // nothing matches: ask the next list
  Ignore, // the last pattern that matches ignores it
  Keep,   // the last pattern that matches starts with `!`
};

// One step of a compiled wildcard.
struct GlobStep {
  enum class Kind : u8 {
    Byte,      // exactly `byte`
    AnyByte,   // `?`: anything but a slash
    Class,     // `[…]`: one of classes[index], which never has the slash
    Star,      // `*`: any number of bytes but slashes
    StarStar,  // `**` as a whole component: any number of bytes
    AnyFolder, // `**/`: nothing, or anything up to and with a slash
  };
  Kind kind = Kind::Byte;
  u8 byte = 0;
  u32 index = 0;
};

struct Glob {
  std::vector<GlobStep> steps;
  std::vector<std::bitset<256>> classes;
  bool never = false; // malformed: matches nothing
};

struct IgnorePattern {
  enum class Shape : u8 {
    Literal, // `literal` is the whole
    Suffix,  // `*literal`
    Wild,    // `literal`, then `glob`
  };
  Shape shape = Shape::Literal;
  bool negated = false;
  bool directory_only = false;
  bool name_only = false; // no slash in it: compared with the last component, at any depth
  std::string literal;
  Glob glob;
};

// The patterns of one folder, or of one file, in order: a later one overrides an earlier one.
struct IgnoreRules {
  std::vector<IgnorePattern> patterns;
};

// Adds the patterns of a file's text.
void add_rules(std::string_view text, IgnoreRules &rules);

// `path` is relative to the folder that the rules stand in, with no slash at either end. Says nothing of the folders
// above it: what lies in an ignored folder is ignored, and it is for the caller not to enter that.
Verdict lint(const IgnoreRules &rules, std::string_view path, bool is_directory);

Glob compile_glob(std::string_view pattern);
bool matches(const Glob &glob, std::string_view text);

} // namespace deepperf::project
