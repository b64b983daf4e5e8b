#include "cli/report_location.h"

#include "cli/environment.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

namespace deepperf::cli {

namespace {

namespace fs = std::filesystem;

// The checkout of a CI job, without symbolic links; empty if the working folder is not in it.
fs::path checkout(const char *name, const fs::path &working_folder) {
  const std::string_view value = environment(name);
  if (value.empty()) {
    return {};
  }
  std::error_code error;
  const fs::path root = fs::canonical(value, error);
  if (error) {
    return {};
  }
  const fs::path inside = working_folder.lexically_relative(root);
  return inside.empty() || *inside.begin() == ".." ? fs::path() : root;
}

// Where people look at a file of the repository; empty unless all of it is known.
std::string github_files() {
  const std::string_view server = environment("GITHUB_SERVER_URL");
  const std::string_view repository = environment("GITHUB_REPOSITORY");
  const std::string_view revision = environment("GITHUB_SHA");
  const bool is_known = !server.empty() && !repository.empty() && !revision.empty();
  return is_known ? fmt::format("{}/{}/blob/{}/", server, repository, revision) : "";
}

std::string gitlab_files() {
  const std::string_view project = environment("CI_PROJECT_URL");
  const std::string_view revision = environment("CI_COMMIT_SHA");
  return !project.empty() && !revision.empty() ? fmt::format("{}/-/blob/{}/", project, revision) : "";
}

struct Service {
  const char *checkout;
  std::string (*files)();
};

constexpr std::array kServices{Service{"GITHUB_WORKSPACE", github_files}, Service{"CI_PROJECT_DIR", gitlab_files}};

} // namespace

report::Location report_location() {
  std::error_code error;
  const fs::path working_folder = fs::current_path(error);
  report::Location location;
  if (error) { // it was removed: paths stay as they are
    return location;
  }
  location.working_folder = working_folder.string();
  location.root = working_folder.string();
  for (const Service &service : kServices) {
    if (const fs::path root = checkout(service.checkout, working_folder); !root.empty()) {
      location.root = root.string();
      location.file_url = service.files();
      break;
    }
  }
  return location;
}

} // namespace deepperf::cli
