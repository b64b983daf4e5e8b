#include "base/name_table.h"
#include "python/children.h"
#include "python/literals.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace deepperf::rules::undefined_name {

using namespace python;

namespace {

// Names that Python itself has, those of Python 2 and of interactive sessions included.
bool is_builtin(Symbol name) {
  static const NameTable kBuiltins(
      {"abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable",
       "chr", "classmethod", "compile", "complex", "copyright", "credits", "delattr", "dict", "dir", "divmod",
       "enumerate", "eval", "exec", "exit", "filter", "float", "format", "frozenset", "getattr", "globals", "hasattr",
       "hash", "help", "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len", "license", "list",
       "locals", "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property",
       "quit", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum",
       "super", "tuple", "type", "vars", "zip", "Ellipsis", "False", "None", "NotImplemented", "True",
       // Python 2
       "apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long", "raw_input", "reduce",
       "reload", "unichr", "unicode", "xrange", "StandardError", "WindowsError",
       // notebooks, gettext, profilers, type checkers
       "get_ipython", "display", "In", "Out", "_", "profile", "reveal_type", "reveal_locals"});
  // All exceptions end like this.
  const std::string_view text = name.text();
  constexpr std::string_view kExceptions[] = {"Error",         "Exception", "Warning", "ExceptionGroup",
                                              "StopIteration", "Interrupt", "Exit",    "StopAsyncIteration"};
  const bool is_exception = std::ranges::any_of(kExceptions, [&](std::string_view end) { return text.ends_with(end); });
  return is_exception || text.starts_with("__") || kBuiltins.has(name);
}

// A set of symbols that is emptied at no cost, as it is filled for every file.
class SymbolSet {
public:
  void clear() { ++round_; }
  // False if it was there.
  bool insert(u32 id) {
    if (id >= rounds_.size()) {
      rounds_.resize(static_cast<std::size_t>(id) * 2 + 1);
    }
    return std::exchange(rounds_[id], round_) != round_;
  }
  [[nodiscard]] bool contains(u32 id) const { return id < rounds_.size() && rounds_[id] == round_; }

private:
  std::vector<u32> rounds_; // in which a symbol was put in last
  u32 round_ = 1;
};

// What a module binds anywhere, in whatever scope, and what it reads.
class Names {
public:
  Names(SymbolSet &bound_names, SymbolSet &now, SymbolSet &later) : bound(bound_names), now_(now), later_(later) {
    bound.clear();
    now_.clear();
    later_.clear();
  }

  void walk(const Node *node) {
    switch (node->kind) {
    case NodeKind::Name: {
      const auto *name = static_cast<const Name *>(node);
      if (node->context == Context::Load) {
        if (!is_dead_ && (depth_ == 0 ? now_ : later_).insert(name->id.id)) {
          (depth_ == 0 ? read_at_once : read).push_back(name);
        }
      } else {
        bound.insert(name->id.id);
      }
      return;
    }
    case NodeKind::FunctionDef: {
      const auto *function = static_cast<const FunctionDef *>(node);
      bound.insert(function->name.id);
      parameters(function->params);
      types(function->type_params);
      for (const Expr *decorator : function->decorators) {
        walk(decorator);
      }
      ++depth_;
      walk(function->body);
      --depth_;
      return; // annotations are not evaluated everywhere
    }
    case NodeKind::Lambda:
      parameters(static_cast<const Lambda *>(node)->params);
      ++depth_;
      walk(static_cast<const Lambda *>(node)->body);
      --depth_;
      return;
    case NodeKind::ClassDef:
      bound.insert(static_cast<const ClassDef *>(node)->name.id);
      types(static_cast<const ClassDef *>(node)->type_params);
      break;
    case NodeKind::If: { // `if False:` keeps code that nobody runs
      const auto *branch = static_cast<const If *>(node);
      walk(branch->test);
      const auto *negated = as<UnaryOp>(branch->test);
      const bool is_never_not = negated != nullptr && negated->op() == UnaryOperator::Not &&
                                is_constant(negated->operand, ConstantKind::False);
      const bool was_dead = is_dead_;
      is_dead_ |= is_constant(branch->test, ConstantKind::False);
      walk(branch->body);
      is_dead_ = was_dead || is_never_not;
      walk(branch->orelse);
      is_dead_ = was_dead;
      return;
    }
    case NodeKind::AnnAssign: {
      const auto *assignment = static_cast<const AnnAssign *>(node);
      walk(assignment->target);
      if (assignment->value != nullptr) {
        walk(assignment->value);
      }
      return;
    }
    case NodeKind::Import:
      for (const Alias *alias : static_cast<const Import *>(node)->names) {
        import(*alias);
      }
      return;
    case NodeKind::ImportFrom:
      for (const Alias *alias : static_cast<const ImportFrom *>(node)->names) {
        import(*alias);
      }
      return;
    case NodeKind::Global:
      for (const Symbol name : static_cast<const Global *>(node)->names) {
        bound.insert(name.id);
        globals.push_back(name);
      }
      return;
    case NodeKind::ExceptHandler:
      bound.insert(static_cast<const ExceptHandler *>(node)->name.id);
      break;
    case NodeKind::Match:
    case NodeKind::Magic:
    case NodeKind::MagicExpr:
    case NodeKind::TypeAlias:
    case NodeKind::Exec:
    case NodeKind::InvalidStmt:
    case NodeKind::InvalidExpr:
      is_open = true;
      return;
    default:
      break;
    }
    for_each_child(node, [&](const Node *child) { walk(child); });
  }

