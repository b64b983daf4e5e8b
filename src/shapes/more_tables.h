// The tables of array_parts.cpp, torchvision_models.cpp, lightning.cpp, python_collections.cpp, torch_places.cpp and
// einops.cpp.
#pragma once

#include "shapes/registry.h"

namespace deepperf::shapes {

std::span<const TransferEntry> array_part_transfers();
std::span<const TransferEntry> torchvision_transfers();
std::span<const TransferEntry> lightning_transfers();
std::span<const TransferEntry> python_collection_transfers();
std::span<const TransferEntry> einops_transfers();
std::span<const TransferEntry> torch_place_transfers();

} // namespace deepperf::shapes
