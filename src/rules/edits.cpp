// Edits that rules offer, and the names that a file has for APIs.
#include "base/steps.h"
#include "project/requirements.h"
#include "python/children.h"
#include "rules/site.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// `tensorflow.python.ops.array_ops`: many of its functions are those of tensorflow itself, but it is not tensorflow.
bool is_internal(std::string_view module) {
  return module.find(".python.") != std::string_view::npos || module.ends_with(".python");
}

// Where a scope's own statements first import a name, or bind it by a plain assignment; the end of time if they don't,
// or if it is one of a package's inner modules.
u32 bound_at(const Block &body, Symbol name) {
  const auto visit = [name](const auto &self, const Node *node) -> u32 {
    u32 first = ~0U;
    const auto note = [&first](u32 at) { first = std::min(first, at); };
    if (const auto *import = as<Import>(node)) {
      for (const Alias *alias : import->names) {
        const std::string_view text = alias->name.text();
        if (alias->asname ? alias->asname == name && !is_internal(text)
                          : text.substr(0, text.find('.')) == name.text()) {
          note(node->start);
        }
      }
    } else if (const auto *from = as<ImportFrom>(node)) {
      const bool internal = from->module && is_internal(from->module.text());
      for (const Alias *alias : from->names) {
        if (!internal && (alias->asname ? alias->asname : alias->name) == name) {
          note(node->start);
        }
      }
    } else if (const auto *assignment = as<Assign>(node)) {
      for (const Expr *target : assignment->targets) {
        if (const auto *plain = as<Name>(target); plain != nullptr && plain->id == name) {
          note(node->start);
        }
      }
    } else if (node->kind == NodeKind::If || node->kind == NodeKind::Try) {
      for_each_child(node, [&](const Node *child) { note(self(self, child)); });
    }
    return first;
  };
  u32 first = ~0U;
  for (const Stmt *statement : body) {
    first = std::min(first, visit(visit, statement));
  }
  return first;
}

Block body_of(const model::FunctionInfo &scope) {
  return scope.node == nullptr           ? scope.module->parsed->tree.body
         : scope.definition() != nullptr ? scope.definition()->body
                                         : Block{};
}

// A file may bind thousands of names, and of those only its imports count.
const std::deque<model::ApiName> &api_names_of(const model::FunctionInfo &scope) {
  if (const std::deque<model::ApiName> *const known = scope.api_names.get_local()) {
    return *known;
  }
  auto made = std::make_unique<std::deque<model::ApiName>>();
  for (u32 slot = 0; slot < scope.names.size(); ++slot) {
    if (scope.all_values[slot].is(model::Value::Tag::Api)) {
      made->emplace_back(slot);
    }
  }
  return scope.api_names.set(std::move(made));
}

// The scope's name for the longest part of the API, with the rest after it; of several the one that is bound first.
std::string spelling_in(const model::FunctionInfo &scope, std::string_view api, u32 before, bool *v1) {
  const Block body = body_of(scope);
  std::string best;
  std::size_t best_length = 0;
  u32 best_place = ~0U;
  for (const model::ApiName &known_name : api_names_of(scope)) {
    const model::Value &value = scope.all_values[known_name.slot];
    const std::string_view known = value.name().text();
    const bool fits = api.starts_with(known) && (api.size() == known.size() || api[known.size()] == '.');
    const Symbol name{scope.names[known_name.slot]};
    if (!fits || known.size() < best_length) {
      continue;
    }
    u32 place = known_name.place.load(std::memory_order_relaxed);
    if (place == model::ApiName::kNotAsked) {
      const SharedWork shared;
      place = bound_at(body, name);
      known_name.place.store(place, std::memory_order_relaxed);
    }
    if (place >= before || (known.size() == best_length && place >= best_place)) {
      continue;
    }
    best_length = known.size();
    best_place = place;
    if (v1 != nullptr) {
      *v1 = value.v1;
    }
    best = std::string(name.text()) + std::string(api.substr(known.size()));
  }
  return best;
}

} // namespace

