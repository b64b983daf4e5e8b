#include "rules/generator_methods.h"

#include <algorithm>
#include <array>

namespace deepperf::rules {

using namespace python;

namespace {

struct OldMethod {
  std::string_view name;
  std::string_view new_name;
  std::string_view positions; // what positional arguments are called now; further ones had no fixed place
  std::string_view keywords;  // that both take
  bool was_quiet;             // it printed nothing unless it was told to, and the new one prints
};

constexpr auto kOldMethods = std::to_array<OldMethod>({
    {"fit_generator", "fit", "x steps_per_epoch epochs verbose callbacks validation_data validation_steps ",
     "steps_per_epoch epochs verbose callbacks validation_data validation_steps validation_freq class_weight shuffle "
     "initial_epoch ",
     false},
    {"evaluate_generator", "evaluate", "x steps ", "steps callbacks verbose ", true},
    {"predict_generator", "predict", "x steps ", "steps callbacks verbose ", true},
    {"predict_proba", "predict", "x batch_size verbose ", "x batch_size verbose steps ", true},
});

// The word with that number in a list that ends in a space; empty if there are fewer.
std::string_view word_at(std::string_view words, std::size_t index) {
  for (; index > 0 && !words.empty(); --index) {
    words.remove_prefix(words.find(' ') + 1);
  }
  return words.substr(0, words.find(' '));
}

bool has_word_in(std::string_view words, std::string_view wanted) {
  for (; !words.empty(); words.remove_prefix(words.find(' ') + 1)) {
    if (words.substr(0, words.find(' ')) == wanted) {
      return true;
    }
  }
  return false;
}

bool is_dropped(std::string_view keyword) {
  return keyword == "max_queue_size" || keyword == "workers" || keyword == "use_multiprocessing";
}

// Dropping it changes neither what is computed nor how fast: Keras 3 has one worker unless its PyDataset says more.
bool is_default(const Site &site, const Keyword &keyword) {
  if (keyword.name.text() == "max_queue_size") {
    return keyword.value->kind == NodeKind::Constant || keyword.value->kind == NodeKind::Name;
  }
  if (keyword.value->kind != NodeKind::Constant) {
    return false;
  }
  return keyword.name.text() == "workers" ? integer_of(site, keyword.value) == 1
                                          : bool_of(site, keyword.value) == false;
}

struct Argument {
  const Node *node;
  bool is_kept;
};

} // namespace

std::optional<Fix> without_generator_method(const Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const auto known = std::ranges::find(kOldMethods, method->attr.text(), &OldMethod::name);
  if (known == kOldMethods.end() || has_hidden_arguments(call) || (call.args.empty() && call.keywords.empty())) {
    return std::nullopt;
  }
  Fix fix;
  fix.edits.push_back({method->end - static_cast<u32>(known->name.size()), method->end, std::string(known->new_name)});
  std::vector<Argument> arguments;
  bool is_verbosity_given = !known->was_quiet;
  for (u32 i = 0; i < call.args.size(); ++i) {
    const Expr *value = call.args[i];
    const std::string_view name = word_at(known->positions, i);
    if (name.empty() || value->parenthesized || value->kind == NodeKind::GeneratorExp) {
      return std::nullopt;
    }
    // The first is the data either way, and predict() takes what predict_proba() took in the same order.
    if (i > 0 && known->name != "predict_proba") {
      fix.edits.push_back(insert_before(*value, std::string(name) + "="));
    }
    is_verbosity_given |= name == "verbose";
    arguments.push_back({value, true});
  }
  for (const Keyword *keyword : call.keywords) {
    const std::string_view name = keyword->name.text();
    const bool is_data = name == "generator" && known->name != "predict_proba";
    if (is_data) {
      fix.edits.push_back({keyword->start, keyword->start + static_cast<u32>(name.size()), "x"});
    } else if (is_dropped(name)) {
      fix.safe = fix.safe && is_default(site, *keyword);
    } else if (!has_word_in(known->keywords, name)) {
      return std::nullopt;
    }
    is_verbosity_given |= name == "verbose";
    arguments.push_back({keyword, !is_dropped(name)});
  }
  std::ranges::sort(arguments, {}, [](const Argument &argument) { return argument.node->start; });
  const std::string more = is_verbosity_given ? "" : ", verbose=0";
  for (std::size_t first = 0; first < arguments.size();) {
    std::size_t last = first; // of the arguments from here on that go
    while (last < arguments.size() && !arguments[last].is_kept) {
      ++last;
    }
    if (last == arguments.size() && last != first) {
      if (first == 0) {
        return std::nullopt;
      }
      fix.edits.push_back({arguments[first - 1].node->end, arguments[last - 1].node->end, more});
      return fix;
    }
    if (last != first) {
      fix.edits.push_back({arguments[first].node->start, arguments[last].node->start, ""});
    }
    first = last + 1;
  }
  if (!more.empty()) {
    fix.edits.push_back(insert_after(*arguments.back().node, more));
  }
  return fix;
}

} // namespace deepperf::rules
