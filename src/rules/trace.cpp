#include "rules/trace.h"

#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules {

Asking::Asking(const Site &site, std::string_view question, const python::Node *about) {
  if (site.trace != nullptr) [[unlikely]] {
    ++site.trace->queries;
    if (site.trace->writes) {
      begin(site, question, about);
    }
  }
}

namespace {

// The first line of it, if that is not too long.
std::string short_text(const Site &site, const python::Node *node) {
  constexpr std::size_t kMostCharacters = 60;
  std::string_view text = text_of(site, node);
  const std::size_t end = std::min(text.find('\n'), kMostCharacters);
  return text.size() > end ? fmt::format("{}…", text.substr(0, end)) : std::string(text);
}

} // namespace

void Asking::begin(const Site &site, std::string_view question, const python::Node *about) {
  trace_ = site.trace;
  std::vector<Question> &questions = trace_->attempts.back().questions;
  index_ = questions.size();
  questions.push_back(
      {.depth = trace_->depth++,
       .text = about != nullptr ? fmt::format("`{}`: {}", short_text(site, about), question) : std::string(question),
       .answer = ""});
}

} // namespace deepperf::rules
