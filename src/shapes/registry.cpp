#include "shapes/registry.h"

#include "shapes/libraries.h"
#include "shapes/more_tables.h"

#include <unordered_map>

namespace deepperf::shapes {

namespace {

std::unordered_map<std::string_view, const TransferEntry *> all_transfers() {
  std::unordered_map<std::string_view, const TransferEntry *> all;
  for (const auto &table : {elementwise_transfers(),
                            layout_transfers(),
                            join_transfers(),
                            reduction_transfers(),
                            product_transfers(),
                            maker_transfers(),
                            torch_layer_transfers(),
                            torch_convolution_transfers(),
                            torch_container_transfers(),
                            torch_recurrent_transfers(),
                            torch_loss_transfers(),
                            torch_data_transfers(),
                            torch_cast_transfers(),
                            python_transfers(),
                            array_maker_transfers(),
                            array_join_transfers(),
                            array_part_transfers(),
                            torchvision_transfers(),
                            lightning_transfers(),
                            python_collection_transfers(),
                            einops_transfers(),
                            torch_place_transfers(),
                            keras_layer_transfers(),
                            keras_model_transfers(),
                            keras_fit_transfers(),
                            keras_loss_transfers(),
                            keras_recurrent_transfers(),
                            keras_generator_transfers(),
                            keras_application_transfers(),
                            keras_merge_transfers(),
                            tf_operation_transfers(),
                            tf_layout_transfers(),
                            tf_nn_transfers(),
                            tf_session_transfers(),
                            jax_transfers(),
                            flax_transfers(),
                            frame_transfers(),
                            picture_transfers(),
                            keras_op_transfers()}) {
    for (const TransferEntry &entry : table) {
      all.emplace(entry.name, &entry);
    }
  }
  return all;
}

} // namespace

const TransferEntry *find_transfer(std::string_view name) {
  static const auto kAll = all_transfers();
  const auto found = kAll.find(name);
  return found != kAll.end() ? found->second : nullptr;
}

} // namespace deepperf::shapes
