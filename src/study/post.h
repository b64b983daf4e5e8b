// A question as a study sees it, and the time of its accepted answer.
#pragma once

#include "base/types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// What somebody or something said of a post. A post may have several values under one name.
struct Label {
  std::string name;
  std::string value;
};

struct Post {
  i64 id = 0;
  std::string title; // plain text
  std::string body;  // HTML
  std::vector<std::string> tags;
  std::string created; // as in the dump: 2016-08-02T15:39:14.947, UTC
  i64 score = 0;
  std::optional<i64> views;
  std::optional<i64> answers;
  std::optional<i64> favourites;
  std::optional<i64> accepted_id; // the answer's
  std::string accepted;           // when the accepted answer was written; empty: not known
  std::string closed;             // empty: open
  std::vector<Label> labels;
};

// Milliseconds since 1970 of a dump's time (2016-08-02T15:39:14.947; the part after the day, or the fraction, may be
// absent, and a Z may follow).
std::optional<i64> parse_time(std::string_view text);

// The way back, with all three digits of the fraction.
std::string format_time(i64 milliseconds);

// <a><b> (as dumps up to 2023 have it) or |a|b| (later ones) or a b, as a list.
std::vector<std::string> parse_tags(std::string_view text);
std::vector<std::string_view> split_tags(std::string_view text); // parts of the text

// |a|b|
std::string join_tags(const std::vector<std::string> &tags);

} // namespace deepperf::study
