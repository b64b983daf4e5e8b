// The tables of array_parts.cpp, torchvision_models.cpp and lightning.cpp.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

std::span<const TransferEntry> array_part_transfers();
std::span<const TransferEntry> torchvision_transfers();
std::span<const TransferEntry> lightning_transfers();

} // namespace deepperf::shapes
