// One file, analyzed together with those it belongs to, for questions about the values in it. A check keeps no facts,
// so this analyzes on its own; who asks keeps it until something changes.
#pragma once

#include "check/find_files.h"
#include "model/project.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace deepperf::shapes {
struct Analysis;
}

namespace deepperf::check {

class Inspection {
public:
  // `files` are analyzed together, with `path` among them. Open texts count instead of what is on disk. If the files
  // are very large, `path` is analyzed alone: then less is known of it, but nobody waits.
  Inspection(const std::string &path, std::vector<std::string> files, const Options &options, const OpenTexts &texts);
  ~Inspection();

  // Null if the file uses no framework, or cannot be read.
  [[nodiscard]] const model::Module *module() const { return module_; }
  [[nodiscard]] const model::Project &project() const { return *project_; }
  // All files; the one that was asked for is `module().parsed`.
  [[nodiscard]] const std::vector<model::ParsedFile *> &files() const { return files_; }
  // The shape, dtype and device of the tensor that the expression gives, as text. The first question follows all
  // shapes.
  [[nodiscard]] std::optional<std::string> shape_at(python::Span expression) const;

private:
  void load(const std::vector<std::string> &files, const Options &options);

  LoadedFiles loaded_;
  std::vector<model::ParsedFile *> files_; // that were analyzed together
  std::unique_ptr<model::Project> project_;
  const model::Module *module_ = nullptr;
  mutable std::unique_ptr<shapes::Analysis> shapes_;
};

} // namespace deepperf::check
