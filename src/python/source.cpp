#include "python/source.h"

#include "base/hash.h"
#include "base/open_path.h"
#include "python/encoding.h"
#include "python/notebook.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

namespace deepperf::python {

namespace {

// A buffer above this size is given back when a much smaller text comes.
constexpr std::size_t kLargestKept = std::size_t{4} << 20;
// Of a place farther from the start of its line than so many bytes, the characters are counted from a mark.
constexpr u32 kFar = 4096;

class File {
public:
  explicit File(const std::string &path) {
    // Without O_NONBLOCK opening a FIFO waits for someone to write to it.
    descriptor_ = open_path(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // As ::read, but starts again when a signal interrupts it.
  ssize_t read(char *bytes, std::size_t count) const {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, bytes, count);
    } while (got < 0 && errno == EINTR);
    return got;
  }

private:
  int descriptor_ = -1;
};

bool fail(std::vector<SourceError> &errors, std::string message) {
  errors.push_back({std::move(message)});
  return false;
}

bool fail_with_errno(std::vector<SourceError> &errors) {
  return fail(errors, fmt::format("cannot read: {}", std::generic_category().message(errno)));
}

bool fail_as_too_large(std::vector<SourceError> &errors) { return fail(errors, "is larger than 1 GiB"); }

// The file has more in it than it said: it grew, or it is one of those in /proc that say 0.
bool read_unknown_size(const File &file, std::string bytes, Source &source, std::span<char> &raw,
                       std::vector<SourceError> &errors) {
  constexpr std::size_t kStep = std::size_t{64} << 10;
  for (;;) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kStep);
    const ssize_t got = file.read(bytes.data() + size, kStep);
    if (got < 0) {
      return fail_with_errno(errors);
    }
    bytes.resize(size + static_cast<std::size_t>(got));
    if (got == 0) {
      break;
    }
    if (bytes.size() > Source::kMaxSize) {
      return fail_as_too_large(errors);
    }
  }
  raw = {source.allocate(bytes.size()), bytes.size()};
  std::ranges::copy(bytes, raw.begin());
  return true;
}

// The bytes of the file as they are, in the source's buffer.
bool read_file(const std::string &path, Source &source, std::span<char> &raw, std::vector<SourceError> &errors) {
  const File file(path);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.descriptor(), &status) != 0) {
    return fail_with_errno(errors);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(errors, "is not a regular file");
  }
  const FileStamp stamp = stamp_of(status); // taken before the bytes: what is written meanwhile makes it an old one
  if (static_cast<u64>(status.st_size) > Source::kMaxSize) {
    return fail_as_too_large(errors);
  }

  // Asking for one byte more than there should be tells the end of the file without another read.
  const auto expected = static_cast<std::size_t>(status.st_size);
  char *const bytes = source.allocate(expected);
  std::size_t size = 0;
  do {
    const ssize_t got = file.read(bytes + size, expected + 1 - size);
    if (got < 0) {
      return fail_with_errno(errors);
    }
    if (got == 0) {
      break;
    }
    size += static_cast<std::size_t>(got);
  } while (size < expected);
  if (size > expected) {
    if (!read_unknown_size(file, {bytes, size}, source, raw, errors)) {
      return false;
    }
  } else {
    source.shrink(size);
    raw = {bytes, size};
  }
  source.version = FileVersion{stamp, hash_bytes({raw.data(), raw.size()})};
  return true;
}

