#include "model/consumers.h"

#include "model/analysed.h"
#include "model/pipeline.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// What becomes of `ds = files.map(f)`, of which the rest of the code makes something.
Consumption consumption(std::string_view rest, std::string_view path = "main.py") {
  const Analysed code(
      {{std::string(path),
        "import tensorflow as tf\nfiles = tf.data.Dataset.list_files('*')\nds = files.map(f)\n" + std::string(rest)}});
  for (const Stage &stage : code.project().stages) {
    if (stage.info != nullptr && stage.info->has(kMaps)) {
      return Consumers(code.project()).of(stage);
    }
  }
  ADD_FAILURE() << "no map was found";
  return Consumption::Nothing;
}

TEST(Consumers, LoopsAndCallsReadAll) {
  EXPECT_EQ(consumption("for x in ds: f(x)\n"), Consumption::All);
  EXPECT_EQ(consumption("model.fit(ds.batch(3))\n"), Consumption::All);
}

TEST(Consumers, AFewElementsAreALook) {
  EXPECT_EQ(consumption("for x in ds.take(3): f(x)\n"), Consumption::Few);
  EXPECT_EQ(consumption("x = next(iter(ds))\n"), Consumption::Few);
  EXPECT_EQ(consumption("for x in ds:\n  f(x)\n  break\n"), Consumption::Few);
  EXPECT_EQ(consumption("small = ds.take(3)\nfor x in small: f(x)\n"), Consumption::Few);
  EXPECT_EQ(consumption("for x in ds.take(3): f(x)\nmodel.fit(ds)\n"), Consumption::All);
}

TEST(Consumers, WhatIsOnlyDescribedIsNotRead) {
  EXPECT_EQ(consumption("print(ds.element_spec)\n"), Consumption::Nothing);
  EXPECT_EQ(consumption("", "main.ipynb.py"), Consumption::All) << "another file may import it";
}

TEST(Pipeline, KnowsWhatStandsBehindAStage) {
  const Analysed code(R"(
import tensorflow as tf
ds = tf.data.Dataset.range(3)
if c:
  ds = ds.shuffle(3)
ds = ds.batch(2)
)");
  const Project &project = code.project();
  const Stage *range = nullptr;
  for (const Stage &stage : project.stages) {
    if (stage.info != nullptr && stage.info->has(kSource)) {
      range = &stage;
    }
  }
  ASSERT_NE(range, nullptr);
  EXPECT_TRUE(is_followed_by(project, *range, kShuffles));
  EXPECT_TRUE(is_followed_by(project, *range, kBatches));
  EXPECT_FALSE(is_followed_by(project, *range, kCaches));
  EXPECT_FALSE(is_followed_by(project, *range, kBatches, true)) << "two ways lead there";
}

} // namespace
} // namespace deepperf::model
