#include "rules/step_order.h"

#include "python/children.h"

namespace deepperf::rules {

using namespace python;

namespace {

std::string_view last_part(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

struct Events {
  std::vector<StepEvent> all;
};

class Collector {
public:
  Collector(const Site &site, std::vector<StepEvent> &events) : site_(site), events_(events) {}

  void walk(const Stmt *statement, const Node *block) {
    if (statement->kind == NodeKind::FunctionDef || statement->kind == NodeKind::ClassDef) {
      return;
    }
    for_each_child(statement, [&](const Node *child) { walk_part(child, statement, block); });
  }

private:
  // A child of a statement or an expression: another statement is in a block of the one that it stands in.
  void walk_part(const Node *node, const Stmt *statement, const Node *block) {
    if (node->kind >= NodeKind::FunctionDef && node->kind <= NodeKind::InvalidStmt) {
      walk(static_cast<const Stmt *>(node), statement);
      return;
    }
    if (node->kind == NodeKind::ExceptHandler) {
      for_each_child(node, [&](const Node *child) { walk_part(child, statement, block); });
      return;
    }
    if (node->kind == NodeKind::Lambda) {
      return;
    }
    for_each_child(node, [&](const Node *child) { walk_part(child, statement, block); });
    if (const auto *call = as<Call>(node)) {
      add(*call, statement, block);
    }
  }

  void add(const Call &call, const Stmt *statement, const Node *block) {
    using What = StepEvent::What;
    const std::string_view method = called_method(call);
    const Expr *receiver = receiver_of(call);
    const auto note = [&](What what) { events_.push_back({what, &call, statement, block}); };
    if (method == "backward") {
      const auto *scaled = as<Call>(receiver);
      note(scaled != nullptr && called_method(*scaled) == "scale" && is_grad_scaler(site_, receiver_of(*scaled))
               ? What::ScaledBackward
               : What::Backward);
    } else if (method == "step" && is_grad_scaler(site_, receiver)) {
      note(What::ScalerStep);
    } else if (method == "step" && is_optimizer(site_, receiver)) {
      note(What::Step);
    } else if (method == "unscale_") {
      note(What::Unscale);
    } else if (method == "zero_grad") {
      note(What::ZeroGrad);
    } else if (const std::string_view name = called_name(call);
               name.starts_with("clip_grad_norm") || name.starts_with("clip_grad_value")) {
      note(What::Clip);
    } else if (const model::FunctionInfo *function = called_function(site_, call);
               function != nullptr && function->trains) {
      note(What::Helper);
    }
  }

  const Site &site_;
  std::vector<StepEvent> &events_;
};

} // namespace

bool is_named_optimizer(std::string_view text) {
  const std::string_view name = last_part(text);
  return name.starts_with("optim") || name.ends_with("optimizer") || name.ends_with("optim") || name == "opt" ||
         name.starts_with("opt_") || name.ends_with("_opt");
}

bool is_optimizer(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::TorchOptimizer ||
         (kind == Kind::Unknown && site.module->torch && is_named_optimizer(text_of(site, expr)));
}

bool is_grad_scaler(const Site &site, const Expr *expr) {
  const Kind kind = model::kind_of(expr);
  return kind == Kind::GradScaler ||
         (kind == Kind::Unknown && site.module->torch && last_part(text_of(site, expr)).ends_with("scaler"));
}

const std::vector<StepEvent> &step_events(const Site &site) {
  const FunctionDef *definition = site.function != nullptr ? site.function->definition() : nullptr;
  const void *about = definition != nullptr ? static_cast<const void *>(definition) : site.module;
  return site.memory
      .recall<Events>(about,
                      [&] {
                        Events events;
                        Collector collector(site, events.all);
                        const Block &body = definition != nullptr ? definition->body : site.module->parsed->tree.body;
                        for (const Stmt *statement : body) {
                          collector.walk(statement, definition);
                        }
                        return events;
                      })
      .all;
}

std::vector<StepEvent> events_inside(const Site &site, const Node &node) {
  std::vector<StepEvent> inside;
  for (const StepEvent &event : step_events(site)) {
    if (contains(&node, event.call)) {
      inside.push_back(event);
    }
  }
  return inside;
}

} // namespace deepperf::rules
