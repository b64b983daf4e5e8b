// Lightning: what Trainer.fit() does with a module and its data, one step of each kind.
#include "shapes/more_tables.h"

#include <algorithm>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace lightning {
namespace {

// The trainer moves batches to a device that only it knows.
Value moved(Interpreter &in, const Value &value, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (depth > kMostDepth) {
    return {};
  }
  if (value.is(Tag::Tensor)) {
    Tensor tensor = *value.tensor;
    tensor.device = {};
    return in.plain_tensor(tensor);
  }
  if (value.is(Tag::Tuple) || value.is(Tag::List)) {
    std::vector<Value> items;
    if (!in.iterate(value, items)) {
      return {};
    }
    std::ranges::transform(items, items.begin(), [&](const Value &item) { return moved(in, item, depth + 1); });
    return in.heap.new_list(std::move(items), value.tag);
  }
  if (value.is(Tag::Dict)) {
    DictObject *const dict = in.heap.new_dict();
    dict->content = value.dict->content;
    for (auto &item : dict->content.items) {
      item.second = moved(in, item.second, depth + 1);
    }
    return Value::of(dict);
  }
  return {};
}

// One batch of what was passed as a loader, or of what the module or its data module returns for it.
Value batch_of(Operation &op, const Value &given, const Value &holder, std::string_view maker) {
  Value loader = given;
  if ((given.is(Tag::None) || given.is(Tag::Undefined)) && holder.is(Tag::Object) && holder.object->type != nullptr &&
      op.in.find_method(*holder.object->type, intern(maker)) != nullptr) {
    Arguments none;
    loader = op.in.call_method(*holder.object, maker, none, nullptr);
  }
  if (!loader.is(Tag::Object)) {
    return {};
  }
  std::vector<Value> items;
  op.in.iterate(loader, items);
  return items.size() == 1 ? moved(op.in, items[0]) : Value();
}

void run_step(Operation &op, Object &model, std::string_view name, const Value &batch) {
  FunctionObject *const step = op.in.find_method(*model.type, intern(name));
  if (step == nullptr || step->params.empty()) {
    return;
  }
  Arguments arguments;
  arguments.positional.push_back(batch);
  for (std::size_t i = 2; i < step->params.size(); ++i) { // batch_idx, dataloader_idx
    if (step->params[static_cast<u32>(i)]->param_kind() == ParamKind::Regular) {
      arguments.positional.push_back(i == 2 ? Value::of(op.in.fresh("batch", 0)) : Value());
    }
  }
  op.in.call_method(model, name, arguments, nullptr);
}

Value call_fit(Operation &op) {
  const Value model = op.arg("model");
  if (!model.is(Tag::Object) || model.object->type == nullptr || op.is_open) {
    return {};
  }
  const Value data = op.arg("datamodule");
  const bool has_data = data.is(Tag::Object) && data.object->type != nullptr;
  const Value holder = has_data ? data : model;
  if (op.in.find_method(*holder.object->type, intern("setup")) != nullptr) {
    Arguments stage;
    stage.positional.push_back(Value::of_text(intern("fit")));
    op.in.call_method(*holder.object, "setup", stage, nullptr);
  }
  Arguments anywhere; // and in whatever precision
  anywhere.positional.emplace_back();
  op.in.call_method(*model.object, "to", anywhere, nullptr);
  run_step(op, *model.object, "training_step", batch_of(op, op.arg("train_dataloaders"), holder, "train_dataloader"));
  run_step(op, *model.object, "validation_step", batch_of(op, op.arg("val_dataloaders"), holder, "val_dataloader"));
  return {};
}

Value call_trainer(Operation &) { return {}; }

constexpr TransferEntry kTable[] = {
    {"lightning_trainer", call_trainer},
    {"lightning_fit", call_fit},
};

} // namespace
} // namespace lightning

std::span<const TransferEntry> lightning_transfers() { return lightning::kTable; }

} // namespace deepperf::shapes