std::string spelling_at(const model::FunctionInfo *function, const model::Module &module, u32 place,
                        std::string_view api, bool *v1) {
  // A name of an outer scope is of no use where a parameter or variable has the same one.
  const auto is_hidden = [function](std::string_view spelling, const model::FunctionInfo *outer) {
    const u32 name = intern(spelling.substr(0, spelling.find('.'))).id;
    for (const model::FunctionInfo *scope = function; scope != nullptr && scope != outer; scope = scope->parent) {
      if (scope->node != nullptr && std::ranges::binary_search(scope->names, name)) {
        return true;
      }
    }
    return false;
  };
  for (const model::FunctionInfo *scope = function; scope != nullptr; scope = scope->parent) {
    if (std::string name = spelling_in(*scope, api, scope == function ? place : ~0U, v1); !name.empty()) {
      return is_hidden(name, scope) ? "" : name;
    }
  }
  if (module.body == nullptr || function == module.body) {
    return "";
  }
  std::string name = spelling_in(*module.body, api, ~0U, v1);
  return !name.empty() && is_hidden(name, module.body) ? "" : name;
}

std::string spelling_of(const Site &site, std::string_view api) {
  const u32 place = site.ancestors.empty() ? ~0U - 1 : site.ancestors.back()->start;
  return spelling_at(site.function, *site.module, site.function == site.module->body ? place + 1 : ~0U, api);
}

namespace {

// tf.data.AUTOTUNE came with TensorFlow 2.4; tf.data.experimental.AUTOTUNE is in all versions since 1.13.
enum class Autotune : u8 { None, Experimental, Plain };

Autotune autotune_of(const model::Module &module) {
  const project::Requirements &requirements = project::requirements_of(module.parsed->path);
  if (const auto range = requirements.find("tensorflow"); range != requirements.end()) {
    const project::VersionRange &versions = range->second;
    if (versions.below.has_value() && *versions.below <= project::Version{1, 13, 0}) {
      return Autotune::None;
    }
    if ((versions.below.has_value() && *versions.below <= project::Version{2, 4, 0}) ||
        (versions.at_least.has_value() && *versions.at_least < project::Version{2, 4, 0})) {
      return Autotune::Experimental;
    }
  }
  // Asked for each stage of a pipeline, so this looks no further than where a file settles its spelling.
  constexpr std::size_t kLookedAt = std::size_t{64} << 10;
  const std::string_view text = module.parsed->source.text().substr(0, kLookedAt);
  const bool writes_old = text.find("data.experimental.AUTOTUNE") != std::string_view::npos;
  const bool writes_new = text.find("data.AUTOTUNE") != std::string_view::npos;
  const bool is_old = module.v1 && !module.v2;
  return is_old || (writes_old && !writes_new) ? Autotune::Experimental : Autotune::Plain;
}

} // namespace

std::string autotune_at(const model::FunctionInfo *function, const model::Module &module, u32 place) {
  const auto spelling = [&](std::string_view api, bool &v1) { return spelling_at(function, module, place, api, &v1); };
  const Autotune known = autotune_of(module);
  if (known == Autotune::None) {
    return {};
  }
  const bool old = known == Autotune::Experimental;
  bool v1 = false;
  if (const std::string name = spelling("tensorflow", v1); !name.empty()) {
    return name + (old || v1 ? ".data.experimental.AUTOTUNE" : ".data.AUTOTUNE");
  }
  if (const std::string name = spelling("tensorflow.data", v1); !name.empty()) {
    return name + (old || v1 ? ".experimental.AUTOTUNE" : ".AUTOTUNE");
  }
  for (const std::string_view api : {"tensorflow.data.AUTOTUNE", "tensorflow.data.experimental.AUTOTUNE"}) {
    if (std::string name = spelling(api, v1); !name.empty()) {
      return name;
    }
  }
  return {};
}

Edit replace(const Node &node, std::string text) { return {node.start, node.end, std::move(text)}; }
Edit insert_before(const Node &node, std::string text) { return {node.start, node.start, std::move(text)}; }
Edit insert_after(const Node &node, std::string text) { return {node.end, node.end, std::move(text)}; }

u32 end_of_arguments(const Source &source, const Call &call) {
  const Node *last = nullptr;
  bool parenthesized = false;
  const auto consider = [&](const Node *node, const Expr *value) {
    if (last == nullptr || node->end > last->end) {
      last = node;
      parenthesized = node == value && value->parenthesized; // a keyword's span includes its value's parentheses
    }
  };
  for (const Expr *arg : call.args) {
    consider(arg, arg);
  }
  for (const Keyword *keyword : call.keywords) {
    consider(keyword, keyword->value);
  }
  if (last == nullptr) {
    return 0;
  }
  u32 end = last->end;
  if (parenthesized) {
    end = static_cast<u32>(source.text().find(')', end)) + 1;
  }
  return end;
}

