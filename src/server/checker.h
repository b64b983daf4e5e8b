// The resident check behind the server: knows what is open, and checks again when something has changed.
#pragma once

#include "check/check.h"
#include "check/filter.h"
#include "check/inspection.h"
#include "check/workspace.h"
#include "server/documents.h"

#include <memory>
#include <span>
#include <string>

namespace deepperf::server {

// How to check, as `deepperf check` would with the user's settings.
struct CheckSetup {
  check::Options options; // with paths
  check::FilterOptions filter;
  std::shared_ptr<const void> storage = nullptr; // keeps alive what the options point to
};

class Checker {
public:
  explicit Checker(CheckSetup setup);

  // Everything is checked from the beginning the next time.
  void start_again(CheckSetup setup, const Documents &documents);
  // Takes over what has been opened, changed and closed.
  void update(Documents &documents);
  void touched(std::span<const std::string> paths);
  void refresh(); // anything may have changed on disk

  [[nodiscard]] bool is_stale() const { return is_stale_; }
  [[nodiscard]] bool is_first() const { return is_first_; }

  void check(check::Progress &progress);
  // Of the last check, filtered.
  [[nodiscard]] const check::Result &result() const { return result_; }

  // What is known of a file of the last check; null if it is not analyzed. Good until the next check.
  const check::Inspection *inspect(const std::string &path);

private:
  CheckSetup setup_;
  std::unique_ptr<check::Workspace> workspace_;
  check::Result result_;
  std::string inspected_path_;
  std::unique_ptr<check::Inspection> inspection_; // of that path, if anybody asked
  bool is_stale_ = true;
  bool is_first_ = true;
};

} // namespace deepperf::server
