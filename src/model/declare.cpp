#include "model/declare.h"

#include "base/known_names.h"
#include "model/bind.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <unordered_set>

namespace deepperf::model {

using namespace python;

namespace {

// What people call an object of the class: of QNet it is `qnet` or `q_net`.
void note_class_names(ClassInfo &type, Module &module) {
  std::string plain;
  std::string with_underscores;
  const std::string_view text = type.name.text();
  const auto is_lower = [text](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_upper = text[i] >= 'A' && text[i] <= 'Z';
    const char lower = is_upper ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (is_upper && i > 0 && (is_lower(i - 1) || is_lower(i + 1)) && text[i - 1] != '_') {
      with_underscores += '_'; // a word begins
    }
    plain += lower;
    with_underscores += lower;
  }
  const auto add = [&](const std::string &name) {
    const u32 key = intern(name).id;
    module.class_of_name[key] = module.class_of_name.contains(key) ? nullptr : &type;
  };
  add(plain);
  if (with_underscores != plain) {
    add(with_underscores);
  }
}

class Declarer {
public:
  Declarer(Project &project, const ModuleIndex &index) : project_(project), index_(index) {}

  void run() {
    for (Module &module : project_.modules) {
      module_ = &module;
      module.body = &add_function(nullptr, {});
      bind_names(module.parsed->tree.body, *module.body, bound_);
      finish_names(*module.body, bound_, project_.values);
      function_ = module.body;
      visit_all(module.parsed->tree.body);
    }
    for (FunctionInfo &function : project_.functions) {
      function.mentioned = is_mentioned(function);
    }
    sort_unique(project_.stored_elsewhere);
    for (ClassInfo &type : project_.classes) {
      sort_unique(type.stored);
    }
  }

private:
  FunctionInfo &add_function(const Node *node, Array<Param *> params) {
    FunctionInfo &function = project_.functions.emplace_back();
    function.index = static_cast<u32>(project_.functions.size()) - 1;
    function.node = node;
    function.module = module_;
    function.params = params;
    function.inputs.resize(params.size() + 1);
    function.is_outer = node == nullptr;
    function.defaults = project_.values.fill(params.size(), Value{});
    return function;
  }

  // Names that frameworks and Python call without naming them.
  static bool is_called_implicitly(Symbol name) {
    const std::string_view text = name.text();
    return name == known::sym_forward || name == known::sym_call || text.starts_with("__");
  }

  static void sort_unique(std::vector<u32> &names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }

  // `self.x = …`, `self.x[i] = …` and `self.x.append(…)` change what the attribute may be.
  void note_store(const Expr *target) {
    const auto *attribute = as<Attribute>(target);
    if (attribute == nullptr) {
      return;
    }
    const bool is_own = is_own_object(*function_, attribute->value);
    std::vector<u32> &stored = is_own ? function_->type->stored : project_.stored_elsewhere;
    stored.push_back(attribute->attr.id);
  }

  [[nodiscard]] bool is_mentioned(const FunctionInfo &function) const {
    return function.definition() == nullptr || is_called_implicitly(function.name) ||
           mentioned_.contains(function.name.id) || !function.definition()->decorators.empty();
  }

  void visit_all(const Block &block) {
    for (const Stmt *statement : block) {
      visit(statement);
    }
  }

