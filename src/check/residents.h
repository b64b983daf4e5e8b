// Projects that stay in memory from one check to the next: of the groups of files that were edited last.
#pragma once

#include "check/find_files.h"
#include "model/imports.h"
#include "model/resident.h"
#include "rules/kept_linting.h"
#include "shapes/root_memory.h"

#include <memory>
#include <vector>

namespace deepperf::check {

class Residents {
public:
  // From begin_check() to end_check() all projects that analyze() gives are good, also those that are not kept any
  // longer: files that were thought to belong together may be several projects.
  void begin_check() { is_checking_ = true; }
  void end_check() {
    is_checking_ = false;
    dropped_.clear();
  }

  struct Analysed {
    const model::Project *project = nullptr;
    rules::KeptLinting *linting = nullptr; // it has begun with the project
    shapes::RootMemory *shapes = nullptr;
  };
  // The project of these files, as they are now; null if it should rather be made from the beginning, and not kept.
  // Trees that are held must be as they are, all others as the parser gave them. If null, all are.
  Analysed analyse(const model::Group &files, const LoadedFiles &loaded, u32 threads);

  // Is the file's tree as the analysis of a project left it that is kept here?
  [[nodiscard]] bool holds(const LoadedFile &file) const;

  // The file's tree is about to go.
  void forget(u32 file);
  void forget();
  // Something else than the files has changed that rules ask for.
  void forget_lintings();

private:
  struct Linted {
    Linted(const model::Group &files, u32 threads) : resident(files, threads) {}

    model::Resident resident;
    rules::KeptLinting linting;
    shapes::RootMemory shapes;
  };
  struct Kept {
    std::vector<u32> files;   // by their numbers
    std::vector<u64> serials; // of their contents
    std::unique_ptr<Linted> linted;
  };

  void drop(std::size_t place);

  std::vector<Kept> kept_;                       // the last one was used last
  std::vector<std::unique_ptr<Linted>> dropped_; // in this check
  bool is_checking_ = false;
};

} // namespace deepperf::check
