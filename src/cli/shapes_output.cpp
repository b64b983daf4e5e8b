#include "cli/shapes_output.h"

#include "base/json.h"
#include "shapes/registry.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::cli {

using namespace shapes;
using Json = nlohmann::ordered_json;
using Tag = Value::Tag;

namespace {

std::string code_of(Fault fault) {
  return fmt::format("DP{}{:02}", fault == Fault::MixedDimensions ? 2 : 6, static_cast<int>(fault));
}

Json to_json(const Terms &terms, Dim dim) {
  if (!dim.is_known()) {
    return nullptr;
  }
  return dim.is_constant() ? Json(dim.value) : Json(terms.text(dim));
}

Json to_json(const Terms &terms, const Tensor &tensor) {
  Json out;
  if (tensor.shape.kind == Shape::Kind::Unknown) {
    out["shape"] = nullptr;
  } else {
    Json dims = Json::array();
    for (const Dim dim : tensor.shape.dims) {
      dims.push_back(to_json(terms, dim));
    }
    out["shape"] = std::move(dims);
    if (tensor.shape.kind == Shape::Kind::Tail) {
      out["head"] = true;
    }
  }
  out["dtype"] = tensor.dtype == Dtype::Unknown ? Json(nullptr) : Json(std::string(name_of(tensor.dtype)));
  out["device"] = tensor.device.kind == Device::Kind::Unknown ? Json(nullptr) : Json(text_of(tensor.device));
  return out;
}

u32 line_of(const model::Module *module, u32 offset) { return module->parsed->source.position(offset).line; }

} // namespace

std::string step_name(const Step &step) {
  if (step.layer != nullptr && step.layer->name) {
    return std::string(step.layer->name.text());
  }
  const std::string_view text = step.operation ? step.operation.text() : std::string_view("?");
  return std::string(text.substr(text.rfind('.') + 1));
}

Dim parameters_of(Analysis &analysis, const Root &root) {
  if (root.object.is(Tag::Object)) {
    return count_parameters(analysis.interpreter, {root.object});
  }
  if (!root.modules.empty()) {
    return count_parameters(analysis.interpreter, root.modules);
  }
  std::unordered_set<const Object *> seen;
  Dim total = Dim::of(0);
  for (u32 i = root.first_step; i < root.last_step; ++i) {
    const Object *const layer = analysis.interpreter.steps[i].layer;
    if (layer != nullptr && seen.insert(layer).second) {
      total = analysis.interpreter.terms.add(total, weights_of(analysis.interpreter, *layer));
    }
  }
  return total;
}

MemoryEstimate estimate_memory(Analysis &analysis, const Root &root, i64 batch) {
  MemoryEstimate estimate;
  Interpreter &in = analysis.interpreter;
  if (const auto count = in.terms.evaluate(parameters_of(analysis, root), "N", batch)) {
    estimate.weights = *count * 4;
    estimate.gradients = *count * 4;
    estimate.adam = *count * 8;
  }
  i64 bytes = 0;
  for (u32 i = root.first_step; i < root.last_step; ++i) {
    for (const Tensor *tensor : in.steps[i].outputs) {
      const auto count = in.terms.evaluate(numel(in, tensor->shape), "N", batch);
      if (!count) {
        return estimate;
      }
      bytes += *count * std::max<i64>(bytes_of(tensor->dtype), tensor->dtype == Dtype::Unknown ? 4 : 1);
    }
  }
  estimate.activations = bytes;
  return estimate;
}

