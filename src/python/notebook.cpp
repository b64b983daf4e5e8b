#include "python/notebook.h"

#include "python/encoding.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace deepperf::python {

namespace {

using simdjson::dom::element;
static_assert(Source::kPadding >= simdjson::SIMDJSON_PADDING);

// --- What simdjson refuses -------------------------------------------------------------------------------------------
//
// Jupyter writes notebooks with Python's json module, which is more generous than the standard: NaN, Infinity, numbers
// of any size, halves of surrogate pairs. Only when simdjson refuses a notebook does this slower reader go over it. It
// replaces those by something standard (nothing we want to know is a number), or finds the place that is really wrong.

struct Fault {
  std::size_t offset = 0;
  const char *what = nullptr;
};

class GenerousJson {
public:
  explicit GenerousJson(std::span<char> json)
      : begin_(json.data()), at_(json.data()), end_(json.data() + json.size()) {}

  std::optional<Fault> normalise() {
    Want want = Want::value;
    for (;;) {
      while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) {
        ++at_;
      }
      if (at_ == end_) {
        return want == Want::nothing ? std::nullopt : fault("unexpected end of input");
      }
      switch (want) {
      case Want::key_or_close:
      case Want::value_or_close:
        if (*at_ == (want == Want::key_or_close ? '}' : ']')) {
          want = close();
          break;
        }
        if (want == Want::value_or_close) {
          want = value();
          break;
        }
        [[fallthrough]];
      case Want::key:
        if (*at_ != '"') {
          return fault("expected a key in double quotes");
        }
        want = string() ? Want::colon : Want::fault;
        break;
      case Want::colon:
        if (*at_ != ':') {
          return fault("expected ':'");
        }
        ++at_;
        want = Want::value;
        break;
      case Want::value:
        want = value();
        break;
      case Want::comma_or_close:
        want = comma_or_close();
        break;
      case Want::nothing:
        return fault("unexpected text after its end");
      case Want::fault:
        break;
      }
      if (want == Want::fault) {
        return fault(what_);
      }
    }
  }

private:
  enum class Want : u8 { value, value_or_close, key, key_or_close, colon, comma_or_close, nothing, fault };

  [[nodiscard]] std::optional<Fault> fault(const char *what) const {
    return Fault{static_cast<std::size_t>(at_ - begin_), what};
  }
  Want failed(const char *what) {
    what_ = what;
    return Want::fault;
  }

  [[nodiscard]] Want behind_value() const { return open_.empty() ? Want::nothing : Want::comma_or_close; }

  Want close() {
    ++at_;
    open_.pop_back();
    return behind_value();
  }