  void visit_children(const Node *node) {
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  void visit(const Node *node) {
    switch (node->kind) {
    case NodeKind::Constant:
      return;
    case NodeKind::Name:
      if (node->context == Context::Load) {
        mentioned_.insert(static_cast<const Name *>(node)->id.id);
      }
      return;
    case NodeKind::Attribute:
      mentioned_.insert(static_cast<const Attribute *>(node)->attr.id);
      if (node->context != Context::Load) {
        note_store(static_cast<const Attribute *>(node));
      } else if (static_cast<const Attribute *>(node)->attr == known::sym_append) {
        note_store(static_cast<const Attribute *>(node)->value);
      }
      return visit(static_cast<const Attribute *>(node)->value);
    case NodeKind::Subscript:
      if (node->context != Context::Load) {
        note_store(static_cast<const Subscript *>(node)->value);
      }
      return visit_children(node);
    case NodeKind::Call:
      if (const auto *name = as<Name>(static_cast<const Call *>(node)->func)) {
        function_->called.push_back(name->id.id);
      } else if (const auto *method = as<Attribute>(static_cast<const Call *>(node)->func)) {
        function_->called.push_back(method->attr.id);
      }
      static_cast<const Call *>(node)->fact = static_cast<u32>(project_.callees.size());
      project_.callees.emplace_back();
      project_.callers.push_back(function_->index);
      return visit_children(node);
    case NodeKind::FunctionDef:
      return visit_function(static_cast<const FunctionDef *>(node));
    case NodeKind::Lambda:
      return visit_lambda(static_cast<const Lambda *>(node));
    case NodeKind::ClassDef:
      return visit_class(static_cast<const ClassDef *>(node));
    case NodeKind::For: {
      const auto *loop = static_cast<const For *>(node);
      visit(loop->iter);
      Loop *const outer = std::exchange(loop_, &add_loop(node));
      visit(loop->target);
      visit_all(loop->body);
      loop_ = outer;
      return visit_all(loop->orelse);
    }
    case NodeKind::While: {
      const auto *loop = static_cast<const While *>(node);
      Loop *const outer = std::exchange(loop_, &add_loop(node));
      visit(loop->test);
      visit_all(loop->body);
      loop_ = outer;
      return visit_all(loop->orelse);
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: {
      Loop *const outer = std::exchange(loop_, &add_loop(node));
      visit_children(node);
      loop_ = outer;
      return;
    }
    case NodeKind::Import:
      return visit_import(static_cast<const Import *>(node));
    case NodeKind::ImportFrom:
      return visit_import_from(static_cast<const ImportFrom *>(node));
    default:
      return visit_children(node);
    }
  }

  void visit_parameters(Array<Param *> params) {
    for (const Param *param : params) {
      if (param->annotation != nullptr) {
        visit(param->annotation);
      }
      if (param->default_value != nullptr) {
        visit(param->default_value);
      }
    }
  }

  template <class Body> void in_function(FunctionInfo &function, const Array<Param *> &params, Body body) {
    function.parent = function_;
    for (FunctionInfo *outer = function_; outer != nullptr && !outer->is_outer; outer = outer->parent) {
      outer->is_outer = true;
    }
    for (const Param *param : params) {
      if (param->name) {
        bound_.add(param->name);
      } else if (param->pattern != nullptr) {
        bind_names_of(param->pattern, function, bound_);
      }
    }
    finish_names(function, bound_, project_.values);
    FunctionInfo *const outer_function = std::exchange(function_, &function);
    ClassInfo *const outer_class = std::exchange(class_, nullptr);
    Loop *const outer_loop = std::exchange(loop_, nullptr);
    body();
    loop_ = outer_loop;
    class_ = outer_class;
    function_ = outer_function;
  }

  void visit_function(const FunctionDef *definition) {
    for (const Expr *decorator : definition->decorators) {
      visit(decorator);
    }
    visit_parameters(definition->params);
    if (definition->returns != nullptr) {
      visit(definition->returns);
    }
    FunctionInfo &function = add_function(definition, definition->params);
    definition->fact = function.index + 1;
    function.name = definition->name;
    function.type = class_;
    const bool takes_nothing = definition->params.size() <= (class_ != nullptr ? 1 : 0);
    function.is_test = function_->is_test || (definition->name.text().starts_with("test_") && takes_nothing);
    bind_names(definition->body, function, bound_);
    in_function(function, definition->params, [&] { visit_all(definition->body); });
  }

  void visit_lambda(const Lambda *lambda) {
    visit_parameters(lambda->params);
    FunctionInfo &function = add_function(lambda, lambda->params);
    lambda->fact = function.index + 1;
    function.is_test = function_->is_test;
    bind_names_of(lambda->body, function, bound_);
    in_function(function, lambda->params, [&] { visit(lambda->body); });
  }

  void visit_class(const ClassDef *definition) {
    for (const Expr *decorator : definition->decorators) {
      visit(decorator);
    }
    for (const Expr *base : definition->bases) {
      visit(base);
    }
    for (const Keyword *keyword : definition->keywords) {
      visit(keyword);
    }
    ClassInfo &type = project_.classes.emplace_back();
    type.index = static_cast<u32>(project_.classes.size()) - 1;
    type.name = definition->name;
    type.node = definition;
    type.module = module_;
    type.scope = function_;
    type.mro = {&type};
    definition->fact = type.index + 1;
    note_class_names(type, *module_);
    ClassInfo *const outer = std::exchange(class_, &type);
    visit_all(definition->body);
    class_ = outer;
  }

  Loop &add_loop(const Node *node) {
    Loop &loop = project_.loops.emplace_back();
    loop.node = node;
    loop.parent = loop_;
    loop.function = function_;
    find_changes(node, loop);
    loop.maybe_mutated = loop.mutated;
    *loop_fact(node) = static_cast<u32>(project_.loops.size());
    function_->loops.push_back(&loop);
    return loop;
  }

  void visit_import(const Import *statement) {
    for (const Alias *alias : statement->names) {
      const std::string_view dotted = alias->name.text();
      const std::string_view top = dotted.substr(0, dotted.find('.'));
      const Module *found = is_known_package(top) ? nullptr : index_.find(*module_, alias->name, {}, 0);
      if (found != nullptr) {
        module_->imported[alias->name.id] = found;
        module_->import_targets[alias] = found;
      }
    }
  }

  void visit_import_from(const ImportFrom *statement) {
    const std::string_view dotted = statement->module ? statement->module.text() : std::string_view{};
    const bool known = statement->level == 0 && is_known_package(dotted.substr(0, dotted.find('.')));
    const Module *package = known ? nullptr : index_.find(*module_, statement->module, {}, statement->level);
    if (package != nullptr) {
      module_->import_targets[statement] = package;
    }
    for (const Alias *alias : statement->names) {
      mentioned_.insert(alias->name.id);
      if (alias->name.text() == "*") {
        if (known && std::ranges::find(module_->stars, canonical_name(dotted)) == module_->stars.end()) {
          module_->stars.push_back(canonical_name(dotted));
        }
      } else if (!known) { // a module of a package
        if (const Module *module = index_.find(*module_, statement->module, alias->name, statement->level)) {
          module_->import_targets[alias] = module;
        }
      }
    }
  }

  Project &project_;
  const ModuleIndex &index_;
  Module *module_ = nullptr;
  FunctionInfo *function_ = nullptr;
  ClassInfo *class_ = nullptr;
  Loop *loop_ = nullptr;
  BoundNames bound_;
  std::unordered_set<u32> mentioned_; // names and attributes that are read, as symbols
};

// `__all__ = ["a", "b"]` at a module's top, perhaps with more added.
void read_exports(Module &module) {
  const auto add = [&module](const Expr *list) {
    for_each_child(list, [&module](const Node *item) {
      if (const StringConstant *text = as_string(item)) {
        module.exports.push_back(intern(string_value(module.parsed->source, *text)));
      }
    });
  };
  for (const Stmt *statement : module.parsed->tree.body) {
    const auto *assignment = as<Assign>(statement);
    const auto *more = as<AugAssign>(statement);
    const Expr *target = assignment != nullptr ? assignment->targets[0] : more != nullptr ? more->target : nullptr;
    const Expr *value = assignment != nullptr ? assignment->value : more != nullptr ? more->value : nullptr;
    const auto *name = target != nullptr ? as<Name>(target) : nullptr;
    if (name == nullptr || name->id.text() != "__all__") {
      continue;
    }
    if (value->kind != NodeKind::List && value->kind != NodeKind::Tuple) {
      module.exports.clear(); // made in a way that cannot be read: as if there were none
      return;
    }
    add(value);
  }
  std::ranges::sort(module.exports, {}, &Symbol::id);
}

// `from x import *` binds the names that x exports. Packages hand them on, so it takes a few rounds.
void collect_stars(Project &project, const ModuleIndex &index) {
  constexpr u32 kRounds = 4;
  constexpr std::size_t kMostNames = 5000;
  struct Star {
    Module *into = nullptr;
    const Module *from = nullptr;
  };
  std::vector<Star> stars;
  for (Module &module : project.modules) {
    for (const ImportRef &import : module.parsed->imports) {
      if (!import.name || import.name.text() != "*") {
        continue;
      }
      const Module *from = index.find(module, import.module, {}, import.level);
      if (from != nullptr && from != &module) {
        stars.push_back({&module, from});
      }
    }
  }
  if (stars.empty()) {
    return;
  }
  for (Module &module : project.modules) {
    read_exports(module);
  }
  for (u32 round = 0; round < kRounds; ++round) {
    bool changed = false;
    for (const Star &star : stars) {
      FunctionInfo &body = *star.into->body;
      std::vector<u32> added;
      for (const u32 name : star.from->body->names) {
        if (is_exported(*star.from, Symbol{name}) && body.slot_of(Symbol{name}) == FunctionInfo::kNoSlot) {
          added.push_back(name);
        }
      }
      if (added.empty() || body.names.size() + added.size() > kMostNames) {
        continue;
      }
      std::vector<u32> names;
      std::ranges::merge(body.names, added, std::back_inserter(names));
      set_names(body, names, project.values);
      changed = true;
    }
    if (!changed) {
      return;
    }
  }
}

} // namespace

bool is_exported(const Module &module, Symbol name) {
  return module.exports.empty() ? !name.text().starts_with('_')
                                : std::ranges::binary_search(module.exports, name.id, {}, &Symbol::id);
}

void declare(Project &project, const ModuleIndex &index) {
  Declarer(project, index).run();
  collect_stars(project, index);
}

} // namespace deepperf::model
