#include "study/chunk_scan.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace deepperf::study {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// In another encoding nothing would be found, and why would be hard to guess.
void check_encoding(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv) || text.starts_with("<\0"sv) ||
      text.starts_with("\0<"sv)) {
    throw std::runtime_error("the dump is UTF-16; `iconv -f UTF-16 -t UTF-8` converts it");
  }
  if (!text.starts_with("<?xml")) {
    return;
  }
  const std::string_view declaration = text.substr(0, text.find("?>"));
  const std::size_t at = declaration.find("encoding=");
  if (at == std::string_view::npos || at + 10 >= declaration.size()) {
    return;
  }
  const std::size_t start = at + 10; // after the quote
  const std::string_view name = declaration.substr(start, declaration.find_first_of("\"'", start) - start);
  const auto is = [&](std::string_view other) {
    return name.size() == other.size() &&
           std::equal(name.begin(), name.end(), other.begin(), [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  };
  if (!is("utf-8") && !is("utf8") && !is("us-ascii") && !is("ascii")) {
    throw std::runtime_error(fmt::format("the dump declares the encoding {}; `iconv -f {} -t UTF-8` converts it (also "
                                         "change the declaration in its first line)",
                                         name.substr(0, 40), name.substr(0, 40)));
  }
}

// Rows are all that is looked at; a byte-order mark is none.
std::string_view without_mark(const Chunk &chunk) {
  return chunk.offset == 0 && chunk.text.starts_with(kByteOrderMark) ? chunk.text.substr(kByteOrderMark.size())
                                                                     : chunk.text;
}

class ChunkScan {
public:
  ChunkScan(const Chunk &chunk, const Recipe &recipe, Scanned &found)
      : chunk_(chunk), recipe_(recipe), found_(found), scanner_(without_mark(chunk), chunk.inside),
        valid_(simdjson::validate_utf8(chunk.text.data(), chunk.text.size())),
        has_zeros_(chunk.text.find('\0') != std::string_view::npos) {}

  void run() {
    Row row;
    for (;;) {
      switch (scanner_.next(row)) {
      case RowScanner::Event::Row:
        take(row);
        break;
      case RowScanner::Event::Broken:
        report(Fault::BrokenRow, row);
        break;
      case RowScanner::Event::Unclosed:
        // Where a chunk that is not the last one ends, the row was too long to be one.
        report(chunk_.last ? Fault::CutOff : Fault::BrokenRow, row);
        break;
      case RowScanner::Event::Junk:
        report(is_utf8(row) ? Fault::Junk : Fault::WrongEncoding, row);
        break;
      case RowScanner::Event::End:
        found_.closed = scanner_.closed();
        return;
      }
    }
  }

private:
  // The whole chunk nearly always is, and then no row needs a look.
  bool is_utf8(const Row &row) const { return valid_ || simdjson::validate_utf8(row.text.data(), row.text.size()); }

  void report(Fault fault, const Row &row) {
    found_.counts.report(fault, chunk_.offset + static_cast<u64>(row.text.data() - chunk_.text.data()));
  }

  void take(const Row &row) {
    if (!is_utf8(row)) {
      report(Fault::WrongEncoding, row);
      return;
    }
    if (has_zeros_ && row.text.find('\0') != std::string_view::npos) {
      report(Fault::BrokenRow, row);
      return;
    }
    const std::optional<i64> id = number_in(row, Field::Id);
    const std::optional<i64> type = number_in(row, Field::PostType);
    const std::optional<i64> created = parse_time(row[Field::Created]);
    if (!id || !type || !created) {
      report(Fault::BrokenRow, row);
      return;
    }
    if (*type == 1) {
      if (!has_numbers(row)) {
        report(Fault::BrokenRow, row);
        return;
      }
      take_question(row, *id, *created);
    } else if (*type == 2) {
      ++found_.counts.answers;
      if (const std::optional<i64> question = number_in(row, Field::Parent)) {
        found_.answers.push_back({*id, *question, *created});
      }
    } else {
      ++found_.counts.others;
    }
  }

  // Every question has a score. What else is a number may be missing, but not be something else: 0 would be a lie.
  static bool has_numbers(const Row &row) {
    constexpr std::array kNumbers = {Field::Views, Field::Answers, Field::Favourites, Field::AcceptedAnswer};
    return number_in(row, Field::Score) &&
           std::ranges::all_of(kNumbers, [&](Field field) { return row[field].empty() || number_in(row, field); });
  }

  void take_question(const Row &row, i64 id, i64 created) {
    Question question(row, created);
    std::size_t passed = 0;
    while (passed < recipe_.steps.size() && passes(recipe_.steps[passed], question)) {
      ++passed;
    }
    const bool wanted = passed == recipe_.steps.size();
    Post post;
    if (wanted) {
      post = make_post(question, id);
    }
    if (question.damaged()) {
      report(Fault::BrokenRow, row);
      return;
    }
    found_.counts.add_question(created);
    for (std::size_t i = 0; i < passed; ++i) {
      ++found_.counts.steps[i];
    }
    if (wanted) {
      found_.posts.push_back(std::move(post));
    }
  }

  static Post make_post(Question &question, i64 id) {
    const Row &row = question.row();
    Post post;
    post.id = id;
    post.title = question.title();
    post.body = question.body();
    post.tags.assign(question.tags().begin(), question.tags().end());
    post.created = row[Field::Created];
    post.score = *number_in(row, Field::Score);
    post.views = number_in(row, Field::Views);
    post.answers = number_in(row, Field::Answers);
    post.favourites = number_in(row, Field::Favourites);
    post.accepted_id = number_in(row, Field::AcceptedAnswer);
    post.closed = row[Field::Closed];
    return post;
  }

  const Chunk &chunk_;
  const Recipe &recipe_;
  Scanned &found_;
  RowScanner scanner_;
  bool valid_;
  bool has_zeros_; // which no XML may have
};

} // namespace

void scan_chunk(const Chunk &chunk, const Recipe &recipe, Scanned &found) {
  found.posts.clear();
  found.answers.clear();
  found.counts = Counts();
  found.counts.bytes = chunk.text.size();
  found.counts.steps.assign(recipe.steps.size(), 0);
  found.closed = false;
  if (chunk.offset == 0) {
    check_encoding(without_mark(chunk));
  }
  ChunkScan(chunk, recipe, found).run();
}

} // namespace deepperf::study
