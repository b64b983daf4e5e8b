#include "study/reproduce.h"

#include "shared_data.h"
#include "study/files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <stdexcept>

using namespace deepperf::study;
using State = ReproducedCell::State;

namespace {

const ReproducedTable &table(const Reproduction &reproduction, std::string_view start) {
  for (const ReproducedTable &candidate : reproduction.tables) {
    if (candidate.title.starts_with(start)) {
      return candidate;
    }
  }
  throw std::runtime_error("no table " + std::string(start));
}

std::string cell(const ReproducedTable &in, std::string_view row, std::string_view column) {
  for (const ReproducedCell &candidate : in.cells) {
    if (candidate.row == row && candidate.column == column) {
      return candidate.computed;
    }
  }
  throw std::runtime_error("no cell " + std::string(row) + ", " + std::string(column));
}

TEST(Reproduce, EveryTable) {
  NEEDS_SHARED_DATA(data);
  const Reproduction result = reproduce(data);
  EXPECT_TRUE(result.as_expected());
  EXPECT_TRUE(result.skipped.empty());
  for (const char *title :
       {"Liu Table 1:", "Liu Table 3:", "Liu Table 10", "Liu Table 11", "Liu Table 12", "Liu Table 13", "DLPerf RQ1",
        "DLPerf RQ2", "DLPerf RQ3", "DLPerf RQ4", "DLPerf: symptom", "DLPerf: agreement", "DLPerf: the keyword"}) {
    const ReproducedTable &equal = table(result, title);
    EXPECT_FALSE(equal.cells.empty()) << title;
    EXPECT_EQ(equal.count(State::Match) + equal.count(State::Unprinted), equal.cells.size()) << title;
  }
  EXPECT_EQ(table(result, "Liu Table 14").count(State::Match), 190U);
  EXPECT_EQ(table(result, "Liu Table 14").count(State::Known), 4U);
  EXPECT_EQ(table(result, "Liu Table 3").count(State::Unprinted), 5U);
  EXPECT_EQ(cell(table(result, "Liu 2.5"), "views and score", "Pearson r"), "0.9099");
  const ReproducedTable &benchmark = table(result, "DLPerf RQ4");
  EXPECT_EQ(cell(benchmark, "problems", "all"), "58");
  EXPECT_EQ(cell(benchmark, "1", "profiler_status"), "2");
  EXPECT_EQ(cell(benchmark, "applied", "profiler_status"), "15");
  EXPECT_EQ(cell(benchmark, "1", "xla_status"), "4");
  EXPECT_EQ(cell(benchmark, "applied", "xla_status"), "24");
}

// Made-up data: nothing printed to compare with, and half of the files absent.
TEST(Reproduce, WhatIsMissingIsSaid) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("deepperf_reproduce_" + std::to_string(getpid())) / "data";
  EXPECT_THROW(reproduce(folder.string()), std::runtime_error);
  std::filesystem::create_directories(folder / "liu");
  write_file((folder / "liu/rawdata.csv").string(),
             "How to a?,<theano>,1,10,2,2016-01-01T00:00:00.000,2016-01-02T00:00:00.000,\"slice,dt,d\"\n"
             "How to b?,<pytorch>,2,20,3,2017-01-01T00:00:00.000,2017-01-02T00:00:00.000,\"feed,unheard,q\"\n");
  const Reproduction result = reproduce(folder.string());
  EXPECT_EQ(result.skipped.size(), 3U); // expected/, a label, DLPerf
  EXPECT_EQ(cell(table(result, "Liu Table 1:"), "2016", "Theano"), "1");
  EXPECT_EQ(cell(table(result, "Liu Table 3:"), "D2 Tensor", "Total"), "1");
  EXPECT_EQ(table(result, "Liu Table 1:").count(State::Match), 0U);
  std::filesystem::create_directories(folder / "expected");
  write_file((folder / "expected/liu_table01.json").string(), "{\"rows\": 3}"); // not what it should be
  EXPECT_EQ(cell(table(reproduce(folder.string()), "Liu Table 1:"), "2016", "Theano"), "1");
  write_file((folder / "expected/liu_table01.json").string(), "{");
  EXPECT_THROW(reproduce(folder.string()), std::runtime_error);
  std::filesystem::remove_all(folder.parent_path());
}

} // namespace
