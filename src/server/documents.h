// What is open in the editor: texts, and notebooks whose cells are texts of their own.
#pragma once

#include "base/types.h"
#include "server/json.h"
#include "server/position.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace deepperf::server {

// The folders that are open in the editor.
struct Roots {
  std::vector<std::string> folders; // absolute
  // There is one folder, it is the process's current one, and paths in it are relative: as with `deepperf check` there.
  bool is_current = false;
};

// Which path the check knows a file by, and back.
std::string checked_path(const Roots &roots, std::string_view uri);
std::string uri_of_checked(const Roots &roots, std::string_view path);

struct Document {
  std::string uri;
  std::string path;     // of the check; of a cell that of its notebook
  std::string language; // as the editor calls it
  i64 version = 0;
  std::string text;
  bool is_cell = false;
};

struct Cell {
  std::string uri;
  bool is_code = true;
};

struct Notebook {
  std::string uri;
  std::string path;
  i64 version = 0;
  std::vector<Cell> cells;
};

class Documents {
public:
  // Params of the notifications textDocument/did… and notebookDocument/did…. They throw RequestError or Json::exception
  // for what makes no sense.
  void open(const Json &params, const Roots &roots);
  void change(const Json &params, Encoding encoding);
  void close(const Json &params);
  void open_notebook(const Json &params, const Roots &roots);
  void change_notebook(const Json &params, Encoding encoding);
  void close_notebook(const Json &params);

  // After the folders have changed, files may have other paths.
  void set_paths(const Roots &roots);

  [[nodiscard]] const Document *find(std::string_view uri) const;
  [[nodiscard]] const Document *find_text(std::string_view path) const; // not a cell
  [[nodiscard]] const Notebook *find_notebook(std::string_view path) const;
  [[nodiscard]] const std::map<std::string, Document, std::less<>> &all() const { return documents_; }
  [[nodiscard]] const std::map<std::string, Notebook, std::less<>> &notebooks() const { return notebooks_; }

  // What the file would be if it was saved now. Nothing if it is not open, or not Python.
  [[nodiscard]] std::optional<std::string> bytes_of(std::string_view path) const;
  // Paths that are open and may be checked.
  [[nodiscard]] std::set<std::string> checked_paths() const;
  // Paths that were opened, changed or closed since the last call.
  std::set<std::string> take_changed();
  [[nodiscard]] bool has_changed() const { return !changed_.empty(); }

private:
  void open_cell(const Json &item, const Notebook &notebook);
  void change_structure(const Json &change, Notebook &notebook);

  std::map<std::string, Document, std::less<>> documents_; // by URI
  std::map<std::string, Notebook, std::less<>> notebooks_; // by URI
  std::set<std::string> changed_;
};

// The changes of a didChange notification, in their order.
void apply_changes(const Json &changes, Encoding encoding, std::string &text);

} // namespace deepperf::server
