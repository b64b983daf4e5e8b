#include "evidence/evidence.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace deepperf::evidence {
namespace {

Measurement example() {
  Measurement measurement;
  measurement.pair = "torch-item";
  measurement.rules = {"DP101"};
  measurement.measure = "time";
  measurement.ratio = 6.31234;
  measurement.low = 5.9;
  measurement.high = 6.8;
  measurement.is_shown = true;
  measurement.metric = "time";
  measurement.buggy = 1.2;
  measurement.fixed = 0.19;
  measurement.rounds = 7;
  measurement.library = "torch";
  measurement.version = "1.13.0a0+gitunknown";
  measurement.python = "3.11.2";
  measurement.cores = 2;
  measurement.knobs = {{"BATCH", "64"}, {"HIDDEN_SIZE", "128"}};
  measurement.date = "2026-11-17";
  measurement.commit = "0123456789";
  return measurement;
}

TEST(Evidence, Sentences) {
  Measurement measurement = example();
  EXPECT_EQ(sentence(measurement), "6.3x slower (5.9 to 6.8), torch 1.13, 2 cores, batch 64, hidden size 128");
  measurement.measure = measurement.metric = "memory";
  measurement.ratio = 12.6;
  EXPECT_EQ(sentence(measurement), "13x the memory (5.9 to 6.8), torch 1.13, 2 cores, batch 64, hidden size 128");
  measurement.measure = "growth";
  measurement.growth_knob = "BATCH";
  measurement.buggy_growth = 3.94;
  measurement.fixed_growth = 1.04;
  measurement.cores = 1;
  measurement.stand_in = "copies to the device";
  EXPECT_EQ(sentence(measurement), "4x the batch need 3.9x the memory; 1.04x once fixed, torch 1.13, 1 core, hidden "
                                   "size 128 (on a CPU, in place of a GPU)");
}

TEST(Evidence, IsReadAsItWasWritten) {
  Measurement other = example();
  other.pair = "a-pair-before";
  other.rules = {"DP102", "DP101"};
  const std::string text = write_measurements({example(), other});
  const Measurements read = read_measurements(text);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].pair, "a-pair-before"); // sorted
  EXPECT_DOUBLE_EQ(read[1].ratio, 6.312);
  EXPECT_EQ(read[1].knobs, example().knobs);
  EXPECT_EQ(write_measurements(read), text);
}

TEST(Evidence, WhatIsNoSuchFileIsRefused) {
  for (const char *const text :
       {"", "[]", "{}", R"({"version": 2, "measurements": []})", R"({"version": 1, "measurements": [{"pair": 3}]})"}) {
    EXPECT_THROW(read_measurements(text), std::runtime_error) << text;
  }
}

TEST(Evidence, OfThisProgramCanBeRead) {
  for (const Measurement &measurement : known_measurements()) {
    EXPECT_FALSE(measurement.pair.empty());
    EXPECT_LE(measurement.low, measurement.ratio) << measurement.pair;
    EXPECT_GE(measurement.high, measurement.ratio) << measurement.pair;
  }
  EXPECT_EQ(quotable("DP000"), nullptr);
}

} // namespace
} // namespace deepperf::evidence
