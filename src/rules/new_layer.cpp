#include "rules/new_layer.h"

#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

constexpr u32 kMostDepth = 2; // functions that call functions

// The call that makes a layer: without `.to(device)` and the like after it.
const Call *maker_of_layer(const Expr *value) {
  const auto *call = as<Call>(value);
  while (call != nullptr && receiver_of(*call) != nullptr &&
         (called_method(*call) == "to" || called_method(*call) == "cuda")) {
    call = as<Call>(receiver_of(*call));
  }
  return call;
}

// Does the class store layers of PyTorch that have weights?
bool has_weights(const model::ClassInfo &type) {
  if (type.kind != Kind::TorchModule) {
    return false;
  }
  for (const model::ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      bool found = false;
      model::for_each_alternative(cell.value, [&found](const model::Value &one) {
        const ApiInfo *info = one.is_kind(Kind::TorchModule) && one.name() ? find_api(one.name()) : nullptr;
        found = found || (info != nullptr && info->has(kWeights));
      });
      if (found) {
        return true;
      }
    }
  }
  return false;
}

// Is it a layer with weights, as the code makes it?
bool makes_weights(const Site &site, const Expr *value) {
  const Call *const made = value != nullptr ? maker_of_layer(value) : nullptr;
  if (made == nullptr) {
    return false;
  }
  const model::Value callee = site.project.callee_of(made);
  if (callee.is(model::Value::Tag::Class)) {
    return has_weights(*callee.type);
  }
  const std::string_view api = called_api(site, *made);
  if (!api.starts_with("torch.nn.") || model::kind_of(made) != Kind::TorchModule) {
    return false;
  }
  const ApiInfo *info = find_api(canonical_name(api));
  return info != nullptr && (info->has(kWeights) || api == "torch.nn.Sequential");
}

// The text of an expression without a subscript at its end: `model.classifier` of `model.classifier[6]`.
std::string_view text_without_index(const Site &site, const Expr *expr) {
  const auto *element = as<Subscript>(expr);
  return text_of(site, element != nullptr ? element->value : expr);
}

// What a statement stores itself.
void add_own(const Site &site, const Stmt &statement, std::vector<NewLayer> &found) {
  if (const auto *store = as<Assign>(&statement)) {
    const Expr *target = store->targets.size() == 1 ? store->targets[0] : nullptr;
    const auto *element = as<Subscript>(target);
    const auto *layer = as<Attribute>(element != nullptr ? element->value : target);
    if (layer != nullptr && makes_weights(site, store->value)) {
      const bool is_known = model::kind_of(layer->value) == Kind::TorchModule ||
                            value_of(site, layer->value).is(model::Value::Tag::Object) || element != nullptr;
      found.push_back({.target = std::string(text_of(site, layer)), .place = &statement, .is_certain = is_known});
    }
    return;
  }
  const auto *plain = as<ExprStmt>(&statement);
  const auto *call = plain != nullptr ? as<Call>(plain->value) : nullptr;
  if (call == nullptr) {
    return;
  }
  const auto *setter = as<Name>(call->func);
  if (setter != nullptr && setter->id.text() == "setattr" && call->args.size() == 3 &&
      makes_weights(site, call->args[2])) {
    const std::string owner(text_of(site, call->args[0]));
    found.push_back({.target = owner + ".", .place = &statement});
  } else if ((called_method(*call) == "add_module" || called_method(*call) == "register_module") &&
             call->args.size() == 2 && makes_weights(site, call->args[1])) {
    const std::string owner(text_of(site, receiver_of(*call)));
    found.push_back({.target = owner + ".", .place = &statement});
  }
}

// `param.fc` of a function as its caller writes it: `model.fc`. Empty if it belongs to none of its parameters.
std::string seen_by_caller(const Site &site, const Call &call, const model::CallSite *by,
                           const model::FunctionInfo &function, const std::string &target) {
  const std::string_view root = std::string_view(target).substr(0, target.find_first_of(".["));
  const bool is_bound = by != nullptr ? by->bound : receiver_of(call) != nullptr && function.type != nullptr;
  for (u32 i = 0; i < function.params.size(); ++i) {
    if (function.params[i]->name.text() != root) {
      continue;
    }
    const Expr *given = nullptr;
    if (is_bound && i == 0) {
      given = receiver_of(call);
    } else {
      given = argument(call, i - (is_bound ? 1 : 0), root);
    }
    return given != nullptr ? std::string(text_without_index(site, given)) + target.substr(root.size()) : std::string();
  }
  return {};
}

