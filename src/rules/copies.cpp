#include "rules/copies.h"

#include "base/arena.h"
#include "python/children.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <vector>

namespace deepperf::rules {

using namespace python;

namespace {

// Where copies are in memory, so that nobody has to look for other nodes among them.
struct CopiedRange {
  const Node *first = nullptr;
  const Node *last = nullptr;
};
thread_local CopiedRange copied;

bool is_in_range(const Node *node) {
  return copied.first != nullptr && !std::less<>()(node, copied.first) && !std::less<>()(copied.last, node);
}

// All copies that were made for a project, and what they were made from.
struct Copies {
  mutable Arena nodes;
  mutable std::unordered_map<const Node *, const Node *> originals;
};

const Copies &copies_of(const Site &site) {
  return site.memory.recall<Copies>(&site.project, [] { return Copies{}; });
}

class Copying {
public:
  using Replace = FunctionRef<const Expr *(const Name &)>;

  Copying(const Site &site, Replace replace, const Node *place)
      : copies_(copies_of(site)), replace_(replace), place_(place) {}

  const Expr *of(const Expr *expr) { return copied_or_given(expr); }

private:
  template <class T> T *made_of(const T &original) {
    T *const node = copies_.nodes.make<T>(original);
    if (place_ != nullptr) {
      node->start = place_->start;
      node->end = place_->end;
    }
    copies_.originals.emplace(node, &original);
    copied.first = copied.first == nullptr || std::less<>()(node, copied.first) ? node : copied.first;
    copied.last = std::less<>()(copied.last, node) ? node : copied.last;
    return node;
  }

  // Parts of a tree are not const there, and nobody who sees a tree of the model changes it.
  Expr *copy(const Expr *expr) { return const_cast<Expr *>(copied_or_given(expr)); }

  Array<Expr *> copy(const Array<Expr *> &list) {
    std::vector<Expr *> parts;
    for (const Expr *part : list) {
      parts.push_back(copy(part));
    }
    return copies_.nodes.copy(parts.data(), parts.size());
  }

  const Expr *copied_or_given(const Expr *expr) {
    if (expr == nullptr) {
      return nullptr;
    }
    switch (expr->kind) {
    case NodeKind::Name: {
      const auto &name = static_cast<const Name &>(*expr);
      const Expr *const given = replace_(name);
      return given != nullptr ? given : made_of(name);
    }
    case NodeKind::BoolOp: {
      auto *node = made_of(static_cast<const BoolOp &>(*expr));
      node->values = copy(node->values);
      return node;
    }
    case NodeKind::BinOp: {
      auto *node = made_of(static_cast<const BinOp &>(*expr));
      node->left = copy(node->left);
      node->right = copy(node->right);
      return node;
    }
    case NodeKind::UnaryOp: {
      auto *node = made_of(static_cast<const UnaryOp &>(*expr));
      node->operand = copy(node->operand);
      return node;
    }
    case NodeKind::Compare: {
      auto *node = made_of(static_cast<const Compare &>(*expr));
      node->left = copy(node->left);
      std::vector<CompareItem> rest(node->rest.begin(), node->rest.end());
      for (CompareItem &item : rest) {
        item.right = copy(item.right);
      }
      node->rest = copies_.nodes.copy(rest.data(), rest.size());
      return node;
    }
    case NodeKind::Call:
      return copy_call(static_cast<const Call &>(*expr));
    case NodeKind::Attribute: {
      auto *node = made_of(static_cast<const Attribute &>(*expr));
      node->value = copy(node->value);
      return node;
    }
    case NodeKind::Subscript: {
      auto *node = made_of(static_cast<const Subscript &>(*expr));
      node->value = copy(node->value);
      node->slice = copy(node->slice);
      return node;
    }
    case NodeKind::Slice: {
      auto *node = made_of(static_cast<const Slice &>(*expr));
      node->lower = copy(node->lower);
      node->upper = copy(node->upper);
      node->step = copy(node->step);
      return node;
    }
    case NodeKind::Starred: {
      auto *node = made_of(static_cast<const Starred &>(*expr));
      node->value = copy(node->value);
      return node;
    }
    case NodeKind::List: {
      auto *node = made_of(static_cast<const List &>(*expr));
      node->elts = copy(node->elts);
      return node;
    }
    case NodeKind::Tuple: {
      auto *node = made_of(static_cast<const Tuple &>(*expr));
      node->elts = copy(node->elts);
      return node;
    }
    case NodeKind::Dict: {
      auto *node = made_of(static_cast<const Dict &>(*expr));
      std::vector<DictItem> items(node->items.begin(), node->items.end());
      for (DictItem &item : items) {
        item.key = copy(item.key);
        item.value = copy(item.value);
      }
      node->items = copies_.nodes.copy(items.data(), items.size());
      return node;
    }
    case NodeKind::IfExp: {
      auto *node = made_of(static_cast<const IfExp &>(*expr));
      node->test = copy(node->test);
      node->body = copy(node->body);
      node->orelse = copy(node->orelse);
      return node;
    }
    case NodeKind::JoinedStr: {
      auto *node = made_of(static_cast<const JoinedStr &>(*expr));
      node->values = copy(node->values);
      return node;
    }
    case NodeKind::FormattedValue: {
      auto *node = made_of(static_cast<const FormattedValue &>(*expr));
      node->value = copy(node->value);
      return node;
    }
    default:
      return expr; // a constant, whose value is what is written at its place
    }
  }

  const Expr *copy_call(const Call &call) {
    Call *const node = made_of(call);
    node->func = copy(node->func);
    node->args = copy(node->args);
    std::vector<Keyword *> keywords;
    for (const Keyword *keyword : call.keywords) {
      Keyword *const part = made_of(*keyword);
      part->value = copy(part->value);
      keywords.push_back(part);
    }
    node->keywords = copies_.nodes.copy(keywords.data(), keywords.size());
    return node;
  }

  const Copies &copies_;
  Replace replace_;
  const Node *place_; // null: each copy stands where its original does
};

} // namespace

bool can_be_copied(const Node *node) {
  switch (node->kind) {
  case NodeKind::Constant:
    return true;
  case NodeKind::Name:
  case NodeKind::BoolOp:
  case NodeKind::BinOp:
  case NodeKind::UnaryOp:
  case NodeKind::Compare:
  case NodeKind::Call:
  case NodeKind::Keyword:
  case NodeKind::Attribute:
  case NodeKind::Subscript:
  case NodeKind::Slice:
  case NodeKind::Starred:
  case NodeKind::List:
  case NodeKind::Tuple:
  case NodeKind::Dict:
  case NodeKind::IfExp:
  case NodeKind::JoinedStr:
    break;
  case NodeKind::FormattedValue:
    if (static_cast<const FormattedValue *>(node)->format_spec != nullptr) {
      return false;
    }
    break;
  default:
    return false;
  }
  bool can = true;
  for_each_child(node, [&can](const Node *child) { can = can && can_be_copied(child); });
  return can;
}

const Expr *copy_of(const Site &site, const Expr *expr, FunctionRef<const Expr *(const Name &)> replace,
                    const Node *place) {
  return Copying(site, replace, place).of(expr);
}

const Node *original_of(const Site &site, const Node *node) {
  if (!is_in_range(node)) {
    return node;
  }
  const Copies &copies = copies_of(site);
  const auto known = copies.originals.find(node);
  return known != copies.originals.end() ? known->second : node;
}

void forget_copies() { copied = {}; }

} // namespace deepperf::rules
