#include "rules/linting.h"

#include "base/steps.h"
#include "python/children.h"
#include "python/visit_children.h"
#include "rules/grouping.h"
#include "rules/kept_linting.h"
#include "rules/named_once.h"
#include "rules/per_step.h"
#include "rules/project_shapes.h"
#include "rules/reach.h"
#include "rules/site.h"
#include "rules/subscriptions.h"
#include "rules/thin.h"
#include "rules/vet_fixes.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace deepperf::rules {

using namespace python;

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
      : subscriptions_(subscriptions),
        memory_(&project), site_{.project = project, .findings = findings, .memory = memory_, .trace = trace},
        failures_(failures), timings_(timings) {}

  // Adds to what is kept of the module what the rules read, and lets only these rules look at it, or all.
  void run_noting(const model::Module &module, const KeptLinting::Again &again, ProjectQuestions &questions,
                  KeptModule &kept) {
    Reads reads;
    reads.project = &site_.project;
    reads.home = module.index;
    reads.questions = &questions;
    noted_.clear();
    shown_.clear();
    only_ = again.all ? nullptr : &again.rules;
    reads_now = &reads;
    try {
      run(module);
    } catch (...) {
      reads_now = nullptr;
      throw;
    }
    take_reads(shown_);
    reads_now = nullptr;
    only_ = nullptr;
    kept.shown = shown_;
    for (auto &[rule, set] : noted_) {
      kept.reads.emplace_back(rule, std::move(set));
    }
    std::ranges::sort(kept.reads, {}, [](const auto &one) { return one.first->info.code; });
    kept.sees_findings = kept.sees_findings || reads.sees_findings;
  }

  // Has a rule taken so many steps on some module that it may come near the limit?
  [[nodiscard]] bool takes_many_steps() const { return takes_many_steps_; }

  void run(const model::Module &module) {
    enter(module);
    for (const Rule *rule : subscriptions_.modules) {
      run_rule(*rule, nullptr, [&] { rule->on_module(site_); });
    }
    for (const Stmt *statement : module.parsed->tree.body) {
      visit(statement);
    }
    for (const model::FunctionInfo *function : thin_) {
      visit_calls(*function);
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
    thin_.clear();
    before_ = nullptr;
    look_from(&site_);
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
      if (reads_now != nullptr) [[unlikely]] {
        return run_noted(rule, run);
      }
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

  template <class Run> void run_noted(const Rule &rule, Run run) {
    take_reads(shown_); // on the way here
    if (only_ != nullptr && std::ranges::find(*only_, &rule) == only_->end()) {
      return;
    }
    run_untraced(rule, run);
    if (!reads_now->set.empty()) {
      take_reads(noted_[&rule]);
    }
  }

  static void take_reads(ReadSet &into) {
    if (!reads_now->set.empty()) {
      into.add(reads_now->set);
      reads_now->set.clear();
    }
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
      fail(rule, error);
      return;
    }
    if (limit.taken() > kFewSteps) [[unlikely]] {
      count_steps(rule, limit.taken());
    }
    note_steps(timings_, rule, limit.taken());
  }

  void count_steps(const Rule &rule, i64 steps) {
    i64 &taken = steps_[&rule];
    taken += steps;
    takes_many_steps_ = takes_many_steps_ || taken > most_steps_ / 4 * 3;
    if (taken > most_steps_) {
      give_up(rule);
    }
  }

  void fail(const Rule &rule, const std::exception &error) {
    failed_.push_back(&rule);
    failures_.push_back({&rule.info, site_.module->file, error.what()});
  }

  void give_up(const Rule &rule) {
    failed_.push_back(&rule);
    failures_.push_back({&rule.info, site_.module->file, "too many steps", true});
    note_steps(timings_, rule, most_steps_);
  }

  // Shows a node to rules that want to see its kind. Most of them look at it and leave, so that little may happen
  // around each look as long as nobody measures or notes anything, and no rule has failed.
  void show(std::span<const Rule *const> rules, const Node &node) {
    std::size_t next = 0;
    if (reads_now != nullptr && !rules.empty()) [[unlikely]] {
      take_reads(shown_); // on the way here
    }
    if (site_.trace == nullptr && timings_ == nullptr && only_ == nullptr && failed_.empty()) [[likely]] {
      const StepLimit limit(most_steps_);
      try {
        for (; next < rules.size(); ++next) {
          site_.rule = rules[next];
          steps_left = most_steps_;
          rules[next]->on_node(site_, node);
          if (limit.taken() > kFewSteps) [[unlikely]] {
            count_steps(*rules[next], limit.taken());
          }
          if (reads_now != nullptr && !reads_now->set.empty()) [[unlikely]] {
            take_reads(noted_[rules[next]]);
          }
        }
      } catch (const TooManySteps &) {
        give_up(*rules[next++]);
      } catch (const std::exception &error) {
        fail(*rules[next++], error);
      }
    }
    for (; next < rules.size(); ++next) {
      run_rule(*rules[next], &node, [&] { rules[next]->on_node(site_, node); });
    }
  }

  // Shows what a function evaluates once more, as if it were written in place of its calls.
  void visit_calls(const model::FunctionInfo &function) {
    constexpr std::size_t kMostCalls = 4;
    if (function.called_by.size() > kMostCalls) {
      return;
    }
    for (const model::CallSite *call : function.called_by) {
      if (const Expr *const copy = call->caller->module == site_.module ? copy_at(site_, *call) : nullptr) {
        visit_copy(*call, copy);
      }
    }
  }

  void visit_copy(const model::CallSite &call, const Expr *copy) {
    const std::size_t before = site_.findings.size();
    site_.ancestors = ancestors_of(*call.call);
    site_.function = call.caller;
    site_.type = nullptr;
    for (const Node *around : site_.ancestors) {
      if (around->kind == NodeKind::ClassDef) {
        site_.type = site_.project.class_at(around);
      }
    }
    site_.is_copy = true;
    visit(copy);
    site_.is_copy = false;
    keep_new(before, call);
  }

  [[nodiscard]] std::vector<const Node *> ancestors_of(const Node &node) const {
    std::vector<const Node *> found;
    const auto is_around = [&node](const Node *one) {
      return one != &node && one->start <= node.start && node.end <= one->end;
    };
    // Files and classes may have very many statements.
    const auto statement_around = [&](const Block &block) -> const Node * {
      const auto after = std::ranges::upper_bound(block, node.start, {}, [](const Stmt *one) { return one->start; });
      const Node *const last = after != block.begin() ? *(after - 1) : nullptr;
      return last != nullptr && is_around(last) ? last : nullptr;
    };
    const Node *at = statement_around(site_.module->parsed->tree.body);
    while (at != nullptr) {
      found.push_back(at);
      const auto *type = as<ClassDef>(at);
      const Node *inner = type != nullptr ? statement_around(type->body) : nullptr;
      if (inner == nullptr) {
        for_each_child(at, [&](const Node *child) { inner = is_around(child) ? child : inner; });
      }
      at = inner;
    }
    return found;
  }

  // Of the findings about a copy, those that `is_known` holds for no earlier finding of the same rule. Their edits
  // would change what the copy stands for.
  template <class IsKnown> void keep_new(std::size_t before, IsKnown is_known) {
    Findings &all = site_.findings;
    std::size_t kept = before;
    for (std::size_t i = before; i < all.size(); ++i) {
      const auto is_same = [&](const Finding &one) { return one.rule == all[i].rule && is_known(one, all[i]); };
      if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before), is_same)) {
        continue;
      }
      all[i].fix.reset();
      if (kept != i) {
        all[kept] = std::move(all[i]);
      }
      ++kept;
    }
    all.resize(kept);
  }

  static bool is_in(const Finding &one, u32 start, u32 end) { return start <= one.span.start && one.span.end <= end; }

  // Those of rules that have seen the mistake neither in the function nor at its call.
  void keep_new(std::size_t before, const model::CallSite &call) {
    const Node &function = *call.callee->node;
    keep_new(before, [&](const Finding &one, const Finding & /*copied*/) {
      return is_in(one, call.call->start, call.call->end) || is_in(one, function.start, function.end);
    });
    for (std::size_t i = before; i < site_.findings.size(); ++i) {
      if (!is_in(site_.findings[i], call.call->start, call.call->end)) {
        site_.findings[i].notes.push_back({site_.module->file, call.call->span(), "called here"});
      }
    }
  }

  void visit(const Node *node) {
    if (node->kind == NodeKind::Constant) {
      return; // which no rule wants, and which holds nothing
    }
    site_.node = node;
    show(subscriptions_.nodes[static_cast<u32>(node->kind)], *node);
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
    const Stmt *const before = std::exchange(before_, nullptr);
    visit_children(node, [this](const Node *child) { visit(child); });
    before_ = before;
    site_.ancestors.pop_back();
    if (node->kind == NodeKind::FunctionDef && site_.function->node == node && is_thin(site_, *site_.function))
        [[unlikely]] {
      thin_.push_back(site_.function);
    }
    site_.function = function;
    site_.type = type;
    if (is_statement(*node)) {
      visit_with_named_value(static_cast<const Stmt *>(node));
      before_ = node->kind == NodeKind::Pass ? before_ : static_cast<const Stmt *>(node);
    }
  }

  static bool is_statement(const Node &node) {
    return node.kind >= NodeKind::FunctionDef && node.kind <= NodeKind::InvalidStmt;
  }

  // Shows a statement once more, with a value that has a name for this statement alone written out.
  void visit_with_named_value(const Stmt *statement) {
    if (before_ == nullptr || site_.is_copy) {
      return;
    }
    const Expr *const copy = with_named_value(site_, before_, statement);
    if (copy == nullptr) {
      return;
    }
    const std::size_t before = site_.findings.size();
    const u32 start = before_->start;
    site_.is_copy = true;
    site_.ancestors.push_back(statement);
    visit(copy);
    site_.ancestors.pop_back();
    site_.is_copy = false;
    keep_new(before, [&](const Finding &one, const Finding &copied) {
      return is_in(one, start, statement->end) || one.span.start == copied.span.start;
    });
  }

  const Subscriptions &subscriptions_;
  Memory memory_;
  Site site_;
  std::vector<const Rule *> failed_;            // on this module
  std::unordered_map<const Rule *, i64> steps_; // taken in this module, where they were many at once
  i64 most_steps_ = 0;
  bool takes_many_steps_ = false;
  std::vector<const model::FunctionInfo *> thin_;   // of this module: see thin.h
  const Stmt *before_ = nullptr;                    // the statement before the one that is visited, in the same block
  const std::vector<const Rule *> *only_ = nullptr; // that look at this module; null: all of them
  std::unordered_map<const Rule *, ReadSet> noted_; // that they read beside this module
  ReadSet shown_;                                   // that the walk itself read
  std::vector<RuleFailure> &failures_;
  Timings *timings_;
};

