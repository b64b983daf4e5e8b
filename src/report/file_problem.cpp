#include "report/file_problem.h"

#include "report/place.h"

#include <fmt/format.h>

namespace deepperf::report {

std::vector<FileProblem> file_problems(const check::Result &result) {
  std::vector<FileProblem> problems;
  auto error = result.errors.begin();
  for (u32 index = 0; index < result.files.size(); ++index) {
    const check::CheckedFile &file = result.files[index];
    for (; error != result.errors.end() && error->file.value == index; ++error) {
      if (error->level != check::FileError::Level::Note) {
        problems.push_back({file.path, error->level, error->line, error->column, error->end_column, error->cell,
                            fmt::format("{}: {}", level_name(error->level), error->message)});
      }
    }
    if (file.suppressed_errors != 0) {
      FileProblem &more = problems.emplace_back();
      more.path = file.path;
      more.message =
          fmt::format("{} more syntax error{}", file.suppressed_errors, file.suppressed_errors == 1 ? "" : "s");
    }
  }
  return problems;
}

bool is_unreadable(const FileProblem &problem) { return problem.level == check::FileError::Level::Unreadable; }

std::string_view problem_id(const FileProblem &problem) {
  return is_unreadable(problem) ? "unreadable-file" : "syntax-error";
}

} // namespace deepperf::report
