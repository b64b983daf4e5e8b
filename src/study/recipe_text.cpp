#include "study/recipe_text.h"

#include "study/post.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace deepperf::study {

namespace {

// a, b or c
std::string listed(const std::vector<std::string> &words, std::string_view last, std::string_view quote = "") {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view between = i == 0 ? "" : i + 1 < words.size() ? ", " : last;
    text += fmt::format("{}{}{}{}", between, quote, words[i], quote);
  }
  return text;
}

void describe_texts(const Step &step, std::vector<std::string> &parts) {
  if (!step.tags.empty()) {
    parts.push_back(fmt::format("tag {}", listed(step.tags, " or ")));
  }
  if (!step.tags_contain.empty()) {
    parts.push_back(fmt::format("{} in a tag", listed(step.tags_contain, " or ")));
  }
  if (!step.tags_all.empty()) {
    parts.push_back(fmt::format("tag {}", listed(step.tags_all, " and ")));
  }
  if (!step.tags_none.empty()) {
    parts.push_back(fmt::format("no tag {}", listed(step.tags_none, " or ")));
  }
  if (!step.title_contains.empty()) {
    parts.push_back(fmt::format("{} in the title", listed(step.title_contains, " or ", "\"")));
  }
  if (!step.title_words.empty()) {
    parts.push_back(fmt::format("{} in the title as whole words", listed(step.title_words, " or ", "\"")));
  }
  if (step.keywords) {
    parts.push_back(fmt::format("one of {} stems in title or body", step.keywords->keywords().size()));
  }
}

void describe_facts(const Step &step, std::vector<std::string> &parts) {
  if (step.from) {
    parts.push_back(fmt::format("from {}", short_time(*step.from)));
  }
  if (step.before) {
    parts.push_back(fmt::format("before {}", short_time(*step.before)));
  }
  if (step.accepted) {
    parts.emplace_back(*step.accepted ? "an accepted answer" : "no accepted answer");
  }
  if (step.closed) {
    parts.emplace_back(*step.closed ? "closed" : "not closed");
  }
  if (step.min_score) {
    parts.push_back(fmt::format("a score of {} or more", *step.min_score));
  }
  if (step.min_views) {
    parts.push_back(fmt::format("{} views or more", *step.min_views));
  }
  if (step.min_answers) {
    parts.push_back(fmt::format("{} answers or more", *step.min_answers));
  }
}

} // namespace

std::string describe(const Step &step) {
  std::vector<std::string> parts;
  describe_texts(step, parts);
  describe_facts(step, parts);
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string short_time(i64 milliseconds) {
  std::string time = format_time(milliseconds);
  if (time.ends_with("T00:00:00.000")) {
    time.resize(time.find('T'));
  }
  return time;
}

} // namespace deepperf::study
