#include "server/known.h"

#include "model/known_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace deepperf::server {

namespace {

constexpr int kTypeHint = 1;

std::string code(std::string_view text, bool is_markdown) {
  return is_markdown ? fmt::format("`{}`", text) : std::string(text);
}

Range range_of(const InspectedText &text, python::Span span) {
  const python::Source &source = text.inspection.module()->parsed->source;
  return {position_in(source, span.start, text.encoding), position_in(source, span.end, text.encoding)};
}

// `shape` is that of the value, with its dtype and device, or empty.
std::vector<std::string> facts_of(const model::KnownValue &known, const std::string &shape, bool is_markdown) {
  std::vector<std::string> facts;
  if (!known.kind.empty()) {
    facts.push_back(is_markdown ? fmt::format("**{}**", known.kind) : std::string(known.kind));
  }
  if (!shape.empty()) {
    facts.push_back(code(shape, is_markdown));
  }
  for (const std::string_view fact : {known.gradient, shape.find(" on ") == std::string::npos ? known.device : ""}) {
    if (!fact.empty()) {
      facts.emplace_back(fact);
    }
  }
  if (!known.calls.empty()) {
    facts.push_back(code(known.calls, is_markdown));
  } else if (!known.made_by.empty() && known.gives.empty()) {
    facts.push_back("made by " + code(known.made_by, is_markdown));
  }
  if (!known.gives.empty()) {
    facts.push_back(fmt::format("gives a {}", known.gives));
  }
  if (!known.constant.empty()) {
    facts.push_back(code(known.constant, is_markdown) + (known.is_default ? " by default" : ""));
  }
  return facts;
}

// Short, as it stands in the middle of code.
std::string label_of(const model::KnownValue &known, const std::string &shape) {
  if (!shape.empty()) {
    return ": " + shape;
  }
  std::string label = fmt::format(": {}", known.kind);
  if (known.device == "on an accelerator") {
    label += ", accelerator";
  }
  if (!known.gradient.empty()) {
    label += ", grad";
  }
  return label;
}

} // namespace

std::optional<KnownText> known_at(const InspectedText &text, Position position, bool is_markdown) {
  const model::Module &module = *text.inspection.module();
  const std::optional<u32> offset = offset_in(module.parsed->source, text.cell, position, text.encoding);
  const auto known = offset ? model::value_at(text.inspection.project(), module, *offset) : std::nullopt;
  if (!known) {
    return std::nullopt;
  }
  const std::string shape = text.inspection.shape_at(known->span).value_or("");
  if (!known->says_something() && shape.empty()) {
    return std::nullopt;
  }
  const std::string_view written = module.parsed->source.part(known->span.start, known->span.end);
  const std::string_view line = written.substr(0, written.find('\n'));
  return KnownText{.text = fmt::format("{}{}: {}", code(line, is_markdown), line.size() < written.size() ? "…" : "",
                                       fmt::join(facts_of(*known, shape, is_markdown), ", ")),
                   .range = range_of(text, known->span)};
}

Json inlay_hints(const InspectedText &text, const Range &range) {
  const model::Module &module = *text.inspection.module();
  const python::Source &source = module.parsed->source;
  const std::optional<u32> start = offset_in(source, text.cell, range.start, text.encoding);
  const std::optional<u32> end = offset_in(source, text.cell, range.end, text.encoding);
  Json hints = Json::array();
  if (!start || !end) {
    return hints;
  }
  for (const model::KnownValue &known : model::bound_values(module, {*start, *end})) {
    const std::string shape = text.inspection.shape_at(known.span).value_or("");
    if (known.kind.empty() && shape.empty()) {
      continue;
    }
    hints.push_back({{"position", to_json(position_in(source, known.span.end, text.encoding))},
                     {"label", label_of(known, shape)},
                     {"kind", kTypeHint}});
  }
  return hints;
}

} // namespace deepperf::server
