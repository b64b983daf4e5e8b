#include "python/children.h"
#include "rules/reach.h"
#include "rules/site.h"

#include <fmt/format.h>
#include <unordered_map>

namespace deepperf::rules::scores_never_read {

using namespace python;

namespace {

struct Kept {
  std::string_view option;
  std::string_view attribute;
};

constexpr Kept kKept[] = {{"output_scores", "scores"},
                          {"output_logits", "logits"},
                          {"output_attentions", "attentions"},
                          {"output_hidden_states", "hidden_states"}};

void check(Site &site, const Call &call) {
  if (!site.module->torch || site.module->is_test) {
    return;
  }
  for (const auto &[option, attribute] : kKept) {
    const Keyword *const given = keyword_argument(call, option);
    if (given == nullptr || bool_of(site, given->value) != true) {
      continue;
    }
    const std::string read = fmt::format(".{}", attribute);
    const std::string entry = fmt::format("\"{}\"", attribute);
    const std::string other = fmt::format("'{}'", attribute);
    if (file_has_word(site, {read, entry, other, "compute_transition_scores"})) {
      continue;
    }
    // What is handed on may be read elsewhere.
    const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
    const auto *name =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    const std::string sequences = name != nullptr ? fmt::format("{}.sequences", name->id.text()) : std::string{};
    if (name == nullptr || !function_has_word(site, {sequences})) {
      continue;
    }
    report(site, *given,
           fmt::format("`{}=True` keeps a tensor for every generated token, and nothing reads them", option),
           fmt::format("omit `{}`", option));
    return;
  }
}

// ---- Attention maps and hidden states of every forward pass --------------------------------------------------------

// What a project reads of the outputs of its models: of each model, by the call that made it.
struct OutputsRead {
  struct Model {
    bool is_run = false;
    bool is_handed_on = false; // or read by its place in a tuple
  };
  std::unordered_map<const Call *, Model> models;
};

// Only attributes of the name are read.
bool reads_attributes_only(const Node *function, Symbol name) {
  const auto visit = [&](const auto &self, const Node *node, const Node *parent) -> bool {
    const auto *use = as<Name>(node);
    if (use != nullptr && use->id == name && use->context == Context::Load) {
      const auto *member = as<Attribute>(parent);
      return member != nullptr && member->value == use;
    }
    bool holds = true;
    for_each_child(node, [&](const Node *child) { holds = holds && self(self, child, node); });
    return holds;
  };
  return visit(visit, function, nullptr);
}

void note_outputs(const Site &site, const Node *node, const Node *parent, const Node *function, OutputsRead &found) {
  const bool is_function = node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Lambda;
  if (const auto *call = as<Call>(node)) {
    const model::Value model = site.project.callee_of(call);
    for_each_alternative(model, [&](const model::Value &one) {
      if (!one.is_kind(Kind::HfModel) || one.maker() == nullptr) {
        return;
      }
      const auto *member = as<Attribute>(parent);
      const auto *assignment = as<Assign>(parent);
      const auto *name =
          assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
      const bool is_read = (member != nullptr && member->value == call) ||
                           (name != nullptr && function != nullptr && reads_attributes_only(function, name->id));
      OutputsRead::Model &read = found.models[one.maker()];
      read.is_run = true;
      read.is_handed_on |= !is_read;
    });
  }
  for_each_child(node,
                 [&](const Node *child) { note_outputs(site, child, node, is_function ? node : function, found); });
}

// Does the project read only attributes of what the model gives?
bool is_read_by_name(const Site &site, const Call &maker) {
  const OutputsRead &read = site.memory.recall<OutputsRead>(&site.project, [&site] {
    OutputsRead found;
    for (const model::Module &module : site.project.modules) {
      for (const Stmt *statement : module.parsed->tree.body) {
        note_outputs(site, statement, nullptr, nullptr, found);
      }
    }
    return found;
  });
  const auto known = read.models.find(&maker);
  return known != read.models.end() && known->second.is_run && !known->second.is_handed_on;
}

bool is_never_read(const Site &site, std::string_view attribute, const Call &maker) {
  const std::string read = fmt::format(".{}", attribute);
  const std::string entry = fmt::format("\"{}\"", attribute);
  const std::string other = fmt::format("'{}'", attribute);
  return !project_has_word(site, {read, entry, other, "return_dict=False"}) && is_read_by_name(site, maker);
}

void report_kept(Site &site, const model::Module &module, Span place, std::string_view option, Note note) {
  const bool is_attention = option == "output_attentions";
  Finding &finding = report(site.findings, *site.rule, module, place,
                            fmt::format("`{}` keeps {} of every layer, and nothing reads them", option,
                                        is_attention ? "the attention maps" : "the hidden states"),
                            is_attention ? "omit it, so that the fused attention kernel can be used as well"
                                         : fmt::format("omit `{}`", option));
  finding.notes.push_back(std::move(note));
}

// What the configuration that a model is loaded with was given: `config=AutoConfig.from_pretrained(name, option=…)`.
model::Argument option_of_config(const Site &site, const Call &call, std::string_view option) {
  const model::Argument config = argument_of(site, call, ~0U, "config");
  if (config.unknown || config.given.size() != 1) {
    return {};
  }
  const auto written = model::written_as(config.given[0].scope, config.given[0].expr);
  const auto *made = written.size() == 1 ? as<Call>(written[0].expr) : nullptr;
  const bool is_config = made != nullptr && called_api(site, *made).find("Config") != std::string_view::npos;
  return is_config ? model::argument_of(written[0].scope, *made, ~0U, option) : model::Argument{};
}

// `from_pretrained(name, output_attentions=True)`, also in options that are written down elsewhere, and
// `model(**batch, output_hidden_states=True)`.
void check_model(Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  const bool is_run = callee.is_kind(Kind::HfModel);
  const Call *const maker = is_run ? callee.maker() : model::kind_of(&call) == Kind::HfModel ? &call : nullptr;
  if (maker == nullptr || site.module->is_test) {
    return;
  }
  constexpr Kept kOutputs[] = {{"output_attentions", "attentions"}, {"output_hidden_states", "hidden_states"}};
  for (const auto &[option, attribute] : kOutputs) {
    model::Argument given = argument_of(site, call, ~0U, option);
    given = given.is_absent() && !is_run ? option_of_config(site, call, option) : given;
    const auto value = setting_of(site, given, model::ConstantValue::none());
    if (given.given.size() != 1 || !value.has_value() || value->overridable || value->as_bool() != true) {
      continue;
    }
    if (is_never_read(site, attribute, *maker)) {
      const Node &place = *given.given[0].expr;
      report_kept(site, *given.given[0].scope.module, place.span(), option,
                  {site.module->file, call.span(), is_run ? "the model runs here" : "the model is loaded here"});
      return;
    }
  }
}

// `model.config.output_attentions = True`
void check_stored(Site &site, const Node &node) {
  const auto *stored = as<Attribute>(&node);
  const auto *assignment = !site.ancestors.empty() ? as<Assign>(site.ancestors.back()) : nullptr;
  const auto *config = stored != nullptr ? as<Attribute>(stored->value) : nullptr;
  if (config == nullptr || stored->context != Context::Store || assignment == nullptr || site.module->is_test ||
      config->attr.text() != "config" || bool_of(site, assignment->value) != true) {
    return;
  }
  const model::Value model = value_of(site, config->value);
  const std::string_view option = stored->attr.text();
  const std::string_view attribute = option.substr(std::string_view("output_").size());
  if (model.is_kind(Kind::HfModel) && model.maker() != nullptr && is_never_read(site, attribute, *model.maker())) {
    report_kept(site, *site.module, node.span(), option,
                {site_of(site, *model.maker()).module->file, model.maker()->span(), "of this model"});
  }
}

void check_any(Site &site, const Call &call) {
  if (called_method(call) == "generate") {
    check(site, call);
  } else if (site.module->torch) {
    check_model(site, call);
  }
}

} // namespace

extern constinit const Rule kScoresNeverRead = {
    .info = {.code = "DP191",
             .name = "scores-never-read",
             .summary = "a model that keeps scores, attentions or hidden states that nothing reads",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Abnormal GPU Memory Usage, Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`generate(…, output_scores=True)`, `output_attentions`, `output_hidden_states` or `output_logits` where only the
`sequences` of the result are used. The same for `output_attentions` and `output_hidden_states` of a model, where it is
loaded or called, if the project reads only other attributes of its outputs.

## Why it costs

For every new token a tensor of beams times vocabulary stays on the GPU until the result is dropped: 2000 tokens of a
vocabulary of 32,000 with four beams are 1 GB in float32. Attention maps take memory with the square of the length in each
layer, and need the attention to be computed without the fused kernel.

## Bad

```python
import torch


@torch.inference_mode()
def answer(model, tokenizer, ids):
    output = model.generate(input_ids=ids, return_dict_in_generate=True, output_scores=True, max_new_tokens=256)
    return tokenizer.decode(output.sequences[0])
```

## Good

```python
import torch


@torch.inference_mode()
def answer(model, tokenizer, ids):
    output = model.generate(input_ids=ids, return_dict_in_generate=True, max_new_tokens=256)
    return tokenizer.decode(output.sequences[0])
```

## When it is wrong

Where code outside of the file reads them.

## References

- Transformers: generation utilities, output_scores
)"},
    .calls = "*.generate *.from_pretrained HfModel.__call__",
    .on_call = check_any,
    .names = "output_attentions output_hidden_states",
    .on_node = check_stored};

} // namespace deepperf::rules::scores_never_read
