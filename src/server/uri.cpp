#include "server/uri.h"

#include "base/write.h"

#include <filesystem>
#include <iterator>

namespace deepperf::server {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size();
    const int high = is_escape ? hex_digit(text[i + 1]) : -1;
    const int low = is_escape ? hex_digit(text[i + 2]) : -1;
    if (high >= 0 && low >= 0 && high + low != 0) { // a path cannot hold a NUL
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/!$&'()*+,;=:@").find(c) != std::string_view::npos;
}

} // namespace

std::optional<std::string> path_of_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) {
    return std::nullopt;
  }
  uri.remove_prefix(kScheme.size());
  uri = uri.substr(0, uri.find_first_of("?#"));
  const std::size_t slash = uri.find('/'); // what stands before it is a host
  if (slash == uri.npos) {
    return std::nullopt;
  }
  std::string path = std::filesystem::path(decoded(uri.substr(slash))).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

std::string uri_of_path(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    if (is_plain(c)) {
      uri += c;
    } else {
      write(uri, "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

} // namespace deepperf::server
