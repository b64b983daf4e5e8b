// Does calling it record an autograd graph: does it have weights, and does it run with gradients?
#include "model/graph_flow.h"

#include "base/known_names.h"
#include "base/name_table.h"
#include "model/classes.h"

namespace deepperf::model {

using namespace python;

namespace {

bool has_weights(const ClassInfo &type);

// A layer of PyTorch that computes without weights gives no graph of its own: an activation, pooling, dropout.
bool has_weights(const Value &module) {
  if (module.is(Value::Tag::Object)) {
    return has_weights(*module.type);
  }
  if (!module.is(Value::Tag::Instance)) {
    return false;
  }
  if (module.kind == Kind::HfModel) {
    return true;
  }
  if (module.kind != Kind::TorchModule) {
    return false;
  }
  const std::string_view name = module.name() ? module.name().text() : std::string_view{};
  if (name.starts_with("torchaudio.transforms.") || name.starts_with("torchvision.transforms.")) {
    return false; // resampling, spectrograms and the like have buffers at most
  }
  if (!name.starts_with("torch.nn.")) {
    return true;
  }
  const ApiInfo *info = find_api(module.name());
  static const NameTable kHolders({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict",
                                   "torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel",
                                   "torch.nn.parallel.DataParallel", "torch.nn.Module"});
  return (info != nullptr && info->has(kWeights)) || kHolders.has(module.name());
}

bool has_weights(const ClassInfo &type) {
  static thread_local u32 depth = 0;
  if (depth > 4) {
    return true;
  }
  ++depth;
  bool found = false;
  for (const ClassInfo *at : type.mro) {
    for (const auto &[name, cell] : at->attributes) {
      for_each_alternative(cell.value, [&](const Value &one) {
        const Value part = one.is(Value::Tag::Tuple) && one.number > 0 ? one.items[0] : one;
        found |= has_weights(part) || (part.is_kind(Kind::TorchTensor) && part.has_gradient());
      });
    }
  }
  --depth;
  return found;
}

} // namespace

bool records_graph(const Project &project, const Value &callee) {
  bool all = callee.known() || callee.alternatives != nullptr;
  bool any = false;
  for_each_alternative(callee, [&](const Value &one) {
    bool records = has_weights(one);
    if (records && one.is(Value::Tag::Object)) {
      const FunctionInfo *const forward =
          one.type->kind == Kind::TorchModule ? find_method_of(*one.type, known::sym_forward) : nullptr;
      records = one.type->kind == Kind::TorchModule && (forward == nullptr || !forward->no_grad);
      if (records && forward != nullptr) {
        const GraphFlow &flow = graph_flow_of(project, *forward);
        records = flow.returns_graph || flow.returns_assumed || !flow.has_no_grad;
      }
    }
    all = all && records;
    any = any || records;
  });
  return all && any;
}

} // namespace deepperf::model
