#include "check/lint_files.h"

#include "base/workers.h"
#include "check/residents.h"
#include "model/forget_facts.h"
#include "model/imports.h"
#include "rules/linting.h"
#include "rules/project_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <span>
#include <unordered_set>
#include <utility>

namespace deepperf::check {

namespace {

// Files that the findings, or the notes on them, point into.
void add_files_reported_in(const rules::Findings &findings, std::unordered_set<u32> &files) {
  for (const rules::Finding &finding : findings) {
    files.insert(finding.file.value);
    for (const rules::Note &note : finding.notes) {
      files.insert(note.file.value);
    }
  }
}

// A mistake of ours costs this file, and nothing else.
void parse_guarded(LoadedFile &file, const LoadedFiles &loaded, Arena &arena, Worker &worker) {
  try {
    parse_file(file, loaded, arena, worker);
  } catch (const std::exception &error) {
    note_failure(file, error.what());
    worker.source = python::load_bytes(file.parsed.path, {}).source;
    file.parsed.source = worker.source.kept_in(loaded.stay ? file.memory : arena);
    file.parsed.has_text = file.parsed.has_tree = true;
  }
  file.waits = false;
}

// Who wants to see what takes longer to work out than a small file to judge, so a workspace keeps it.
const rules::RuleSet &chosen_rules(const Options &options, LoadedFiles &loaded) {
  if (loaded.rules == nullptr) {
    loaded.rules = options.rules ? std::make_unique<const rules::RuleSet>(rules::rules_of(*options.rules))
                                 : std::make_unique<const rules::RuleSet>(rules::listed_rules());
  }
  return *loaded.rules;
}

// Work on groups, largest first, by all workers.
class Lint {
public:
  Lint(const Options &options, Progress &progress, LoadedFiles &loaded, const std::vector<model::Group> &groups)
      : options_(options), progress_(progress), loaded_(loaded), rules_(chosen_rules(options, loaded)),
        groups_(groups) {
    linted_.resize(groups_.size());
    timings_.resize(loaded.workers.size());
    if (loaded.residents != nullptr && groups.size() == 1) {
      residents_ = loaded.residents; // somebody edits a file
      residents_->begin_check();
    } else if (loaded.residents != nullptr && groups.size() > 1) {
      loaded.residents->forget();
    }
  }

  ~Lint() {
    if (residents_ != nullptr) {
      residents_->end_check();
    }
  }
  Lint(const Lint &) = delete;
  Lint &operator=(const Lint &) = delete;

  void run() {
    std::vector<LargeGroup> large(parse_large_groups());
    if (!large.empty()) {
      on_large_stack([&] { analyse_large_groups(large); });
    }
    const std::vector<Piece> pieces = pieces_of(large);
    std::atomic<std::size_t> next{0};
    run_workers(workers(), [&](u32 index) {
      for (std::size_t i = next++; i < pieces.size() + groups_.size() - large.size(); i = next++) {
        if (i < pieces.size()) {
          run_piece(pieces[i], index, large[pieces[i].group]);
        } else {
          const std::size_t group = i - pieces.size() + large.size();
          lint_group(groups_[group], index, linted_[group]);
        }
      }
    });
  }

  void add_finding(std::vector<LintedGroup> &linted, rules::Timings &timings) {
    for (Worker &worker : loaded_.workers) {
      timings.parse += std::exchange(worker.parse_time, 0);
    }
    for (const rules::Timings &some : timings_) {
      timings.add(some);
    }
    std::ranges::move(linted_, std::back_inserter(linted));
  }

private:
  // A mistake of ours must not cost the user what can be said of all other files.
  static FileError &add_failure(FileIndex file, std::string message, LintedGroup &linted) {
    FileError &error = linted.failures.emplace_back();
    error.file = file;
    error.level = FileError::Level::Unreadable;
    error.message = std::move(message);
    return error;
  }

  [[nodiscard]] u32 workers() const { return static_cast<u32>(loaded_.workers.size()); }
  rules::Timings *time_of(u32 worker) { return options_.timings ? &timings_[worker] : nullptr; }

  void parse(model::ParsedFile &parsed, Arena &arena, Worker &worker) {
    const rules::Stopwatch watch(options_.timings ? &worker.parse_time : nullptr);
    LoadedFile &file = *loaded_.files[parsed.index.value];
    progress_.done += file.waits ? 1 : 0;
    parse_guarded(file, loaded_, arena, worker);
  }

  // The file as the parser gives it.
  void prepare(model::ParsedFile &file, Arena &arena, Worker &worker) {
    if (!file.has_tree) {
      return parse(file, arena, worker);
    }
    const rules::Stopwatch watch(options_.timings ? &worker.parse_time : nullptr);
    if (residents_ == nullptr || !residents_->holds(*loaded_.files[file.index.value])) {
      model::forget_facts(file.tree);
    }
    model::find_imports(file);
  }

