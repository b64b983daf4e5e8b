#include "rules/registry.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "python/children.h"
#include "rules/project_shapes.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/vet_fixes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <unordered_map>

namespace deepperf::rules {

namespace {

using namespace python;

std::vector<const Rule *> sorted(std::span<const Rule *const> listed) {
  std::vector<const Rule *> rules(listed.begin(), listed.end());
  std::ranges::sort(rules, {}, [](const Rule *rule) { return rule->info.code; });
  return rules;
}

} // namespace

// Who wants to see what: for each kind of node, and for each name of a call.
class Subscriptions {
public:
  explicit Subscriptions(std::span<const Rule *const> rules) {
    for (const Rule *rule : sorted(rules)) {
      if (rule->on_project != nullptr) {
        projects.push_back(rule);
      }
      if (rule->on_module != nullptr) {
        modules.push_back(rule);
      }
      if (rule->on_shapes != nullptr) {
        shapes.push_back(rule);
      }
      for (u32 kind = 0; kind < nodes.size() && rule->on_node != nullptr; ++kind) {
        if (rule->nodes.has(static_cast<NodeKind>(kind))) {
          nodes[kind].push_back(rule);
        }
      }
      for_each_word(rule->calls, [&](std::string_view name) { add_call(rule, name); });
      for_each_word(rule->names, [&](std::string_view name) { add_name(rule, name); });
      if (rule->listed_names != nullptr) {
        for (const std::string_view name : rule->listed_names()) {
          add_name(rule, name);
        }
      }
    }
  }

