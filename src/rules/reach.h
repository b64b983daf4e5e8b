// What is written in the code that a piece of a function runs: its own text, and that of the functions of the project
// that it calls, at any depth. For questions such as "is zero_grad called anywhere in this loop?". Comments and
// docstrings do not count.
#pragma once

#include "rules/site.h"

#include <initializer_list>
#include <span>

namespace deepperf::rules {

// Functions that the calls inside `place` of `function` lead to, each once.
std::vector<const model::FunctionInfo *> reached_functions(const model::FunctionInfo &function,
                                                           const python::Node &place);

// The loops of the function that stand inside the node, or are it.
std::span<model::Loop *const> loops_inside(const model::FunctionInfo &function, const python::Node &node);

// The text of a function, with its decorators' arguments and all; empty for a module's own code.
std::string_view text_of(const model::FunctionInfo &function);

// Does any of the words stand in the place, or in what it reaches?
using Words = std::span<const std::string_view>;
bool reaches_word(const Site &site, const python::Node &place, Words words);

// The same for a text. Long texts of a project's files are searched once.
bool has_word(std::string_view text, Words words);
inline bool has_word(std::string_view text, std::initializer_list<std::string_view> words) {
  return has_word(text, Words(words.begin(), words.size()));
}

// Before rules look at another project.
void forget_searches();

// The same whatever the case of the text; the words are in lower case.
bool has_word_in_any_case(std::string_view text, Words words);
bool has_word_in_any_case(std::string_view text, std::initializer_list<std::string_view> words);

// The same for the file of the place, all files of its project, or the function (of a module's own code, the file). The
// text is searched once for all places.
bool file_has_word(const Site &site, std::initializer_list<std::string_view> words);
bool file_has_word(const Site &site, Words words);
bool file_has_word_in_any_case(const Site &site, std::initializer_list<std::string_view> words);
bool project_has_word(const Site &site, std::initializer_list<std::string_view> words);
bool project_has_word_in_any_case(const Site &site, std::initializer_list<std::string_view> words);
bool function_has_word(const Site &site, std::initializer_list<std::string_view> words);
bool function_has_word(const Site &site, Words words);

// The same for a loop, class or other node of the file.
bool node_has_word(const Site &site, const python::Node &node, Words words);

} // namespace deepperf::rules
