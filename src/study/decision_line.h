// Where to draw the line between two classes.
#pragma once

#include <vector>

namespace deepperf::study {

struct ScoredItem {
  double score = 0; // how much more the second class is spoken for than the first
  bool second = false;
};

// Of how likely an item is of the second class, a support vector machine knows the order better than the middle, above
// all where one class is rare. Gives back what to add to the scores, so that those above zero are best taken for the
// second class: by the mean of accuracy and macro F1, and of lines that lie side by side together, as one alone may be
// good by chance. 0 if there is nothing to choose from.
double best_offset(std::vector<ScoredItem> items);

} // namespace deepperf::study
