#include "server/documents.h"

#include "base/json.h"
#include "project/walk.h"
#include "python/encoding.h"
#include "server/message.h"
#include "server/uri.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace deepperf::server {

namespace {

constexpr std::string_view kNotebookEnding = ".ipynb";

std::string text_of(const Json &object, std::string_view name) {
  const Json &value = member(object, name);
  if (!value.is_string()) {
    throw RequestError(ErrorCode::InvalidParams, std::string(name) + " must be a string");
  }
  return value.get<std::string>();
}

i64 version_of(const Json &object) {
  const Json &value = member(object, "version");
  return value.is_number_integer() ? value.get<i64>() : 0;
}

bool is_checked(const Document &document) {
  return !document.is_cell && (document.language == "python" || project::is_python_name(document.path));
}

std::string notebook_path(const Roots &roots, std::string_view uri) {
  std::string path = checked_path(roots, uri);
  return path.ends_with(kNotebookEnding) ? path : path.append(kNotebookEnding);
}

// A file that declares another encoding is read in that one.
std::string encoded(const std::string &text) {
  const auto cookie = python::find_encoding_cookie(text);
  if (!cookie || python::means_utf8(cookie->name)) {
    return text;
  }
  return python::convert_from_utf8(text, cookie->name).value_or(text);
}

} // namespace

std::string checked_path(const Roots &roots, std::string_view uri) {
  const std::optional<std::string> path = path_of_uri(uri);
  if (!path) {
    return std::string(uri); // a text that was never saved, for instance
  }
  if (roots.is_current) {
    const std::string folder = roots.folders[0] == "/" ? "/" : roots.folders[0] + "/";
    if (path->starts_with(folder)) {
      return path->substr(folder.size());
    }
  }
  return *path;
}

std::string uri_of_checked(const Roots &roots, std::string_view path) {
  if (path.starts_with('/')) {
    return uri_of_path(path);
  }
  if (!roots.is_current) {
    return std::string(path);
  }
  return uri_of_path((roots.folders[0] == "/" ? "/" : roots.folders[0] + "/") + std::string(path));
}

void apply_changes(const Json &changes, Encoding encoding, std::string &text) {
  if (!changes.is_array()) {
    throw RequestError(ErrorCode::InvalidParams, "contentChanges must be a list");
  }
  for (const Json &change : changes) {
    std::string replacement = text_of(change, "text");
    const Json &place = member(change, "range");
    if (place.is_null()) {
      text = std::move(replacement);
      continue;
    }
    const Range range = read_range(place);
    const std::size_t start = offset_of(text, range.start, encoding);
    const std::size_t end = offset_of(text, range.end, encoding);
    text.replace(start, end - start, replacement);
  }
}

void Documents::open(const Json &params, const Roots &roots) {
  const Json &item = member(params, "textDocument");
  Document document;
  document.uri = text_of(item, "uri");
  document.path = checked_path(roots, document.uri);
  document.text = text_of(item, "text");
  document.version = version_of(item);
  const Json &language = member(item, "languageId");
  document.language = language.is_string() ? language.get<std::string>() : "";
  changed_.insert(document.path);
  documents_[document.uri] = std::move(document);
}

void Documents::change(const Json &params, Encoding encoding) {
  const Json &item = member(params, "textDocument");
  const auto found = documents_.find(text_of(item, "uri"));
  if (found == documents_.end()) {
    throw RequestError(ErrorCode::InvalidParams, "a text that is not open was changed");
  }
  Document &document = found->second;
  changed_.insert(document.path);
  apply_changes(member(params, "contentChanges"), encoding, document.text);
  document.version = version_of(item);
}

void Documents::close(const Json &params) {
  const auto found = documents_.find(text_of(member(params, "textDocument"), "uri"));
  if (found != documents_.end()) {
    changed_.insert(found->second.path);
    documents_.erase(found);
  }
}

void Documents::open_cell(const Json &item, const Notebook &notebook) {
  Document cell;
  cell.uri = text_of(item, "uri");
  cell.path = notebook.path;
  cell.text = text_of(item, "text");
  cell.version = version_of(item);
  const Json &language = member(item, "languageId");
  cell.language = language.is_string() ? language.get<std::string>() : "python";
  cell.is_cell = true;
  documents_[cell.uri] = std::move(cell);
}

namespace {

Cell read_cell(const Json &json) {
  const Json &kind = member(json, "kind");
  constexpr int kCode = 2; // NotebookCellKind
  return {text_of(json, "document"), !kind.is_number_integer() || kind.get<int>() == kCode};
}

} // namespace

void Documents::open_notebook(const Json &params, const Roots &roots) {
  const Json &item = member(params, "notebookDocument");
  Notebook notebook;
  notebook.uri = text_of(item, "uri");
  notebook.path = notebook_path(roots, notebook.uri);
  notebook.version = version_of(item);
  for (const Json &cell : member(item, "cells")) {
    notebook.cells.push_back(read_cell(cell));
  }
  changed_.insert(notebook.path);
  for (const Json &cell : member(params, "cellTextDocuments")) {
    open_cell(cell, notebook);
  }
  notebooks_[notebook.uri] = std::move(notebook);
}

