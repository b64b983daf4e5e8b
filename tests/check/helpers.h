// Two versions of a file that the tests' program imports: with the first, what it maps is slow enough to be reported.
#pragma once

#include <string_view>

namespace deepperf::check {

inline constexpr std::string_view kHelper = R"(import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))
)";
inline constexpr std::string_view kCheapHelper = R"(import tensorflow as tf


def decode(path):
    return tf.abs(path)
)";

} // namespace deepperf::check
