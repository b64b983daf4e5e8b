// The keyword filter of the DLPerf study (Cao et al., ESEC/FSE 2022): a post may be about performance if, after
// stemming, one of 24 words or pairs of words is in it.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::study {

class KeywordFilter {
public:
  // Each is one stem or two with a space between them.
  explicit KeywordFilter(std::vector<std::string> keywords);

  // Those that the text holds, as indices, in order and without doubles.
  std::vector<std::size_t> matches(std::string_view text) const;

  const std::vector<std::string> &keywords() const { return keywords_; }

private:
  std::vector<std::string> keywords_;
  std::unordered_map<std::string, std::size_t> index_;
};

// The 11 single stems and 13 pairs, as they were published. Two of them can never match: "hangs" and "very slow" are
// not stems (Porter makes hang and veri of them).
const std::vector<std::string> &published_keywords();

// The same list with those two made stems.
const std::vector<std::string> &corrected_keywords();

// Those of `keywords` that no stemmed text can hold.
std::vector<std::string> impossible_keywords(const std::vector<std::string> &keywords);

// One per line; empty lines and those that start with # are none. Throws std::runtime_error.
std::vector<std::string> read_keywords(const std::string &path);

} // namespace deepperf::study