// From raw bytes in the source's buffer to the text and its segments.
bool decode(std::span<char> raw, Source &source, std::vector<SourceError> &errors) {
  std::string_view bytes(raw.data(), raw.size());
  if (const std::string_view wide = wide_byte_order_mark(bytes); !wide.empty()) {
    return fail(errors, fmt::format("is {} text; Python needs UTF-8 or a declared encoding", wide));
  }
  source.has_bom = bytes.starts_with(kUtf8Mark);
  if (source.has_bom) {
    bytes.remove_prefix(kUtf8Mark.size());
    raw = raw.subspan(kUtf8Mark.size());
  }
  if (source.is_notebook) {
    return read_notebook(raw, source, errors);
  }

  const std::optional<EncodingCookie> cookie = find_encoding_cookie(bytes);
  if (cookie) {
    source.encoding = cookie->name;
    std::ranges::transform(source.encoding, source.encoding.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  }
  if (!cookie || means_utf8(cookie->name)) {
    if (source.has_bom) {
      std::memmove(raw.data() - kUtf8Mark.size(), raw.data(), raw.size());
      source.shrink(raw.size());
    }
  } else if (source.has_bom) {
    errors.push_back({fmt::format("declares the encoding {} but starts with a UTF-8 byte order mark", cookie->name),
                      cookie->place.line, cookie->place.column});
    return false;
  } else {
    std::string text;
    if (std::optional<SourceError> error = convert_to_utf8(bytes, *cookie, text)) {
      errors.push_back(std::move(*error));
      return false;
    }
    std::ranges::copy(text, source.allocate(text.size()));
  }
  source.segments.push_back({0, static_cast<u32>(source.text().size()), 0});
  return true;
}

void start_anew(Source &source, std::string path) {
  source.path = std::move(path);
  source.encoding = "utf-8";
  source.has_bom = false;
  source.is_notebook = source.path.ends_with(".ipynb");
  source.segments.clear();
  source.version.reset();
}

void drop_text(Source &source) {
  source.segments.clear();
  source.allocate(0);
}

// Adds where the lines of `text[begin, end)` start, but for the first.
void add_line_starts(std::string_view text, std::size_t begin, std::size_t end, std::vector<u32> &starts) {
  const std::string_view segment = text.substr(begin, end - begin);
  if (segment.find('\r') == segment.npos) {
    for (std::size_t at = segment.find('\n'); at != segment.npos; at = segment.find('\n', at + 1)) {
      starts.push_back(static_cast<u32>(begin + at + 1));
    }
    return;
  }
  for (std::size_t at = 0; at < segment.size(); ++at) {
    const bool is_lone_cr = segment[at] == '\r' && (at + 1 == segment.size() || segment[at + 1] != '\n');
    if (segment[at] == '\n' || is_lone_cr) {
      starts.push_back(static_cast<u32>(begin + at + 1));
    }
  }
}

// The segment that holds `offset`, the NUL after it included.
Segment segment_at(const Source &source, u32 offset) {
  const auto behind = std::ranges::upper_bound(source.segments, offset, {}, &Segment::begin);
  if (behind == source.segments.begin()) {
    return {0, static_cast<u32>(source.text().size()), 0};
  }
  return *std::prev(behind);
}

// The index of the line that holds `offset`.
std::size_t line_at(const std::vector<u32> &starts, u32 offset) {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, offset) - starts.begin()) - 1;
}

} // namespace

char *Source::allocate(std::size_t size) {
  const std::size_t needed = size + kPadding;
  if (needed > capacity_ || (capacity_ > kLargestKept && needed < capacity_ / 4)) {
    // Some room to grow, so that a worker soon has a buffer that fits every file.
    capacity_ = size > kLargestKept ? needed : needed + needed / 2;
    bytes_ = nullptr;
    bytes_ = std::make_unique_for_overwrite<char[]>(capacity_);
  }
  shrink(size);
  return bytes_.get();
}

void Source::shrink(std::size_t size) {
  data_ = bytes_.get();
  size_ = size;
  line_starts_.clear();
  marks_.clear();
  std::memset(bytes_.get() + size, 0, kPadding);
}

Source Source::kept_in(Arena &arena) const {
  Source kept;
  kept.path = path;
  kept.encoding = encoding;
  kept.has_bom = has_bom;
  kept.is_notebook = is_notebook;
  kept.segments = segments;
  kept.version = version;
  kept.data_ = arena.copy(data_, size_ + kPadding).items;
  kept.size_ = size_;
  return kept;
}

