// One Python source as the lexer reads it: UTF-8 text with room after its end, and the way back to what the user sees.
#pragma once

#include "base/arena.h"
#include "base/file_version.h"
#include "base/types.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::python {

// Where something is, as people count: from 1, columns in characters. `cell` is 0 outside notebooks, else counts the
// notebook's cells from 1, and `line` counts within the cell.
struct Position {
  u32 line = 1;
  u32 column = 1;
  u32 cell = 0;
};

// A run of text that is lexed as a program of its own: the whole file, or one code cell of a notebook.
// Behind every segment stands one NUL byte, which is where the lexer stops.
struct Segment {
  u32 begin = 0;
  u32 end = 0;
  u32 cell = 0; // number of the notebook cell (from 1, counting cells of every type), 0 for a plain file
  // Of a cell that `%%writefile model.py` writes to a file: where the file's name stands, and whether it is added to.
  u32 target_begin = 0;
  u32 target_end = 0;
  bool appends = false;
  bool shows_error = false; // what the cell printed when it was last run ends with an exception

  [[nodiscard]] bool is_written() const { return target_end != 0; }
};

struct Source {
  std::string path;
  std::string encoding = "utf-8"; // as declared, lower case; what a fix must write back
  bool has_bom = false;
  bool is_notebook = false;
  std::vector<Segment> segments;
  std::optional<FileVersion> version; // of the file that was read; also if its text made no sense

  // The bytes of all segments. `text().data()` may be read up to kPadding bytes past its end; those are zero.
  [[nodiscard]] std::string_view text() const { return {data_, size_}; }
  static constexpr std::size_t kPadding = 64;
  // A part of it; empty where the offsets are those of another source.
  [[nodiscard]] std::string_view part(u32 start, u32 end) const {
    return start <= end && end <= size_ ? std::string_view(data_ + start, end - start) : std::string_view{};
  }

  // No text is larger, so that offsets fit into 32 bits with room to spare.
  static constexpr std::size_t kMaxSize = std::size_t{1} << 30;

  // Replaces the text; makes room for the padding, in the old buffer if that suffices. The caller fills the returned
  // bytes.
  char *allocate(std::size_t size);
  void shrink(std::size_t size);

  // The same with its text in an arena, as large as it is; the buffer stays here, for the next file.
  [[nodiscard]] Source kept_in(Arena &arena) const;

  // Builds the table of line starts on first use; not thread-safe, one worker owns a source.
  [[nodiscard]] Position position(u32 offset) const;
  // Line (from 1, counted over the whole text) and UTF-8 byte column (from 0), as CPython's `ast` counts.
  struct LineColumn {
    u32 line = 1;
    u32 column = 0;
  };
  [[nodiscard]] LineColumn line_column(u32 offset) const;
  // Does the offset stand in a notebook's cell whose kept output is an exception?
  [[nodiscard]] bool shows_error_at(u32 offset) const;
  // The line that holds `offset`, without its line end.
  [[nodiscard]] std::string_view line_text(u32 offset) const;

private:
  const std::vector<u32> &line_starts() const;
  [[nodiscard]] u32 characters_before(u32 offset) const;

  const char *data_ = nullptr; // in `bytes_`, or in an arena
  std::size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  mutable std::vector<u32> line_starts_;
  // Starts of characters some kilobytes apart, so that many places in one very long line do not take the square of its
  // length.
  struct Mark {
    u32 offset = 0;
    u32 characters = 0; // before it
  };
  mutable std::vector<Mark> marks_;
};

// Something wrong with a file as a whole (unreadable, wrong encoding, malformed notebook) or at a place in it.
struct SourceError {
  std::string message;
  u32 line = 0;   // 0: the file as a whole
  u32 column = 0; // in characters, from 1
};

// What reading gives: a source, or the reason why there is none.
struct LoadResult {
  Source source;
  std::vector<SourceError> errors; // not empty: `source` has no text
  [[nodiscard]] bool ok() const { return errors.empty(); }
};

// Reads a file; notebooks by their `.ipynb` ending. What `source` and `errors` held before is gone, but their memory is
// used again: this is for a worker that reads one file after the other. False: `errors` says why, and there is no text.
bool load_file_into(const std::string &path, Source &source, std::vector<SourceError> &errors);
// The same for a file on its own.
LoadResult load_file(const std::string &path);
// The same for bytes at hand (standard input, tests, fuzzers).
LoadResult load_bytes(std::string path, std::string_view bytes);

} // namespace deepperf::python
