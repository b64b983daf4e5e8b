// Words that classifiers know before they have learned anything.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace deepperf::study {

// Whether the word, in lower case, is one of those that say nothing of the subject: a, the, how, to.
bool is_function_word(std::string_view word);

// The kinds of things that a stem stands for in deep learning: "layer" for dropout, "metric" for recall. The words are
// the names that Keras, PyTorch and scikit-learn give their layers, metrics, losses and optimizers, and what the field
// calls its data, devices and operations. It was written after reading titles of the studies' data, also some that had
// been classified wrongly, so figures on that data with the list are not blind; docs/study.md has those without it too.
std::span<const std::string_view> concepts_of(const std::string &stem);

} // namespace deepperf::study
