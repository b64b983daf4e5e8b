#include "study/select.h"

#include "base/workers.h"
#include "base/write_file.h"
#include "study/chunk_scan.h"
#include "study/chunks.h"
#include "study/csv.h"
#include "study/dump.h"
#include "study/file_lock.h"
#include "study/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace deepperf::study {

namespace {

// Small enough to stay in a core's cache between being read and being scanned, large enough that locks do not matter.
constexpr std::size_t kChunkSize = std::size_t{1} << 19;
constexpr u32 kMostJobs = 16; // each holds a chunk and what was found in it
constexpr auto kBetweenCommits = std::chrono::seconds(2);

// Which numbers may be those of accepted answers that are waited for. Of a fixed size, and wrong only by saying yes too
// often: then the store is asked, and knows better.
class WaitingAnswers {
public:
  WaitingAnswers() : bits_(std::size_t{1} << (kBits - 6U)) {}

  void add(i64 id) { bits_[slot(id) >> 6U] |= u64{1} << (slot(id) & 63U); }
  bool may_hold(i64 id) const { return (bits_[slot(id) >> 6U] >> (slot(id) & 63U) & 1U) != 0; }

private:
  static constexpr u32 kBits = 27; // 16 MB
  static u64 slot(i64 id) { return static_cast<u64>(id) * 0x9E3779B97F4A7C15U >> (64U - kBits); }

  std::vector<u64> bits_;
};

class Selection {
public:
  Selection(const SelectOptions &options, SelectProgress &progress)
      : options_(options), progress_(progress), target_(link_target(options.output)), partial_(target_ + ".partial"),
        dump_(options.dump) {}
  Selection(const Selection &) = delete;
  Selection &operator=(const Selection &) = delete;

  ~Selection() {
    store_.reset();
    std::error_code ignored;
    if (!keep_) {
      std::filesystem::remove(partial_, ignored);
    }
    if (!keep_ || !std::filesystem::exists(partial_, ignored)) {
      std::filesystem::remove(partial_ + "-journal", ignored);
    }
  }

