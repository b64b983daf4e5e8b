// Which questions a study takes, as a funnel: steps in the order in which they are applied, read from TOML.
#pragma once

#include "base/types.h"
#include "study/keywords.h"
#include "study/rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// A question passes if all that is set holds; of a list, one entry is enough.
struct Step {
  std::string name;
  std::vector<std::string> tags;           // one of its tags is one of these
  std::vector<std::string> tags_contain;   // one of its tags has one of these in it
  std::vector<std::string> tags_all;       // all of these are its tags
  std::vector<std::string> tags_none;      // none of these is its tag
  std::vector<std::string> title_contains; // letters, also in the middle of words; upper and lower case are the same
  std::vector<std::string> title_words;    // the same, but whole words
  std::optional<KeywordFilter> keywords;   // in title or body, by stems
  std::optional<i64> from;                 // created at this time or later
  std::optional<i64> before;
  std::optional<bool> accepted; // has an accepted answer
  std::optional<bool> closed;
  std::optional<i64> min_score;
  std::optional<i64> min_views;
  std::optional<i64> min_answers;
  std::optional<u64> published; // how many questions the study itself had left after this step
};

struct Recipe {
  std::string name;
  std::string about; // whose it is
  std::vector<Step> steps;
  std::string text; // the TOML it was read from
};

// `file` is what errors call it. Throws std::runtime_error with file, line and column.
Recipe parse_recipe(std::string_view text, const std::string &file);

// One that comes with the program, or else the path of a file.
Recipe load_recipe(const std::string &name_or_path);

std::vector<std::string> recipe_names();

// A question, decoded no further than somebody asked.
class Question {
public:
  // `created` is its time. The row's bytes must outlive this.
  Question(const Row &row, i64 created) : row_(row), created_(created) {}

  const Row &row() const { return row_; }
  i64 created() const { return created_; }
  const std::vector<std::string_view> &tags();
  const std::string &title();
  const std::string &body();

  // An entity in what was decoded is none.
  bool damaged() const { return damaged_; }

private:
  const std::string &decode(Field field, std::optional<std::string> &text);

  const Row &row_;
  i64 created_;
  std::optional<std::string> tag_text_;
  std::optional<std::string> title_;
  std::optional<std::string> body_;
  std::vector<std::string_view> tags_;
  bool damaged_ = false;
};

bool passes(const Step &step, Question &question);

// The number in a field: nothing if it is not there or is none.
std::optional<i64> number_in(const Row &row, Field field);

} // namespace deepperf::study
