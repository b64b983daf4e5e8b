#include "project/commit.h"

#include <git2.h>

#include <array>

namespace deepperf::project {

namespace {

constexpr std::size_t kDigits = 10;

bool has_changes(git_repository *repository) {
  git_status_options options = GIT_STATUS_OPTIONS_INIT;
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
  git_status_list *list = nullptr;
  if (git_status_list_new(&list, repository, &options) != 0) {
    return false;
  }
  const bool changed = git_status_list_entrycount(list) != 0;
  git_status_list_free(list);
  return changed;
}

} // namespace

std::string head_commit(const std::string &folder) {
  git_libgit2_init();
  std::string commit;
  git_repository *repository = nullptr;
  if (git_repository_open_ext(&repository, folder.c_str(), 0, nullptr) == 0) {
    git_oid id{};
    if (git_reference_name_to_id(&id, repository, "HEAD") == 0) {
      std::array<char, kDigits + 1> digits{};
      git_oid_tostr(digits.data(), digits.size(), &id);
      commit = digits.data();
      commit += has_changes(repository) ? "+" : "";
    }
    git_repository_free(repository);
  }
  git_libgit2_shutdown();
  return commit;
}

} // namespace deepperf::project
