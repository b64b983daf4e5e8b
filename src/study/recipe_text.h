// Recipes in words, for people who read a funnel.
#pragma once

#include "study/recipe.h"

#include <string>

namespace deepperf::study {

// What a question must have to pass: "tag tensorflow or keras; before 2021-03-03".
std::string describe(const Step &step);

// The day of a time, and the rest of it unless the day has just begun.
std::string short_time(i64 milliseconds);

} // namespace deepperf::study
