// One file, analysed together with those it belongs to, for questions about the values in it. A check keeps no facts,
// so this analyses on its own; who asks keeps it until something changes.
#pragma once

#include "check/find_files.h"
#include "model/project.h"

#include <memory>
#include <string>
#include <vector>

namespace deepperf::check {

class Inspection {
public:
  // `files` are analysed together, with `path` among them. Open texts count instead of what is on disk. If the files
  // are very large, `path` is analysed alone: then less is known of it, but nobody waits.
  Inspection(const std::string &path, std::vector<std::string> files, const Options &options, const OpenTexts &texts);

  // Null if the file uses no framework, or cannot be read.
  [[nodiscard]] const model::Module *module() const { return module_; }
  [[nodiscard]] const model::Project &project() const { return *project_; }
  // All files; the one that was asked for is `module().parsed`.
  [[nodiscard]] const std::vector<model::ParsedFile *> &files() const { return files_; }

private:
  void load(const std::vector<std::string> &files, const Options &options);

  LoadedFiles loaded_;
  std::vector<model::ParsedFile *> files_; // that were analysed together
  std::unique_ptr<model::Project> project_;
  const model::Module *module_ = nullptr;
};

} // namespace deepperf::check
