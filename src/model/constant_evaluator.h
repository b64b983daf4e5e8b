// Works out one question about constants: follows names, attributes, parameters, options and entries of dictionaries
// back to the expressions that they were set to. Private to src/model.
#pragma once

#include "model/constants.h"
#include "model/definitions.h"

namespace deepperf::model {

// Everything that an expression may be, as far as it is written down.
struct ConstantSources {
  std::vector<Argument::Given> given;
  std::vector<ConstantValue> presets; // that no expression stands for: False of `action="store_true"`
  bool unknown = false;
};

class ConstantEvaluator {
public:
  using Given = Argument::Given;
  using Maybe = std::optional<ConstantValue>;
  using Sources = ConstantSources;

  // How far a question is followed, so that none takes long: `x = x.y` leads to itself.
  static constexpr u32 kMostDepth = 20;
  static constexpr u32 kMostSteps = 400;
  static constexpr std::size_t kMostSources = 32;
  static constexpr std::size_t kMostChanges = 256; // of a dictionary

  explicit ConstantEvaluator(const Project &project) : project_(project), index_(definitions_of(project)) {}

  Maybe constant(const Scope &at, const python::Expr *expr, u32 depth = 0);
  // Everything that it may be.
  ConstantChoices choices(const Scope &at, const python::Expr *expr, u32 depth = 0);
  // The one value that all of them have.
  Maybe joined(const std::vector<Given> &given, const std::vector<ConstantValue> &presets, bool unknown, u32 depth);
  Argument argument(const Scope &at, const python::Call &call, u32 position, std::string_view keyword, u32 depth = 0);
  // What the expression stands for: names, attributes and the like are replaced by what they were set to.
  void written(const Scope &at, const python::Expr *expr, bool overridable, u32 depth, Sources &into);

private:
  struct DictEntry {
    std::string key;
    Given value;
    bool maybe = false;
  };
  struct FieldsOf {
    const ClassInfo *type = nullptr;
    bool maybe = false;
  };
  struct DictView {
    std::vector<DictEntry> entries;
    std::vector<FieldsOf> objects; // whose fields are entries as well
    bool unknown = false;          // there may be other entries, or other values
    bool overridable = false;      // a file that the user may give can have other values
  };

  // ---- constants.cpp: operators and calls that compute
  Maybe unary(const Scope &at, const python::UnaryOp &operation, u32 depth);
  Maybe either(const Scope &at, const python::BoolOp &operation, u32 depth);
  Maybe compared(const Scope &at, const python::Compare &comparison, u32 depth);
  Maybe computed(const Scope &at, const python::Call &call, u32 depth);

  // ---- constant_sources.cpp: what an expression was set to, one step back
  Sources sources(const Scope &at, const python::Expr *expr, u32 depth);
  void call_sources(const Scope &at, const python::Call &call, u32 depth, Sources &into);
  std::string_view api_of(const python::Call &call) const;
  void name_sources(const Scope &at, Symbol name, u32 depth, Sources &into);
  void import_sources(const FunctionInfo &scope, const Binding &binding, u32 depth, Sources &into);
  [[nodiscard]] std::vector<const CallSite *> callers_of(const FunctionInfo &function) const;
  static const python::Expr *formatted(const python::Expr *part);
  bool partial_sources(const FunctionInfo &function, u32 index, u32 depth, Sources &into);
  void parameter_sources(const FunctionInfo &function, u32 index, u32 depth, Sources &into);

  // ---- constant_attributes.cpp
  void attribute_sources(const Scope &at, const python::Attribute &attribute, u32 depth, Sources &into);
  void class_sources(const ClassInfo &type, Symbol name, u32 depth, Sources &into);
  [[nodiscard]] bool is_made_here_alone(const ClassInfo &type) const;
  bool construction_sources(const ClassInfo &type, const ClassInfo &holder, u32 place, Symbol name, u32 depth,
                            Sources &into);

  // ---- constant_options.cpp
  [[nodiscard]] CallPlace click_option(const FunctionInfo &function, Symbol name) const;
  void option_sources(const CallPlace &option, Sources &into);
  void parsed_sources(const Value &parsed, Symbol name, Sources &into);

  // ---- constant_dicts.cpp
  void entry_sources(const Scope &at, const python::Expr *dictionary, std::string_view key,
                     const python::Expr *otherwise, u32 depth, Sources &into);
  std::optional<std::string> entry_key(const Scope &at, const python::Expr *key, u32 depth);
  void any_entry_sources(const Scope &at, const python::Subscript &entry, u32 depth, Sources &into);
  void take(const DictView &view, std::string_view key, u32 depth, Argument &into);
  void dict(const Scope &at, const python::Expr *expr, bool maybe, u32 depth, DictView &view);
  void add_entry(const Scope &at, const python::Expr *key, const python::Expr *value, bool maybe, u32 depth,
                 DictView &view);
  void add_keywords(const Scope &at, const python::Call &call, bool maybe, u32 depth, DictView &view);
  [[nodiscard]] bool is_read_from_file(const python::Expr *expr) const;
  void dict_of_call(const Scope &at, const python::Call &call, bool maybe, u32 depth, DictView &view);
  bool add_fields(const Scope &at, const python::Call &call, bool maybe, DictView &view);
  void add_changes(const Scope &at, const python::Expr *expr, u32 depth, DictView &view);
  void forget(const Scope &at, const python::Call &call, u32 depth, DictView &view);
  bool add_passed(const Scope &at, Symbol name, u32 depth, DictView &view);

  // ---- constant_arguments.cpp
  bool is_encoding(const Scope &at, const python::Expr *expr, u32 depth);
  void add_partial(const Scope &at, const python::Call &call, u32 position, std::string_view keyword, u32 depth,
                   Argument &into);

  const Project &project_;
  const Definitions &index_;
  u32 steps_ = 0;
};

} // namespace deepperf::model
