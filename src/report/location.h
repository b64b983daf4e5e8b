// Paths as others look them up: relative to the repository, or as an address.
#pragma once

#include <string>
#include <string_view>

namespace deepperf::report {

// Where paths lead. Folders are absolute; both are empty where nobody knows.
struct Location {
  std::string working_folder; // what relative paths are relative to
  std::string root;           // of the repository or, if that is not known, the working folder
  // Address of the repository's files at the checked revision, to which a path is appended; empty if it is not known.
  std::string file_url;
};

// Without `./` and `..`: relative to the root if it is in there, else absolute.
std::string path_in_repository(std::string_view path, const Location &location);

// A path as a URI reference: all but unreserved characters and slashes are percent-encoded. An absolute path becomes a
// `file:` URI.
std::string path_uri(std::string_view path);

} // namespace deepperf::report