void add_layers(const Site &site, const Stmt &statement, u32 depth, std::vector<NewLayer> &found) {
  add_own(site, statement, found);
  if (depth == kMostDepth) {
    return;
  }
  const auto *assignment = as<Assign>(&statement);
  const auto *plain = as<ExprStmt>(&statement);
  const auto *call = as<Call>(assignment != nullptr ? assignment->value : plain != nullptr ? plain->value : nullptr);
  const model::FunctionInfo *const function = call != nullptr ? called_function(site, *call) : nullptr;
  const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
  if (definition == nullptr || has_hidden_arguments(*call) || function == site.function ||
      site.project.callee_of(call).is(model::Value::Tag::Class)) {
    return; // what a constructor stores is part of the new object
  }
  const Site inside = [&] {
    Site there = site_of(site, *call);
    there.function = function;
    there.module = function->module;
    there.type = function->type;
    there.ancestors = {definition};
    return there;
  }();
  const auto by = std::ranges::find(function->called_by, call, &model::CallSite::call);
  for (const Stmt *part : definition->body) { // not under a test
    std::vector<NewLayer> stored;
    add_layers(inside, *part, depth + 1, stored);
    for (NewLayer &one : stored) {
      one.target = seen_by_caller(site, *call, by != function->called_by.end() ? *by : nullptr, *function, one.target);
      if (!one.target.empty()) {
        one.function = one.function != nullptr ? one.function : function;
        one.is_certain = true;
        found.push_back(std::move(one));
      }
    }
  }
}

std::vector<Block> blocks_of(const Stmt *statement) {
  switch (statement->kind) {
  case NodeKind::FunctionDef:
    return {static_cast<const FunctionDef *>(statement)->body};
  case NodeKind::ClassDef:
    return {static_cast<const ClassDef *>(statement)->body};
  case NodeKind::If:
    return {static_cast<const If *>(statement)->body, static_cast<const If *>(statement)->orelse};
  case NodeKind::With:
    return {static_cast<const With *>(statement)->body};
  case NodeKind::For:
    return {static_cast<const For *>(statement)->body};
  case NodeKind::While:
    return {static_cast<const While *>(statement)->body};
  case NodeKind::Try:
    return {static_cast<const Try *>(statement)->body};
  default:
    return {};
  }
}

bool leaves(const Block &block) {
  const NodeKind kind = block.back()->kind;
  return kind == NodeKind::Return || kind == NodeKind::Raise || kind == NodeKind::Continue || kind == NodeKind::Break;
}

using StatementPredicate = FunctionRef<bool(const Stmt *)>;

bool any_with_branches(const Stmt *statement, StatementPredicate is_enough) {
  if (is_enough(statement)) {
    return true;
  }
  if (statement->kind == NodeKind::If || statement->kind == NodeKind::With) {
    for (const Block &block : blocks_of(statement)) {
      for (const Stmt *part : block) {
        if (any_with_branches(part, is_enough)) {
          return true;
        }
      }
    }
  }
  return false;
}

enum class After : u8 { GoesOn, Leaves, Enough };

// Whether the code goes on after the block that has the place.
After look_after(const Block &block, u32 offset, StatementPredicate is_enough) {
  const auto *const first = std::ranges::upper_bound(block, offset, {}, [](const Stmt *one) { return one->start; });
  const Stmt *const around = first != block.begin() ? *(first - 1) : nullptr;
  if (around != nullptr && around->end > offset) {
    for (const Block &part : blocks_of(around)) {
      if (part.empty() || part[0]->start > offset || offset >= part.back()->end) {
        continue;
      }
      const After inner = look_after(part, offset, is_enough);
      if (inner == After::Enough) {
        return inner;
      }
      if (inner == After::Leaves || around->kind == NodeKind::FunctionDef) {
        return After::Leaves;
      }
    }
  }
  for (const auto *at = first; at != block.end(); ++at) {
    if (any_with_branches(*at, is_enough)) {
      return After::Enough;
    }
  }
  return block.empty() || !leaves(block) ? After::GoesOn : After::Leaves;
}

} // namespace

std::vector<NewLayer> new_layers(const Site &site, const Stmt &statement) {
  std::vector<NewLayer> found;
  add_layers(site, statement, 0, found);
  return found;
}

bool is_inside(std::string_view inner, std::string_view outer) {
  if (!inner.starts_with(outer)) {
    return false;
  }
  if (inner.size() == outer.size()) {
    return outer.find('.') != std::string_view::npos; // the attribute itself is replaced
  }
  return inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

bool any_statement_after(const Block &body, u32 offset, FunctionRef<bool(const Stmt *)> is_enough) {
  return look_after(body, offset, is_enough) == After::Enough;
}

} // namespace deepperf::rules