std::optional<Edit> add_argument(const Site &site, const Call &call, std::string_view text) {
  const Source &source = site.module->parsed->source;
  if (call.args.size() == 1 && call.keywords.empty() && call.args[0]->kind == NodeKind::GeneratorExp) {
    return std::nullopt; // f(x for x in y) would need parentheses
  }
  if (std::ranges::any_of(call.keywords, [](const Keyword *keyword) { return !keyword->name; })) {
    return std::nullopt; // **options may hold it already
  }
  if (const u32 end = end_of_arguments(source, call); end != 0) {
    return Edit{end, end, ", " + std::string(text)};
  }
  const std::size_t open = source.text().find('(', call.func->end);
  if (open == std::string_view::npos || open >= call.end) {
    return std::nullopt;
  }
  return Edit{static_cast<u32>(open) + 1, static_cast<u32>(open) + 1, std::string(text)};
}

std::optional<Edit> remove_argument(const Site &site, const Call &call, const Node &argument) {
  std::vector<const Node *> all(call.args.begin(), call.args.end());
  all.insert(all.end(), call.keywords.begin(), call.keywords.end());
  std::ranges::sort(all, {}, &Node::start);
  const auto found = std::ranges::find(all, &argument);
  const std::string_view text = site.module->parsed->source.text();
  if (found == all.end() || std::ranges::any_of(call.args, [](const Expr *arg) { return arg->parenthesized; })) {
    return std::nullopt;
  }
  const auto only_spaces = [&text](u32 from, u32 to) { // no comment that would be lost
    return text.substr(from, to - from).find('#') == std::string_view::npos;
  };
  u32 start = argument.start;
  u32 end = argument.end;
  if (std::next(found) != all.end()) {
    end = (*std::next(found))->start;
  } else if (found != all.begin()) {
    start = (*std::prev(found))->end;
  } else if (const std::size_t more = text.find_first_not_of(" \t\r\n", end);
             more != std::string_view::npos && text[more] == ',') {
    end = static_cast<u32>(more) + 1; // f(x,) must not become f(,)
  }
  if (!only_spaces(start, argument.start) || !only_spaces(argument.end, end)) {
    return std::nullopt;
  }
  return Edit{start, end, ""};
}

namespace {

bool is_alone(const Block &block, const Stmt *statement) { return block.size() == 1 && block[0] == statement; }

bool is_alone_in_block(const Node *parent, const Stmt *statement) {
  switch (parent->kind) {
  case NodeKind::FunctionDef:
    return is_alone(static_cast<const FunctionDef *>(parent)->body, statement);
  case NodeKind::ClassDef:
    return is_alone(static_cast<const ClassDef *>(parent)->body, statement);
  case NodeKind::For:
    return is_alone(static_cast<const For *>(parent)->body, statement) ||
           is_alone(static_cast<const For *>(parent)->orelse, statement);
  case NodeKind::While:
    return is_alone(static_cast<const While *>(parent)->body, statement) ||
           is_alone(static_cast<const While *>(parent)->orelse, statement);
  case NodeKind::If:
    return is_alone(static_cast<const If *>(parent)->body, statement) ||
           is_alone(static_cast<const If *>(parent)->orelse, statement);
  case NodeKind::With:
    return is_alone(static_cast<const With *>(parent)->body, statement);
  default:
    return true; // try, match and others: not worth the trouble
  }
}

} // namespace

std::optional<Edit> remove_statement(const Site &site, const Stmt &statement) {
  const auto at = std::ranges::find(site.ancestors, static_cast<const Node *>(&statement));
  const Node *parent = at != site.ancestors.end() ? (at != site.ancestors.begin() ? *std::prev(at) : nullptr)
                                                  : (site.ancestors.empty() ? nullptr : site.ancestors.back());
  if (parent != nullptr && is_alone_in_block(parent, &statement)) {
    return std::nullopt;
  }
  const std::string_view text = site.module->parsed->source.text();
  u32 start = statement.start;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) {
    --start;
  }
  u32 end = statement.end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) {
    ++end;
  }
  if (end + 1 < text.size() && text[end] == '\r') {
    ++end;
  }
  const bool own_line = (start == 0 || text[start - 1] == '\n') && (end >= text.size() || text[end] == '\n');
  if (!own_line) {
    return std::nullopt;
  }
  return Edit{start, end < text.size() ? end + 1 : end, ""};
}

void set_fix(Finding &finding, bool safe, std::vector<Edit> edits) {
  if (!edits.empty()) {
    finding.fix = Fix{safe, std::move(edits)};
  }
}

} // namespace deepperf::rules
