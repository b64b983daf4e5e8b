// Where a function mentions a name, an attribute or an entry (`x`, `self.x`, `x[key]`), by its text, and what stands
// around each place: whoever follows one of them does not have to go through the whole function for it.
#pragma once

#include "rules/site.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::rules {

class TextPlaces {
public:
  static constexpr u32 kNone = ~0U;

  struct Item {
    const python::Node *node = nullptr;
    u32 above = kNone;      // the number of the item around it; none around the statements of the body
    bool is_nested = false; // in a function or class inside
  };

  explicit TextPlaces(const Site &site, const python::Block &body);

  // The numbers of the items with that text, in the order of the source; null if the text is too long to be kept.
  [[nodiscard]] const std::vector<u32> *of(std::string_view text) const;
  [[nodiscard]] const Item &operator[](u32 number) const { return items_[number]; }

private:
  void look(const Site &site, const python::Node *node, u32 above, bool is_nested);

  std::vector<Item> items_;
  std::unordered_map<std::string_view, std::vector<u32>> of_text_;
};

// Of the function of the place, or of its module.
const TextPlaces &text_places(const Site &site);

} // namespace deepperf::rules
