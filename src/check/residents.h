// Projects that stay in memory from one check to the next: of the groups of files that were edited last.
#pragma once

#include "check/find_files.h"
#include "model/imports.h"
#include "model/resident.h"

#include <memory>
#include <vector>

namespace deepperf::check {

class Residents {
public:
  // The project of these files, as they are now; null if it should rather be made from the beginning, and not kept.
  // Trees that are held must be as they are, all others as the parser gave them. If null, all are.
  const model::Project *analyse(const model::Group &files, const LoadedFiles &loaded, u32 threads);

  // Is the file's tree as the analysis of a project left it that is kept here?
  [[nodiscard]] bool holds(const LoadedFile &file) const;

  // The file's tree is about to go.
  void forget(u32 file);
  void forget() { kept_.clear(); }

private:
  struct Kept {
    std::vector<u32> files;                    // by their numbers
    std::vector<u64> serials;                  // of their contents
    std::unique_ptr<model::Resident> resident; // null: the last change did not fit, so that none was made
  };

  std::vector<Kept> kept_; // the last one was used last
};

} // namespace deepperf::check
