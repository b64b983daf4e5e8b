#include "fix/unused_imports.h"

#include "base/arena.h"
#include "base/symbol.h"
#include "base/word.h"
#include "fix/edits.h"
#include "python/parser.h"

#include <algorithm>
#include <string>

namespace deepperf::fix {

using namespace python;

namespace {

// Calls `visit` with the place of each occurrence as a whole word, until that returns false.
template <class Visit> void for_each_word(std::string_view text, std::string_view word, Visit visit) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    const std::size_t end = at + word.size();
    const bool is_whole =
        (at == 0 || !is_word_character(text[at - 1])) && (end >= text.size() || !is_word_character(text[end]));
    if (is_whole && !visit(at)) {
      return;
    }
  }
}

bool has_word(std::string_view text, std::string_view word) {
  bool found = false;
  for_each_word(text, word, [&found](std::size_t) { return !(found = true); });
  return found;
}

// Importing these only defines names, and fixes take out uses of these only.
bool is_known_library(std::string_view module) {
  const std::string_view root = module.substr(0, module.find('.'));
  return root == "torch" || root == "numpy" || root == "math" || root == "jax";
}

// The name that is bound; empty if it must stay: `import torch as torch` says that others take it from here.
std::string_view bound_name(const Alias &alias, bool is_from) {
  const std::string_view name = alias.name.text();
  if (alias.asname) {
    return alias.asname == alias.name ? std::string_view{} : alias.asname.text();
  }
  return name == "*" || (!is_from && name.find('.') != std::string_view::npos) ? std::string_view{} : name;
}

class Finder {
public:
  Finder(const Source &source, const std::vector<rules::Edit> &edits,
         const std::function<bool(std::string_view)> &is_used_elsewhere)
      : text_(source.text()), is_used_elsewhere_(is_used_elsewhere), tree_(parse(source, arena_, symbols_)) {
    // Texts without their imports: the name of a module is no use of what an import binds.
    std::vector<rules::Edit> without;
    for (const Stmt *statement : tree_.body) {
      if (statement->kind == NodeKind::Import || statement->kind == NodeKind::ImportFrom) {
        without.push_back({statement->start, statement->end, " "});
      }
    }
    before_ = edited(text_, without);
    EditSet both;
    is_valid_ = both.add(edits, text_.size()) && both.add(without, text_.size());
    after_ = is_valid_ ? edited(text_, both.edits()) : std::string();
  }

  std::vector<rules::Edit> find() {
    // Code that is made of text may use anything.
    if (!is_valid_ || !tree_.errors.empty() || has_word(text_, "exec") || has_word(text_, "eval") ||
        has_word(text_, "globals") || text_.find("%run") != std::string_view::npos) {
      return {};
    }
    for (const Stmt *statement : tree_.body) {
      if (const auto *import = as<Import>(statement)) {
        look_at(*statement, import->names, {});
      } else if (const auto *from = as<ImportFrom>(statement); from != nullptr && from->level == 0 && from->module) {
        look_at(*statement, from->names, from->module.text());
      }
    }
    return std::move(found_);
  }

private:
  bool is_unused(const Alias &alias, std::string_view module) const {
    const std::string_view name = bound_name(alias, !module.empty());
    return !name.empty() && is_known_library(module.empty() ? alias.name.text() : module) && has_word(before_, name) &&
           !has_word(after_, name) && !is_used_elsewhere_(name);
  }

  void look_at(const Stmt &statement, const Array<Alias *> &names, std::string_view module) {
    std::vector<bool> goes;
    for (const Alias *alias : names) {
      goes.push_back(is_unused(*alias, module));
    }
    const std::string_view written = text_.substr(statement.start, statement.end - statement.start);
    if (std::ranges::count(goes, true) == 0 || written.find('#') != std::string_view::npos) {
      return;
    }
    if (std::ranges::count(goes, false) == 0) {
      remove_line(statement);
      return;
    }
    const u32 size = static_cast<u32>(goes.size());
    for (u32 first = 0; first < size; ++first) {
      u32 last = first; // of those from here on that go
      while (last < size && goes[last]) {
        ++last;
      }
      if (last == first) {
        continue;
      }
      if (last < size) {
        found_.push_back({names[first]->start, names[last]->start, ""});
      } else {
        found_.push_back({names[first - 1]->end, names[last - 1]->end, ""});
      }
      first = last;
    }
  }

  // Only where nothing else stands on its lines.
  void remove_line(const Stmt &statement) {
    const bool starts_line = statement.start == 0 || text_[statement.start - 1] == '\n';
    const std::size_t end = text_.find_first_not_of(" \t\r", statement.end);
    if (starts_line && end != std::string_view::npos && text_[end] == '\n') {
      found_.push_back({statement.start, static_cast<u32>(end + 1), ""});
    }
  }

  std::string_view text_;
  const std::function<bool(std::string_view)> &is_used_elsewhere_;
  Arena arena_;
  LocalSymbols symbols_;
  Tree tree_;
  bool is_valid_ = false;
  std::string before_;
  std::string after_;
  std::vector<rules::Edit> found_;
};

} // namespace

std::vector<rules::Edit> remove_unused_imports(const Source &source, const std::vector<rules::Edit> &edits,
                                               const std::function<bool(std::string_view)> &is_used_elsewhere) {
  return Finder(source, edits, is_used_elsewhere).find();
}

bool takes_name_from(std::string_view text, std::string_view module, std::string_view name) {
  bool takes = false;
  bool imports_module = false;
  for_each_word(text, module, [&](std::size_t at) {
    const std::size_t line = text.rfind('\n', at) + 1;
    const std::size_t begin = text.find_first_not_of(" \t\"", line); // in a notebook lines are quoted
    const std::string_view rest = text.substr(std::min(begin, text.size()));
    if (rest.starts_with("import ")) {
      imports_module = true;
    } else if (rest.starts_with("from ")) {
      const std::size_t list = rest.find(" import");
      const std::string_view head = rest.substr(0, list);
      std::string_view names = list != std::string_view::npos ? rest.substr(list + 7) : std::string_view{};
      const std::size_t line_end = std::min(names.find('\n'), names.size());
      const std::size_t open = names.substr(0, line_end).find('(');
      names = names.substr(0, open != std::string_view::npos ? names.find(')') : line_end);
      if (has_word(head, module)) {
        takes = takes || names.find('*') != std::string_view::npos || names.find('\\') != std::string_view::npos ||
                has_word(names, name);
      } else {
        imports_module = true; // from . import module
      }
    }
    return !takes;
  });
  return takes || (imports_module && text.find("." + std::string(name)) != std::string_view::npos);
}

} // namespace deepperf::fix