  // Rules that want to see a name or attribute, by its last part.
  template <class Visit> void for_each_named(Symbol name, Visit visit) const {
    for (u64 bits = names_[name]; bits != 0; bits &= bits - 1) {
      visit(*naming_[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
  }

  // Rules for a call: of an API by its name, of a method by its receiver's kind, and of a method of anything.
  template <class Visit> void for_each(const Call &call, const model::Value &callee, Visit visit) const {
    if (callee.is(model::Value::Tag::Api)) {
      if (called_.has(callee.name())) {
        visit_all(key(Kind::Unknown, callee.name()), visit);
      }
    } else if (callee.is(model::Value::Tag::ApiMethod) && called_.has(callee.name())) {
      for (Kind kind = callee.kind; kind != Kind::Unknown; kind = parent_of(kind)) {
        visit_all(key(kind, callee.name()), visit);
      }
    } else if (callee.is(model::Value::Tag::Instance) || callee.is(model::Value::Tag::Object)) {
      const Kind called = callee.is(model::Value::Tag::Object) ? callee.type->kind : callee.kind;
      for (Kind kind = called; kind != Kind::Unknown; kind = parent_of(kind)) {
        visit_all(key(kind, known::sym_call_method), visit);
      }
    }
    if (const auto *method = as<Attribute>(call.func); method != nullptr && called_.has(method->attr)) {
      visit_all(key(Kind::kCount, method->attr), visit);
    }
  }

  std::array<std::vector<const Rule *>, 128> nodes;
  std::vector<const Rule *> modules;
  std::vector<const Rule *> shapes;
  std::vector<const Rule *> projects;

private:
  template <class Visit> static void for_each_word(std::string_view text, Visit visit) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (end != 0) {
        visit(text.substr(0, end));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void add_name(const Rule *rule, std::string_view name) {
    auto place = std::ranges::find(naming_, rule);
    if (place == naming_.end()) {
      naming_.push_back(rule);
      place = std::prev(naming_.end());
    }
    names_.add(name, u64{1} << (place - naming_.begin()));
  }

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
    const std::size_t dot = name.rfind('.');
    const Kind kind = dot != std::string_view::npos ? kind_named(name.substr(0, dot)) : Kind::Unknown;
    const auto add = [&](Kind receiver, Symbol called) {
      calls_[key(receiver, called)].push_back(rule);
      called_.add(called.text(), 1);
    };
    if (name.starts_with("*.")) {
      add(Kind::kCount, intern(name.substr(2)));
    } else if (kind != Kind::Unknown) {
      add(kind, intern(name.substr(dot + 1)));
    } else {
      add(Kind::Unknown, canonical_name(name));
    }
  }

  std::unordered_map<u64, std::vector<const Rule *>> calls_;
  NameTable called_;                 // names in calls_: most are not
  std::vector<const Rule *> naming_; // rules that want names: bit i of names_ is the i-th; 64 at most
  NameTable names_;
};

RuleSet::RuleSet(std::span<const Rule *const> rules) : subscriptions_(std::make_unique<const Subscriptions>(rules)) {}
RuleSet::~RuleSet() = default;

std::vector<const Rule *> rules_of(std::span<const RuleInfo *const> infos) {
  std::vector<const Rule *> rules;
  for (const Rule *rule : listed_rules()) {
    if (std::ranges::find(infos, &rule->info) != infos.end()) {
      rules.push_back(rule);
    }
  }
  return rules;
}

namespace {

// What a rule may take for a file of so many bytes. Rules that search each function once stay far below it.
constexpr i64 most_steps(std::size_t bytes) { return 1'000'000 + 16 * static_cast<i64>(bytes); }

// What a rule may take for each place without being counted.
constexpr i64 kFewSteps = 64;

void note_steps(Timings *timings, const Rule &rule, i64 steps) {
  if (timings != nullptr) {
    timings->steps[&rule.info] += static_cast<u64>(steps);
    timings->work.rule_steps += static_cast<u64>(steps);
  }
}

// Walks a module's tree once, and shows each node to the rules that want to see it.
class Walk {
public:
  Walk(const model::Project &project, const Subscriptions &subscriptions, Findings &findings,
       std::vector<RuleFailure> &failures, Timings *timings, Trace *trace)
      : subscriptions_(subscriptions), site_{.project = project,
                                             .findings = findings,
                                             .memory = memory_,
                                             .trace = trace},
        failures_(failures), timings_(timings) {}

  void run(const model::Module &module) {
    enter(module);
    for (const Rule *rule : subscriptions_.modules) {
      run_rule(*rule, nullptr, [&] { rule->on_module(site_); });
    }
    for (const Stmt *statement : module.parsed->tree.body) {
      visit(statement);
    }
  }

  void run_shapes(const model::Module &module) {
    enter(module);
    for (const Rule *rule : subscriptions_.shapes) {
      run_rule(*rule, nullptr, [&] { rule->on_shapes(site_); });
    }
  }

  Memory &memory() { return memory_; }

private:
  void enter(const model::Module &module) {
    site_.module = &module;
    site_.function = module.body;
    site_.type = nullptr;
    site_.ancestors.clear();
    failed_.clear();
    steps_.clear();
    most_steps_ = most_steps(module.parsed->source.text().size());
  }

  u64 *time_of(const Rule &rule) { return timings_ != nullptr ? &timings_->rules[&rule.info] : nullptr; }

  // Are the rule's questions to be written down?
  [[nodiscard]] bool is_traced(const Rule &rule, const Node *node) const {
    const Trace *const trace = site_.trace;
    if (!trace->is_wanted || trace->file != site_.module->file ||
        (trace->rule != nullptr && trace->rule != &rule.info)) {
      return false;
    }
    return node == nullptr
               ? trace->rule != nullptr
               : node->start < trace->place.end &&
                     (trace->rule != nullptr ? node->end > trace->place.start : node->start >= trace->place.start);
  }

  template <class Run> void run_rule(const Rule &rule, const Node *node, Run run) {
    if (site_.trace == nullptr) [[likely]] {
      return run_untraced(rule, run);
    }
    Trace &trace = *site_.trace;
    ++trace.visits;
    trace.writes = is_traced(rule, node);
    const std::size_t before = site_.findings.size();
    if (trace.writes) {
      Attempt &attempt = trace.attempts.emplace_back();
      attempt.rule = &rule;
      attempt.node = node;
    }
    run_untraced(rule, run);
    if (trace.writes) {
      trace.attempts.back().findings = site_.findings.size() - before;
    }
    trace.writes = false;
  }

  template <class Run> void run_untraced(const Rule &rule, Run run) {
    if (!failed_.empty() && std::ranges::find(failed_, &rule) != failed_.end()) {
      return;
    }
    site_.rule = &rule;
    const Stopwatch watch(time_of(rule));
    const StepLimit limit(most_steps_);
    try {
      run();
    } catch (const TooManySteps &) {
      give_up(rule);
      return;
    } catch (const std::exception &error) {
      failed_.push_back(&rule);
      failures_.push_back({&rule.info, site_.module->file, error.what()});
      return;
    }
    if (limit.taken() > kFewSteps) [[unlikely]] {
      i64 &taken = steps_[&rule];
      taken += limit.taken();
      if (taken > most_steps_) {
        give_up(rule);
      }
    }
    note_steps(timings_, rule, limit.taken());
  }

  void give_up(const Rule &rule) {
    failed_.push_back(&rule);
    failures_.push_back({&rule.info, site_.module->file, "too many steps", true});
    note_steps(timings_, rule, most_steps_);
  }

  void visit(const Node *node) {
    if (node->kind == NodeKind::Constant) {
      return; // which no rule wants, and which holds nothing
    }
    site_.node = node;
    for (const Rule *rule : subscriptions_.nodes[static_cast<u32>(node->kind)]) {
      run_rule(*rule, node, [&] { rule->on_node(site_, *node); });
    }
    if (node->kind == NodeKind::Name || node->kind == NodeKind::Attribute) {
      const Symbol name = node->kind == NodeKind::Name ? static_cast<const Name *>(node)->id
                                                       : static_cast<const Attribute *>(node)->attr;
      subscriptions_.for_each_named(
          name, [&](const Rule &rule) { run_rule(rule, node, [&] { rule.on_node(site_, *node); }); });
      if (node->kind == NodeKind::Name) {
        return;
      }
    } else if (const auto *call = as<Call>(node)) {
      subscriptions_.for_each(*call, site_.project.callee_of(call),
                              [&](const Rule &rule) { run_rule(rule, node, [&] { rule.on_call(site_, *call); }); });
    }
    const model::FunctionInfo *const function = site_.function;
    const model::ClassInfo *const type = site_.type;
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda) {
      const model::FunctionInfo *const known = site_.project.function_at(node);
      site_.function = known != nullptr ? known : function;
    } else if (node->kind == NodeKind::ClassDef) {
      site_.type = site_.project.class_at(node);
    }
    site_.ancestors.push_back(node);
    for_each_child(node, [this](const Node *child) { visit(child); });
    site_.ancestors.pop_back();
    site_.function = function;
    site_.type = type;
  }

  const Subscriptions &subscriptions_;
  Memory memory_;
  Site site_;
  std::vector<const Rule *> failed_;            // on this module
  std::unordered_map<const Rule *, i64> steps_; // taken in this module, where they were many at once
  i64 most_steps_ = 0;
  std::vector<RuleFailure> &failures_;
  Timings *timings_;
};

} // namespace

std::span<const RuleInfo *const> all_rules() {
  static const std::vector<const RuleInfo *> kInfos = [] {
    std::vector<const RuleInfo *> infos;
    for (const Rule *rule : sorted(listed_rules())) {
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

namespace {

Findings run_rules(const model::Project &project, const Subscriptions &subscriptions,
                   std::vector<RuleFailure> &failures, Timings *timings, Trace *trace,
                   ProjectShapes *shapes = nullptr) {
  Findings findings;
  forget_searches();
  std::size_t bytes = 0;
  for (const model::Module &module : project.modules) {
    bytes += module.parsed->source.text().size();
  }
  for (const Rule *rule : subscriptions.projects) {
    const Stopwatch watch(timings != nullptr ? &timings->rules[&rule->info] : nullptr);
    const StepLimit limit(most_steps(bytes));
    try {
      rule->on_project(project, findings);
      note_steps(timings, *rule, limit.taken());
    } catch (const TooManySteps &) {
      failures.push_back({&rule->info, project.modules.front().file, "too many steps", true});
    } catch (const std::exception &error) {
      failures.push_back({&rule->info, project.modules.front().file, error.what()});
    }
  }
  Walk walk(project, subscriptions, findings, failures, timings, trace);
  for (const model::Module &module : project.modules) {
    if (module.is_judged) {
      walk.run(module);
    }
  }
  if (shapes != nullptr && !subscriptions.shapes.empty()) {
    try {
      recall_shapes(project, *shapes, walk.memory());
    } catch (const std::exception &) { // the rules will try it themselves, and are told
    }
  }
  for (const model::Module &module : project.modules) {
    if (module.is_judged) {
      walk.run_shapes(module);
    }
  }
  vet_fixes(project, findings);
  return findings;
}

} // namespace

namespace {

Findings judge_with(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures,
                    Timings *timings, ProjectShapes *shapes) {
  if (timings == nullptr) {
    return run_rules(project, rules.subscriptions(), failures, nullptr, nullptr, shapes);
  }
  {
    std::vector<RuleFailure> same;
    const Stopwatch watch(&timings->judge);
    run_rules(project, rules.subscriptions(), same, nullptr, nullptr, shapes);
  }
  // Once more, because looking at the clock at each step takes time itself.
  Trace trace;
  Findings findings = run_rules(project, rules.subscriptions(), failures, timings, &trace);
  timings->work.add(project.work);
  timings->work.rule_visits += trace.visits;
  timings->work.rule_queries += trace.queries;
  return findings;
}

} // namespace

bool asks_for_shapes(const RuleSet &rules) { return !rules.subscriptions().shapes.empty(); }

Findings judge(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures,
               Timings *timings) {
  return judge_with(project, rules, failures, timings, nullptr);
}

Findings judge(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures,
               Timings *timings, ProjectShapes &shapes) {
  return judge_with(project, rules, failures, timings, &shapes);
}

Findings judge(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures, Trace &trace) {
  return run_rules(project, rules.subscriptions(), failures, nullptr, &trace);
}

} // namespace deepperf::rules