  // One worker analyzes a group. Where a group is so large that the others would wait for that, all of them work on it:
  // so many groups, which are the first ones.
  std::size_t parse_large_groups() {
    if (workers() == 1) {
      return 0;
    }
    constexpr u64 kParts = 4; // of a worker's share: that much can be evened out
    u64 total = 0;
    for (const model::Group &group : groups_) {
      total += model::bytes_in(group);
    }
    std::vector<model::ParsedFile *> files;
    std::size_t large = 0;
    for (; large < groups_.size() && model::bytes_in(groups_[large]) > total / (kParts * workers()); ++large) {
      files.insert(files.end(), groups_[large].begin(), groups_[large].end());
    }
    std::atomic<std::size_t> next{0};
    run_workers(workers(), [&](u32 index) {
      for (std::size_t i = next++; i < files.size(); i = next++) {
        Worker &worker = loaded_.workers[index];
        prepare(*files[i], worker.shared, worker);
      }
    });
    return large;
  }

  struct Analysed {
    const model::Project *project = nullptr;
    std::unique_ptr<model::Project> own; // unless it stays
    rules::KeptLinting *kept = nullptr;  // if it stays
    std::unique_ptr<rules::ProjectShapes> shapes;
    std::unique_ptr<rules::Linting> linting; // only of a large group
  };

  // A group that all workers analyze together and judge together.
  struct LargeGroup {
    std::vector<Analysed> analysed;
    std::atomic<std::size_t> open = 0; // pieces of work
    std::vector<std::string> failures; // of each piece; empty: none
  };

  struct Piece {
    std::size_t group = 0;
    std::size_t number = 0;       // in its group
    Analysed *analysed = nullptr; // null: the whole group
    std::size_t part = 0;
    bool is_shapes = false;
  };

  // Largest first: shapes are one piece, the rules several.
  std::vector<Piece> pieces_of(std::vector<LargeGroup> &large) const {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < large.size(); ++i) {
      const std::size_t first = pieces.size();
      if (options_.timings || large[i].analysed.empty()) {
        pieces.push_back({.group = i});
      }
      for (Analysed &one : large[i].analysed) {
        if (options_.timings) { // so that times can be told apart
          break;
        }
        one.linting = std::make_unique<rules::Linting>(*one.project, rules_, one.shapes.get(), one.kept);
        if (rules::asks_for_shapes(rules_)) {
          pieces.push_back({.group = i, .number = pieces.size() - first, .analysed = &one, .is_shapes = true});
        }
        for (std::size_t part = 0; part < one.linting->parts(); ++part) {
          pieces.push_back({.group = i, .number = pieces.size() - first, .analysed = &one, .part = part});
        }
      }
      large[i].open = pieces.size() - first;
      large[i].failures.resize(pieces.size() - first);
    }
    return pieces;
  }

  void run_piece(const Piece &piece, u32 index, LargeGroup &large) {
    try {
      if (piece.is_shapes) {
        find_shapes(*piece.analysed);
      } else if (piece.analysed != nullptr) {
        piece.analysed->linting->run(piece.part);
      }
    } catch (const std::exception &error) {
      large.failures[piece.number] = error.what();
    }
    if (--large.open == 0) { // whoever does the last piece
      finish(groups_[piece.group], index, linted_[piece.group], large);
    }
  }

  static void find_shapes(const Analysed &analysed) {
    try {
      analysed.shapes->problems();
    } catch (const std::exception &) { // whoever asks for them meets it again, and reports it
    }
  }

  void finish(const model::Group &group, u32 index, LintedGroup &linted, LargeGroup &large) {
    note_members(group, linted);
    for (const std::string &failure : large.failures) {
      if (!failure.empty()) {
        add_group_failure(group, linted, failure);
      }
    }
    guarded(group, linted, [&] {
      for (const Analysed &one : large.analysed) {
        std::vector<rules::RuleFailure> failures;
        rules::Findings found = one.linting != nullptr
                                    ? one.linting->finish(failures)
                                    : rules::lint(*one.project, rules_, failures, one.kept, time_of(index));
        note_findings(std::move(found), failures, linted);
      }
    });
    large.analysed.clear();
    if (!loaded_.stay) {
      drop_trees(group, loaded_.workers[index], linted.findings);
    }
  }

  static void add_group_failure(const model::Group &group, LintedGroup &linted, std::string_view what) {
    add_failure(group.front()->index,
                failure_message(fmt::format("this file or one of the {} that belong to it", group.size() - 1), what),
                linted);
  }

  template <class Work> static void guarded(const model::Group &group, LintedGroup &linted, Work work) {
    try {
      work();
    } catch (const std::exception &error) {
      add_group_failure(group, linted, error.what());
    }
  }

  static void note_members(const model::Group &group, LintedGroup &linted) {
    for (const model::ParsedFile *file : group) {
      linted.members.push_back(file->index.value);
    }
  }

  // From the beginning, by one worker.
  void lint_group(const model::Group &group, u32 index, LintedGroup &linted) {
    note_members(group, linted);
    guarded(group, linted, [&] {
      Worker &worker = loaded_.workers[index];
      for (model::ParsedFile *file : group) {
        prepare(*file, worker.trees, worker);
      }
      for (const model::Group &files : belonging_together(group)) {
        const Analysed analysed = analyse(files, 1, time_of(index));
        std::vector<rules::RuleFailure> failures;
        rules::Findings found = rules::lint(*analysed.project, rules_, failures, analysed.kept, time_of(index));
        note_findings(std::move(found), failures, linted);
      }
    });
    if (!loaded_.stay) {
      drop_trees(group, loaded_.workers[index], linted.findings);
    }
  }

