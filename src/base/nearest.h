// Which word somebody meant who misspelled it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deepperf {

// The candidate that `word` is most likely a typo of; empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string> &candidates);

// `; did you mean 'ignore'?`, to end a message with; empty if nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string> &candidates);

} // namespace deepperf
