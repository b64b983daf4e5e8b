// Any bytes as a dump, read in chunks of a size that the first byte tells: the same posts as in one piece.
#include "study/chunk_scan.h"
#include "study/chunks.h"
#include "study/dump.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace deepperf;
using namespace deepperf::study;

namespace {

struct Found {
  Counts counts;
  std::vector<i64> posts;
  u64 answers = 0;
  bool closed = false;
};

void add(const Chunk &chunk, Found &found) {
  static const Recipe everything = parse_recipe("", "fuzz.toml");
  Scanned scanned;
  scan_chunk(chunk, everything, scanned);
  found.counts.add(scanned.counts);
  for (const Post &post : scanned.posts) {
    found.posts.push_back(post.id);
  }
  found.answers += scanned.answers.size();
  found.closed = scanned.closed;
}

Found in_one_piece(std::string_view text) {
  Chunk chunk;
  chunk.text = text;
  chunk.last = true;
  Found found;
  add(chunk, found);
  return found;
}

Found in_chunks(const std::string &path, std::size_t chunk_size) {
  Dump dump(path);
  Chunks chunks(dump, 0, chunk_size);
  Found found;
  u64 bytes = 0;
  for (Chunk chunk; chunks.next(chunk);) {
    if (chunk.offset != bytes) {
      std::abort();
    }
    bytes += chunk.text.size();
    add(chunk, found);
  }
  return found;
}

// As a file, which is what dumps are read from.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view text) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0 || ::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      std::abort();
    }
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() { ::close(file_); }

  std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

private:
  int file_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  // A row in a comment is none, but a chunk does not know that it starts in one.
  if (text.empty() || text.find("<!--") != std::string_view::npos) {
    return 0;
  }
  try {
    const MemoryFile file(text);
    const Found pieces = in_chunks(file.path(), std::size_t{16} + data[0]);
    if (pieces.counts.bytes != text.size()) {
      return 0; // it looked like an archive, and was unpacked
    }
    const Found whole = in_one_piece(text);
    if (pieces.posts != whole.posts || pieces.answers != whole.answers || pieces.closed != whole.closed ||
        pieces.counts.rows() != whole.counts.rows() || pieces.counts.first != whole.counts.first) {
      std::abort();
    }
  } catch (const std::runtime_error &) { // in another encoding, or a damaged archive
  }
  return 0;
}
