#include "study/recipe.h"

#include "base/embedded_text.h"
#include "study/files.h"
#include "study/post.h"
#include "study/text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <stdexcept>

namespace deepperf {

std::span<const EmbeddedText> study_texts(); // src/study/recipes/*.toml

namespace study {

namespace {

[[noreturn]] void fail(const std::string &file, const toml::source_region &where, std::string_view what) {
  throw std::runtime_error(fmt::format("{}:{}:{}: {}", file, where.begin.line, where.begin.column, what));
}

std::string text_of(const std::string &file, std::string_view key, const toml::node &node) {
  if (const auto *text = node.as_string(); text != nullptr && !text->get().empty()) {
    return text->get();
  }
  fail(file, node.source(), fmt::format("'{}' is text in quotes", key));
}

std::vector<std::string> list_of(const std::string &file, std::string_view key, const toml::node &node) {
  const toml::array *const array = node.as_array();
  if (array == nullptr || array->empty()) {
    fail(file, node.source(), fmt::format("'{}' is a list of texts, such as [\"a\", \"b\"]", key));
  }
  std::vector<std::string> list;
  for (const toml::node &entry : *array) {
    list.push_back(text_of(file, key, entry));
  }
  return list;
}

i64 integer_of(const std::string &file, std::string_view key, const toml::node &node) {
  const auto *number = node.as_integer();
  if (number == nullptr) {
    fail(file, node.source(), fmt::format("'{}' is a whole number", key));
  }
  return number->get();
}

bool truth_of(const std::string &file, std::string_view key, const toml::node &node) {
  const auto *truth = node.as_boolean();
  if (truth == nullptr) {
    fail(file, node.source(), fmt::format("'{}' is true or false", key));
  }
  return truth->get();
}

// A TOML date, or one in quotes.
i64 time_of(const std::string &file, std::string_view key, const toml::node &node) {
  std::optional<i64> time;
  if (const auto *date = node.as_date(); date != nullptr) {
    const toml::date day = date->get();
    time = parse_time(fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day));
  } else if (const auto *text = node.as_string(); text != nullptr) {
    time = parse_time(text->get());
  }
  if (!time) {
    fail(file, node.source(), fmt::format("'{}' is a day, such as 2018-01-31", key));
  }
  return *time;
}

KeywordFilter keywords_of(const std::string &file, std::string_view key, const toml::node &node) {
  if (const auto *text = node.as_string(); text != nullptr) {
    if (text->get() == "published") {
      return KeywordFilter(published_keywords());
    }
    if (text->get() == "corrected") {
      return KeywordFilter(corrected_keywords());
    }
  }
  if (!node.is_array()) {
    fail(file, node.source(), fmt::format("'{}' is a list of stems, \"published\" or \"corrected\"", key));
  }
  std::vector<std::string> keywords = list_of(file, key, node);
  // One that is no stem would never be found, and nobody would know why.
  if (const std::vector<std::string> impossible = impossible_keywords(keywords); !impossible.empty()) {
    fail(file, node.source(), fmt::format("'{}' is not a stem, so it can never match", impossible[0]));
  }
  return KeywordFilter(std::move(keywords));
}

struct StepReader {
  const std::string &file;
  Step step;
  int conditions = 0;

  void read(std::string_view key, const toml::node &node) {
    if (key == "name") {
      step.name = text_of(file, key, node);
      return;
    }
    if (key == "published") {
      step.published = static_cast<u64>(std::max<i64>(integer_of(file, key, node), 0));
      return;
    }
    ++conditions;
    if (key == "tags") {
      step.tags = lowered(list_of(file, key, node)); // as all tags are
    } else if (key == "tags_contain") {
      step.tags_contain = lowered(list_of(file, key, node));
    } else if (key == "tags_all") {
      step.tags_all = lowered(list_of(file, key, node));
    } else if (key == "tags_none") {
      step.tags_none = lowered(list_of(file, key, node));
    } else if (key == "title_contains") {
      step.title_contains = lowered(list_of(file, key, node));
    } else if (key == "title_words") {
      step.title_words = lowered(list_of(file, key, node));
    } else if (key == "keywords") {
      step.keywords = keywords_of(file, key, node);
    } else if (key == "from") {
      step.from = time_of(file, key, node);
    } else if (key == "before") {
      step.before = time_of(file, key, node);
    } else if (key == "accepted") {
      step.accepted = truth_of(file, key, node);
    } else if (key == "closed") {
      step.closed = truth_of(file, key, node);
    } else if (key == "min_score") {
      step.min_score = integer_of(file, key, node);
    } else if (key == "min_views") {
      step.min_views = integer_of(file, key, node);
    } else if (key == "min_answers") {
      step.min_answers = integer_of(file, key, node);
    } else {
      fail(file, node.source(),
           fmt::format(
               "unknown condition '{}'; known conditions: tags, tags_contain, tags_all, tags_none, title_contains, "
               "title_words, keywords, from, before, accepted, closed, min_score, min_views, min_answers",
               key));
    }
  }

