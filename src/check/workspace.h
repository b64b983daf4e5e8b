// Files that stay in memory while somebody works on them, for the language server and `check --watch`: after an edit
// only what the edit can have changed is done again.
//
// What check() returns is what run() would return if all open texts were on disk. A Workspace does not look at the disk
// by itself: who uses it says what may have changed there.
#pragma once

#include "check/check.h"
#include "check/find_files.h"
#include "check/remembered_groups.h"
#include "check/residents.h"
#include "model/imports.h"
#include "project/requirements.h"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace deepperf::check {

struct CheckState;

struct WorkspaceOptions {
  // Trees beyond that many bytes are dropped after a check, and made again when they are needed.
  u64 most_tree_bytes = u64{1} << 30;
};

// What the last check() had to do.
struct WorkspaceWork {
  bool walked = false;  // it looked for files
  bool grouped = false; // it worked out which files belong together
  u64 files_read = 0;   // from the disk, or from the text of an open file
  u64 files_parsed = 0; // for the analysis
  u64 groups_linted = 0;
  u64 groups_recalled = 0; // they are as they were a few checks ago
  u64 files_linted = 0;    // that belong to these groups
  u64 tree_bytes = 0;      // that stay
  // In nanoseconds.
  u64 read_time = 0;
  u64 group_time = 0;
  u64 lint_time = 0; // parsing and analysis included
  u64 report_time = 0;
  rules::Timings timings; // of the judging, if the options ask for them
};

class Workspace {
public:
  // The first check asks the cache that the options name and writes to it; later ones do not.
  explicit Workspace(Options options, const WorkspaceOptions &more = {});
  ~Workspace();
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  // The text counts instead of what is on disk, whatever ignore files say, and also if there is no such file. It is
  // given as it would be written to the disk: with its encoding, and for a notebook as JSON. Paths are as walk() gives
  // them.
  void open(const std::string &path, std::string text);
  void change(const std::string &path, std::string text);
  // What is on disk counts again.
  void close(const std::string &path);

  // These may have been written, made, moved or removed: files of any kind, and folders.
  void touched(std::span<const std::string> paths);
  // Anything may have changed on disk.
  void refresh();

  // The Result is good until the next check.
  Result check(Progress &progress);

  // The files that were analyzed together with one of the last check, that one included; none if it was not analyzed.
  [[nodiscard]] std::vector<std::string> files_with(std::string_view path) const;
  [[nodiscard]] const OpenTexts &open_texts() const { return open_texts_; }

  [[nodiscard]] const WorkspaceWork &work() const { return work_; }

private:
  struct Changes;

  Result check_first(Progress &progress);
  Result check_again(Progress &progress);
  void look_at_touched();
  std::vector<std::unique_ptr<LoadedFile>> find_gone_and_new(std::vector<bool> &is_gone,
                                                             std::set<std::string> &to_read);
  Changes update_files();
  void remember(const std::vector<bool> &is_gone, const std::vector<u32> &changed);
  void change_file_list(const std::vector<bool> &is_gone, std::vector<std::unique_ptr<LoadedFile>> added,
                        std::vector<bool> &is_changed);
  void find_changed_requirements(Changes &changes);
  std::vector<model::Group> find_groups_to_lint(const Changes &changes);
  void recall(std::vector<model::Group> &groups);
  void lint(const std::vector<model::Group> &groups, Progress &progress);
  void keep_within_budget();
  Result add_finding();

  [[nodiscard]] LoadedFile *find(std::string_view path) const;

  Options options_;
  WorkspaceOptions more_;
  const FilterOptions *filter_ = nullptr;
  std::unique_ptr<CheckState> state_; // null before the first check
  OpenTexts open_texts_;
  std::set<std::string> to_read_;                         // for the next check
  std::vector<std::string> touched_;                      // not looked at yet
  bool walk_ = false;                                     // files may be new or gone
  bool requirements_changed_ = false;                     // perhaps
  std::map<std::string, project::AskedFolder> asked_for_; // what findings depend on, by folder
  std::vector<u64> group_ages_; // of the state's groups: the number of the check that judged them
  u64 number_ = 0;              // of this check
  RememberedGroups remembered_;
  Residents residents_;
  WorkspaceWork work_;
};

} // namespace deepperf::check
