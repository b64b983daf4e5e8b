// Labels proposed by rules, for people to confirm: what a how-to question is about (Liu et al.), and what a performance
// problem shows, comes from and where (DLPerf).
#pragma once

#include "study/samples.h"

#include <string>
#include <string_view>
#include <vector>

namespace deepperf::study {

struct Proposal {
  std::string value;
  double score = 0; // from 0, a guess, to 1
  std::string why;  // the words that it rests on
};

// (verb, object, phase) of a title such as "How to plot the loss in Keras". The phase is a letter, the object's name is
// the taxonomy's. Where the title has no "how to", the verb is empty and all scores are low.
struct HowToLabel {
  Proposal verb;
  Proposal object;
  Proposal phase;
};
HowToLabel label_how_to(std::string_view title);

// In the codebook's words. "Unknown" where nothing speaks for anything.
struct PerformanceLabel {
  Proposal symptom;
  Proposal root_cause;
  Proposal introducing;
  Proposal exposing;
};
PerformanceLabel label_performance(const Document &document);

} // namespace deepperf::study
