#include "server/checker.h"

#include <utility>

namespace deepperf::server {

Checker::Checker(CheckSetup setup)
    : setup_(std::move(setup)), workspace_(std::make_unique<check::Workspace>(setup_.options)) {}

void Checker::start_again(CheckSetup setup, const Documents &documents) {
  result_ = {}; // points into the workspace
  inspection_ = nullptr;
  setup_ = std::move(setup);
  workspace_ = std::make_unique<check::Workspace>(setup_.options);
  for (const std::string &path : documents.checked_paths()) {
    workspace_->open(path, documents.bytes_of(path).value_or(""));
  }
  is_stale_ = is_first_ = true;
}

void Checker::update(Documents &documents) {
  for (const std::string &path : documents.take_changed()) {
    if (std::optional<std::string> bytes = documents.bytes_of(path)) {
      workspace_->open(path, std::move(*bytes));
    } else {
      workspace_->close(path);
    }
    is_stale_ = true;
  }
}

void Checker::touched(std::span<const std::string> paths) {
  workspace_->touched(paths);
  is_stale_ = true;
}

void Checker::refresh() {
  workspace_->refresh();
  is_stale_ = true;
}

const check::Inspection *Checker::inspect(const std::string &path) {
  if (inspection_ == nullptr || inspected_path_ != path) {
    inspection_ = nullptr; // before the next one takes memory
    std::vector<std::string> files = workspace_->files_with(path);
    if (files.empty()) {
      return nullptr;
    }
    inspection_ = std::make_unique<check::Inspection>(path, std::move(files), setup_.options, workspace_->open_texts());
    inspected_path_ = path;
  }
  return inspection_->module() != nullptr ? inspection_.get() : nullptr;
}

void Checker::check(check::Progress &progress) {
  inspection_ = nullptr;
  result_ = {};
  is_stale_ = is_first_ = false; // also if it fails: trying again without a change would fail again
  result_ = workspace_->check(progress);
  check::filter(result_, setup_.filter);
}

} // namespace deepperf::server
