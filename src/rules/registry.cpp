#include "rules/registry.h"

#include "python/children.h"
#include "rules/site.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace deepperf::rules {

namespace {

using namespace python;

std::vector<const Rule *> sorted_rules() {
  std::vector<const Rule *> rules(listed_rules().begin(), listed_rules().end());
  std::ranges::sort(rules, {}, [](const Rule *rule) { return rule->info.code; });
  return rules;
}

// Who wants to see what: for each kind of node, and for each name of a call. Made once.
class Subscriptions {
public:
  Subscriptions() {
    for (const Rule *rule : sorted_rules()) {
      if (rule->on_project != nullptr) {
        projects.push_back(rule);
      }
      if (rule->on_module != nullptr) {
        modules.push_back(rule);
      }
      for (u32 kind = 0; kind < nodes.size() && rule->on_node != nullptr; ++kind) {
        if (rule->nodes.has(static_cast<NodeKind>(kind))) {
          nodes[kind].push_back(rule);
        }
      }
      std::string_view names = rule->calls;
      while (!names.empty() && rule->on_call != nullptr) {
        const std::size_t end = std::min(names.find(' '), names.size());
        add_call(rule, names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    }
  }

  // Rules for a call: of an API by its name, of a method by its receiver's kind, and of a method of anything.
  template <class Visit> void for_each(const Call &call, const model::Value &callee, Visit visit) const {
    if (callee.is(model::Value::Tag::Api)) {
      visit_all(key(Kind::Unknown, callee.name()), visit);
    } else if (callee.is(model::Value::Tag::ApiMethod)) {
      for (Kind kind = callee.receiver().kind; kind != Kind::Unknown; kind = parent_of(kind)) {
        visit_all(key(kind, callee.name()), visit);
      }
    } else if (callee.is(model::Value::Tag::Instance) || callee.is(model::Value::Tag::Object)) {
      static const Symbol kCalled = intern("__call__");
      const Kind called = callee.is(model::Value::Tag::Object) ? callee.type->kind : callee.kind;
      for (Kind kind = called; kind != Kind::Unknown; kind = parent_of(kind)) {
        visit_all(key(kind, kCalled), visit);
      }
    }
    if (const auto *method = as<Attribute>(call.func)) {
      visit_all(key(Kind::kCount, method->attr), visit);
    }
  }

  std::array<std::vector<const Rule *>, 128> nodes;
  std::vector<const Rule *> modules;
  std::vector<const Rule *> projects;

private:
  static u64 key(Kind kind, Symbol name) { return (u64{static_cast<u8>(kind)} << 32) | name.id; }

  template <class Visit> void visit_all(u64 name, Visit visit) const {
    const auto found = calls_.find(name);
    if (found != calls_.end()) {
      for (const Rule *rule : found->second) {
        visit(*rule);
      }
    }
  }

  void add_call(const Rule *rule, std::string_view name) {
    if (name.empty()) {
      return;
    }
    const std::size_t dot = name.rfind('.');
    const Kind kind = dot != std::string_view::npos ? kind_named(name.substr(0, dot)) : Kind::Unknown;
    if (name.starts_with("*.")) {
      calls_[key(Kind::kCount, intern(name.substr(2)))].push_back(rule);
    } else if (kind != Kind::Unknown) {
      calls_[key(kind, intern(name.substr(dot + 1)))].push_back(rule);
    } else {
      calls_[key(Kind::Unknown, canonical_name(name))].push_back(rule);
    }
  }

  std::unordered_map<u64, std::vector<const Rule *>> calls_;
};

const Subscriptions &subscriptions() {
  static const Subscriptions kSubscriptions;
  return kSubscriptions;
}

// Walks a module's tree once, and shows each node to the rules that want to see it.
class Walk {
public:
  Walk(const model::Project &project, Findings &findings) : site_{.project = project, .findings = findings} {}

  void run(const model::Module &module) {
    site_.module = &module;
    site_.function = module.body;
    site_.type = nullptr;
    for (const Rule *rule : subscriptions().modules) {
      site_.rule = rule;
      rule->on_module(site_);
    }
    for (const Stmt *statement : module.parsed->tree.body) {
      visit(statement);
    }
  }

private:
  void visit(const Node *node) {
    for (const Rule *rule : subscriptions().nodes[static_cast<u32>(node->kind)]) {
      site_.rule = rule;
      rule->on_node(site_, *node);
    }
    if (const auto *call = as<Call>(node)) {
      subscriptions().for_each(*call, site_.project.callee_of(call), [&](const Rule &rule) {
        site_.rule = &rule;
        rule.on_call(site_, *call);
      });
    }
    const model::FunctionInfo *const function = site_.function;
    const model::ClassInfo *const type = site_.type;
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda) {
      const auto known = site_.project.function_of.find(node);
      site_.function = known != site_.project.function_of.end() ? known->second : function;
    } else if (node->kind == NodeKind::ClassDef) {
      const auto known = site_.project.class_of.find(node);
      site_.type = known != site_.project.class_of.end() ? known->second : nullptr;
    }
    site_.ancestors.push_back(node);
    for_each_child(node, [this](const Node *child) { visit(child); });
    site_.ancestors.pop_back();
    site_.function = function;
    site_.type = type;
  }

  Site site_;
};

} // namespace

std::span<const RuleInfo *const> all_rules() {
  static const std::vector<const RuleInfo *> kInfos = [] {
    std::vector<const RuleInfo *> infos;
    for (const Rule *rule : sorted_rules()) {
      infos.push_back(&rule->info);
    }
    return infos;
  }();
  return kInfos;
}

void sort_findings(Findings &findings) {
  const auto key = [](const Finding &finding) {
    return std::tuple(finding.file.value, finding.span.start, finding.rule->code, finding.span.end);
  };
  std::ranges::stable_sort(findings, {}, key);
  const auto repeated = std::unique(findings.begin(), findings.end(),
                                    [&key](const Finding &a, const Finding &b) { return key(a) == key(b); });
  findings.erase(repeated, findings.end());
}

Findings judge(const model::Project &project) {
  Findings findings;
  for (const Rule *rule : subscriptions().projects) {
    rule->on_project(project, findings);
  }
  Walk walk(project, findings);
  for (const model::Module &module : project.modules) {
    if (module.tensorflow || module.torch || module.jax) {
      walk.run(module);
    }
  }
  return findings;
}

} // namespace deepperf::rules
