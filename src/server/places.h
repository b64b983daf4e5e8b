// Where findings are, in the editor's terms: the URI of a text, a notebook's cell or a file, and a range in it.
#pragma once

#include "check/result.h"
#include "server/documents.h"
#include "server/position.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace deepperf::server {

// Editors count it, and the check does not.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Location {
  std::string uri;
  Range range;
};

// Ranges in the JSON of notebooks that are not open as such, by path. They take reading and parsing the file, so they
// are kept until it changes.
class NotebookRanges {
public:
  Range find(const check::CheckedFile &file, const Document *open, python::Span span, Encoding encoding);

private:
  struct Known {
    u64 hash = 0;
    std::map<std::pair<u32, u32>, Range> ranges;
  };
  std::map<std::string, Known> known_;
};

class Places {
public:
  Places(const check::Result &result, const Documents &documents, const Roots &roots, Encoding encoding,
         NotebookRanges &notebooks)
      : result_(result), documents_(documents), roots_(roots), encoding_(encoding), notebooks_(notebooks) {}

  [[nodiscard]] Location find(FileIndex file, python::Span span) const;
  [[nodiscard]] Location find(const check::FileError &error) const;
  // Of the file as a whole: line 0.
  [[nodiscard]] Location find(FileIndex file) const;

private:
  [[nodiscard]] std::string uri_of(const check::CheckedFile &file, u32 cell) const;
  // A byte order mark that the editor counts and the check does not.
  void add_mark(const check::CheckedFile &file, Position &position) const;

  const check::Result &result_;
  const Documents &documents_;
  const Roots &roots_;
  Encoding encoding_;
  NotebookRanges &notebooks_;
};

// The file of a URI among the result's; nothing if it was not checked.
std::optional<FileIndex> find_file(const check::Result &result, const Documents &documents, const Roots &roots,
                                   std::string_view uri);

} // namespace deepperf::server
