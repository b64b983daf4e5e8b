#include "rules/named_once.h"

#include "base/symbol_map.h"
#include "python/children.h"
#include "rules/copies.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// Where each name of a function is read for the last time, also by functions inside.
struct LastReads {
  SymbolMap<u32> at;
};

void find_last_reads(const Node *node, LastReads &found) {
  if (const auto *name = as<Name>(node)) {
    if (name->context != Context::Store) {
      u32 &last = found.at[name->id.id];
      last = std::max(last, name->start);
    }
    return;
  }
  for_each_child(node, [&found](const Node *child) { find_last_reads(child, found); });
}

bool is_read_after(const Site &site, Symbol name, u32 offset) {
  const model::FunctionInfo &function = *site.function;
  const auto &reads = site.memory.recall<LastReads>(&function, [&] {
    LastReads found;
    if (function.node != nullptr) {
      find_last_reads(function.node, found);
    } else {
      for (const Stmt *statement : site.module->parsed->tree.body) {
        find_last_reads(statement, found);
      }
    }
    return found;
  });
  const auto last = reads.at.find(name.id);
  return last != reads.at.end() && last->second >= offset;
}

// How often the expression reads the name, and whether that is as an argument of a call: a rule that looks at what a
// method is called on knows what people called it.
struct NameUses {
  u32 reads = 0;
  u32 arguments = 0;
};

void count_uses(const Node *node, Symbol name, NameUses &uses) {
  if (const auto *read = as<Name>(node)) {
    uses.reads += read->id == name ? 1 : 0;
    return;
  }
  if (const auto *call = as<Call>(node)) {
    const auto count_argument = [&](const Expr *value) {
      const auto *read = as<Name>(value);
      uses.arguments += read != nullptr && read->id == name ? 1 : 0;
    };
    std::ranges::for_each(call->args, count_argument);
    std::ranges::for_each(call->keywords, [&](const Keyword *keyword) { count_argument(keyword->value); });
  }
  for_each_child(node, [&](const Node *child) { count_uses(child, name, uses); });
}

bool is_one_argument(const Expr *evaluated, Symbol name) {
  NameUses uses;
  count_uses(evaluated, name, uses);
  return uses.reads == 1 && uses.arguments == 1;
}

// What the statement evaluates, if that is all that it does but for binding a name.
const Expr *evaluated_by(const Stmt *statement) {
  switch (statement->kind) {
  case NodeKind::ExprStmt:
    return static_cast<const ExprStmt *>(statement)->value;
  case NodeKind::Return:
    return static_cast<const Return *>(statement)->value;
  case NodeKind::Assign:
    return static_cast<const Assign *>(statement)->value;
  case NodeKind::AnnAssign:
    return static_cast<const AnnAssign *>(statement)->value;
  case NodeKind::AugAssign:
    return static_cast<const AugAssign *>(statement)->value;
  default:
    return nullptr;
  }
}

} // namespace

const Expr *with_named_value(const Site &site, const Stmt *before, const Stmt *statement) {
  const auto *assignment = as<Assign>(before);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
  const Expr *const evaluated = name != nullptr ? evaluated_by(statement) : nullptr;
  if (evaluated == nullptr || evaluated->kind == NodeKind::Name || assignment->value->kind == NodeKind::Name ||
      assignment->value->kind == NodeKind::Constant || !is_one_argument(evaluated, name->id) ||
      !can_be_copied(evaluated) || is_read_after(site, name->id, evaluated->end)) {
    return nullptr;
  }
  const auto replace = [&](const Name &read) -> const Expr * {
    return read.id == name->id ? assignment->value : nullptr;
  };
  return copy_of(site, evaluated, replace, nullptr);
}

} // namespace deepperf::rules
