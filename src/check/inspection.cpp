#include "check/inspection.h"

#include "base/workers.h"
#include "check/lint_files.h"
#include "model/imports.h"
#include "shapes/analysis.h"

#include <algorithm>
#include <numeric>

namespace deepperf::check {

namespace {

constexpr u64 kMostBytes = u64{4} << 20; // of source: some tenths of a second

} // namespace

void Inspection::load(const std::vector<std::string> &files, const Options &options) {
  loaded_.files = load_files(options, files, loaded_);
  for (u32 i = 0; i < loaded_.files.size(); ++i) {
    loaded_.files[i]->parsed.index = {i};
  }
}

Inspection::Inspection(const std::string &path, std::vector<std::string> files, const Options &options,
                       const OpenTexts &texts) {
  std::ranges::sort(files);
  loaded_.stay = true;
  loaded_.open_texts = &texts;
  loaded_.workers.resize(options.jobs == 0 ? available_cores() : options.jobs);
  load(files, options);
  const u64 bytes =
      std::accumulate(loaded_.files.begin(), loaded_.files.end(), u64{0},
                      [](u64 sum, const std::unique_ptr<LoadedFile> &file) { return sum + file->parsed.size; });
  if (bytes > kMostBytes) {
    load({path}, options);
  }
  std::vector<LoadedFile *> to_parse;
  std::vector<model::ParsedFile *> parsed;
  for (const std::unique_ptr<LoadedFile> &file : loaded_.files) {
    if (file->load_errors.empty()) {
      to_parse.push_back(file.get());
      parsed.push_back(&file->parsed);
    }
  }
  parse_files(to_parse, loaded_);
  for (const model::Group &group : model::group_files(parsed, true)) {
    const auto found = std::ranges::find(group, path, [](const model::ParsedFile *file) { return file->path; });
    if (found == group.end()) {
      continue;
    }
    files_ = group;
    on_large_stack([&] { project_ = model::analyse(group, static_cast<u32>(loaded_.workers.size())); });
    const auto module = std::ranges::find(project_->modules, *found, &model::Module::parsed);
    module_ = module != project_->modules.end() ? &*module : nullptr;
    return;
  }
}

Inspection::~Inspection() = default;

std::optional<std::string> Inspection::shape_at(python::Span expression) const {
  if (shapes_ == nullptr) {
    shapes::AnalysisOptions options;
    options.only = options.seen = module_;
    on_large_stack([&] { shapes_ = shapes::analyse(*project_, options); });
  }
  return shapes::shape_at(*shapes_, expression);
}

} // namespace deepperf::check