void Documents::change_structure(const Json &change, Notebook &notebook) {
  const Json &array = member(change, "array");
  if (!array.is_object()) {
    return;
  }
  const auto number = [&](std::string_view name) {
    const Json &value = member(array, name);
    return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
  };
  const std::size_t start = std::min(number("start"), notebook.cells.size());
  const std::size_t count = std::min(number("deleteCount"), notebook.cells.size() - start);
  std::vector<Cell> added;
  for (const Json &cell : member(array, "cells")) {
    added.push_back(read_cell(cell));
  }
  const auto place = notebook.cells.begin() + static_cast<std::ptrdiff_t>(start);
  notebook.cells.erase(place, place + static_cast<std::ptrdiff_t>(count));
  notebook.cells.insert(notebook.cells.begin() + static_cast<std::ptrdiff_t>(start), added.begin(), added.end());
  for (const Json &closed : member(change, "didClose")) {
    documents_.erase(text_of(closed, "uri"));
  }
  for (const Json &opened : member(change, "didOpen")) {
    open_cell(opened, notebook);
  }
}

void Documents::change_notebook(const Json &params, Encoding encoding) {
  const Json &item = member(params, "notebookDocument");
  const auto found = notebooks_.find(text_of(item, "uri"));
  if (found == notebooks_.end()) {
    throw RequestError(ErrorCode::InvalidParams, "a notebook that is not open was changed");
  }
  Notebook &notebook = found->second;
  changed_.insert(notebook.path);
  notebook.version = version_of(item);
  const Json &cells = member(params, {"change", "cells"});
  change_structure(member(cells, "structure"), notebook);
  for (const Json &changed : member(cells, "data")) {
    const Cell cell = read_cell(changed);
    const auto known = std::ranges::find(notebook.cells, cell.uri, &Cell::uri);
    if (known != notebook.cells.end()) {
      known->is_code = cell.is_code;
    }
  }
  for (const Json &content : member(cells, "textContent")) {
    const auto document = documents_.find(text_of(member(content, "document"), "uri"));
    if (document == documents_.end()) {
      throw RequestError(ErrorCode::InvalidParams, "a cell that is not open was changed");
    }
    apply_changes(member(content, "changes"), encoding, document->second.text);
    document->second.version = version_of(member(content, "document"));
  }
}

void Documents::close_notebook(const Json &params) {
  const auto found = notebooks_.find(text_of(member(params, "notebookDocument"), "uri"));
  if (found == notebooks_.end()) {
    return;
  }
  changed_.insert(found->second.path);
  for (const Cell &cell : found->second.cells) {
    documents_.erase(cell.uri);
  }
  notebooks_.erase(found);
}

void Documents::set_paths(const Roots &roots) {
  for (auto &[uri, document] : documents_) {
    if (!document.is_cell) {
      document.path = checked_path(roots, uri);
    }
  }
  for (auto &[uri, notebook] : notebooks_) {
    notebook.path = notebook_path(roots, uri);
    for (const Cell &cell : notebook.cells) {
      if (const auto document = documents_.find(cell.uri); document != documents_.end()) {
        document->second.path = notebook.path;
      }
    }
  }
}

const Document *Documents::find(std::string_view uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

const Document *Documents::find_text(std::string_view path) const {
  const auto found = std::ranges::find_if(
      documents_, [&](const auto &entry) { return entry.second.path == path && is_checked(entry.second); });
  return found == documents_.end() ? nullptr : &found->second;
}

const Notebook *Documents::find_notebook(std::string_view path) const {
  const auto found = std::ranges::find_if(notebooks_, [&](const auto &entry) { return entry.second.path == path; });
  return found == notebooks_.end() ? nullptr : &found->second;
}

std::optional<std::string> Documents::bytes_of(std::string_view path) const {
  if (const Notebook *const notebook = find_notebook(path)) {
    Json cells = Json::array();
    for (const Cell &cell : notebook->cells) {
      const Document *const document = find(cell.uri);
      const bool is_python = document != nullptr && document->language == "python";
      Json json = {{"metadata", Json::object()}, {"source", document == nullptr ? "" : document->text}};
      json["cell_type"] = !cell.is_code ? "markdown" : is_python ? "code" : "raw";
      if (cell.is_code && is_python) {
        json["outputs"] = Json::array();
        json["execution_count"] = nullptr;
      }
      cells.push_back(std::move(json));
    }
    const Json json = {{"cells", std::move(cells)},
                       {"metadata", {{"language_info", {{"name", "python"}}}}},
                       {"nbformat", 4},
                       {"nbformat_minor", 4}};
    return json_text(json);
  }
  const Document *const document = find_text(path);
  return document == nullptr ? std::nullopt : std::optional(encoded(document->text));
}

std::set<std::string> Documents::checked_paths() const {
  std::set<std::string> paths;
  for (const auto &[uri, document] : documents_) {
    if (is_checked(document)) {
      paths.insert(document.path);
    }
  }
  for (const auto &[uri, notebook] : notebooks_) {
    paths.insert(notebook.path);
  }
  return paths;
}

std::set<std::string> Documents::take_changed() { return std::exchange(changed_, {}); }

} // namespace deepperf::server
