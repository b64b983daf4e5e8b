#include "fix/fix.h"

#include "base/arena.h"
#include "base/symbol.h"
#include "base/workers.h"
#include "fix/edits.h"
#include "fix/files.h"
#include "fix/importers.h"
#include "fix/interrupts.h"
#include "fix/notebook.h"
#include "fix/unused_imports.h"
#include "python/cpython_dump.h"
#include "python/encoding.h"
#include "python/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

namespace deepperf::fix {

namespace {

u64 count_syntax_errors(const python::Source &source) {
  Arena arena;
  LocalSymbols symbols;
  const python::Tree tree = python::parse(source, arena, symbols);
  return tree.errors.size() + tree.suppressed_errors;
}

// The tree with all places, as a text to compare. Comments are not in it.
std::string tree_text(const python::Source &source) {
  Arena arena;
  LocalSymbols symbols;
  std::string text;
  python::dump_cpython(source, python::parse(source, arena, symbols), true, text);
  return text;
}

// The bytes of a file with this text; nothing if its encoding has no way to write it.
std::optional<std::string> encode(const python::Source &source, std::string_view text) {
  if (!python::means_utf8(source.encoding)) {
    return python::convert_from_utf8(text, source.encoding);
  }
  std::string bytes(source.has_bom ? python::kUtf8Mark : "");
  bytes += text;
  return bytes;
}

// One file on its way from its findings to its new bytes.
class FileFixer {
public:
  FileFixer(const check::CheckedFile &file, std::string bytes, bool same_tree)
      : source_(*file.source), path_(file.path), bytes_(std::move(bytes)), errors_(count_syntax_errors(source_)) {
    if (same_tree) {
      tree_ = tree_text(source_);
    }
  }

  // What is on disk must be what was checked, or else offsets mean nothing.
  [[nodiscard]] std::optional<std::string> refusal() const {
    if (source_.is_notebook) {
      const python::LoadResult now = python::load_bytes(path_, bytes_);
      return now.ok() && now.source.text() == source_.text() ? std::nullopt : changed();
    }
    const std::optional<std::string> written = encode(source_, source_.text());
    if (written == bytes_) {
      return std::nullopt;
    }
    if (python::means_utf8(source_.encoding)) {
      return changed();
    }
    return fmt::format("not fixed: its encoding {} cannot be written back byte for byte", source_.encoding);
  }

  // Tries all fixes at once and, where that breaks the file, one after the other; imports that nothing uses after that
  // go with them. False: none of them can be made.
  bool fix(std::span<const rules::Finding *const> findings,
           const std::function<bool(std::string_view)> &is_used_elsewhere) {
    EditSet edits;
    if (!choose(findings, edits)) {
      return false;
    }
    EditSet more = edits;
    const std::vector<rules::Edit> imports = remove_unused_imports(source_, edits.edits(), is_used_elsewhere);
    return (!imports.empty() && more.add(imports, source_.text().size()) && try_edits(more.edits())) ||
           try_edits(edits.edits());
  }

  [[nodiscard]] const std::vector<bool> &chosen() const { return chosen_; }
  [[nodiscard]] bool was_not_representable() const { return not_representable_; }

  FixedFile take() {
    FixedFile fixed;
    fixed.before = source_.is_notebook ? std::move(bytes_) : std::string(source_.text());
    fixed.edits = std::move(edits_);
    fixed.after = std::move(after_);
    return fixed;
  }

private:
  static std::optional<std::string> changed() { return "not fixed: the file changed while it was checked"; }

  bool choose(std::span<const rules::Finding *const> findings, EditSet &good) {
    chosen_.assign(findings.size(), true);
    EditSet all;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      chosen_[i] = all.add(findings[i]->fix->edits, source_.text().size());
    }
    if (try_edits(all.edits())) {
      good = std::move(all);
      return true;
    }
    chosen_.assign(findings.size(), false);
    const std::size_t middle = findings.size() / 2;
    const bool any = add_good_ones(findings, 0, middle, good);
    return add_good_ones(findings, middle, findings.size(), good) || any;
  }

  // Of the findings [begin, end), half by half, those whose fixes can be made together with the good ones. Every try
  // parses the file, so there are not more than a few dozen: what is left then is for the next round.
  bool add_good_ones(std::span<const rules::Finding *const> findings, std::size_t begin, std::size_t end,
                     EditSet &good) {
    if (begin == end || tries_left_ == 0) {
      return false;
    }
    EditSet more = good;
    bool is_more = false;
    for (std::size_t i = begin; i < end; ++i) {
      chosen_[i] = more.add(findings[i]->fix->edits, source_.text().size());
      is_more = is_more || chosen_[i];
    }
    --tries_left_;
    if (is_more && try_edits(more.edits())) {
      good = std::move(more);
      return true;
    }
    std::fill(chosen_.begin() + static_cast<std::ptrdiff_t>(begin), chosen_.begin() + static_cast<std::ptrdiff_t>(end),
              false);
    const std::size_t middle = begin + (end - begin) / 2;
    if (!is_more || middle == begin) {
      return false;
    }
    const bool any = add_good_ones(findings, begin, middle, good);
    return add_good_ones(findings, middle, end, good) || any;
  }

