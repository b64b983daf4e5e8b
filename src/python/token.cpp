#include "python/token.h"

#include <array>

namespace deepperf::python {

namespace {
constexpr std::array<std::string_view, static_cast<std::size_t>(Tok::count)> kDescriptions = {
#define DEEPPERF_TOKEN(name, text) text,
    DEEPPERF_TOKENS(DEEPPERF_TOKEN)
#undef DEEPPERF_TOKEN
#define DEEPPERF_TOKEN(name) "'" #name "'",
        DEEPPERF_KEYWORDS(DEEPPERF_TOKEN)
#undef DEEPPERF_TOKEN
};
constexpr std::array<std::string_view, static_cast<std::size_t>(Tok::count)> kNames = {
#define DEEPPERF_TOKEN(name, text) #name,
    DEEPPERF_TOKENS(DEEPPERF_TOKEN)
#undef DEEPPERF_TOKEN
#define DEEPPERF_TOKEN(name) #name,
        DEEPPERF_KEYWORDS(DEEPPERF_TOKEN)
#undef DEEPPERF_TOKEN
};
} // namespace

std::string_view describe(Tok token) { return kDescriptions[static_cast<std::size_t>(token)]; }
std::string_view token_name(Tok token) { return kNames[static_cast<std::size_t>(token)]; }

} // namespace deepperf::python
