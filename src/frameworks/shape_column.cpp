#include "frameworks/shape_column.h"

#include "frameworks/preset_apis.h"

#include <algorithm>
#include <span>

namespace deepperf {

namespace {

std::string_view own_column(Kind kind, Symbol name) {
  const std::span shapes(kPresetApis.shapes, kPresetApis.shape_count);
  const u64 key = PresetApis::shape_key(kind, name);
  const auto found = std::ranges::lower_bound(shapes, key, {}, &PresetApis::Shape::key);
  return found != shapes.end() && found->key == key ? found->column : std::string_view{};
}

} // namespace

std::string_view shape_column(Kind kind, Symbol name) {
  for (Kind at = kind;; at = parent_of(at)) {
    if (const std::string_view shape = own_column(at, name); !shape.empty()) {
      return shape;
    }
    if (at == Kind::Unknown || parent_of(at) == Kind::Unknown) {
      return {};
    }
  }
}

} // namespace deepperf
