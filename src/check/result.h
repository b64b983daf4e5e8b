// What a check found, before and after filtering: what the reports print and the fixes change.
#pragma once

#include "python/source.h"
#include "rules/finding.h"
#include "rules/timings.h"

#include <memory>
#include <string>
#include <vector>

namespace deepperf::check {

// Sources and comments live as long as the Result does; both are null for a file that could not be read.
struct CheckedFile {
  std::string path;
  const python::Source *source = nullptr;
  const std::vector<python::Span> *comments = nullptr; // of the tree, in source order
  u32 suppressed_errors = 0;                           // syntax errors beyond those that the Result keeps
  u64 serial = 0; // no other file, nor this one with other contents, has it, also in later checks of this process
};

// Something to tell about a file that no rule says.
struct FileError {
  enum class Level : u8 { Note, SyntaxError, Unreadable, UnknownRule };
  FileIndex file;
  Level level = Level::SyntaxError;
  u32 line = 0; // from 1; 0 is the file as a whole
  u32 column = 0;
  u32 end_column = 0; // on the same line, one past the last character
  u32 cell = 0;       // of a notebook, from 1
  std::string message;
  std::string line_text; // for the code frame
};

// What was found and is not in the list of findings, by the reason.
struct Hidden {
  u64 advice = 0;     // not proven, or below the severity that is shown
  u64 notes = 0;      // the same for notes
  u64 others = 0;     // errors and warnings below the severity that is shown
  u64 suppressed = 0; // by comments
  u64 baselined = 0;  // known before, see check/baseline.h
  u64 unchanged = 0;  // not on a line that has changed since a revision

  Hidden &operator+=(const Hidden &more) {
    advice += more.advice;
    notes += more.notes;
    others += more.others;
    suppressed += more.suppressed;
    baselined += more.baselined;
    unchanged += more.unchanged;
    return *this;
  }
};

struct Result {
  std::vector<CheckedFile> files;       // sorted by path
  std::vector<rules::Finding> findings; // sorted by file, position, code
  std::vector<FileError> errors;        // sorted by file, position
  // Words in comments of ours that should name a rule, which are not told as errors. The message is the word.
  std::vector<FileError> unknown_rules;
  Hidden hidden;
  u64 file_count = 0;
  u64 byte_count = 0;
  double seconds = 0;
  rules::Timings timings;              // if they were asked for
  std::shared_ptr<const void> storage; // keeps alive what the pointers in `files` point to
};

} // namespace deepperf::check
