// A fast 64-bit hash of bytes, to recognize contents that have not changed. Not a cryptographic one.
#pragma once

#include "base/types.h"

#include <string_view>

namespace deepperf {

u64 hash_bytes(std::string_view bytes, u64 seed = 0);

} // namespace deepperf