  // What is bound after a `return` or `raise` is a local name all the same; what is read there is never read.
  void walk(const Block &block) {
    const bool was_dead = is_dead_;
    for (const Stmt *statement : block) {
      walk(static_cast<const Node *>(statement));
      is_dead_ |= statement->kind == NodeKind::Return || statement->kind == NodeKind::Raise;
    }
    is_dead_ = was_dead;
  }

  SymbolSet &bound;
  std::vector<const Name *> read_at_once; // when the file is imported or run; each name where it stands first
  std::vector<const Name *> read;         // in functions
  std::vector<Symbol> globals;            // that functions say they bind
  bool is_open = false;                   // more names may be bound in ways that are not looked at

private:
  SymbolSet &now_;
  SymbolSet &later_;
  u32 depth_ = 0;        // of functions around
  bool is_dead_ = false; // no run comes here

  void import(const Alias &alias) {
    if (alias.asname) {
      bound.insert(alias.asname.id);
      return;
    }
    const std::string_view name = alias.name.text();
    is_open |= name == "*";
    bound.insert(intern(name.substr(0, name.find('.'))).id);
  }

  void parameters(const Array<Param *> &params) {
    for (const Param *param : params) {
      bound.insert(param->name.id);
      if (param->pattern != nullptr) {
        is_open = true;
      }
      if (param->default_value != nullptr) {
        walk(param->default_value);
      }
    }
  }

  void types(const Array<TypeParam *> &params) {
    for (const TypeParam *param : params) {
      bound.insert(param->name.id);
    }
  }
};

// Is the line marked as one that another program completes?
bool is_marked(const Site &site, const Name &name) {
  constexpr std::size_t kLongest = 1024; // many names may stand in one line
  const std::string_view rest = site.module->parsed->source.text().substr(name.end, kLongest);
  return rest.substr(0, rest.find('\n')).find("noqa") != std::string_view::npos;
}

// What a file does with a name that its functions declare as global.
struct GlobalUse {
  const Assign *first = nullptr; // of its own value: `step = compile(step)`
  u32 stores = 0;
  u32 of_itself = 0;
  bool is_bound_otherwise = false;
};

class GlobalUses {
public:
  explicit GlobalUses(const std::vector<Symbol> &names) {
    for (const Symbol name : names) {
      of_.try_emplace(name.id);
    }
  }

  void look(const Node *node) {
    if (const auto *use = as<Name>(node)) {
      if (GlobalUse *known = find(use->id); known != nullptr && use->context != Context::Load) {
        ++known->stores;
      }
    } else if (const auto *function = as<FunctionDef>(node)) {
      bind(function->name);
      for (const Param *param : function->params) {
        bind(param->name);
      }
    } else if (const auto *type = as<ClassDef>(node)) {
      bind(type->name);
    } else if (const auto *from = as<ImportFrom>(node)) {
      import(from->names);
    } else if (const auto *import_ = as<Import>(node)) {
      import(import_->names);
    } else if (const auto *assignment = as<Assign>(node)) {
      const auto *target = assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      GlobalUse *const known = target != nullptr ? find(target->id) : nullptr;
      if (known != nullptr && mentions(assignment->value, target->id)) {
        ++known->of_itself;
        known->first = known->first == nullptr ? assignment : known->first;
      }
    }
  }

  // Of a name that the list has.
  [[nodiscard]] const GlobalUse &of(Symbol name) const { return of_.at(name.id); }

private:
  GlobalUse *find(Symbol name) {
    const auto known = of_.find(name.id);
    return known != of_.end() ? &known->second : nullptr;
  }
  void bind(Symbol name) {
    if (GlobalUse *const known = find(name)) {
      known->is_bound_otherwise = true;
    }
  }
  void import(const Array<Alias *> &names) {
    for (const Alias *alias : names) {
      const std::string_view whole = alias->name.text();
      bind(alias->asname ? alias->asname : intern(whole.substr(0, whole.find('.'))));
    }
  }

  std::unordered_map<u32, GlobalUse> of_;
};

// `global step; step = compile(step)` in a file that has no other `step`: the first call already reads it.
void check_globals(Site &site, const std::vector<Symbol> &names) {
  GlobalUses uses(names);
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(statement, [&uses](const Node *node) {
      uses.look(node);
      return false;
    });
  }
  std::unordered_set<u32> told;
  for (const Symbol name : names) {
    const GlobalUse &use = uses.of(name);
    if (!told.insert(name.id).second || use.is_bound_otherwise || use.first == nullptr || use.stores != use.of_itself ||
        is_builtin(name)) {
      continue;
    }
    report(site, *use.first->value, fmt::format("`{}` is neither defined nor imported in this file", name.text()),
           fmt::format("define or import `{}`", name.text()));
  }
}

