// Text as words, and the HTML of posts as prose, code and error messages.
#pragma once

#include "base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

// Runs of letters, digits and underscores, in UTF-8, as they stand in the text.
std::vector<std::string_view> words(std::string_view text);

std::string lower_ascii(std::string_view text);

// &quot; &#39; &#x27; and the like as the characters they mean. What is no entity stays.
std::string decode_entities(std::string_view text);

struct PostText {
  std::string prose;               // also what stands in `code` in the middle of a sentence
  std::string code;                // blocks of it
  std::vector<std::string> errors; // names of exceptions: ValueError, torch.cuda.OutOfMemoryError
  bool has_trace = false;
};

// Takes the HTML of a post apart. Never fails: what is not understood is prose.
PostText split_post(std::string_view html);

// As one looks at it on a terminal: cut to `width` columns with an ellipsis, control characters gone.
std::string shorten(std::string_view text, std::size_t width);

// What text is on a terminal: code points, as all that we print is narrow.
std::size_t display_width(std::string_view text);

} // namespace deepperf::study
