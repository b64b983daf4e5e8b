#include "check/residents.h"

#include "model/forget_facts.h"

#include <algorithm>
#include <utility>

namespace deepperf::check {

namespace {

constexpr std::size_t kMostKept = 3;

void forget_all_facts(const model::Group &files) {
  for (const model::ParsedFile *file : files) {
    model::forget_facts(file->tree);
  }
}

} // namespace

bool Residents::holds(const LoadedFile &file) const {
  return std::ranges::any_of(kept_, [&](const Kept &kept) {
    const auto place = std::ranges::lower_bound(kept.files, file.parsed.index.value);
    return place != kept.files.end() && *place == file.parsed.index.value &&
           kept.serials[static_cast<std::size_t>(place - kept.files.begin())] == file.serial;
  });
}

void Residents::drop(std::size_t place) {
  if (is_checking_) {
    dropped_.push_back(std::move(kept_[place].linted));
  }
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(place));
}

void Residents::forget(u32 file) {
  for (std::size_t i = kept_.size(); i-- > 0;) {
    if (std::ranges::binary_search(kept_[i].files, file)) {
      drop(i);
    }
  }
}

void Residents::forget() {
  while (!kept_.empty()) {
    drop(kept_.size() - 1);
  }
}

void Residents::forget_lintings() {
  for (Kept &kept : kept_) {
    kept.linted->linting.forget();
    kept.linted->shapes.forget();
  }
}

Residents::Analysed Residents::analyse(const model::Group &files, const LoadedFiles &loaded, u32 threads) {
  Kept now;
  for (const model::ParsedFile *file : files) {
    now.files.push_back(file->index.value);
    now.serials.push_back(loaded.files[file->index.value]->serial);
  }
  if (!std::ranges::is_sorted(now.files)) {
    forget();
    forget_all_facts(files);
    return {};
  }
  const auto known = std::ranges::find(kept_, now.files, &Kept::files);
  std::vector<bool> is_changed;
  rules::KeptLinting linting;
  shapes::RootMemory shapes;
  if (known != kept_.end()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      is_changed.push_back(now.serials[i] != known->serials[i]);
    }
    known->linted->shapes.note_changed(is_changed);
    if (known->linted->resident.update(files, is_changed, threads)) {
      known->serials = std::move(now.serials);
      std::rotate(known, known + 1, kept_.end());
      Linted &linted = *kept_.back().linted;
      linted.linting.begin(linted.resident.project(), is_changed, threads);
      return {&linted.resident.project(), &linted.linting, &linted.shapes};
    }
    linting = std::move(known->linted->linting); // which holds for modules that are the same in the new project
    shapes = std::move(known->linted->shapes);
    kept_.erase(known);
  }
  // Of what was kept with some of these files, nothing holds any more.
  for (const u32 file : now.files) {
    forget(file);
  }
  forget_all_facts(files);
  if (kept_.size() >= kMostKept) {
    drop(0);
  }
  now.linted = std::make_unique<Linted>(files, threads);
  now.linted->linting = std::move(linting);
  now.linted->shapes = std::move(shapes);
  kept_.push_back(std::move(now));
  Linted &linted = *kept_.back().linted;
  linted.linting.begin(linted.resident.project(), is_changed, threads);
  return {&linted.resident.project(), &linted.linting, &linted.shapes};
}

} // namespace deepperf::check
