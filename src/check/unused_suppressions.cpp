#include "check/unused_suppressions.h"

#include "base/arena.h"
#include "base/symbol.h"
#include "base/workers.h"
#include "check/selection.h"
#include "check/suppression.h"
#include "python/parser.h"

#include <algorithm>
#include <span>

namespace deepperf::check {

namespace {

bool is_known(std::string_view selector) {
  return std::ranges::any_of(rules::all_rules(), [&](const rules::RuleInfo *rule) { return selects(selector, *rule); });
}

// `# noqa: DP101, E501` may be there for the other linter, and `# noqa` for any.
bool is_for_us(const Suppression &suppression) {
  return suppression.is_ours || (!suppression.everything && std::ranges::all_of(suppression.selectors, is_known));
}

class FileSuppressions {
public:
  FileSuppressions(FileIndex file, const python::Source &source, const std::vector<python::Span> &comments)
      : file_(file), source_(source), silencer_(&source, &comments), is_used_(silencer_.suppressions().size()) {
    for (std::size_t i = 0; i < is_used_.size(); ++i) {
      is_used_[i].resize(std::max<std::size_t>(silencer_.suppressions()[i].selectors.size(), 1));
    }
  }

  void use(const rules::Finding &finding) {
    silencer_.each_silencing(finding, [&](std::size_t index) {
      const Suppression &suppression = silencer_.suppressions()[index];
      for (std::size_t i = 0; i < is_used_[index].size(); ++i) {
        if (suppression.everything || selects(suppression.selectors[i], *finding.rule)) {
          is_used_[index][i] = true;
        }
      }
    });
  }

  void add_unused(std::vector<UnusedSuppression> &unused) const {
    for (std::size_t index = 0; index < is_used_.size(); ++index) {
      const Suppression &suppression = silencer_.suppressions()[index];
      if (!is_for_us(suppression) || std::ranges::all_of(is_used_[index], std::identity())) {
        continue;
      }
      UnusedSuppression found;
      for (std::size_t i = 0; i < suppression.selectors.size(); ++i) {
        // A rule that does not exist is told as such.
        if (!is_used_[index][i] && is_known(suppression.selectors[i])) {
          found.selectors.emplace_back(suppression.selectors[i]);
        }
      }
      if (found.selectors.empty() && !suppression.selectors.empty()) {
        continue;
      }
      if (found.selectors.size() == suppression.selectors.size()) {
        found.selectors.clear();
      }
      found.file = file_;
      found.position = source_.position(suppression.span.start);
      found.comment = source_.part(suppression.span.start, suppression.span.end);
      found.comment.erase(found.comment.find_last_not_of(" \t\r\n") + 1);
      found.reason = suppression.reason;
      found.is_too_late = suppression.is_too_late;
      unused.push_back(std::move(found));
    }
  }

private:
  FileIndex file_;
  const python::Source &source_;
  Silencer silencer_;
  std::vector<std::vector<bool>> is_used_; // of each comment, each of its selectors
};

} // namespace

std::vector<UnusedSuppression> find_unused_suppressions(const Result &result) {
  std::vector<UnusedSuppression> unused;
  // The parser needs a stack that the caller may not have.
  on_large_stack([&] {
    auto finding = result.findings.begin();
    for (u32 index = 0; index < result.files.size(); ++index) {
      const CheckedFile &file = result.files[index];
      if (file.source == nullptr) {
        continue;
      }
      // The check keeps texts and comments only where it found something.
      const python::LoadResult loaded =
          file.source->text().empty() ? python::load_file(file.path) : python::LoadResult();
      const python::Source &source = file.source->text().empty() ? loaded.source : *file.source;
      Arena arena;
      LocalSymbols symbols;
      const std::vector<python::Span> comments = python::parse(source, arena, symbols).comments;
      FileSuppressions suppressions({index}, source, comments);
      for (; finding != result.findings.end() && finding->file.value == index; ++finding) {
        suppressions.use(*finding);
      }
      suppressions.add_unused(unused);
    }
  });
  return unused;
}

} // namespace deepperf::check
