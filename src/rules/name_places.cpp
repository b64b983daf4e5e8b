#include "rules/name_places.h"

#include "rules/tree.h"

#include <unordered_map>

namespace deepperf::rules {

using namespace python;

namespace {

struct NamePlaces {
  std::unordered_map<u32, std::vector<const Node *>> of_name;

  void add(const Node *place) {
    any_node_inside(place, [&](const Node *node) {
      const auto *const name = as<Name>(node);
      if (name != nullptr && name->context == Context::Load) {
        std::vector<const Node *> &places = of_name[name->id.id];
        if (places.empty() || places.back() != place) {
          places.push_back(place);
        }
      }
      return false;
    });
  }

  void look(const Node *node) {
    switch (node->kind) {
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef:
    case NodeKind::For:
    case NodeKind::While:
    case NodeKind::If:
    case NodeKind::With:
    case NodeKind::Match:
    case NodeKind::Try:
    case NodeKind::InvalidStmt:
    case NodeKind::ExceptHandler:
      for_each_child(node, [this](const Node *child) { look(child); });
      break;
    default:
      add(node);
    }
  }
};

NamePlaces find_places(const model::FunctionInfo &function) {
  NamePlaces found;
  if (function.node != nullptr && function.definition() == nullptr) {
    found.add(function.node); // a lambda
    return found;
  }
  const Block &body =
      function.definition() != nullptr ? function.definition()->body : function.module->parsed->tree.body;
  for (const Stmt *statement : body) {
    found.look(statement);
  }
  return found;
}

} // namespace

std::span<const Node *const> places_of_name(const Site &site, const model::FunctionInfo &function, Symbol name) {
  const NamePlaces &places = site.memory.recall<NamePlaces>(&function, [&] { return find_places(function); });
  const auto found = places.of_name.find(name.id);
  return found != places.of_name.end() ? std::span<const Node *const>(found->second) : std::span<const Node *const>();
}

} // namespace deepperf::rules