  void drop_trees(const model::Group &group, Worker &worker, const rules::Findings &findings) {
    std::unordered_set<u32> reported;
    add_files_reported_in(findings, reported);
    for (model::ParsedFile *file : group) {
      const bool is_needed = is_reported(*file) || reported.contains(file->index.value);
      if (!is_needed) {
        file->source = {};
        file->has_text = false;
      } else if (!loaded_.files[file->index.value]->text_stays) {
        file->source = file->source.kept_in(worker.kept);
      }
      file->has_tree = false;
      file->tree.body = {};
    }
    worker.trees.reset();
  }

  // The trees tell what the files import; their texts, by which they were put together, may have told more.
  [[nodiscard]] std::vector<model::Group> belonging_together(const model::Group &group) const {
    return model::group_files(group, options_.with_tests);
  }

  void analyse_large_groups(std::vector<LargeGroup> &large) {
    for (std::size_t i = 0; i < large.size(); ++i) {
      guarded(groups_[i], linted_[i], [&] {
        for (const model::Group &files : belonging_together(groups_[i])) {
          large[i].analysed.push_back(analyse(files, workers(), time_of(0)));
        }
      });
    }
  }

  Analysed analyse(const model::Group &files, u32 threads, rules::Timings *time) const {
    const rules::Stopwatch watch(time != nullptr ? &time->analyse : nullptr);
    Analysed result;
    shapes::RootMemory *shapes = nullptr;
    try {
      if (residents_ != nullptr) {
        const Residents::Analysed known = residents_->analyse(files, loaded_, threads);
        result.project = known.project;
        result.kept = known.linting;
        shapes = known.shapes;
      }
    } catch (...) {
      residents_->forget();
      throw;
    }
    if (result.project == nullptr) {
      result.own = model::analyse(files, threads);
      result.project = result.own.get();
    }
    result.shapes = std::make_unique<rules::ProjectShapes>(*result.project, shapes);
    return result;
  }

  void note_findings(rules::Findings found, const std::vector<rules::RuleFailure> &failures,
                     LintedGroup &linted) const {
    for (const rules::RuleFailure &failure : failures) {
      if (failure.is_too_long) {
        add_failure(failure.file,
                    fmt::format("{} stopped in this file, because it takes too many steps for the size of the file",
                                failure.rule->code),
                    linted)
            .level = FileError::Level::Note;
        continue;
      }
      add_failure(failure.file, failure_message(fmt::format("this file in {}", failure.rule->code), failure.what),
                  linted);
    }
    for (rules::Finding &finding : found) {
      if (loaded_.files[finding.file.value]->parsed.is_test) {
        finding.severity = rules::Severity::Note;
      }
    }
    std::ranges::move(found, std::back_inserter(linted.findings));
  }

  const Options &options_;
  Progress &progress_;
  LoadedFiles &loaded_;
  const rules::RuleSet &rules_;
  Residents *residents_ = nullptr;
  const std::vector<model::Group> &groups_;
  std::vector<LintedGroup> linted_;
  std::vector<rules::Timings> timings_; // of each worker
};

} // namespace

void parse_file(LoadedFile &file, const LoadedFiles &loaded, Arena &arena, Worker &worker) {
  model::ParsedFile &parsed = file.parsed;
  if (!parsed.has_text) {
    // Gone since we looked: then there is nothing in it but the reason.
    const bool is_loaded = read_text(file, loaded, worker);
    if (!file.is_open) {
      note_reading(file, worker.source);
    }
    if (!is_loaded) {
      worker.source = python::load_bytes(parsed.path, {}).source;
    }
    if (loaded.stay) {
      keep_text(file, loaded, worker);
    } else {
      parsed.source = worker.source.kept_in(arena);
      parsed.has_text = true;
    }
  }
  parsed.tree = python::parse(parsed.source, loaded.stay ? file.memory : arena, worker.symbols);
  parsed.has_tree = true;
  note_unknown_rules(file, parsed.source);
  model::find_imports(parsed);
}

void parse_files(const std::vector<LoadedFile *> &files, LoadedFiles &loaded) {
  std::atomic<std::size_t> next{0};
  run_workers(static_cast<u32>(std::min(loaded.workers.size(), files.size())), [&](u32 index) {
    Worker &worker = loaded.workers[index];
    for (std::size_t i = next++; i < files.size(); i = next++) {
      parse_guarded(*files[i], loaded, worker.trees, worker);
    }
  });
}

void lint_files(const Options &options, Progress &progress, LoadedFiles &loaded,
                const std::vector<model::Group> &groups, std::vector<LintedGroup> &linted, rules::Timings &timings) {
  Lint lint(options, progress, loaded, groups);
  lint.run();
  lint.add_finding(linted, timings);
}

} // namespace deepperf::check