std::size_t bytes_of(const model::Module &module) { return module.parsed->source.text().size(); }

void run_project_rules(const model::Project &project, const Subscriptions &subscriptions, Findings &findings,
                       std::vector<RuleFailure> &failures, Timings *timings) {
  std::size_t bytes = 0;
  for (const model::Module &module : project.modules) {
    bytes += bytes_of(module);
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
}

// Rules that tell of one mistake from two sides. Where both see it, the first one is left out.
struct Twice {
  std::string_view less;
  std::string_view more;
};
constexpr Twice kReportedTwice[] = {{"DP159", "DP288"}}; // an untrained model, and an untrained part of a model

// Of findings in order. None of the rules has to know what another one found, so that each can be run again alone.
void drop_reported_twice(Findings &findings) {
  const auto is_at = [](const Finding &a, const Finding &b) {
    return a.file == b.file && a.span.start == b.span.start;
  };
  std::vector<bool> is_dropped(findings.size());
  for (std::size_t first = 0; first < findings.size();) {
    std::size_t end = first + 1;
    while (end < findings.size() && is_at(findings[first], findings[end])) {
      ++end;
    }
    for (const Twice &pair : kReportedTwice) {
      const auto has = [&](std::string_view code) {
        return std::any_of(findings.begin() + static_cast<std::ptrdiff_t>(first),
                           findings.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const Finding &one) { return one.rule->code == code; });
      };
      if (end - first > 1 && has(pair.less) && has(pair.more)) {
        for (std::size_t i = first; i < end; ++i) {
          is_dropped[i] = is_dropped[i] || findings[i].rule->code == pair.less;
        }
      }
    }
    first = end;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!is_dropped[i]) {
      if (kept != i) {
        findings[kept] = std::move(findings[i]);
      }
      ++kept;
    }
  }
  findings.resize(kept);
}

} // namespace

