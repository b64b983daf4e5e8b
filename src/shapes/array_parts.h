// The table of array_parts.cpp.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

std::span<const TransferEntry> array_part_transfers();

} // namespace deepperf::shapes
