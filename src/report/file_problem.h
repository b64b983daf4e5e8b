// Syntax errors and files that could not be checked, as reports for programs list them.
#pragma once

#include "check/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::report {

struct FileProblem {
  std::string_view path;
  check::FileError::Level level = check::FileError::Level::SyntaxError;
  u32 line = 0; // 0: the file as a whole
  u32 column = 0;
  u32 end_column = 0;
  u32 cell = 0;
  std::string message; // begins with what kind of problem it is
};

// In the order of files. Notes are left out, as nothing is wrong there; syntax errors beyond those that the result
// keeps are one problem of their file.
std::vector<FileProblem> file_problems(const check::Result &result);

bool is_unreadable(const FileProblem &problem);

// "syntax-error" or "unreadable-file", for formats in which everything must have an identifier.
std::string_view problem_id(const FileProblem &problem);

} // namespace deepperf::report