  bool try_edits(const std::vector<rules::Edit> &edits) {
    if (edits.empty()) {
      return false;
    }
    if (source_.is_notebook) {
      std::optional<std::vector<rules::Edit>> mapped = edits_in_json(bytes_, source_, edits);
      if (!mapped) {
        return false;
      }
      edits_ = std::move(*mapped);
      after_ = edited(bytes_, edits_);
    } else {
      edits_ = edits;
      std::optional<std::string> encoded = encode(source_, edited(source_.text(), edits));
      if (!encoded) {
        not_representable_ = true;
        return false;
      }
      after_ = std::move(*encoded);
    }
    const python::LoadResult loaded = python::load_bytes(path_, after_);
    return loaded.ok() && after_ != bytes_ && count_syntax_errors(loaded.source) <= errors_ &&
           (!tree_ || tree_text(loaded.source) == *tree_);
  }

  const python::Source &source_;
  const std::string &path_;
  std::string bytes_;
  u64 errors_;
  std::optional<std::string> tree_; // that must stay
  std::vector<bool> chosen_;
  std::vector<rules::Edit> edits_;
  std::string after_;
  bool not_representable_ = false;
  u32 tries_left_ = 64;
};

// `indices` are the findings of the file that have a fix we may apply.
void fix_file(const check::Result &result, const FixOptions &options, std::span<const std::size_t> indices,
              Importers &importers, FixResult &out) {
  const FileIndex index = result.findings[indices[0]].file;
  const check::CheckedFile &file = result.files[index.value];
  const auto problem = [&](std::string message, bool is_failure) {
    out.problems.push_back({file.path, std::move(message), is_failure});
  };
  std::optional<std::string> bytes = options.stdin_bytes ? options.stdin_bytes : read_bytes(file.path);
  if (!bytes) {
    problem("not fixed: the file cannot be read again", true);
    return;
  }
  FileFixer fixer(file, std::move(*bytes), options.same_tree);
  if (std::optional<std::string> refusal = fixer.refusal()) {
    problem(std::move(*refusal), false);
    return;
  }
  std::vector<const rules::Finding *> findings;
  for (const std::size_t i : indices) {
    findings.push_back(&result.findings[i]);
  }
  const bool any = fixer.fix(findings, [&](std::string_view name) {
    return options.stdin_bytes.has_value() || importers.take_from(file.path, name);
  });
  if (fixer.was_not_representable()) {
    problem(fmt::format("not fixed: a fix contains characters that the encoding {} cannot represent",
                        file.source->encoding),
            false);
  }
  if (!any) {
    return;
  }
  FixedFile fixed = fixer.take();
  fixed.file = index;
  if (options.write && !options.stdin_bytes) {
    if (std::optional<std::string> reason = reason_to_leave(file.path)) {
      problem(fmt::format("not fixed: {}", *reason), false);
      return;
    }
    if (std::optional<std::string> failure = replace_file(file.path, fixed.after)) {
      problem(fmt::format("not fixed: {}", *failure), true);
      return;
    }
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    out.is_fixed[indices[i]] = fixer.chosen()[i];
    fixed.findings += fixer.chosen()[i] ? 1 : 0;
  }
  out.files.push_back(std::move(fixed));
}

} // namespace

FixResult apply_fixes(const check::Result &result, const FixOptions &options) {
  FixResult out;
  out.is_fixed.resize(result.findings.size());
  Importers importers(result);
  // Each file is written whole or not at all, also if the user has had enough.
  const HeldInterrupts held;
  // The parser needs a stack that the caller may not have.
  on_large_stack([&] {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < result.findings.size(); ++i) {
      const rules::Finding &finding = result.findings[i];
      if (finding.fix && (finding.fix->safe || options.unsafe_fixes) &&
          result.files[finding.file.value].source != nullptr) {
        indices.push_back(i);
      }
      const bool is_last = i + 1 == result.findings.size() || result.findings[i + 1].file != finding.file;
      if (is_last && !indices.empty()) {
        fix_file(result, options, indices, importers, out);
        indices.clear();
        if (HeldInterrupts::is_pending()) {
          return;
        }
      }
    }
  });
  return out;
}

} // namespace deepperf::fix
