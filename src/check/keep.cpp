#include "check/keep.h"

#include "check/suppression.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <unordered_set>

namespace deepperf::check {

namespace {

constexpr u32 kNone = std::numeric_limits<u32>::max();

class Keeper {
public:
  Keeper(const Cache &cache, const LoadedFiles &loaded, const Result &result)
      : cache_(cache), loaded_(loaded), result_(result), numbers_(loaded.files.size(), kNone) {}

  void add_files(std::size_t failures) {
    for (u32 i = 0; i < loaded_.files.size(); ++i) {
      const LoadedFile &file = *loaded_.files[i];
      if (!file.version) {
        continue; // it could not be read, and may well be readable the next time
      }
      numbers_[i] = static_cast<u32>(contents_.files.size());
      KnownFile &known = contents_.files.emplace_back();
      known.path = file.parsed.path;
      known.version = *file.version;
      known.is_test = file.parsed.is_test;
      known.is_unreadable = result_.files[i].source == nullptr;
      known.text_size = file.parsed.size;
      known.suppressed_errors = result_.files[i].suppressed_errors;
      if (file.known != nullptr) {
        known.comments = file.known->comments;
      }
    }
    for (const FileError &error : std::span(result_.errors).subspan(failures)) {
      if (numbers_[error.file.value] != kNone) {
        contents_.files[numbers_[error.file.value]].errors.push_back(error);
      }
    }
  }

  void add_known_groups(const Groups &groups) {
    std::vector<u32> numbers(cache_.known.files.size(), kNone); // in the old cache to those in the new one
    for (u32 i = 0; i < loaded_.files.size(); ++i) {
      if (const KnownFile *const known = loaded_.files[i]->known) {
        numbers[static_cast<std::size_t>(known - cache_.known.files.data())] = numbers_[i];
      }
    }
    for (const KnownGroup *known : groups.known) {
      KnownGroup &group = contents_.groups.emplace_back(*known);
      for (u32 &member : group.members) {
        member = numbers[member];
      }
      renumber(group.findings, numbers);
    }
  }

  // Those that were analyzed just now.
  void add_new_groups(const Groups &groups, std::size_t failures) {
    std::unordered_set<u32> failed;
    for (const FileError &error : std::span(result_.errors).first(failures)) {
      failed.insert(error.file.value);
    }
    contents_.has_all_groups = true;
    for (const model::Group &group : groups.to_lint) {
      const bool can_be_kept = std::ranges::none_of(group, [&](const model::ParsedFile *file) {
        return numbers_[file->index.value] == kNone || failed.contains(file->index.value);
      });
      if (!can_be_kept || !add_new_group(group)) {
        contents_.has_all_groups = false;
      }
    }
  }

  void add_folders() {
    std::set<std::string_view> used;
    for (const KnownGroup &group : contents_.groups) {
      for (const u32 member : group.members) {
        const std::string_view path = contents_.files[member].path;
        used.insert(path.substr(0, path.rfind('/') + 1));
      }
    }
    contents_.folders = project::asked_folders();
    std::erase_if(contents_.folders, [&](const project::AskedFolder &asked) { return !used.contains(asked.folder); });
  }

  CacheContents &contents() { return contents_; }

private:
  static void renumber(rules::Findings &findings, const std::vector<u32> &numbers) {
    for (rules::Finding &finding : findings) {
      finding.file.value = numbers[finding.file.value];
      for (rules::Note &note : finding.notes) {
        note.file.value = numbers[note.file.value];
      }
    }
  }

  // The reader refuses what points out of a group or of a text. If a rule does that, the group is analyzed again.
  [[nodiscard]] bool is_readable(const KnownGroup &group) const {
    const auto is_in_text = [&](FileIndex file, u32 start, u32 end) {
      return std::ranges::binary_search(group.members, file.value) &&
             std::max(start, end) <= contents_.files[file.value].text_size;
    };
    return std::ranges::all_of(group.findings, [&](const rules::Finding &finding) {
      return is_in_text(finding.file, finding.span.start, finding.span.end) &&
             std::ranges::all_of(
                 finding.notes,
                 [&](const rules::Note &note) { return is_in_text(note.file, note.span.start, note.span.end); }) &&
             (!finding.fix || std::ranges::all_of(finding.fix->edits, [&](const rules::Edit &edit) {
               return is_in_text(finding.file, edit.start, edit.end);
             }));
    });
  }

  bool add_new_group(const model::Group &group) {
    KnownGroup &known = contents_.groups.emplace_back();
    for (const model::ParsedFile *file : group) {
      known.members.push_back(numbers_[file->index.value]);
      const auto file_of = [](const rules::Finding &finding) { return finding.file.value; };
      const auto begin = std::ranges::lower_bound(result_.findings, file->index.value, {}, file_of);
      const auto end = std::ranges::upper_bound(result_.findings, file->index.value, {}, file_of);
      known.findings.insert(known.findings.end(), begin, end);
      add_comments(*file, begin == end);
    }
    renumber(known.findings, numbers_);
    if (!is_readable(known)) {
      contents_.groups.pop_back();
      return false;
    }
    return true;
  }

  // Only those that say something to us, and only where there is a finding that they could silence.
  void add_comments(const model::ParsedFile &file, bool has_no_findings) {
    std::vector<python::Span> &comments = contents_.files[numbers_[file.index.value]].comments;
    comments.clear();
    if (!has_no_findings) {
      std::ranges::copy_if(file.tree.comments, std::back_inserter(comments), [&](const python::Span &span) {
        return may_silence(file.source.part(span.start, span.end));
      });
    }
  }

  const Cache &cache_;
  const LoadedFiles &loaded_;
  const Result &result_;
  std::vector<u32> numbers_; // of files in the new cache
  CacheContents contents_;
};

} // namespace

void keep_results(const Options &options, const Cache &cache, const LoadedFiles &loaded, const Groups &groups,
                  const Result &result, std::size_t failures) {
  const bool is_unstable =
      std::ranges::any_of(loaded.files, [](const std::unique_ptr<LoadedFile> &file) { return file->is_unstable; });
  if (groups.is_same_cache || is_unstable) {
    return;
  }
  Keeper keeper(cache, loaded, result);
  keeper.add_files(failures);
  keeper.add_known_groups(groups);
  keeper.add_new_groups(groups, failures);
  keeper.add_folders();
  keeper.contents().started = cache.started;
  keeper.contents().imports = groups.is_same_tree ? cache.known.imports : std::string_view(groups.imports);
  write_cache(options, cache, keeper.contents());
}

} // namespace deepperf::check
