// Parses a piece of Python for a test and keeps everything alive that the tree points to.
#pragma once

#include "base/arena.h"
#include "python/cpython_dump.h"
#include "python/parser.h"
#include "python/source.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace deepperf::python {

struct Parsed {
  Source source;
  Arena arena;
  Tree tree;

  [[nodiscard]] std::string dump() const {
    std::string out;
    dump_cpython(source, tree, false, out);
    return out;
  }
  // What the module's body holds, without the module around it.
  [[nodiscard]] std::string body() const {
    const std::string all = dump();
    constexpr std::string_view kBefore = "Module(body=[";
    constexpr std::string_view kBehind = "], type_ignores=[])";
    if (!all.starts_with(kBefore) || !all.ends_with(kBehind)) {
      throw std::runtime_error("this is not the dump of a module: " + all);
    }
    return all.substr(kBefore.size(), all.size() - kBefore.size() - kBehind.size());
  }
  // The n-th syntax error, from 0; empty if there are fewer.
  [[nodiscard]] std::string error(std::size_t index = 0) const {
    if (index >= tree.errors.size()) {
      return "";
    }
    const SyntaxError &found = tree.errors[index];
    const Position position = source.position(found.span.start);
    return std::to_string(position.line) + ":" + std::to_string(position.column) + ": " + found.message;
  }
  [[nodiscard]] std::string_view text(const Node &node) const {
    return source.text().substr(node.start, node.end - node.start);
  }
};

inline Parsed parse_text(std::string_view text, std::string path = "test.py") {
  Parsed parsed;
  LoadResult loaded = load_bytes(std::move(path), text);
  parsed.source = std::move(loaded.source);
  LocalSymbols symbols;
  parsed.tree = parse(parsed.source, parsed.arena, symbols);
  return parsed;
}

} // namespace deepperf::python
