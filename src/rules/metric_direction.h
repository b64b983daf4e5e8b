// Which way a metric is better, as the words of its name tell: a lower `val_loss`, a higher `eval/f1`.
#pragma once

#include "base/types.h"

#include <string_view>

namespace deepperf::rules {

enum class Better : u8 { Unknown, Lower, Higher };

Better better_when(std::string_view metric);

} // namespace deepperf::rules