const std::vector<u32> &Source::line_starts() const {
  if (!line_starts_.empty()) {
    return line_starts_;
  }
  if (segments.empty()) {
    line_starts_.push_back(0);
    add_line_starts(text(), 0, size_, line_starts_);
  }
  for (const Segment &segment : segments) {
    line_starts_.push_back(segment.begin);
    add_line_starts(text(), segment.begin, segment.end, line_starts_);
  }
  return line_starts_;
}

bool Source::shows_error_at(u32 offset) const {
  return is_notebook && !segments.empty() && segment_at(*this, offset).shows_error;
}

// Lines and segments start at a character whatever stands before them, so it does not matter that this counts from the
// start of the text.
u32 Source::characters_before(u32 offset) const {
  if (marks_.empty()) {
    const char *const end = data_ + size_;
    Mark at;
    for (u32 next = 0; at.offset < size_; ++at.characters) {
      if (at.offset >= next) {
        marks_.push_back(at);
        next += kFar;
      }
      at.offset += std::max(utf8_size(data_ + at.offset, end), 1U);
    }
  }
  const Mark &before = *std::prev(std::ranges::upper_bound(marks_, offset, {}, &Mark::offset));
  return before.characters + count_characters(text().substr(before.offset), offset - before.offset);
}

Position Source::position(u32 offset) const {
  offset = std::min(offset, static_cast<u32>(size_));
  const std::vector<u32> &starts = line_starts();
  const std::size_t line = line_at(starts, offset);
  const Segment segment = segment_at(*this, offset);
  Position position;
  position.cell = segment.cell;
  position.line = static_cast<u32>(line - line_at(starts, segment.begin)) + 1;
  const u32 start = starts[line];
  position.column = 1 + (offset - start <= kFar ? count_characters(text().substr(start), offset - start)
                                                : characters_before(offset) - characters_before(start));
  return position;
}

Source::LineColumn Source::line_column(u32 offset) const {
  offset = std::min(offset, static_cast<u32>(size_));
  const std::vector<u32> &starts = line_starts();
  const std::size_t line = line_at(starts, offset);
  return {static_cast<u32>(line) + 1, offset - starts[line]};
}

std::string_view Source::line_text(u32 offset) const {
  offset = std::min(offset, static_cast<u32>(size_));
  const std::vector<u32> &starts = line_starts();
  const std::size_t line = line_at(starts, offset);
  u32 end = segment_at(*this, offset).end;
  if (line + 1 < starts.size()) {
    end = std::min(end, starts[line + 1]);
  }
  std::string_view found = text().substr(starts[line], end - starts[line]);
  if (found.ends_with('\n')) {
    found.remove_suffix(1);
  }
  if (found.ends_with('\r')) {
    found.remove_suffix(1);
  }
  return found;
}

bool load_file_into(const std::string &path, Source &source, std::vector<SourceError> &errors) {
  errors.clear();
  start_anew(source, path);
  std::span<char> raw;
  if (read_file(path, source, raw, errors) && decode(raw, source, errors)) {
    return true;
  }
  drop_text(source);
  return false;
}

LoadResult load_file(const std::string &path) {
  LoadResult result;
  load_file_into(path, result.source, result.errors);
  return result;
}

LoadResult load_bytes(std::string path, std::string_view bytes) {
  LoadResult result;
  start_anew(result.source, std::move(path));
  if (bytes.size() > Source::kMaxSize) {
    fail_as_too_large(result.errors);
    drop_text(result.source);
    return result;
  }
  const std::span<char> raw(result.source.allocate(bytes.size()), bytes.size());
  std::ranges::copy(bytes, raw.begin());
  if (!decode(raw, result.source, result.errors)) {
    drop_text(result.source);
  }
  return result;
}

} // namespace deepperf::python
