#include "rules/api_history.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

namespace deepperf::rules {
namespace {

// The names with dots that stand between backquotes: `transformers.pytorch_utils.Conv1D`, also `jax.tree.map(…)`.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at)) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string_view::npos) {
      break;
    }
    std::string name;
    for (const char c : text.substr(at + 1, end - at - 1)) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') {
        break;
      }
      name += c;
    }
    if (name.find('.') != std::string::npos) {
      names.push_back(name);
    }
    at = end + 1;
  }
  return names;
}

void check_row(const ApiHistory &row) {
  std::vector<std::string> names = names_in(row.instead);
  if (!row.renamed_to.empty()) {
    names.emplace_back(row.renamed_to);
  }
  for (const std::string &name : names) {
    const std::size_t dot = name.rfind('.');
    // `shlex.quote`, which `pipes.quote` was
    if (dot == std::string::npos || row.api == "pipes" || name == row.api) {
      continue;
    }
    const ApiHistory *const history = history_of_import(name.substr(0, dot), name.substr(dot + 1));
    EXPECT_TRUE(history == nullptr || history->removed.empty())
        << row.api << " became " << name << ", which is taken for " << history->api;
  }
}

// What a row tells people to write must not be reported itself.
TEST(History, NothingBecameWhatIsRemoved) {
  for (const auto &table : {array_history(), torch_history(), jax_history(), language_history(), service_history(),
                            keras_history(), python_history(), tensorflow_history()}) {
    for (const ApiHistory &row : table) {
      check_row(row);
    }
  }
}

} // namespace
} // namespace deepperf::rules
