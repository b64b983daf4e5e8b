#include "rules/reach.h"

#include "base/scan.h"
#include "base/steps.h"
#include "model/code_text.h"
#include "rules/kept_linting.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {
// More than this is a whole library; what is further away decides nothing.
constexpr std::size_t kMostFunctions = 200;

// A search of a text takes as long as a look at a node for about each line.
i64 steps_of(std::string_view text) { return static_cast<i64>(text.size() / 32); }
} // namespace

std::vector<const model::FunctionInfo *> reached_functions(const model::FunctionInfo &function, const Node &place) {
  std::vector<const model::FunctionInfo *> found;
  const auto add = [&found](const model::FunctionInfo *callee) {
    if (found.size() < kMostFunctions && std::ranges::find(found, callee) == found.end()) {
      found.push_back(callee);
    }
  };
  for (const model::CallSite *site : model::calls_inside(function, place)) {
    add(site->callee);
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

std::span<model::Loop *const> loops_inside(const model::FunctionInfo &function, const Node &node) {
  const auto place_of = [](const model::Loop *loop) { return loop->node->start; };
  const auto first = std::ranges::lower_bound(function.loops, node.start, {}, place_of);
  return {first, std::ranges::lower_bound(first, function.loops.end(), node.end, {}, place_of)};
}

std::string_view text_of(const model::FunctionInfo &function) {
  return model::code_of(*function.module, function.node);
}

namespace {

// Asked for at each place that a rule looks at, and therefore short.
u64 hash_of(Words words, bool in_any_case) {
  constexpr u64 kMultiplier = 0x9E3779B97F4A7C15U;
  u64 hash = in_any_case ? 1 : 0;
  for (std::string_view word : words) {
    hash = (hash ^ word.size()) * kMultiplier;
    while (!word.empty()) {
      u64 bytes = 0;
      const std::size_t count = std::min(word.size(), sizeof bytes);
      std::memcpy(&bytes, word.data(), count);
      hash = ((hash ^ (hash >> 32U)) + bytes) * kMultiplier;
      word.remove_prefix(count);
    }
  }
  return hash ^ (hash >> 32U);
}

// A long text, and words that were searched in it.
struct Searched {
  const char *text = nullptr;
  std::size_t size = 0;
  u64 words = 0;
  bool operator==(const Searched &) const = default;
};

struct SearchedHash {
  std::size_t operator()(const Searched &one) const {
    return (std::hash<const char *>()(one.text) * 31 + one.size) * 31 + one.words;
  }
};

// Many places ask for the same words of the same file, class or function. Its texts stay where they are as long as
// rules look at one project: see forget_searches().
thread_local std::unordered_map<Searched, bool, SearchedHash> searches;

template <class Search> bool search_once(std::string_view text, Words words, bool in_any_case, Search search) {
  constexpr std::size_t kShort = 400; // bytes, which are searched as fast as remembered
  if (text.size() <= kShort) {
    return search();
  }
  const auto [known, is_new] = searches.try_emplace({text.data(), text.size(), hash_of(words, in_any_case)});
  if (is_new) {
    known->second = search();
    take_steps(steps_of(text));
  }
  return known->second;
}

// Looks at sixteen places at once, and therefore further than the word may begin.
bool contains(std::string_view text, std::string_view word) {
  constexpr std::size_t kLookahead = 32;
  std::string_view rest = text;
  if (word.size() >= 2 && word.size() <= 16 && text.size() >= 4 * kLookahead) {
    const char *const end = text.data() + text.size() - kLookahead;
    if (scan::find_word(text.data(), end, word) != nullptr) {
      return true;
    }
    rest = text.substr(text.size() - kLookahead - word.size());
  }
  return rest.find(word) != std::string_view::npos;
}

bool finds(std::string_view text, Words words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return contains(text, word); });
}

// In a part of a module's code, or all of it.
bool finds_in_code(const model::Module &module, std::string_view part, Words words) {
  constexpr std::size_t kShort = 400; // bytes, which are searched as fast as the groups are asked
  if (part.size() <= kShort) {
    return finds(part, words);
  }
  const model::TextGroups &groups = model::groups_of(module);
  return std::ranges::any_of(words, [&](std::string_view word) {
    if (!groups.may_have(word)) {
      return false;
    }
    take_steps(steps_of(part));
    return contains(part, word);
  });
}

bool finds_in_any_case(std::string_view text, Words words) {
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

} // namespace

void forget_searches() { searches.clear(); }

bool has_word(std::string_view text, Words words) {
  return search_once(text, words, false, [&] { return finds(text, words); });
}

bool has_word_in_any_case(std::string_view text, Words words) {
  return search_once(text, words, true, [&] { return finds_in_any_case(text, words); });
}

bool has_word_in_any_case(std::string_view text, std::initializer_list<std::string_view> words) {
  return has_word_in_any_case(text, Words(words.begin(), words.size()));
}

namespace {

// Which words have been searched in a text, and whether they were there.
struct SearchedWords {
  mutable std::unordered_map<u64, bool> found; // by a hash of the words
};

template <class Search> bool searched_once(const Site &site, const void *about, u64 words, Search search) {
  const auto &known = site.memory.recall<SearchedWords>(about, [] { return SearchedWords{}; });
  const auto [place, is_new] = known.found.try_emplace(words, false);
  if (is_new) {
    place->second = search();
  }
  return place->second;
}

} // namespace

bool file_has_word(const Site &site, Words words) {
  return searched_once(site, site.module, hash_of(words, false),
                       [&] { return finds_in_code(*site.module, model::code_of(*site.module), words); });
}

bool file_has_word(const Site &site, std::initializer_list<std::string_view> words) {
  return file_has_word(site, Words(words.begin(), words.size()));
}

bool file_has_word_in_any_case(const Site &site, std::initializer_list<std::string_view> words) {
  return searched_once(site, site.module, hash_of(Words(words.begin(), words.size()), true),
                       [&] { return has_word_in_any_case(model::code_of(*site.module), words); });
}

namespace {

template <class Has> bool any_module_has(const Site &site, Words words, bool in_any_case, Has has) {
  const u64 hash = hash_of(words, in_any_case);
  auto *const questions = reads_now != nullptr ? static_cast<ProjectQuestions *>(reads_now->questions) : nullptr;
  const bool answer = searched_once(site, &site.project, hash, [&] {
    if (questions != nullptr) {
      if (const std::optional<bool> known = questions->known_answer(hash)) {
        return *known;
      }
    }
    const ReadPause pause; // the answer is what was read
    const SharedWork shared;
    return std::ranges::any_of(site.project.modules,
                               [&](const model::Module &module) { return has(module, model::code_of(module)); });
  });
  if (questions != nullptr) [[unlikely]] {
    const std::optional<u32> question = questions->note_words(hash, words, in_any_case, answer);
    if (question) {
      reads_now->set.add(static_cast<u32>(site.project.modules.size()) + model::kNameUnits + *question);
    } else {
      note_read_everything();
    }
  }
  return answer;
}

} // namespace

bool project_has_word(const Site &site, std::initializer_list<std::string_view> words) {
  const Words all(words.begin(), words.size());
  return any_module_has(site, all, false, [all](const model::Module &module, std::string_view code) {
    return finds_in_code(module, code, all);
  });
}

bool project_has_word_in_any_case(const Site &site, std::initializer_list<std::string_view> words) {
  return any_module_has(
      site, Words(words.begin(), words.size()), true,
      [&](const model::Module & /*module*/, std::string_view code) { return has_word_in_any_case(code, words); });
}

bool node_has_word(const Site &site, const Node &node, Words words) {
  return searched_once(site, &node, hash_of(words, false),
                       [&] { return finds_in_code(*site.module, model::code_of(*site.module, &node), words); });
}

bool function_has_word(const Site &site, Words words) {
  const Node *const node = site.function != nullptr ? site.function->node : nullptr;
  return node != nullptr ? node_has_word(site, *node, words) : file_has_word(site, words);
}

bool function_has_word(const Site &site, std::initializer_list<std::string_view> words) {
  return function_has_word(site, Words(words.begin(), words.size()));
}

bool reaches_word(const Site &site, const Node &place, Words words) {
  struct Reached {
    bool value = false;
    ReadSet reads;
  };
  struct ReachedWords {
    mutable std::unordered_map<u64, Reached> found;
  };
  const auto &known = site.memory.recall<ReachedWords>(&place, [] { return ReachedWords{}; });
  const auto [answer, is_new] = known.found.try_emplace(hash_of(words, false));
  if (is_new) {
    const ReadScope reads;
    const std::vector<const model::FunctionInfo *> reached = reached_functions(*site.function, place);
    answer->second.value =
        node_has_word(site, place, words) || std::ranges::any_of(reached, [&](const model::FunctionInfo *function) {
          return searched_once(site, function, hash_of(words, false),
                               [&] { return finds_in_code(*function->module, text_of(*function), words); });
        });
    answer->second.reads = reads_now != nullptr ? reads_now->set : ReadSet{};
  }
  note_read_set(answer->second.reads);
  return answer->second.value;
}

} // namespace deepperf::rules
