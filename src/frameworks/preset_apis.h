// The tables of src/frameworks/*.txt as data that the program can use as it stands. tools/make_tables writes it, so
// that a start costs nothing for it.
#pragma once

#include "frameworks/frameworks.h"

#include <string_view>

namespace deepperf {

struct PresetApis {
  struct Method {
    u32 key = 0; // 0: free
    u16 place = 0;
  };
  struct Shape {
    u64 key = 0;
    std::string_view column;
  };

  const ApiInfo *infos = nullptr;   // each once
  const u16 *api_of_name = nullptr; // by symbol id: the place in `infos`, from 1; 0 for what is no API
  const Method *methods = nullptr;  // by open addressing
  u32 method_mask = 0;
  u32 size = 0;                  // entries of the tables
  const Shape *shapes = nullptr; // by key; the first is nobody's
  u32 shape_count = 0;

  static constexpr u32 method_key(Kind kind, Symbol name) { return (u32{static_cast<u8>(kind)} << 16U) | name.id; }
  static constexpr u64 shape_key(Kind kind, Symbol name) { return (u64{static_cast<u8>(kind)} << 32U) | name.id; }
  static constexpr u32 first_slot(u32 key) { return key * 0x9E3779B1U >> 15U; }
};

extern const PresetApis kPresetApis;

} // namespace deepperf