// `_init_api("pack.graph")` in the module's own code, of a function that sets attributes of a module in sys.modules:
// names of this file may come from there.
bool is_filled_by_calls(const Site &site) {
  const auto fills = [](const model::FunctionInfo &function) {
    return has_word(text_of(function), {"sys.modules"}) && has_word(text_of(function), {"setattr(", "__dict__"});
  };
  return std::ranges::any_of(site.module->parsed->tree.body, [&](const Stmt *statement) {
    const auto *alone = as<ExprStmt>(statement);
    const auto *call = alone != nullptr ? as<Call>(alone->value) : nullptr;
    const model::FunctionInfo *const called = call != nullptr ? called_function(site, *call) : nullptr;
    if (called == nullptr || called->node == nullptr) {
      return false;
    }
    const auto reached = reached_functions(*called, *called->node);
    return fills(*called) || std::ranges::any_of(reached, [&](const model::FunctionInfo *one) { return fills(*one); });
  });
}

void check(Site &site) {
  const model::ParsedFile &file = *site.module->parsed;
  if (!file.tree.errors.empty() || file.path.ends_with(".ipynb") || site.module->is_test) {
    return;
  }
  static thread_local SymbolSet bound;
  static thread_local SymbolSet now;
  static thread_local SymbolSet later;
  Names names(bound, now, later);
  for (const Stmt *statement : file.tree.body) {
    names.walk(statement);
  }
  // Who runs a file sees at once what its own code lacks, so that such a file is an excerpt of a program.
  const auto is_undefined = [&](const Name *name) {
    return !names.bound.contains(name->id.id) && !is_builtin(name->id);
  };
  if (names.is_open || std::ranges::any_of(names.read_at_once, is_undefined)) {
    return;
  }
  if (!names.globals.empty() && !file_has_word(site, {"NameError", "globals()", "exec("})) {
    check_globals(site, names.globals);
  }
  std::vector<const Name *> undefined;
  std::unordered_map<u32, std::vector<const Name *>> places; // of each, the first few
  for (const Name *name : names.read) {
    if (is_undefined(name) && !is_marked(site, *name)) {
      undefined.push_back(name);
      places.try_emplace(name->id.id);
    }
  }
  if (undefined.empty() ||
      file_has_word(site, {"NameError", "globals()", "locals()", "exec(", "__builtin", "vars()"}) ||
      is_filled_by_calls(site)) {
    return;
  }
  constexpr std::size_t kMostNotes = 8;
  for (const Stmt *statement : file.tree.body) {
    any_node_inside(statement, [&](const Node *node) {
      const auto *name = as<Name>(node);
      const auto known = name != nullptr ? places.find(name->id.id) : places.end();
      if (known != places.end() && known->second.size() <= kMostNotes) {
        known->second.push_back(name);
      }
      return false;
    });
  }
  for (const Name *name : undefined) {
    Finding &finding =
        report(site, *name,
               fmt::format("`{}` is not defined anywhere in this file, so this raises a NameError", name->id.text()),
               fmt::format("import or define `{}`", name->id.text()));
    for (const Name *other : places.at(name->id.id)) {
      if (other != name && finding.notes.size() < kMostNotes) {
        add_note(finding, site, *other, "and here");
      }
    }
  }
}

} // namespace

extern constinit const Rule kUndefinedName = {.info = {.code = "DP892",
                                                       .name = "undefined-name",
                                                       .summary = "a name that the file neither defines nor imports",
                                                       .root_cause = "Training: Wrong Model Definition",
                                                       .symptoms = "Program Crash",
                                                       .stage = "Training",
                                                       .frameworks = "PyTorch, TensorFlow, Keras, JAX",
                                                       .severity = Severity::Error,
                                                       .tier = Tier::On,
                                                       .documentation = R"(## What it finds

A name that a function reads and that nothing in the file binds: no import, assignment, function, class, parameter or loop, in any
scope. All places of one name are notes of one finding.

## Why it is wrong

Python looks names up when the line runs. In a training script that is often the validation, the checkpoint or the
resume branch, hours after the start.

## Bad

```python
import torch


def resume(model, path):
    model.load_state_dict(torch.load(path, weights_only=True))
    return os.path.basename(path)
```

## Good

```python
import os

import torch


def resume(model, path):
    model.load_state_dict(torch.load(path, weights_only=True))
    return os.path.basename(path)
```

## When it is wrong

Where another program adds names to the module from outside. The rule is silent in notebooks and tests, in files with
`import *`, `exec`, `globals()` or syntax errors, on lines with `# noqa`, in files that mention `NameError`, about annotations, and in files whose
code outside of functions already lacks a name: these are excerpts of programs.

## References

- Python reference: naming and binding
)"},
                                              .on_module = check};

} // namespace deepperf::rules::undefined_name
