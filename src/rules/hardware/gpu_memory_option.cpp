#include "python/children.h"
#include "rules/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::gpu_memory_option {

using namespace python;

namespace {

// Is the name read anywhere else than to set one of its fields?
bool is_used(const Node *node, Symbol name) {
  if (const auto *assignment = as<Assign>(node)) {
    // config.gpu_options.allow_growth = True
    const Expr *target = assignment->targets[0];
    while (const auto *field = as<Attribute>(target)) {
      target = field->value;
    }
    const auto *root = as<Name>(target);
    if (root != nullptr && root->id == name && assignment->targets.size() == 1) {
      return is_used(assignment->value, name);
    }
  }
  if (const auto *read = as<Name>(node)) {
    return read->id == name;
  }
  if (const auto *global = as<Global>(node)) {
    return std::ranges::find(global->names, name) != global->names.end();
  }
  bool used = false;
  for_each_child(node, [&](const Node *child) { used = used || is_used(child, name); });
  return used;
}

bool is_used_in(const Site &site, Symbol name) {
  const Block body = site.function->definition() != nullptr ? site.function->definition()->body
                     : site.function->node == nullptr       ? site.module->parsed->tree.body
                                                            : Block{};
  return body.empty() || std::ranges::any_of(body, [name](const Stmt *statement) { return is_used(statement, name); });
}

// `config.gpu_options.allow_growth = True`, `options = tf.GPUOptions(…)`: who gets it?
void check_assignment(Site &site, const Node &node) {
  const auto &assignment = static_cast<const Assign &>(node);
  if (assignment.targets.size() != 1 || site.function == nullptr || site.type != nullptr) {
    return;
  }
  const Name *config = nullptr;
  if (const auto *option = as<Attribute>(assignment.targets[0])) {
    const std::string_view name = option->attr.text();
    const auto *options =
        name == "allow_growth" || name == "per_process_gpu_memory_fraction" || name == "visible_device_list"
            ? as<Attribute>(option->value)
            : nullptr;
    config = options != nullptr && options->attr.text() == "gpu_options" ? as<Name>(options->value) : nullptr;
  } else if (const auto *made = as<Call>(assignment.value)) {
    const std::string_view api = called_api(site, *made);
    const bool sets = api == "tensorflow.GPUOptions"
                          ? !made->keywords.empty()
                          : api == "tensorflow.ConfigProto" && keyword_argument(*made, "gpu_options") != nullptr;
    config = sets ? as<Name>(assignment.targets[0]) : nullptr;
  }
  if (config == nullptr || site.function->slot_of(config->id) == model::FunctionInfo::kNoSlot ||
      site.function->has_param(config->id) || is_used_in(site, config->id)) {
    return;
  }
  report(site, assignment, fmt::format("this has no effect: `{}` is not passed to a session", config->id.text()),
         fmt::format("pass it to the session: `tf.Session(config={})`", config->id.text()));
}

// TensorFlow 2: too late once a device was used.
void check_call(Site &site, const Call &call) {
  if (site.function == nullptr || site.function->traced) {
    return;
  }
  for (const model::OpFact &op : site.function->ops) {
    if (op.call->start < call.start && !op.v1 && (op.traits & (kSpec | kNoLoop)) == 0) {
      Finding &finding =
          report(site, call,
                 fmt::format("`{}` raises an error here, because an earlier operation has already initialized the GPU",
                             text_of(site, call.func)),
                 "call it before the first operation");
      add_note(finding, site, *op.call, "an operation runs here");
      if (enclosing(site, NodeKind::Try) != nullptr || site.module->parsed->source.is_notebook) {
        finding.tier = Tier::Hint; // the error is expected, or the cells are not run in this order
      }
      return;
    }
  }
}

} // namespace

extern constinit const Rule kGpuMemoryOption = {
    .info = {.code = "DP504",
             .name = "gpu-memory-option",
             .summary = "a GPU memory option that has no effect",
             .root_cause = "Hardware: Improper Configuration",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Initialization",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .fix = FixKind::None,
             .posts = "",
             .documentation = R"(## What it finds

`allow_growth` or `per_process_gpu_memory_fraction` set on a `ConfigProto` or `GPUOptions` that is then not passed to
anything; and `tf.config.experimental.set_memory_growth` after operations that have already initialized the GPU.

## Why it costs

TensorFlow takes all memory of the GPU by default. If the option has no effect, a second process finds no memory and
fails, although the code looks as if it limited the first one.

## Bad

```python
import tensorflow.compat.v1 as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
sess = tf.Session()
```

## Good

```python
import tensorflow.compat.v1 as tf

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
sess = tf.Session(config=config)
```

## When it is wrong

Where another module imports the configuration by name.

## References

- TensorFlow guide, "Use a GPU": limiting GPU memory growth
)"},
    .calls = "tensorflow.config.experimental.set_memory_growth tensorflow.config.set_logical_device_configuration "
             "tensorflow.config.experimental.set_virtual_device_configuration",
    .on_call = check_call,
    .nodes = {NodeKind::Assign},
    .on_node = check_assignment};

} // namespace deepperf::rules::gpu_memory_option