std::string shapes_json(Analysis &analysis, const model::Module &module, const ShapesFormat &format) {
  Interpreter &in = analysis.interpreter;
  Json out;
  out["version"] = 1;
  out["file"] = module.parsed->path;
  out["roots"] = Json::array();
  for (const Root &root : analysis.roots) {
    if (root.module != &module || (root.name == "<module>" && root.first_step == root.last_step &&
                                   root.values.empty() && root.first_problem == root.last_problem)) {
      continue;
    }
    Json one;
    one["name"] = root.name;
    one["file"] = root.module->parsed->path;
    one["line"] = line_of(root.module, root.place);
    one["assumed"] = root.is_assumed;
    one["inputs"] = Json::array();
    std::unordered_map<const Tensor *, bool> is_input;
    for (const RootInput &input : root.inputs) {
      if (const Tensor *const tensor = tensor_of(input.value)) {
        Json entry;
        entry["name"] = input.name;
        entry.update(to_json(in.terms, *tensor));
        one["inputs"].push_back(std::move(entry));
        is_input[tensor] = true;
      }
    }
    one["steps"] = Json::array();
    for (u32 i = root.first_step; i < root.last_step; ++i) {
      const Step &step = in.steps[i];
      if (step.node != nullptr && format.line != 0 && line_of(step.module, step.node->start) != format.line) {
        continue;
      }
      Json entry;
      entry["id"] = i - root.first_step;
      if (step.module != nullptr && step.node != nullptr) {
        const python::Position at = step.module->parsed->source.position(step.node->start);
        entry["file"] = step.module->parsed->path;
        entry["line"] = at.line;
        entry["column"] = at.column;
      } else {
        entry["file"] = root.module->parsed->path;
        entry["line"] = line_of(root.module, root.place);
        entry["column"] = 1;
      }
      entry["name"] = step_name(step);
      entry["operation"] = std::string(step.operation ? step.operation.text() : std::string_view("?"));
      entry["path"] = Json::array();
      for (const Symbol part : step.path) {
        entry["path"].push_back(std::string(part.text()));
      }
      entry["inputs"] = Json::array();
      for (const Tensor *tensor : step.inputs) {
        if (tensor == nullptr) {
          continue;
        }
        Json from;
        from["from"] = tensor->step != Tensor::kNoStep && tensor->step >= root.first_step && tensor->step < i
                           ? Json(tensor->step - root.first_step)
                       : tensor->step == Tensor::kNoStep && !tensor->is_parameter ? Json(-1)
                                                                                  : Json(nullptr);
        from.update(to_json(in.terms, *tensor));
        entry["inputs"].push_back(std::move(from));
      }
      entry["outputs"] = Json::array();
      for (const Tensor *tensor : step.outputs) {
        entry["outputs"].push_back(to_json(in.terms, *tensor));
      }
      entry["parameters"] = step.layer != nullptr ? to_json(in.terms, weights_of(in, *step.layer)) : Json(0);
      entry["multiply_adds"] = to_json(in.terms, step.multiply_adds);
      one["steps"].push_back(std::move(entry));
    }
    one["values"] = Json::array();
    for (const auto &[name, value] : root.values) {
      const Tensor *const tensor = tensor_of(value);
      Json entry;
      entry["name"] = std::string(name.text());
      const bool has_step =
          tensor->step != Tensor::kNoStep && tensor->step < in.steps.size() && in.steps[tensor->step].node != nullptr;
      entry["line"] =
          has_step ? Json(line_of(in.steps[tensor->step].module, in.steps[tensor->step].node->start)) : Json(nullptr);
      entry.update(to_json(in.terms, *tensor));
      one["values"].push_back(std::move(entry));
    }
    Dim work = Dim::of(0);
    for (u32 i = root.first_step; i < root.last_step; ++i) {
      work = in.terms.add(work, in.steps[i].multiply_adds);
    }
    one["parameters"] = to_json(in.terms, parameters_of(analysis, root));
    one["multiply_adds"] = to_json(in.terms, work);
    const MemoryEstimate memory = estimate_memory(analysis, root, format.batch);
    const auto number = [](const std::optional<i64> &value) { return value ? Json(*value) : Json(nullptr); };
    one["memory"] = {{"weights", number(memory.weights)},
                     {"gradients", number(memory.gradients)},
                     {"adam", number(memory.adam)},
                     {"activations", number(memory.activations)},
                     {"batch", format.batch}};
    if (root.lost && root.lost->node != nullptr) {
      one["lost"] = {{"file", root.lost->module->parsed->path},
                     {"line", line_of(root.lost->module, root.lost->node->start)},
                     {"operation", root.lost->operation}};
    } else {
      one["lost"] = nullptr;
    }
    one["problems"] = Json::array();
    for (u32 i = root.first_problem; i < root.last_problem; ++i) {
      const Problem &problem = in.problems[i];
      one["problems"].push_back({{"code", code_of(problem.fault)},
                                 {"line", line_of(problem.module, problem.span.start)},
                                 {"message", problem.message}});
    }
    out["roots"].push_back(std::move(one));
  }
  return json_text(out) + "\n";
}

namespace {

std::string shape_text(const Interpreter &in, const Tensor &tensor) {
  std::string out = in.text_of(tensor);
  if (tensor.dtype != Dtype::Float32 && tensor.dtype != Dtype::Unknown) {
    out += " " + std::string(name_of(tensor.dtype));
  }
  if (tensor.device.kind == Device::Kind::Gpu || tensor.device.kind == Device::Kind::Variable) {
    out += " on " + text_of(tensor.device);
  }
  return out;
}

std::string bytes_text(i64 bytes) {
  static constexpr const char *kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit < 4) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string grouped(const Terms &terms, Dim dim) {
  std::string text = terms.text(dim);
  if (dim.is_constant()) {
    for (i64 at = static_cast<i64>(text.size()) - 3; at > (text[0] == '-' ? 1 : 0); at -= 3) {
      text.insert(static_cast<std::size_t>(at), ",");
    }
  }
  return text;
}

} // namespace

