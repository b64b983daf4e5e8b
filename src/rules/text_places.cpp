#include "rules/text_places.h"

#include "base/steps.h"
#include "python/children.h"
#include "rules/assignments.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr std::size_t kLongestText = 200; // each part of a long chain is a text of its own

} // namespace

TextPlaces::TextPlaces(const Site &site, const Block &body) {
  for (const Stmt *statement : body) {
    look(site, statement, kNone, false);
  }
  for (auto &[text, numbers] : of_text_) {
    std::ranges::stable_sort(numbers, {}, [this](u32 number) { return items_[number].node->start; });
  }
}

void TextPlaces::look(const Site &site, const Node *node, u32 above, bool is_nested) {
  take_steps();
  const auto number = static_cast<u32>(items_.size());
  items_.push_back({node, above, is_nested});
  if (node->kind == NodeKind::Name || node->kind == NodeKind::Attribute || node->kind == NodeKind::Subscript) {
    if (const std::string_view text = text_of(site, node); text.size() <= kLongestText) {
      of_text_[text].push_back(number);
    }
  }
  const bool is_inside = is_nested || node->kind == NodeKind::FunctionDef || node->kind == NodeKind::ClassDef;
  for_each_child(node, [&](const Node *child) { look(site, child, number, is_inside); });
}

const std::vector<u32> *TextPlaces::of(std::string_view text) const {
  static const std::vector<u32> kNowhere;
  if (text.size() > kLongestText) {
    return nullptr;
  }
  const auto known = of_text_.find(text);
  return known != of_text_.end() ? &known->second : &kNowhere;
}

const TextPlaces &text_places(const Site &site) {
  const Block &body = body_around(site);
  return site.memory.recall<TextPlaces>(&body, [&] { return TextPlaces(site, body); });
}

} // namespace deepperf::rules
