#include "frameworks/frameworks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>

namespace deepperf {

static void PrintTo(Kind kind, std::ostream *out) { *out << name_of(kind); }

namespace {

const ApiInfo *api(std::string_view name) { return find_api(canonical_name(name)); }

bool has_method(Kind kind, std::string_view name) { return find_method(kind, intern(name)) != nullptr; }

// Never null.
const ApiInfo *method(Kind kind, std::string_view name) {
  const ApiInfo *info = find_method(kind, intern(name));
  if (info == nullptr) {
    throw std::runtime_error(std::string(name_of(kind)) + " has no method " + std::string(name));
  }
  return info;
}

u64 traits(std::string_view name) {
  const ApiInfo *info = api(name);
  EXPECT_NE(info, nullptr) << name;
  return info == nullptr ? 0 : info->traits;
}

Kind returns(std::string_view name) {
  const ApiInfo *info = api(name);
  EXPECT_NE(info, nullptr) << name;
  return info == nullptr ? Kind::Unknown : info->returns;
}

std::string canonical(std::string_view name) { return std::string(canonical_name(name).text()); }

TEST(Frameworks, TablesHaveNoErrors) {
  for (const std::string &error : table_errors()) {
    ADD_FAILURE() << error;
  }
  EXPECT_GT(table_size(), 5000U);
}

// The ops that the original DeepPerf looks for.
TEST(Frameworks, KnowsAllOpsOfDeepPerf) {
  // <source>/tests/frameworks/this file, beside <source>: shared/
  const std::filesystem::path source = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  const std::filesystem::path list = source / "../shared/data/dlperf/tf_ops_detection.txt";
  std::ifstream in(list);
  if (!in) {
    GTEST_SKIP() << "no " << list << " on this machine";
  }
  u32 count = 0;
  for (std::string name; in >> name; ++count) {
    for (const std::string_view prefix : {"tensorflow.", "tensorflow.compat.v1."}) {
      const ApiInfo *info = api(std::string(prefix) + name);
      ASSERT_NE(info, nullptr) << prefix << name;
      EXPECT_TRUE(info->has(kOp | kSpec | kVariable)) << prefix << name;
    }
  }
  EXPECT_EQ(count, 356U);
}

TEST(Frameworks, Ops) {
  EXPECT_EQ(traits("tensorflow.math.sqrt"), u64{kOp | kBatchable});
  EXPECT_EQ(traits("tensorflow.math.sqrt"), traits("tensorflow.sqrt"));
  EXPECT_EQ(traits("tensorflow.eye") & (kOp | kConstant), u64{kOp | kConstant});
  EXPECT_EQ(traits("tensorflow.log") & (kOp | kV1), u64{kOp | kV1});
  EXPECT_EQ(traits("tensorflow.math.log") & (kV1 | kV2), 0U);
  EXPECT_EQ(traits("tensorflow.random.normal"), u64{kOp | kRandom});
  EXPECT_TRUE(traits("tensorflow.reduce_mean") & kShapeDependent);
  EXPECT_FALSE(traits("tensorflow.reduce_mean") & kBatchable);
  EXPECT_TRUE(traits("tensorflow.nn.softmax") & kBatchable);
  EXPECT_TRUE(traits("tensorflow.image.decode_jpeg") & kDecode);
  EXPECT_TRUE(traits("tensorflow.io.read_file") & kIo);
  EXPECT_TRUE(traits("tensorflow.py_function") & kPython);
  EXPECT_TRUE(traits("tensorflow.image.random_crop") & kRandom);
  EXPECT_EQ(returns("tensorflow.Variable"), Kind::Variable);
  EXPECT_EQ(returns("tensorflow.lookup.StaticHashTable"), Kind::HashTable);
}

TEST(Frameworks, DescriptionsAreNoOps) {
  for (const std::string_view name :
       {"tensorflow.io.FixedLenFeature", "tensorflow.FixedLenFeature", "tensorflow.io.VarLenFeature",
        "tensorflow.io.SparseFeature", "tensorflow.lookup.TextFileIndex", "tensorflow.TensorSpec"}) {
    EXPECT_TRUE(traits(name) & kSpec) << name;
    EXPECT_FALSE(traits(name) & kOp) << name;
  }
}

// What is true of one example alone cannot be true of a batch, whatever the op.
TEST(Frameworks, NothingPerExampleOrRandomIsBatchable) {
  for (const std::string_view name : {"tensorflow.io.decode_png", "tensorflow.io.parse_single_example",
                                      "tensorflow.numpy_function", "tensorflow.image.random_flip_left_right",
                                      "tensorflow.image.stateless_random_crop", "tensorflow.random.uniform"}) {
    EXPECT_FALSE(traits(name) & kBatchable) << name;
  }
}

TEST(Frameworks, Graph) {
  EXPECT_EQ(returns("tensorflow.Session"), Kind::Session);
  EXPECT_TRUE(traits("tensorflow.Session") & kSession);
  EXPECT_TRUE(method(Kind::Session, "run")->has(kSessionRun));
  EXPECT_TRUE(method(Kind::Tensor, "eval")->has(kSessionRun));
  EXPECT_TRUE(method(Kind::Operation, "run")->has(kSessionRun));
  for (const std::string_view name :
       {"tensorflow.global_variables_initializer", "tensorflow.gradients", "tensorflow.assign_add", "tensorflow.no_op",
        "tensorflow.group", "tensorflow.train.Saver", "tensorflow.summary.merge_all", "tensorflow.summary.scalar",
        "tensorflow.placeholder"}) {
    EXPECT_TRUE(traits(name) & kGraphState) << name;
  }
  EXPECT_EQ(returns("tensorflow.train.AdamOptimizer"), Kind::Optimizer);
  EXPECT_TRUE(method(Kind::Optimizer, "minimize")->has(kGraphState));
  EXPECT_TRUE(method(Kind::Variable, "assign")->has(kGraphState));
  EXPECT_TRUE(method(Kind::Graph, "as_default")->has(kGraphScope));
  EXPECT_TRUE(traits("tensorflow.disable_v2_behavior") & kV1Switch);
  EXPECT_TRUE(traits("tensorflow.enable_eager_execution") & kEager);
  EXPECT_TRUE(traits("tensorflow.function") & kTraces);
  EXPECT_TRUE(traits("tensorflow.GradientTape") & kTape);
}

TEST(Frameworks, Datasets) {
  EXPECT_EQ(method(Kind::Dataset, "map")->traits, u64{kStage | kMaps});
  EXPECT_EQ(method(Kind::Dataset, "map")->returns, Kind::Dataset);
  EXPECT_EQ(method(Kind::Dataset, "flat_map")->traits, u64{kStage | kFlatMaps});
  EXPECT_EQ(method(Kind::Dataset, "padded_batch")->traits, u64{kStage | kBatches});
  EXPECT_FALSE(has_method(Kind::Dataset, "no_such_method"));
  EXPECT_EQ(returns("tensorflow.data.Dataset.from_tensor_slices"), Kind::Dataset);
  EXPECT_TRUE(traits("tensorflow.data.Dataset.from_generator") & kPython);
  EXPECT_EQ(traits("tensorflow.data.experimental.map_and_batch"), u64{kStage | kMaps | kBatches});
  EXPECT_EQ(returns("tensorflow.data.experimental.map_and_batch"), Kind::Unknown);
  EXPECT_TRUE(traits("keras.utils.image_dataset_from_directory") & kBatched);
  EXPECT_TRUE(traits("tensorflow_datasets.load") & kContainerOf);
  EXPECT_EQ(method(Kind::TfdsBuilder, "as_dataset")->returns, Kind::Dataset);
  EXPECT_EQ(method(Kind::Dataset, "make_one_shot_iterator")->returns, Kind::Iterator);
  EXPECT_EQ(method(Kind::Iterator, "get_next")->returns, Kind::Tensor);
}

TEST(Frameworks, KindsInheritMethods) {
  EXPECT_TRUE(has_method(Kind::Variable, "numpy"));
  EXPECT_TRUE(has_method(Kind::KerasModel, "add_weight"));
  EXPECT_TRUE(has_method(Kind::TorchLoss, "zero_grad"));
  EXPECT_FALSE(has_method(Kind::Tensor, "assign"));
  EXPECT_FALSE(has_method(Kind::Unknown, "assign"));
  EXPECT_EQ(find_api(Symbol{}), nullptr);
}

TEST(Frameworks, OtherFrameworks) {
  EXPECT_EQ(returns("torch.nn.Linear"), Kind::TorchModule);
  EXPECT_EQ(returns("torch.utils.data.DataLoader"), Kind::TorchDataLoader);
  EXPECT_TRUE(method(Kind::TorchTensor, "item")->has(kSyncs));
  EXPECT_TRUE(method(Kind::TorchTensor, "add_")->has(kMutates));
  EXPECT_TRUE(traits("jax.jit") & kTraces);
  EXPECT_EQ(returns("jax.numpy.zeros"), Kind::JaxArray);
  EXPECT_TRUE(traits("numpy.random.rand") & kRandom);
  EXPECT_FALSE(traits("numpy.sum") & kOp);
  EXPECT_EQ(returns("keras.layers.Dense"), Kind::KerasLayer);
  EXPECT_EQ(returns("keras.Sequential"), Kind::KerasModel);
}

TEST(Frameworks, Python) {
  EXPECT_TRUE(method(Kind::List, "append")->has(kMutates));
  EXPECT_TRUE(method(Kind::Dict, "update")->has(kMutates));
  EXPECT_FALSE(method(Kind::Dict, "items")->has(kMutates));
  EXPECT_TRUE(traits("random.random") & kRandom);
  EXPECT_TRUE(traits("time.time") & kRandom);
  EXPECT_TRUE(traits("print") & kIo);
  EXPECT_EQ(returns("collections.OrderedDict"), Kind::Dict);
}

TEST(Frameworks, CanonicalNames) {
  EXPECT_EQ(canonical("tensorflow.compat.v1.layers.dense"), "tensorflow.layers.dense");
  EXPECT_EQ(canonical("tensorflow.compat.v2.data.Dataset"), "tensorflow.data.Dataset");
  EXPECT_EQ(canonical("tensorflow._api.v2.compat.v1.Session"), "tensorflow.Session");
  EXPECT_EQ(canonical("tensorflow_core.python.keras.layers.Dense"), "tensorflow.keras.layers.Dense");
  EXPECT_EQ(canonical("tensorflow.compat.v1"), "tensorflow");
  EXPECT_EQ(canonical("tensorflow.compat.v11.x"), "tensorflow.compat.v11.x");
  EXPECT_EQ(canonical("tensorflow.python.ops.array_ops.zeros"), "tensorflow.zeros");
  EXPECT_EQ(canonical("keras"), "tensorflow.keras");
  EXPECT_EQ(canonical("keras.layers.core.Dense"), "tensorflow.keras.layers.Dense");
  EXPECT_EQ(canonical("keras.src.layers.core.dense.Dense"), "tensorflow.keras.layers.Dense");
  EXPECT_EQ(canonical("keras_core.layers.Dense"), "tensorflow.keras.layers.Dense");
  EXPECT_EQ(canonical("tf_keras.optimizers.legacy.Adam"), "tensorflow.keras.optimizers.Adam");
  EXPECT_EQ(canonical("tensorflow.keras.optimizers.schedules.CosineDecay"),
            "tensorflow.keras.optimizers.schedules.CosineDecay");
  EXPECT_EQ(canonical("tensorflow.keras.layers.experimental.preprocessing.Rescaling"),
            "tensorflow.keras.layers.Rescaling");
  EXPECT_EQ(canonical("keras_tuner.Tuner"), "keras_tuner.Tuner");
  EXPECT_EQ(canonical("torch.nn.modules.linear.Linear"), "torch.nn.Linear");
  EXPECT_EQ(canonical("torch.nn.modules.Module"), "torch.nn.Module");
  EXPECT_EQ(canonical("torch.optim.adam.Adam"), "torch.optim.Adam");
  EXPECT_EQ(canonical("torch.optim.lr_scheduler.StepLR"), "torch.optim.lr_scheduler.StepLR");
  EXPECT_EQ(canonical("jax.numpy.sum"), "jax.numpy.sum");
  EXPECT_EQ(canonical("builtins.len"), "len");
  EXPECT_EQ(canonical("my.own.module"), "my.own.module");
  EXPECT_EQ(canonical(""), "");
}

TEST(Frameworks, ReportsCompatV1) {
  bool v1 = false;
  canonical_name("tensorflow.compat.v1.Session", &v1);
  EXPECT_TRUE(v1);
  canonical_name("tensorflow._api.v2.compat.v1.Session", &v1);
  EXPECT_TRUE(v1);
  canonical_name("tensorflow.compat.v2.zeros", &v1);
  EXPECT_FALSE(v1);
  canonical_name("tensorflow.zeros", &v1);
  EXPECT_FALSE(v1);
}

TEST(Frameworks, NamesOfKindsAndTraits) {
  for (u8 i = 1; i < static_cast<u8>(Kind::kCount); ++i) {
    EXPECT_EQ(kind_named(name_of(static_cast<Kind>(i))), static_cast<Kind>(i));
  }
  EXPECT_EQ(kind_named("-"), Kind::Unknown);
  EXPECT_EQ(kind_named("Nothing"), Kind::Unknown);
  EXPECT_EQ(trait_named("graph_state"), u64{kGraphState});
  EXPECT_EQ(trait_named("v2"), u64{kV2});
  EXPECT_EQ(trait_named("syncs"), u64{kSyncs});
  EXPECT_EQ(trait_named("container_of"), u64{kContainerOf});
  EXPECT_EQ(trait_named("nothing"), 0U);
  EXPECT_EQ(names_of_traits(kOp | kBatchable), "op batchable");
  EXPECT_EQ(names_of_traits(0), "");
}

} // namespace
} // namespace deepperf
