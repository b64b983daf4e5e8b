// What libraries have deprecated and removed, and since which version. The tables are in history_*.cpp and
// tensorflow_history.cpp.
#pragma once

#include "project/requirements.h"
#include "rules/site.h"

#include <span>

namespace deepperf::rules {

struct ApiHistory {
  std::string_view api;        // canonical name
  std::string_view package;    // as pip names it
  std::string_view deprecated; // since that version; empty: never was, or not any more
  std::string_view removed;    // since that version; empty: it is still there
  std::string_view instead;    // what to write
  std::string_view renamed_to; // an API that does the same with the same arguments; empty if there is none
  std::string_view back = {};  // since that version there may be something of the name again
  bool is_module = false;      // all that is in it went with it
};

// The parts of the table: NumPy and what is built on it, PyTorch and its companions, JAX, Hugging Face, services and
// interfaces, Keras as a package of its own, Python itself, TensorFlow. Names of Keras and TensorFlow count only as
// they are written, as the engine takes what has several names for one thing.
std::span<const ApiHistory> array_history();
std::span<const ApiHistory> torch_history();
std::span<const ApiHistory> jax_history();
std::span<const ApiHistory> language_history();
std::span<const ApiHistory> service_history();
std::span<const ApiHistory> keras_history();
std::span<const ApiHistory> python_history();
std::span<const ApiHistory> tensorflow_history();

// Null if nothing is known to have happened to it.
const ApiHistory *find_history(Symbol api);

// The same of the API that an expression names.
const ApiHistory *history_of(const Site &site, const python::Node &node);

// The same of what `from module import name` or, without a name, `import module` imports.
const ApiHistory *history_of_import(std::string_view module, std::string_view name);

// The last parts of all names in the table.
std::vector<std::string_view> historic_names();

enum class Status : u8 {
  Fine,    // the project's versions have it
  Unknown, // nothing says which version the project uses
  Gone,    // all versions that the project allows are that new
};

// Do the versions that the project of this file allows reach `since`?
Status status_in(const Site &site, std::string_view package, std::string_view since);

// Does the project say what the oldest version is that it works with, and is that one older than `since`?
bool may_be_older(const Site &site, std::string_view package, std::string_view since);

// Is what `renamed_to` names the very same thing, and there in all versions that have no longer the old name? The
// project's versions count where they decide it.
bool does_the_same(const Site &site, const ApiHistory &history);

// Does the file give the builtin of that name another meaning where the place is, or may an `import *` do that?
bool is_rebound(const Site &site, std::string_view builtin);

// `, and this project requires 2.16 or newer (requirements.txt:4)`, where it does.
std::string required_version(const Site &site, std::string_view package, std::string_view since);

// Says of a finding that the versions which the project asks for are older: nothing is wrong today, and whoever
// upgrades wants to know. Not for TensorFlow: programs for its first version are full of names that the second does not
// have.
void report_for_upgrade(Finding &finding, const Site &site, std::string_view package);
bool concerns_upgrade(Status status, std::string_view package);

// Behind a test of the version, of hasattr, or in a try, or in a file that asks whether there is `api`: the code knows
// what it does.
bool is_version_guarded(const Site &site, std::string_view api = {});

} // namespace deepperf::rules