  static std::vector<std::string> lowered(std::vector<std::string> list) {
    for (std::string &text : list) {
      text = lower_ascii(text);
    }
    return list;
  }
};

Step read_step(const std::string &file, const toml::node &node) {
  const toml::table *const table = node.as_table();
  if (table == nullptr) {
    fail(file, node.source(), "a step is a table: [[step]]");
  }
  StepReader reader{file, {}};
  for (const auto &[key, value] : *table) {
    reader.read(key.str(), value);
  }
  if (reader.step.name.empty()) {
    fail(file, node.source(), "this step has no name");
  }
  if (reader.conditions == 0) {
    fail(file, node.source(), fmt::format("the step '{}' has no condition", reader.step.name));
  }
  if (reader.step.from && reader.step.before && *reader.step.from >= *reader.step.before) {
    fail(file, node.source(), fmt::format("'from' is not before 'before' in the step '{}'", reader.step.name));
  }
  return std::move(reader.step);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<u8>(c) >= 0x80;
}

bool has_words(std::string_view text, std::string_view wanted) {
  for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) {
      return true;
    }
  }
  return false;
}

template <class List, class Test> bool any(const List &list, Test test) { return std::ranges::any_of(list, test); }

bool has_tag(Question &question, std::string_view wanted) {
  return any(question.tags(), [&](std::string_view tag) { return tag == wanted; });
}

bool tags_pass(const Step &step, Question &question) {
  const auto is_tag = [&](const std::string &wanted) { return has_tag(question, wanted); };
  if (!step.tags.empty() && !any(step.tags, is_tag)) {
    return false;
  }
  if (any(step.tags_none, is_tag) || !std::ranges::all_of(step.tags_all, is_tag)) {
    return false;
  }
  return step.tags_contain.empty() || any(step.tags_contain, [&](const std::string &part) {
           return any(question.tags(), [&](std::string_view tag) { return tag.find(part) != std::string_view::npos; });
         });
}

bool title_passes(const Step &step, Question &question) {
  if (step.title_contains.empty() && step.title_words.empty()) {
    return true;
  }
  const std::string title = lower_ascii(question.title());
  const auto contains = [&](const std::string &part) { return title.find(part) != std::string::npos; };
  const auto has = [&](const std::string &part) { return has_words(title, part); };
  return (step.title_contains.empty() || any(step.title_contains, contains)) &&
         (step.title_words.empty() || any(step.title_words, has));
}

bool numbers_pass(const Step &step, const Question &question) {
  const Row &row = question.row();
  const auto reaches = [&](Field field, std::optional<i64> least) {
    return !least || number_in(row, field).value_or(0) >= *least;
  };
  return (!step.from || question.created() >= *step.from) && (!step.before || question.created() < *step.before) &&
         (!step.accepted || row.has(Field::AcceptedAnswer) == *step.accepted) &&
         (!step.closed || row.has(Field::Closed) == *step.closed) && reaches(Field::Score, step.min_score) &&
         reaches(Field::Views, step.min_views) && reaches(Field::Answers, step.min_answers);
}

bool keywords_pass(const Step &step, Question &question) {
  if (!step.keywords) {
    return true;
  }
  // As `study keywords` reads a post: code is no prose, and "run slow" may not come together out of both.
  return !step.keywords->matches(question.title() + '\n' + split_post(question.body()).prose).empty();
}

} // namespace

Recipe parse_recipe(std::string_view text, const std::string &file) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error &error) {
    fail(file, error.source(), error.description());
  }
  Recipe recipe;
  recipe.text = text;
  for (const auto &[key, value] : table) {
    if (key == "name") {
      recipe.name = text_of(file, key.str(), value);
    } else if (key == "about") {
      recipe.about = text_of(file, key.str(), value);
    } else if (key == "step") {
      if (!value.is_array()) {
        fail(file, value.source(), "steps are written with two brackets: [[step]]");
      }
      for (const toml::node &step : *value.as_array()) {
        recipe.steps.push_back(read_step(file, step));
      }
    } else {
      fail(file, value.source(), fmt::format("there is no setting '{}'. Known: name, about, [[step]]", key.str()));
    }
  }
  if (recipe.name.empty()) {
    recipe.name = std::filesystem::path(file).stem().string();
  }
  return recipe;
}

Recipe load_recipe(const std::string &name_or_path) {
  for (const EmbeddedText &embedded : study_texts()) {
    if (embedded.file == name_or_path + ".toml") {
      std::string text;
      for (const std::string_view chunk : embedded.chunks) {
        text += chunk;
      }
      return parse_recipe(text, "recipe " + name_or_path);
    }
  }
  // A name that is neither known nor looks like a file is more likely a typo than a path.
  if (name_or_path.find_first_of("./") == std::string::npos && !std::filesystem::exists(name_or_path)) {
    throw std::runtime_error(fmt::format("there is no recipe '{}'. Known: {}, or the path of a .toml file",
                                         name_or_path, fmt::join(recipe_names(), ", ")));
  }
  return parse_recipe(read_file(name_or_path), name_or_path);
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const EmbeddedText &embedded : study_texts()) {
    names.emplace_back(embedded.file.substr(0, embedded.file.find('.')));
  }
  return names;
}

std::optional<i64> number_in(const Row &row, Field field) {
  const std::string_view text = row[field];
  i64 number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

const std::string &Question::decode(Field field, std::optional<std::string> &text) {
  if (!text) {
    text.emplace();
    damaged_ |= !unescape(row_[field], *text);
  }
  return *text;
}

const std::string &Question::title() { return decode(Field::Title, title_); }

const std::string &Question::body() { return decode(Field::Body, body_); }

const std::vector<std::string_view> &Question::tags() {
  if (!tag_text_) {
    tags_ = split_tags(decode(Field::Tags, tag_text_));
  }
  return tags_;
}

bool passes(const Step &step, Question &question) {
  // The cheap ones first.
  return numbers_pass(step, question) && tags_pass(step, question) && title_passes(step, question) &&
         keywords_pass(step, question);
}

} // namespace study

} // namespace deepperf
