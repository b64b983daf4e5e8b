// Who of the rules wants to see what. Private to src/rules.
#pragma once

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/project.h"
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace deepperf::rules {

// Who wants to see what: for each kind of node, and for each name of a call.
class Subscriptions {
public:
  explicit Subscriptions(std::span<const Rule *const> rules) { // by their codes
    for (const Rule *rule : rules) {
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
        if (rule->nodes.has(static_cast<python::NodeKind>(kind))) {
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
  template <class Visit> void for_each(const python::Call &call, const model::Value &callee, Visit visit) const {
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
    if (const auto *method = python::as<python::Attribute>(call.func); method != nullptr && called_.has(method->attr)) {
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

} // namespace deepperf::rules
