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

TEST(Consumers, FollowsIntoFunctionsThatGetIt) {
  EXPECT_EQ(consumption("def show(d, n=3):\n  for x in d.take(n): f(x)\nshow(ds)\n"), Consumption::Few);
  EXPECT_EQ(consumption("def show(d, n=3):\n  for x in d.take(n): f(x)\nshow(ds, n=4)\n"), Consumption::Few);
  EXPECT_EQ(consumption("def show(d, n=3):\n  for x in d.take(n): f(x)\nshow(ds, 4000)\n"), Consumption::All);
  EXPECT_EQ(consumption("def show(d, n):\n  for x in d.take(n): f(x)\nshow(ds, unknown)\n"), Consumption::All);
  EXPECT_EQ(consumption("def keep(d):\n  return d\nkeep(ds)\n"), Consumption::All);
  EXPECT_EQ(consumption("def stub(d):\n  pass\nstub(ds)\n"), Consumption::All);
  EXPECT_EQ(consumption("def a(d):\n  b(d)\ndef b(d):\n  a(d)\na(ds)\n"), Consumption::All) << "in a circle";
}

TEST(Consumers, LoopsMayCount) {
  EXPECT_EQ(consumption("for i, x in enumerate(ds):\n  f(x)\n  if i == 3: break\n"), Consumption::Few);
  EXPECT_EQ(consumption("n = 0\nfor x in ds:\n  f(x)\n  n += 1\n  if n > 3: break\n"), Consumption::Few);
  EXPECT_EQ(consumption("for i, x in enumerate(ds):\n  f(x)\n  if i == 3000: break\n"), Consumption::All);
  EXPECT_EQ(consumption("for x in ds:\n  f(x)\n  if x == 3: break\n"), Consumption::All);
  EXPECT_EQ(consumption("model.fit(ds, steps_per_epoch=1)\n"), Consumption::Few);
  EXPECT_EQ(consumption("model.fit(ds, steps_per_epoch=1, epochs=n)\n"), Consumption::All);
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
