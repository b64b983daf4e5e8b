#include "rules/reach.h"

#include <algorithm>
#include <array>

namespace deepperf::rules {

using namespace python;

namespace {
// More than this is a whole library; what is further away decides nothing.
constexpr std::size_t kMostFunctions = 200;
} // namespace

std::vector<const model::FunctionInfo *> reached_functions(const model::FunctionInfo &function, const Node &place) {
  std::vector<const model::FunctionInfo *> found;
  const auto add = [&found](const model::FunctionInfo *callee) {
    if (found.size() < kMostFunctions && std::ranges::find(found, callee) == found.end()) {
      found.push_back(callee);
    }
  };
  for (const model::CallSite &site : function.calls) {
    if (place.start <= site.call->start && site.call->end <= place.end) {
      add(site.callee);
    }
  }
  std::size_t next = 0;
  while (next < found.size()) { // it grows on the way
    const model::FunctionInfo *const caller = found[next++];
    for (const model::CallSite &site : caller->calls) {
      add(site.callee);
    }
  }
  return found;
}

std::string_view text_of(const model::FunctionInfo &function) {
  return function.node == nullptr ? std::string_view{}
                                  : function.module->parsed->source.text().substr(
                                        function.node->start, function.node->end - function.node->start);
}

bool has_word(std::string_view text, Words words) {
  return std::ranges::any_of(words,
                             [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool has_word_in_any_case(std::string_view text, std::initializer_list<std::string_view> words) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::array<bool, 256> begins{}; // whether a word begins so: for most places of the text that is all that is asked
  for (const std::string_view word : words) {
    begins[static_cast<u8>(word[0])] = true;
    begins[static_cast<u8>(word[0] >= 'a' && word[0] <= 'z' ? word[0] - 'a' + 'A' : word[0])] = true;
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins[static_cast<u8>(text[at])]) {
      continue;
    }
    const bool found = std::ranges::any_of(words, [&](std::string_view word) {
      return word.size() <= text.size() - at && std::ranges::equal(word, text.substr(at, word.size()), {}, {}, lower);
    });
    if (found) {
      return true;
    }
  }
  return false;
}

bool reaches_word(const Site &site, const Node &place, Words words) {
  if (has_word(text_of(site, &place), words)) {
    return true;
  }
  const std::vector<const model::FunctionInfo *> reached = reached_functions(*site.function, place);
  return std::ranges::any_of(reached,
                             [&](const model::FunctionInfo *function) { return has_word(text_of(*function), words); });
}

} // namespace deepperf::rules
