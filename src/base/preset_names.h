// Names that have a symbol before anything is read: those of known_names.h, and after them those of the tables of
// frameworks. tools/make_tables writes it at build time, so that a start costs nothing for them.
#pragma once

#include "base/symbol.h"

#include <string_view>

namespace deepperf {

struct PresetNames {
  const std::string_view *texts = nullptr; // by symbol id, in whole blocks of symbol_blocks::kSize
  u32 blocks = 0;
  u32 count = 0;              // ids from 0 that have a name
  const u16 *slots = nullptr; // ids, by open addressing; 0 is free
  u32 slot_mask = 0;

  static u32 first_slot(u64 hash) { return static_cast<u32>(hash >> 8U); }
};

extern const PresetNames kPresetNames;

} // namespace deepperf