  SelectResult run() {
    open_store();
    chunks_.emplace(dump_, counts_.bytes, kChunkSize);
    progress_.first = dump_.file_done();
    progress_.total = dump_.file_size();
    result_.resumed_at = counts_.bytes;
    store_->begin();
    if (counts_.bytes == 0) {
      store_->set_fact("dump", dump_.identity());
      store_->set_fact("recipe", options_.recipe.text);
    }
    last_commit_ = std::chrono::steady_clock::now();
    const u32 jobs = std::min(options_.jobs == 0 ? available_cores() : options_.jobs, kMostJobs);
    run_workers(jobs, [this](u32) { work(); });
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
    result_.stopped = progress_.stop && !ended_;
    result_.trouble = dump_.trouble();
    if (result_.stopped) {
      commit();
    } else {
      finish();
    }
    result_.counts = counts_;
    return result_;
  }

private:
  // What would only come out when all is done, perhaps hours later.
  void check_output() const {
    const std::string &output = options_.output;
    std::error_code ignored;
    if (output.empty() || output.ends_with('/') || std::filesystem::is_directory(output, ignored)) {
      throw std::runtime_error(fmt::format("the output must be a file, which '{}' is not", output));
    }
    if (options_.dump != "-" && std::filesystem::equivalent(options_.dump, output, ignored)) {
      throw std::runtime_error(fmt::format("{} is the dump; choose another output", output));
    }
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(target_, ignored))) {
      throw std::runtime_error(fmt::format("cannot write {}: too many symbolic links", output));
    }
    const std::filesystem::file_status now = std::filesystem::status(output, ignored);
    if (std::filesystem::exists(now) && !std::filesystem::is_regular_file(now)) {
      throw std::runtime_error(fmt::format("{} is not a regular file, which a store must be", output));
    }
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(partial_ + "-journal", ignored))) {
      throw std::runtime_error(fmt::format("{}-journal is a symbolic link; remove it", partial_));
    }
    if (!options_.replace && std::filesystem::exists(now)) {
      throw std::runtime_error(fmt::format("{} already exists (--force replaces it)", output));
    }
  }

  void open_store() {
    check_output();
    lock_.emplace(partial_);
    if (options_.resume && std::filesystem::file_size(partial_) != 0) {
      store_.emplace(partial_, Store::Mode::Write);
      if (go_on()) {
        return;
      }
      store_.reset();
    }
    keep_ = false;
    std::error_code ignored; // what cannot be removed cannot be written either, and that is told
    std::filesystem::remove(partial_ + "-journal", ignored);
    lock_->clear();
    store_.emplace(partial_, Store::Mode::Create);
    counts_.steps.assign(options_.recipe.steps.size(), 0);
  }

  // Takes up what an earlier run has left. False: nothing.
  bool go_on() {
    const std::optional<std::string> left = store_->fact("counts");
    if (!left) {
      return false;
    }
    if (store_->fact("dump") != dump_.identity()) {
      throw std::runtime_error(
          fmt::format("{} was started with another dump, or {} has changed since; omit --resume to start over",
                      partial_, options_.dump));
    }
    if (store_->fact("recipe") != options_.recipe.text) {
      throw std::runtime_error(
          fmt::format("{} was started with another recipe; omit --resume to start over", partial_));
    }
    const std::optional<Counts> counts = read_counts(*left);
    if (!counts) {
      throw std::runtime_error(fmt::format("{} is damaged; omit --resume to start over", partial_));
    }
    counts_ = *counts;
    counts_.steps.resize(options_.recipe.steps.size());
    closed_ = store_->fact("closed") == "yes";
    if (!dump_.skip(counts_.bytes)) {
      throw std::runtime_error(
          fmt::format("{} ends before byte {}, which the earlier run had reached", options_.dump, counts_.bytes));
    }
    store_->for_each_waiting([this](i64 /*question*/, i64 answer) { waiting_.add(answer); });
    return true;
  }

  void work() {
    Chunk chunk;
    Scanned found;
    try {
      for (;;) {
        {
          const std::scoped_lock lock(reading_);
          if (progress_.stop || failed_ || !chunks_->next(chunk)) {
            return;
          }
          progress_.done = dump_.file_done();
        }
        scan_chunk(chunk, options_.recipe, found);
        std::unique_lock lock(writing_);
        turn_.wait(lock, [&] { return failed_ || next_ == chunk.index; });
        if (failed_) {
          return;
        }
        ended_ = chunk.last;
        const bool is_blank = chunk.text.find_first_not_of(" \t\r\n") == std::string_view::npos;
        closed_ = found.closed || (closed_ && is_blank);
        write(found);
        ++next_;
        turn_.notify_all();
      }
    } catch (...) {
      const std::scoped_lock lock(writing_);
      if (!failed_) {
        failure_ = std::current_exception();
        failed_ = true;
      }
      turn_.notify_all();
    }
  }

  void write(const Scanned &found) {
    for (const Post &post : found.posts) {
      store_->add(post);
      if (post.accepted_id) {
        waiting_.add(*post.accepted_id);
      }
    }
    for (const Answer &answer : found.answers) {
      // One that is older than its question was moved there, and stands before it. It would be found if both happen to
      // be in one chunk, and then the result would depend on where chunks end.
      if (answer.id > answer.question && waiting_.may_hold(answer.id)) {
        store_->set_accepted(answer.question, answer.id, format_time(answer.created));
      }
    }
    counts_.add(found.counts);
    if (const auto now = std::chrono::steady_clock::now(); now - last_commit_ > kBetweenCommits) {
      commit();
      store_->begin();
      last_commit_ = now;
    }
  }

  void commit() {
    store_->set_fact("counts", write_counts(counts_));
    store_->set_fact("closed", closed_ ? "yes" : "no"); // who goes on from the end reads nothing that shows it
    store_->commit();
    keep_ = true;
  }

  void finish() {
    const u64 broken = counts_.faults[static_cast<std::size_t>(Fault::BrokenRow)];
    if (counts_.rows() == 0 && (!closed_ || broken != 0)) { // a site may be empty
      keep_ = false;
      std::string why;
      if (!dump_.trouble().empty()) {
        why = " (" + dump_.trouble() + ")";
      } else if (broken != 0) {
        why = fmt::format(" ({} row{}, the first at byte {})", broken,
                          broken == 1 ? " is not a post" : "s are not posts", counts_.problems[0].offset);
      }
      throw std::runtime_error(fmt::format("{} contains no post: is it the Posts.xml of a dump?{}",
                                           options_.dump == "-" ? "standard input" : options_.dump, why));
    }
    const bool reported = std::ranges::count(counts_.problems, Fault::CutOff, &Problem::fault) != 0;
    if (!reported && (!closed_ || !dump_.trouble().empty())) {
      counts_.report(Fault::CutOff, counts_.bytes);
    }
    CsvRow row = {"step", "questions", "published"};
    std::string funnel;
    append_csv(row, funnel);
    append_csv({"questions", std::to_string(counts_.questions), ""}, funnel);
    for (std::size_t i = 0; i < counts_.steps.size(); ++i) {
      const Step &step = options_.recipe.steps[i];
      append_csv({step.name, std::to_string(counts_.steps[i]), step.published ? std::to_string(*step.published) : ""},
                 funnel);
    }
    store_->set_fact("funnel", funnel);
    store_->set_fact("recipe name", options_.recipe.name);
    commit();
    result_.stored = store_->count();
    result_.with_accepted = static_cast<u64>(store_->number("SELECT count(accepted_id) FROM posts"));
    result_.found_accepted = static_cast<u64>(store_->number("SELECT count(accepted) FROM posts"));
    store_->for_each_waiting(
        [this](i64 question, i64 answer) { result_.earlier_accepted += answer < question ? 1 : 0; });
    store_.reset();
    std::error_code error;
    std::filesystem::rename(partial_, target_, error);
    if (error) {
      throw std::runtime_error(fmt::format("cannot write {}: {}", options_.output, error.message()));
    }
  }

  const SelectOptions &options_;
  SelectProgress &progress_;
  std::string target_; // what the output names
  std::string partial_;
  std::optional<FileLock> lock_; // of the partial output
  bool keep_ = true;             // it holds something that a later run can go on from
  SelectResult result_;

  std::mutex reading_; // protects what follows
  Dump dump_;
  std::optional<Chunks> chunks_;

  std::mutex writing_; // protects what follows
  std::condition_variable turn_;
  u64 next_ = 0; // the chunk that is to be written
  std::optional<Store> store_;
  WaitingAnswers waiting_;
  Counts counts_;
  bool ended_ = false;  // the last chunk was written
  bool closed_ = false; // and it ended as a dump does
  std::chrono::steady_clock::time_point last_commit_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
};

} // namespace

SelectResult select(const SelectOptions &options, SelectProgress &progress) {
  return Selection(options, progress).run();
}

} // namespace deepperf::study
