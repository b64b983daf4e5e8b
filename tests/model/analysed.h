// Files that were analysed together, for tests of what the engine knows. Whatever a test asks for must be there: a
// misspelled question would otherwise be answered like code of which the engine knows nothing.
#pragma once

#include "model/facts.h"
#include "model/project.h"
#include "python/children.h"
#include "python/parser.h"

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepperf::model {

class Analysed {
public:
  // Of paths and texts.
  explicit Analysed(const std::vector<std::pair<std::string, std::string>> &texts, u32 workers = 1) {
    for (const auto &[path, text] : texts) {
      ParsedFile &file = files_.emplace_back();
      file.path = path;
      file.index = {static_cast<u32>(files_.size() - 1)};
      file.source = python::load_bytes(path, text).source;
      file.tree = python::parse(file.source, arena_, symbols_);
      file.has_text = file.has_tree = true;
      if (!file.tree.errors.empty()) {
        throw std::runtime_error(path + " has a syntax error: " + file.tree.errors[0].message);
      }
      find_imports(file);
    }
    std::vector<ParsedFile *> all;
    for (ParsedFile &file : files_) {
      all.push_back(&file);
    }
    project_ = analyse(all, workers);
  }
  // Of one file.
  explicit Analysed(std::string_view text, u32 workers = 1) : Analysed({{"main.py", std::string(text)}}, workers) {}

  [[nodiscard]] const Project &project() const { return *project_; }
  [[nodiscard]] std::string_view text(u32 file = 0) const { return files_.at(file).source.text(); }

  // The first expression that is written so; never null.
  [[nodiscard]] const python::Expr *expr(std::string_view written, u32 file = 0) const {
    const python::Expr *found = nullptr;
    for (const python::Stmt *statement : files_.at(file).tree.body) {
      search(statement, written, file, found);
    }
    if (found == nullptr) {
      throw missing("expression", written);
    }
    return found;
  }

  // The first call that is written so; never null.
  [[nodiscard]] const python::Call *call(std::string_view written, u32 file = 0) const {
    const auto *found = python::as<python::Call>(expr(written, file));
    if (found == nullptr) {
      throw missing("call", written);
    }
    return found;
  }

  // What the engine found it to be.
  [[nodiscard]] Kind kind(std::string_view written, u32 file = 0) const { return kind_of(expr(written, file)); }

  // The canonical name of what a call that is written so calls; empty if that is no API.
  [[nodiscard]] std::string_view called(std::string_view written, u32 file = 0) const {
    const Value callee = project_->callee_of(call(written, file));
    return callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
  }

  // The n-th loop, from 0.
  [[nodiscard]] const Loop &loop(std::size_t index = 0) const {
    if (index >= project_->loops.size()) {
      throw missing("loop", std::to_string(index));
    }
    return project_->loops[index];
  }

  // The first function of that name; never null.
  [[nodiscard]] const FunctionInfo *function(std::string_view name) const {
    for (const FunctionInfo &function : project_->functions) {
      if (function.name && function.name.text() == name) {
        return &function;
      }
    }
    throw missing("function", name);
  }

private:
  static std::runtime_error missing(std::string_view what, std::string_view name) {
    return std::runtime_error("the code has no " + std::string(what) + " " + std::string(name));
  }

  void search(const python::Node *node, std::string_view written, u32 file, const python::Expr *&found) const {
    if (found != nullptr) {
      return;
    }
    const bool is_expr = node->kind < python::NodeKind::FunctionDef;
    if (is_expr && text(file).substr(node->start, node->end - node->start) == written) {
      found = static_cast<const python::Expr *>(node);
      return;
    }
    python::for_each_child(node, [&](const python::Node *child) { search(child, written, file, found); });
  }

  Arena arena_;
  LocalSymbols symbols_;
  std::deque<ParsedFile> files_;
  std::unique_ptr<Project> project_;
};

} // namespace deepperf::model
