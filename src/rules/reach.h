// What is written in the code that a piece of a function runs: its own text, and that of the functions of the project
// that it calls, at any depth. For questions such as "is zero_grad called anywhere in this loop?", where a word in a
// comment may count too: it only makes a rule silent.
#pragma once

#include "rules/site.h"

#include <initializer_list>

namespace deepperf::rules {

// Functions that the calls inside `place` of `function` lead to, each once.
std::vector<const model::FunctionInfo *> reached_functions(const model::FunctionInfo &function,
                                                           const python::Node &place);

// The text of a function, with its decorators' arguments and all; empty for a module's own code.
std::string_view text_of(const model::FunctionInfo &function);

// Does any of the words stand in the place, or in what it reaches?
bool reaches_word(const Site &site, const python::Node &place, std::initializer_list<std::string_view> words);

// The same for a text.
bool has_word(std::string_view text, std::initializer_list<std::string_view> words);

} // namespace deepperf::rules