Linting::Linting(const model::Project &project, const RuleSet &rules, ProjectShapes *shapes, KeptLinting *kept,
                 Timings *timings, Trace *trace)
    : project_(project), subscriptions_(rules.subscriptions()), shapes_(shapes), kept_(kept), timings_(timings),
      trace_(trace) {
  // What rules remember of a project is worked out for each part, so that small projects are not divided. How many
  // parts there are follows from the files alone: whatever the number of threads, the rules do the same.
  constexpr std::size_t kBytesOfPart = std::size_t{1} << 20;
  constexpr std::size_t kMostParts = 8;
  std::size_t bytes = 0;
  for (const model::Module &module : project.modules) {
    bytes += module.is_linted ? bytes_of(module) : 0;
  }
  const std::size_t count = std::clamp<std::size_t>(bytes / kBytesOfPart, 1, kMostParts);
  parts_.resize(count);
  std::size_t before = 0;
  for (const model::Module &module : project.modules) {
    if (module.is_linted) {
      parts_[std::min(before * count / std::max<std::size_t>(bytes, 1), count - 1)].modules.push_back(&module);
      before += bytes_of(module);
    }
  }
}

void Linting::run(std::size_t index) {
  Part &part = parts_[index];
  const SharedMemories::Use shared(memories_);
  forget_searches();
  forget_handlers();
  look_from(nullptr);
  if (index == 0) {
    run_project_rules(project_, subscriptions_, part.findings, part.failures, timings_);
  }
  if (kept_ != nullptr) {
    return run_kept(part);
  }
  Findings found; // rules see what was found in the same module, and nothing else
  Walk walk(project_, subscriptions_, found, part.failures, timings_, trace_);
  for (const model::Module *module : part.modules) {
    walk.run(*module);
    std::ranges::move(found, std::back_inserter(part.findings));
    found.clear();
  }
}

