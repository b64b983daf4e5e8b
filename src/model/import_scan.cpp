#include "model/import_scan.h"

#include "base/scan.h"
#include "model/imports.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace deepperf::model {

namespace {

constexpr std::string_view kImport = "import";
constexpr std::string_view kFrom = "from";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Reads the rest of a statement as the parser does. Behind the text stand zero bytes.
class ImportReader {
public:
  ImportReader(const char *at, LocalSymbols &symbols) : at_(at), symbols_(symbols) {}

  // Where the statement ends: no other import is before that.
  [[nodiscard]] const char *at() const { return at_; }
  // False: there was a name that only the parser can read.
  [[nodiscard]] bool ok() const { return ok_; }

  bool take(char c) {
    skip_blanks();
    if (*at_ != c) {
      return false;
    }
    ++at_;
    return true;
  }

  // There a line may end anywhere, and have a comment.
  void enter_parentheses() { in_parentheses_ = true; }

  // `a.b` as one name; empty if there is none.
  Symbol take_dotted() {
    dotted_.clear();
    do {
      const std::string_view part = take_word();
      if (part.empty()) {
        break;
      }
      dotted_ += dotted_.empty() ? "" : ".";
      dotted_ += part;
    } while (take('.'));
    return dotted_.empty() ? Symbol{} : intern_dotted();
  }

  // `*` too.
  Symbol take_name() {
    const bool is_all = take('*');
    const std::string_view word = is_all ? std::string_view{} : take_word();
    return is_all ? intern("*") : word.empty() ? Symbol{} : symbols_.intern_padded(word.data(), size_of(word));
  }

  // `as name`, and whether another import follows.
  bool goes_on() {
    const char *const before = at_;
    if (take_word() == "as") {
      take_word();
    } else {
      at_ = before;
    }
    return take(',');
  }

private:
  static u32 size_of(std::string_view text) { return static_cast<u32>(text.size()); }

  Symbol intern_dotted() {
    const std::size_t size = dotted_.size();
    dotted_.resize(size + python::Source::kPadding);
    return symbols_.intern_padded(dotted_.data(), static_cast<u32>(size));
  }

  void skip_blanks() {
    for (;;) {
      if (is_blank(*at_) || (in_parentheses_ && is_line_end(*at_))) {
        ++at_;
      } else if (*at_ == '\\' && is_line_end(at_[1])) {
        at_ += at_[1] == '\r' && at_[2] == '\n' ? 3 : 2;
      } else if (in_parentheses_ && *at_ == '#') {
        at_ = scan::line_end(at_);
      } else {
        return;
      }
    }
  }

  std::string_view take_word() {
    skip_blanks();
    const scan::NameEnd name = scan::name_end(at_);
    const std::string_view word(at_, static_cast<std::size_t>(name.end - at_));
    if (word == kImport || word == kFrom) {
      return {}; // of this statement, or of the next one
    }
    ok_ = ok_ && name.ascii; // other names have several ways to be written
    at_ = name.end;
    return word;
  }

  const char *at_;
  LocalSymbols &symbols_;
  std::string dotted_;
  bool in_parentheses_ = false;
  bool ok_ = true;
};

// The `from` of the statement whose `import` that is; null if there is none after `limit`.
const char *find_from(const char *import, const char *limit) {
  const auto continues_line = [limit](const char *at) { // the line end at `at`
    const std::ptrdiff_t before = at - limit;
    return before > 0 && (at[-1] == '\\' || (before > 1 && at[-1] == '\r' && at[-2] == '\\'));
  };
  for (const char *at = import; at != limit;) {
    const char *const end = at;
    while (at != limit && scan::is_name_byte(at[-1])) {
      --at;
    }
    if (std::string_view(at, static_cast<std::size_t>(end - at)) == kFrom) {
      return at;
    }
    while (at != limit && (is_blank(at[-1]) || at[-1] == '.' || at[-1] == '\\' || is_line_end(at[-1]))) {
      if (is_line_end(at[-1]) && !continues_line(at - 1)) {
        return nullptr;
      }
      --at;
    }
    if (at == end) {
      return nullptr;
    }
  }
  return nullptr;
}

} // namespace

bool scan_imports(const python::Source &source, LocalSymbols &symbols, ParsedFile &file) {
  const char *at = source.text().data();
  const char *const end = at + source.text().size();
  const char *limit = at; // the end of the import before
  for (;;) {
    const char *const import = scan::find_word(at, end, kImport);
    if (import == nullptr) {
      return true;
    }
    at = import + kImport.size();
    if (scan::is_name_byte(*at) || (import != limit && scan::is_name_byte(import[-1]))) {
      continue;
    }
    ImportReader names(at, symbols);
    ImportRef imported;
    const char *const from = find_from(import, limit);
    if (from != nullptr) {
      ImportReader module(from + kFrom.size(), symbols);
      while (module.take('.')) {
        ++imported.level;
      }
      imported.module = module.take_dotted();
      if (!module.ok()) {
        return false;
      }
      if (names.take('(')) {
        names.enter_parentheses();
      }
    }
    Symbol &listed = from != nullptr ? imported.name : imported.module;
    do {
      listed = from != nullptr ? names.take_name() : names.take_dotted();
      if (listed) {
        note_import(imported, file);
      }
    } while (names.goes_on());
    if (!names.ok()) {
      return false;
    }
    limit = at = names.at();
  }
}

} // namespace deepperf::model
