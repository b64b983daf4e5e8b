// Porter's stemmer as NLTK has it by default (its mode NLTK_EXTENSIONS). The DLPerf keywords were stemmed with that
// one, and no other gives the same words: the usual libraries differ on one word in 65.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::study {

// The stem of a word, in lower case. Letters beyond ASCII stay as they are and count as consonants.
std::string porter_stem(std::string_view word);

} // namespace deepperf::study
