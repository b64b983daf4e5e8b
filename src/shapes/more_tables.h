// The tables of array_parts.cpp and torchvision_models.cpp.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

std::span<const TransferEntry> array_part_transfers();
std::span<const TransferEntry> torchvision_transfers();

} // namespace deepperf::shapes