  Want comma_or_close() {
    const bool in_object = open_.back() == '{';
    if (*at_ == (in_object ? '}' : ']')) {
      return close();
    }
    if (*at_ != ',') {
      return failed(in_object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    ++at_;
    return in_object ? Want::key : Want::value;
  }

  Want value() {
    switch (*at_) {
    case '{':
    case '[':
      open_.push_back(*at_);
      return *at_++ == '{' ? Want::key_or_close : Want::value_or_close;
    case '"':
      return string() ? behind_value() : Want::fault;
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    case 'N':
      return literal("NaN");
    case 'I':
      return literal("Infinity");
    default:
      return number();
    }
  }

  Want literal(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) {
      return failed("expected a value");
    }
    if (word == "NaN" || word == "Infinity") {
      blank_out(at_ + word.size());
    } else {
      at_ += word.size();
    }
    return behind_value();
  }

  Want number() {
    char *to = at_;
    const auto digits = [&] {
      const char *const from = to;
      while (to < end_ && *to >= '0' && *to <= '9') {
        ++to;
      }
      return to - from;
    };
    to += *to == '-' ? 1 : 0;
    if (std::string_view(to, end_).starts_with("Infinity")) {
      blank_out(to + std::string_view("Infinity").size());
      return behind_value();
    }
    const char *const integer = to;
    const std::ptrdiff_t size = digits();
    if (size == 0 || (size > 1 && *integer == '0')) {
      return failed("expected a value");
    }
    if (to < end_ && *to == '.') {
      ++to;
      if (digits() == 0) {
        return failed("malformed number");
      }
    }
    if (to < end_ && (*to == 'e' || *to == 'E')) {
      ++to;
      to += to < end_ && (*to == '+' || *to == '-') ? 1 : 0;
      if (digits() == 0) {
        return failed("malformed number");
      }
    }
    blank_out(to);
    return behind_value();
  }

  // Writes 0 over everything up to `to`.
  void blank_out(char *to) {
    std::fill(at_, to, ' ');
    *at_ = '0';
    at_ = to;
  }

  bool string() {
    char *const opening = at_++;
    while (at_ < end_ && *at_ != '"') {
      if (*at_ == '\\') {
        if (!escape()) {
          what_ = "malformed escape in a string";
          return false;
        }
        continue;
      }
      const u32 size = utf8_size(at_, end_);
      if (size == 0 || static_cast<unsigned char>(*at_) < 0x20) {
        what_ = size == 0 ? "invalid UTF-8" : "line end or control character in a string";
        return false;
      }
      at_ += size;
    }
    if (at_ == end_) {
      at_ = opening; // the place to look at is where it starts
      what_ = "unterminated string";
      return false;
    }
    ++at_;
    return true;
  }

  bool escape() {
    if (end_ - at_ < 2) {
      return false;
    }
    if (at_[1] != 'u') {
      if (std::string_view("\"\\/bfnrt").find(at_[1]) == std::string_view::npos) {
        return false;
      }
      at_ += 2;
      return true;
    }
    const std::optional<u32> unit = code_unit(at_);
    if (!unit) {
      return false;
    }
    if (*unit >= 0xD800 && *unit <= 0xDFFF) {
      const std::optional<u32> second = code_unit(at_ + 6);
      if (*unit <= 0xDBFF && second && *second >= 0xDC00 && *second <= 0xDFFF) {
        at_ += 12;
        return true;
      }
      std::memcpy(at_ + 2, "fffd", 4);
    }
    at_ += 6;
    return true;
  }

  // The value of the \uXXXX at `escape`, if one stands there.
  [[nodiscard]] std::optional<u32> code_unit(const char *escape) const {
    if (end_ - escape < 6 || escape[0] != '\\' || escape[1] != 'u') {
      return std::nullopt;
    }
    u32 unit = 0;
    for (int i = 2; i < 6; ++i) {
      const char c = escape[i];
      const char lower = static_cast<char>(c | 0x20);
      if (c >= '0' && c <= '9') {
        unit = unit * 16 + static_cast<u32>(c - '0');
      } else if (lower >= 'a' && lower <= 'f') {
        unit = unit * 16 + static_cast<u32>(lower - 'a' + 10);
      } else {
        return std::nullopt;
      }
    }
    return unit;
  }

  char *begin_;
  char *at_;
  char *end_;
  std::string open_; // the brackets that are open: no recursion, so no depth is too deep
  const char *what_ = nullptr;
};

SourceError malformed(std::string_view what, Place place = {0, 0}) {
  return {fmt::format("malformed notebook: {}", what), place.line, place.column};
}

SourceError malformed_at(std::string_view json, const Fault &fault) {
  std::size_t line = std::min(fault.offset, json.size());
  while (line > 0 && json[line - 1] != '\n') {
    --line;
  }
  const std::string_view rest = json.substr(line);
  const bool in_conflict = rest.starts_with("<<<<<<<") || rest.starts_with("=======") || rest.starts_with(">>>>>>>");
  return malformed(in_conflict ? "unresolved merge conflict" : fault.what, place_of(json, fault.offset));
}

std::optional<SourceError> parse_json(std::span<char> json, simdjson::dom::parser &parser, element &root) {
  const auto parse = [&] { return parser.parse(json.data(), json.size(), false).get(root); };
  simdjson::error_code error = parse();
  if (error == simdjson::SUCCESS) {
    return std::nullopt;
  }
  if (error == simdjson::EMPTY) {
    return SourceError{"empty notebook"};
  }
  if (error != simdjson::MEMALLOC && error != simdjson::CAPACITY && error != simdjson::DEPTH_ERROR) {
    if (const std::optional<Fault> fault = GenerousJson(json).normalise()) {
      return malformed_at({json.data(), json.size()}, *fault);
    }
    error = parse();
  }
  return error == simdjson::SUCCESS ? std::nullopt : std::optional(malformed(simdjson::error_message(error)));
}

// --- Languages and magics --------------------------------------------------------------------------------------------

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && std::ranges::equal(text.substr(0, prefix.size()), prefix, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

// Nothing said means Python; else `python3`, `IPython`, `pyspark` and so on.
bool is_python_name(std::string_view language) {
  constexpr std::string_view kNames[] = {"python", "ipython", "pyspark", "pypy", "xpython"};
  return language.empty() ||
         std::ranges::any_of(kNames, [&](std::string_view name) { return starts_with_ignoring_case(language, name); });
}

std::string_view text_of(const simdjson::simdjson_result<element> &found) {
  std::string_view text;
  return found.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// Kernels of other languages by their usual names, for notebooks that do not tell the language. People call their own
// Python kernels as they like.
bool is_other_kernel(std::string_view name) {
  constexpr std::string_view kOthers[] = {"swift",      "julia",      "scala", "xcpp",
                                          "javascript", "typescript", "ruby",  "bash"};
  return name == "ir" ||
         std::ranges::any_of(kOthers, [&](std::string_view other) { return starts_with_ignoring_case(name, other); });
}

bool is_in_python(const element &root) {
  return !is_other_kernel(text_of(root["metadata"]["kernelspec"]["name"])) &&
         is_python_name(text_of(root["metadata"]["kernelspec"]["language"])) &&
         is_python_name(text_of(root["metadata"]["language_info"]["name"]));
}

// Cell magics that run their body as Python in one way or another. Of any other we do not know what the body is.
constexpr std::string_view kPythonMagics[] = {
    "add_to",
    "cache",
    "capture",
    "debug",
    "filprofile",
    "flake8",
    "heat",
    "ipytest",
    "local",
    "lprun",
    "manim",
    "memit",
    "memray_flamegraph",
    "mprun",
    "mypy",
    "notify",
    "prun",
    "px",
    "pycodestyle",
    "pyinstrument",
    "pypy",
    "python",
    "python3",
    "pyspark",
    "run_pytest",
    "scalene",
    "snakeviz",
    "time",
    "timeit",
    "tensorflow_version",
    "unittest_main",
    "viztracer",
    "wandb",
};

// `%%writefile -a "model.py"`: the cell is code of another module. False if it is no Python.
bool note_target(std::string_view code, std::string_view arguments, Segment &segment) {
  constexpr std::string_view kAround = " \t\"'";
  for (;;) {
    arguments.remove_prefix(std::min(arguments.find_first_not_of(kAround), arguments.size()));
    if (!arguments.starts_with('-')) {
      break;
    }
    segment.appends = true; // -a, --append: there is no other option
    arguments.remove_prefix(std::min(arguments.find_first_of(" \t"), arguments.size()));
  }
  arguments = arguments.substr(0, arguments.find_last_not_of(kAround) + 1);
  if (!arguments.ends_with(".py")) {
    return false;
  }
  segment.target_begin = segment.begin + static_cast<u32>(arguments.data() - code.data());
  segment.target_end = segment.target_begin + static_cast<u32>(arguments.size());
  return true;
}

// A cell may start with several `%%magic` lines: the body of %%time is a cell of its own. IPython skips blank lines
// before each, Colab also comments.
bool is_python_cell(const std::string_view cell, Segment &segment) {
  std::string_view code = cell;
  for (;;) {
    code.remove_prefix(std::min(code.find_first_not_of(" \t\f\r\n"), code.size()));
    if (code.starts_with('#')) {
      code.remove_prefix(std::min(code.find_first_of("\r\n"), code.size()));
      continue;
    }
    if (!code.starts_with("%%")) {
      return true;
    }
    const std::size_t end_of_line = std::min(code.find_first_of("\r\n"), code.size());
    const std::string_view line = code.substr(2, end_of_line - 2);
    const std::string_view name = line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
    if (name == "writefile" || name == "file") {
      return note_target(cell, line.substr(name.size()), segment);
    }
    if (std::ranges::find(kPythonMagics, name) == std::end(kPythonMagics)) {
      return false;
    }
    code.remove_prefix(end_of_line);
  }
}

// --- Cells -----------------------------------------------------------------------------------------------------------

struct CodeCell {
  u32 number = 0;
  element code; // a string, or an array of nothing but strings
  bool shows_error = false;
};

// Was the notebook saved with an exception under the cell, which whoever saved it has seen? Not one of pressing stop.
bool shows_error(const element &cell) {
  simdjson::dom::array outputs;
  if (cell["outputs"].get(outputs) != simdjson::SUCCESS) {
    return false;
  }
  return std::any_of(outputs.begin(), outputs.end(), [](const element &output) {
    const std::string_view type = text_of(output["output_type"]); // `pyerr` is nbformat 3's
    return (type == "error" || type == "pyerr") && text_of(output["ename"]) != "KeyboardInterrupt";
  });
}

class Cells {
public:
  // Goes over the cells of every worksheet; an error says what is wrong with the notebook.
  std::optional<SourceError> gather(const element &root) {
    element list;
    if (root["cells"].get(list) == simdjson::SUCCESS) {
      return gather_list(list);
    }
    simdjson::dom::array worksheets;
    if (root["worksheets"].get(worksheets) != simdjson::SUCCESS) {
      return SourceError{"not a notebook: it has no cells"};
    }
    for (const element &worksheet : worksheets) {
      if (worksheet["cells"].get(list) != simdjson::SUCCESS) {
        return malformed("a worksheet has no cells");
      }
      if (std::optional<SourceError> error = gather_list(list)) {
        return error;
      }
    }
    return std::nullopt;
  }

  // Lays the code out in the source, a NUL after each cell.
  void write(Source &source) const {
    char *const begin = source.allocate(code_size_ + code_cells_.size());
    char *at = begin;
    for (const CodeCell &cell : code_cells_) {
      char *const start = at;
      each_piece(cell.code, [&](std::string_view piece) { at = std::ranges::copy(piece, at).out; });
      Segment segment;
      segment.begin = static_cast<u32>(start - begin);
      segment.end = static_cast<u32>(at - begin);
      segment.cell = cell.number;
      segment.shows_error = cell.shows_error;
      if (!is_python_cell({start, at}, segment)) {
        at = start;
        continue;
      }
      source.segments.push_back(segment);
      *at++ = '\0';
    }
    source.shrink(static_cast<std::size_t>(at - begin));
  }

private:
  std::optional<SourceError> gather_list(const element &list) {
    simdjson::dom::array cells;
    if (list.get(cells) != simdjson::SUCCESS) {
      return malformed("its cells are not a list");
    }
    for (const element &cell : cells) {
      ++number_;
      if (std::optional<SourceError> error = gather_cell(cell)) {
        return error;
      }
    }
    return std::nullopt;
  }

  std::optional<SourceError> gather_cell(const element &cell) {
    const std::string_view type = text_of(cell["cell_type"]);
    if (type.empty()) {
      return malformed(fmt::format("cell {} has no cell_type", number_));
    }
    // `language` is nbformat 3's; VS Code keeps its own note on cells that it runs as something else.
    if (type != "code" || !is_python_name(text_of(cell["language"])) ||
        !is_python_name(text_of(cell["metadata"]["vscode"]["languageId"]))) {
      return std::nullopt;
    }
    element code;
    if (cell["source"].get(code) != simdjson::SUCCESS && cell["input"].get(code) != simdjson::SUCCESS) {
      return malformed(fmt::format("cell {} has no source", number_));
    }
    if (!each_piece(code, [&](std::string_view piece) { code_size_ += piece.size(); })) {
      return malformed(fmt::format("the source of cell {} is neither a string nor a list of strings", number_));
    }
    code_cells_.push_back({number_, code, shows_error(cell)});
    return std::nullopt;
  }

  // Calls `use` with the string or each string of the list; false if it is something else.
  template <class Use> static bool each_piece(const element &code, Use use) {
    std::string_view piece;
    if (code.get(piece) == simdjson::SUCCESS) {
      use(piece);
      return true;
    }
    simdjson::dom::array pieces;
    if (code.get(pieces) != simdjson::SUCCESS) {
      return false;
    }
    for (const element &item : pieces) {
      if (item.get(piece) != simdjson::SUCCESS) {
        return false;
      }
      use(piece);
    }
    return true;
  }

  std::vector<CodeCell> code_cells_;
  std::size_t code_size_ = 0;
  u32 number_ = 0;
};

std::optional<SourceError> read_with(simdjson::dom::parser &parser, std::span<char> json, Source &source) {
  element root;
  if (std::optional<SourceError> error = parse_json(json, parser, root)) {
    return error;
  }
  Cells cells;
  if (std::optional<SourceError> error = cells.gather(root)) {
    return error;
  }
  // From here on the JSON may be overwritten: the parser holds copies of all strings.
  if (is_in_python(root)) {
    cells.write(source);
  } else {
    source.allocate(0);
  }
  return std::nullopt;
}

} // namespace

bool read_notebook(std::span<char> json, Source &source, std::vector<SourceError> &errors) {
  // A parser needs some fourteen times the memory of what it parses: kept for the next notebook, but not if it is much.
  constexpr std::size_t kLargestKept = std::size_t{4} << 20;
  thread_local simdjson::dom::parser parser;
  std::optional<SourceError> error = read_with(parser, json, source);
  if (parser.capacity() > kLargestKept) {
    parser = simdjson::dom::parser();
  }
  if (error) {
    errors.push_back(std::move(*error));
  }
  return !error;
}

} // namespace deepperf::python