void Linting::run_kept(Part &part) {
  Findings found;
  Walk walk(project_, subscriptions_, found, part.failures, nullptr, nullptr);
  for (const model::Module *module : part.modules) {
    const KeptLinting::Again again = kept_->again(*module);
    if (!again.all && again.rules.empty()) {
      continue;
    }
    KeptModule &kept = kept_->of(*module);
    if (again.all) {
      kept = {};
    } else {
      const auto is_again = [&](const Rule *rule) { return std::ranges::find(again.rules, rule) != again.rules.end(); };
      std::erase_if(kept.reads, [&](const auto &one) { return is_again(one.first); });
      std::erase_if(kept.findings, [&](const Finding &one) {
        return std::ranges::any_of(again.rules, [&](const Rule *rule) { return &rule->info == one.rule; });
      });
    }
    walk.run_noting(*module, again, kept_->questions(), kept);
    std::ranges::move(found, std::back_inserter(kept.findings));
    found.clear();
  }
  part.takes_many_steps = walk.takes_many_steps();
}

// Who is the first to ask for a fact takes the steps to find it, so that leaving modules out may make a difference to
// who is over the limit; and whoever was over it once is not kept.
void Linting::lint_all_again() {
  kept_->forget();
  kept_ = nullptr;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].findings.clear();
    parts_[i].failures.clear();
    run(i);
  }
}

Findings Linting::finish(std::vector<RuleFailure> &failures) {
  const auto is_doubtful = [](const Part &part) { return !part.failures.empty() || part.takes_many_steps; };
  if (kept_ != nullptr && std::ranges::any_of(parts_, is_doubtful)) {
    lint_all_again();
  }
  Findings findings;
  for (Part &part : parts_) {
    std::ranges::move(part.findings, std::back_inserter(findings));
    std::ranges::move(part.failures, std::back_inserter(failures));
    for (std::size_t i = 0; i < part.modules.size() && kept_ != nullptr; ++i) {
      std::ranges::copy(kept_->of(*part.modules[i]).findings, std::back_inserter(findings));
    }
  }
  if (kept_ != nullptr) {
    kept_->end();
  }
  if (!subscriptions_.shapes.empty()) {
    const SharedMemories::Use shared(memories_);
    forget_searches();
    forget_handlers();
    look_from(nullptr);
    Walk walk(project_, subscriptions_, findings, failures, timings_, trace_);
    if (shapes_ != nullptr) {
      try {
        recall_shapes(project_, *shapes_, walk.memory());
      } catch (const std::exception &) { // the rules will try it themselves, and are told
      }
    }
    for (const Part &part : parts_) {
      for (const model::Module *module : part.modules) {
        walk.run_shapes(*module);
      }
    }
  }
  sort_findings(findings); // parts may have come to the same place
  drop_reported_twice(findings);
  group_findings(findings);
  vet_fixes(project_, findings);
  return findings;
}

namespace {

Findings run_all(Linting &&linting, std::vector<RuleFailure> &failures) {
  for (std::size_t part = 0; part < linting.parts(); ++part) {
    linting.run(part);
  }
  return linting.finish(failures);
}

} // namespace

Findings lint(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures,
              KeptLinting *kept, Timings *timings) {
  if (timings == nullptr) {
    return run_all(Linting(project, rules, nullptr, kept), failures);
  }
  if (kept != nullptr) {
    kept->forget();
  }
  {
    std::vector<RuleFailure> same;
    const Stopwatch watch(&timings->lint);
    run_all(Linting(project, rules), same);
  }
  // Once more, because looking at the clock at each step takes time itself.
  Trace trace;
  Findings findings = run_all(Linting(project, rules, nullptr, nullptr, timings, &trace), failures);
  for (const RuleFailure &failure : failures) {
    timings->stopped[failure.rule] += failure.is_too_long ? 1 : 0;
  }
  timings->work.add(project.work);
  timings->work.rule_visits += trace.visits;
  timings->work.rule_queries += trace.queries;
  return findings;
}

Findings lint(const model::Project &project, const RuleSet &rules, std::vector<RuleFailure> &failures, Trace &trace) {
  return run_all(Linting(project, rules, nullptr, nullptr, nullptr, &trace), failures);
}

} // namespace deepperf::rules