std::string shapes_text(Analysis &analysis, const model::Module &module, const ShapesFormat &format) {
  Interpreter &in = analysis.interpreter;
  std::string out;
  for (const Root &root : analysis.roots) {
    if (root.module != &module || (root.name == "<module>" && root.first_step == root.last_step)) {
      continue;
    }
    out += out.empty() ? "" : "\n";
    out += fmt::format("{} ({}:{}){}\n", root.name == "<module>" ? "The file's own code" : root.name,
                       root.module->parsed->path, line_of(root.module, root.place),
                       root.is_assumed ? ", with inputs inferred from its first layers" : "");
    for (const RootInput &input : root.inputs) {
      if (const Tensor *const tensor = tensor_of(input.value)) {
        out += fmt::format("  {} {}\n", input.name, shape_text(in, *tensor));
      }
    }
    std::vector<std::array<std::string, 5>> rows;
    for (u32 i = root.first_step; i < root.last_step; ++i) {
      const Step &step = in.steps[i];
      const u32 line = step.node != nullptr ? line_of(step.module, step.node->start) : 0;
      if (format.line != 0 && line != format.line) {
        continue;
      }
      std::string name;
      for (const Symbol part : step.path) {
        name += std::string(part.text()) + ".";
      }
      name += step_name(step);
      std::string inputs;
      for (const Tensor *tensor : step.inputs) {
        if (tensor != nullptr) {
          inputs += (inputs.empty() ? "" : ", ") + shape_text(in, *tensor);
        }
      }
      std::string outputs;
      for (const Tensor *tensor : step.outputs) {
        outputs += (outputs.empty() ? "" : ", ") + shape_text(in, *tensor);
      }
      const Dim weights = step.layer != nullptr ? weights_of(in, *step.layer) : Dim::of(0);
      rows.push_back({line != 0 ? std::to_string(line) : "", name, inputs, outputs,
                      weights.is(0) ? "" : grouped(in.terms, weights)});
    }
    std::array<std::size_t, 5> widths = {4, 4, 5, 6, 10};
    constexpr std::size_t kWidest = 48;
    for (const auto &row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::min(std::max(widths[i], row[i].size()), kWidest);
      }
    }
    out += fmt::format("  {:>{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}\n", "line", widths[0], "step", widths[1], "input",
                       widths[2], "output", widths[3], "parameters", widths[4]);
    for (const auto &row : rows) {
      std::string line = fmt::format("  {:>{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}", row[0], widths[0], row[1], widths[1],
                                     row[2], widths[2], row[3], widths[3], row[4], widths[4]);
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    Dim work = Dim::of(0);
    for (u32 i = root.first_step; i < root.last_step; ++i) {
      work = in.terms.add(work, in.steps[i].multiply_adds);
    }
    out += fmt::format("  parameters: {}; multiply-adds: {}\n", grouped(in.terms, parameters_of(analysis, root)),
                       grouped(in.terms, work));
    const MemoryEstimate memory = estimate_memory(analysis, root, format.batch);
    if (memory.weights && memory.activations) {
      const i64 total = *memory.weights + *memory.gradients + *memory.adam + *memory.activations;
      out += fmt::format("  memory to train with Adam and batches of {}: {} (weights {}, gradients {}, optimizer {}, "
                         "activations {})\n",
                         format.batch, bytes_text(total), bytes_text(*memory.weights), bytes_text(*memory.gradients),
                         bytes_text(*memory.adam), bytes_text(*memory.activations));
    }
    if (root.lost && root.lost->node != nullptr) {
      out += fmt::format("  shapes are lost at {}:{}: {} is not known\n", root.lost->module->parsed->path,
                         line_of(root.lost->module, root.lost->node->start), root.lost->operation);
    }
    for (u32 i = root.first_problem; i < root.last_problem; ++i) {
      const Problem &problem = in.problems[i];
      out += fmt::format("  {}:{}: {} {}\n", problem.module->parsed->path, line_of(problem.module, problem.span.start),
                         code_of(problem.fault), problem.message);
    }
  }
  return out.empty() ? "nothing in this file creates or takes tensors of known shape\n" : out;
}

} // namespace deepperf::cli
