#include "report/location.h"

#include "base/write.h"

#include <filesystem>

namespace deepperf::report {

namespace {

bool is_unreserved(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || std::string_view("-._~/").find(character) != std::string_view::npos;
}

} // namespace

std::string path_in_repository(std::string_view path, const Location &location) {
  namespace fs = std::filesystem;
  if (location.working_folder.empty() || location.root.empty()) {
    return fs::path(path).lexically_normal().string();
  }
  const fs::path absolute = (fs::path(location.working_folder) / path).lexically_normal();
  const fs::path relative = absolute.lexically_relative(location.root);
  const bool is_inside = !relative.empty() && *relative.begin() != "..";
  return (is_inside ? relative : absolute).string();
}

std::string path_uri(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char character : path) {
    if (is_unreserved(character)) {
      uri += character;
    } else {
      write(uri, "%{:02X}", static_cast<unsigned char>(character));
    }
  }
  return uri;
}

} // namespace deepperf::report
