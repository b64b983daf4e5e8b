// Parses the same files with ours, with tree-sitter-python and with CPython, in one run and on one thread each, and
// prints megabytes per second and ratios. Run it through bench/frontend, which builds it and fetches the peers.
//
// All files are in memory before anything is timed, for ours as `deepperf check` reads them from disk: as a Source,
// which is the file's bytes with some room after them. Ours is timed from there to the tree, with one arena and one
// view of the symbols for all files, as a worker of `deepperf check` does it. Rounds are interleaved, so that a machine
// that gets slower gets slower for all; the best round of each counts.
#include "base/arena.h"
#include "base/symbol.h"
#include "project/walk.h"
#include "python/parser.h"
#include "python/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#ifdef DEEPPERF_WITH_TREE_SITTER
#include <tree_sitter/api.h>
extern "C" const TSLanguage *tree_sitter_python();
#endif

namespace {

using namespace deepperf;

struct File {
  std::string path;
  std::string bytes;
  python::LoadResult loaded;
};

struct Arguments {
  std::string folder;
  std::string python = "/usr/bin/python3";
  std::string python_script; // empty: without CPython
  std::string list_file;     // where to write the paths for it
  double peer_megabytes = 0; // 0: all
  int rounds = 3;
};

// One parser: what it is run on and how long its best round took.
struct Contender {
  std::string name;
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::function<double()> round; // returns seconds
  bool is_peer = false;
  double best = 1e300;
};

double seconds_of(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::size_t total_bytes(const std::vector<const File *> &files) {
  std::size_t bytes = 0;
  for (const File *file : files) {
    bytes += file->bytes.size();
  }
  return bytes;
}

std::vector<File> load_folder(const std::string &folder) {
  std::vector<File> files;
  project::walk(
      {folder}, {.respect_ignore = false},
      [&](std::string path) {
        if (path.ends_with(".py")) {
          files.push_back({std::move(path), {}, {}});
        }
      },
      [](const std::string &path, const std::string &message) { fmt::print(stderr, "{}: {}\n", path, message); });
  std::sort(files.begin(), files.end(), [](const File &a, const File &b) { return a.path < b.path; });
  for (File &file : files) {
    std::ifstream stream(file.path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    file.bytes = std::move(text).str();
    file.loaded = python::load_bytes(file.path, file.bytes);
  }
  return files;
}

// About so many megabytes, spread evenly over all files.
std::vector<const File *> sample(const std::vector<File> &files, double wanted_megabytes) {
  std::vector<const File *> all;
  all.reserve(files.size());
  for (const File &file : files) {
    all.push_back(&file);
  }
  const double have = megabytes(total_bytes(all));
  if (wanted_megabytes <= 0 || wanted_megabytes >= have) {
    return all;
  }
  std::vector<const File *> taken;
  double credit = 0;
  for (const File *file : all) {
    credit += wanted_megabytes / have;
    if (credit >= 1) {
      credit -= 1;
      taken.push_back(file);
    }
  }
  return taken;
}

// ---- Ours -----------------------------------------------------------------------------------------------------------

struct OurNumbers {
  std::size_t tree_bytes = 0;
  std::size_t refused = 0;   // files without a tree: wrong encoding
  std::size_t erroneous = 0; // files with syntax errors
};

void parse_all(const std::vector<const File *> &files, Arena &arena, LocalSymbols &symbols, OurNumbers &numbers) {
  numbers = {};
  for (const File *file : files) {
    if (!file->loaded.ok()) {
      ++numbers.refused;
      continue;
    }
    arena.reset();
    const python::Tree tree = python::parse(file->loaded.source, arena, symbols);
    numbers.tree_bytes += arena.bytes_used();
    numbers.erroneous += tree.errors.empty() ? 0 : 1;
  }
}

// ---- CPython, as a child that waits for its measurement -------------------------------------------------------------

class CPython {
public:
  CPython(const Arguments &arguments, const std::vector<const File *> &files) {
    std::ofstream list(arguments.list_file, std::ios::binary);
    for (const File *file : files) {
      list << file->path << '\0';
    }
    list.close();
    std::array<int, 2> to_child{};
    std::array<int, 2> from_child{};
    if (::pipe(to_child.data()) != 0 || ::pipe(from_child.data()) != 0) {
      throw std::runtime_error("no pipes");
    }
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(to_child[0], STDIN_FILENO);
      ::dup2(from_child[1], STDOUT_FILENO);
      ::close(to_child[1]);
      ::close(from_child[0]);
      ::execl(arguments.python.c_str(), arguments.python.c_str(), arguments.python_script.c_str(),
              arguments.list_file.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(to_child[0]);
    ::close(from_child[1]);
    to_.reset(::fdopen(to_child[1], "w"));
    from_.reset(::fdopen(from_child[0], "r"));
  }
  CPython(const CPython &) = delete;
  CPython &operator=(const CPython &) = delete;
  ~CPython() {
    to_.reset();
    ::waitpid(child_, nullptr, 0);
  }

  [[nodiscard]] std::string read_line() {
    std::array<char, 256> line{};
    if (std::fgets(line.data(), line.size(), from_.get()) == nullptr) {
      throw std::runtime_error("CPython's side stopped");
    }
    return line.data();
  }

  double round() {
    std::fputs("go\n", to_.get());
    std::fflush(to_.get());
    return std::strtod(read_line().c_str(), nullptr);
  }

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  pid_t child_ = -1;
  std::unique_ptr<std::FILE, Close> to_;
  std::unique_ptr<std::FILE, Close> from_;
};

// ---- The run --------------------------------------------------------------------------------------------------------

Arguments read_arguments(int argc, char **argv) {
  Arguments arguments;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto value = [&]() -> const std::string & {
      if (i + 1 == words.size()) {
        throw std::runtime_error(words[i] + " needs a value");
      }
      return words[++i];
    };
    if (words[i] == "--python") {
      arguments.python = value();
    } else if (words[i] == "--python-script") {
      arguments.python_script = value();
    } else if (words[i] == "--list-file") {
      arguments.list_file = value();
    } else if (words[i] == "--peer-mb") {
      arguments.peer_megabytes = std::strtod(value().c_str(), nullptr);
    } else if (words[i] == "--rounds") {
      arguments.rounds = std::max(1, std::atoi(value().c_str())); // NOLINT(cert-err34-c): 0 becomes 1
    } else if (!words[i].starts_with("--") && arguments.folder.empty()) {
      arguments.folder = words[i];
    } else {
      throw std::runtime_error("what is '" + words[i] + "'?");
    }
  }
  if (arguments.folder.empty()) {
    throw std::runtime_error(
        "usage: frontend_bench DIR [--rounds N] [--peer-mb N] [--python-script FILE --list-file FILE]");
  }
  return arguments;
}

// Ratios are between runs on the same files: a peer that ran on a sample is compared with ours on that sample.
void print_table(const std::vector<Contender> &contenders, const Contender &ours_for_peers) {
  fmt::print("{:<34}{:>8}{:>10}{:>10}{:>10}{:>16}\n", "parser", "files", "MB", "seconds", "MB/s", "ours is faster");
  const double our_speed = megabytes(ours_for_peers.bytes) / ours_for_peers.best;
  for (const Contender &contender : contenders) {
    const double speed = megabytes(contender.bytes) / contender.best;
    fmt::print("{:<34}{:>8}{:>10.1f}{:>10.3f}{:>10.1f}", contender.name, contender.files, megabytes(contender.bytes),
               contender.best, speed);
    fmt::print("{}\n", contender.is_peer ? fmt::format("{:>15.1f}x", our_speed / speed) : "");
  }
}

int run(const Arguments &arguments) {
  const std::vector<File> files = load_folder(arguments.folder);
  const std::vector<const File *> all = sample(files, 0);
  const std::vector<const File *> for_peers = sample(files, arguments.peer_megabytes);
  if (total_bytes(all) == 0) {
    throw std::runtime_error("no .py files with anything in them under " + arguments.folder);
  }
  fmt::print("{} .py files, {:.1f} MB; single thread; best of {} interleaved rounds\n", all.size(),
             megabytes(total_bytes(all)), arguments.rounds);
  if (for_peers.size() < all.size()) {
    fmt::print("the peers run on a sample of {} files, {:.1f} MB\n", for_peers.size(),
               megabytes(total_bytes(for_peers)));
  }

  Arena arena;
  LocalSymbols symbols;
  OurNumbers numbers;
  std::vector<Contender> contenders;
  contenders.push_back({"deepperf, all files", all.size(), total_bytes(all),
                        [&] { return seconds_of([&] { parse_all(all, arena, symbols, numbers); }); }});
  std::size_t ours_for_peers = 0;
  if (for_peers.size() < all.size()) {
    ours_for_peers = contenders.size();
    contenders.push_back({"deepperf, on the peers' sample", for_peers.size(), total_bytes(for_peers), [&] {
                            OurNumbers ignored;
                            return seconds_of([&] { parse_all(for_peers, arena, symbols, ignored); });
                          }});
  }

#ifdef DEEPPERF_WITH_TREE_SITTER
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), &ts_parser_delete);
  if (!ts_parser_set_language(parser.get(), tree_sitter_python())) {
    throw std::runtime_error("the grammar does not fit this tree-sitter");
  }
  contenders.push_back({"tree-sitter-python", for_peers.size(), total_bytes(for_peers), [&] {
                          return seconds_of([&] {
                            for (const File *file : for_peers) {
                              ts_tree_delete(ts_parser_parse_string(parser.get(), nullptr, file->bytes.data(),
                                                                    static_cast<u32>(file->bytes.size())));
                            }
                          });
                        }});
  contenders.back().is_peer = true;
#endif

  std::unique_ptr<CPython> cpython;
  std::size_t cpython_refused = 0;
  if (!arguments.python_script.empty()) {
    cpython = std::make_unique<CPython>(arguments, for_peers);
    std::istringstream hello(cpython->read_line());
    Contender contender{.name = "", .files = 0, .bytes = 0, .round = [&] { return cpython->round(); }};
    std::string version;
    hello >> contender.files >> contender.bytes >> cpython_refused >> version;
    contender.name = "CPython " + version + " ast.parse";
    contender.is_peer = true;
    contenders.push_back(std::move(contender));
  }

  for (int i = 0; i < arguments.rounds; ++i) {
    for (Contender &contender : contenders) {
      contender.best = std::min(contender.best, contender.round());
    }
  }
  fmt::print("\n");
  print_table(contenders, contenders[ours_for_peers]);
  fmt::print("\ntree: {:.2f} bytes per source byte\n",
             static_cast<double>(numbers.tree_bytes) / static_cast<double>(total_bytes(all)));
  fmt::print("ours: syntax errors in {} files (which have a tree all the same); {} files could not be decoded\n",
             numbers.erroneous, numbers.refused);
  if (cpython != nullptr) {
    fmt::print("CPython: refuses {} files, which do not count for it\n", cpython_refused);
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(read_arguments(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "frontend_bench: %s\n", error.what());
    return 2;
  }
}
