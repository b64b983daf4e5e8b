// Where findings, notes and errors are, as every report needs to say it.
#pragma once

#include "check/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::report {

struct Place {
  std::string_view path;
  python::Position start;
  python::Position end;
  const python::Source *source = nullptr;
};

Place place_of(const check::Result &result, FileIndex file, python::Span span);

// `path:line:column`, in a notebook `path:cell 2:line:column`, for a file as a whole (line 0) `path`. A column of 0 is
// left out.
void write_place(std::string_view path, u32 cell, u32 line, u32 column, std::string &out);

std::string_view severity_name(rules::Severity severity);

std::string_view level_name(check::FileError::Level level);

// "a, b" as a list.
std::vector<std::string_view> split_list(std::string_view list);

// At blanks.
std::vector<std::string_view> split_words(std::string_view text);

} // namespace deepperf::report
