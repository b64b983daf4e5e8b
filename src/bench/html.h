// What the HTML pages of `bench` have in common: one file without scripts, for light and dark.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::bench {

std::string escape(std::string_view text);
// Up to the heading, and from the last element on.
void begin_page(std::string_view title, std::string &out);
void end_page(std::string &out);
// Three cells of an element of class "bars". `side` is buggy or fixed, which sets the color.
void write_bar(std::string_view label, std::string_view side, double value, double largest, std::string_view shown,
               std::string &out);

} // namespace deepperf::bench
