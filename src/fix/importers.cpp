#include "fix/importers.h"

#include "base/word.h"
#include "fix/files.h"
#include "fix/unused_imports.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace deepperf::fix {

namespace {

// Calls `visit` with every word of lines that start with an import.
template <class Visit> void for_each_import_word(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\""), line.size())); // in a notebook lines are quoted
    if (!line.starts_with("import ") && !line.starts_with("from ")) {
      continue;
    }
    while (!line.empty()) {
      const auto begin = std::ranges::find_if(line, is_word_character);
      const auto behind = std::find_if_not(begin, line.end(), is_word_character);
      if (begin != behind) {
        visit(std::string_view(begin, behind));
      }
      line.remove_prefix(static_cast<std::size_t>(behind - line.begin()));
    }
  }
}

} // namespace

bool Importers::take_from(const std::string &path, std::string_view name) {
  const std::filesystem::path file(path);
  const std::string module = file.stem().string();
  // What a package imports is often meant for those that import the package.
  if (module == "__init__") {
    return true;
  }
  note_checked_files();
  if (!note_folder(file.has_parent_path() ? file.parent_path().string() : std::string("."))) {
    return true;
  }
  const auto found = files_.find(module);
  return found != files_.end() && std::ranges::any_of(found->second, [&](const std::string &other) {
           return !(std::filesystem::path(other).lexically_normal() == file.lexically_normal()) &&
                  takes_name_from(text_of(other), module, name);
         });
}

void Importers::note_checked_files() {
  if (std::exchange(are_checked_noted_, true)) {
    return;
  }
  for (const check::CheckedFile &file : result_.files) {
    if (file.source != nullptr && !file.source->text().empty()) { // texts that no finding points into are dropped
      note(file.path, file.source->text());
    } else if (const std::optional<std::string> bytes = read_bytes(file.path)) {
      note(file.path, *bytes);
    }
  }
}

bool Importers::note_folder(const std::string &folder) {
  if (const auto known = folders_.find(folder); known != folders_.end()) {
    return known->second;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string extension = at->path().extension().string();
    if ((extension == ".py" || extension == ".ipynb") && !noted_.contains(at->path().lexically_normal().string())) {
      if (const std::optional<std::string> bytes = read_bytes(at->path().string())) {
        note(at->path().string(), *bytes);
      }
    }
  }
  return folders_[folder] = !error;
}

void Importers::note(const std::string &path, std::string_view text) {
  if (!noted_.insert(std::filesystem::path(path).lexically_normal().string()).second) {
    return;
  }
  for_each_import_word(text, [&](std::string_view word) {
    std::vector<std::string> &files = files_[std::string(word)];
    if (files.empty() || files.back() != path) {
      files.push_back(path);
    }
  });
}

std::string Importers::text_of(const std::string &path) const { return read_bytes(path).value_or(std::string()); }

} // namespace deepperf::fix
