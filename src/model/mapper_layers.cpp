// Which layers and models of Keras does a mapped function run?
#include "model/mapper_examination.h"
#include "python/call.h"

namespace deepperf::model {

using namespace python;

namespace {

// Does Sequential([…]) list such a layer?
template <class Matches> bool has_layer(const Call &sequential, Matches matches) {
  const auto *layers = !sequential.args.empty() ? as<List>(sequential.args[0]) : nullptr;
  return layers != nullptr && std::ranges::any_of(layers->elts, [&](const Expr *layer) {
           const auto *call = as<Call>(layer);
           return call != nullptr && matches(called_name(*call));
         });
}

// RandomFlip and the other layers that augment, also in a Sequential of them.
bool is_random_layer(std::string_view api, const Call &made) {
  if (api.starts_with("tensorflow.keras.layers.Random")) {
    return true;
  }
  return api.ends_with(".Sequential") &&
         has_layer(made, [](std::string_view layer) { return layer.starts_with("Random"); });
}

} // namespace

bool is_learning_model(const Value &function) {
  const bool is_made = function.is_kind(Kind::KerasModel) && function.maker() != nullptr && function.name();
  if (!is_made || !function.name().text().ends_with(".Sequential")) {
    return function.is_kind(Kind::KerasModel);
  }
  static constexpr std::string_view kLearning[] = {"Embedding", "Dense", "Conv", "LSTM", "GRU", "Bidirectional"};
  return has_layer(*function.maker(), [](std::string_view layer) {
    return std::ranges::any_of(kLearning, [layer](std::string_view name) { return layer.starts_with(name); });
  });
}

// Of Keras layers those are known that take batches; some of them cost little.
void MapperExamination::visit_layer(const Call *call, const Value &callee) {
  const bool is_made = callee.kind != Kind::Dataset && callee.maker() != nullptr && callee.name();
  if (is_made && is_random_layer(callee.name().text(), *callee.maker())) {
    facts.random = facts.random == nullptr ? call : facts.random;
  }
  const ApiInfo *info = is_made ? find_api(callee.name()) : nullptr;
  facts.works |= info == nullptr || !info->has(kCheap);
  if (info == nullptr || info->returns != Kind::KerasLayer || !info->has(kBatchable)) {
    return give_up();
  }
  ++facts.operations;
  lookups_ += info->has(kText) ? 1 : 0;
  facts.cheap &= info->has(kCheap);
}

} // namespace deepperf::model
