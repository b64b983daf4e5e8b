#include "study/samples.h"

#include "made_up_posts.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace deepperf;
using namespace deepperf::study;

namespace {

std::string error_of(const Table &table, const char *text, const char *label) {
  try {
    read_samples(table, text, label, '\0');
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Samples, TitlesAndBodies) {
  const Samples samples = read_samples(made_up_posts(1), "title,body", "topic", '\0');
  EXPECT_EQ(samples.classes, (std::vector<std::string>{"baking", "boats", "wood"}));
  ASSERT_EQ(samples.documents.size(), 8U);
  EXPECT_EQ(samples.documents[5].code, "grit = 120\n");
  EXPECT_EQ(samples.documents[6].errors, std::vector<std::string>{"SinkError"});
  EXPECT_EQ(samples.labels[3], LabelSet{2});
}

TEST(Samples, SeveralLabels) {
  const Samples samples = read_samples(made_up_posts(1), "title", "topics", ';');
  EXPECT_EQ(samples.classes.size(), 4U);
  EXPECT_EQ(samples.labels[1], (LabelSet{0, 2}));
  EXPECT_TRUE(samples.several);
}

TEST(Samples, RowsWithoutLabelAreLeftOut) {
  Table table = made_up_posts(1);
  table.csv.rows[0][3] = " ";
  table.csv.rows[1].resize(2); // a short row
  const Samples samples = read_samples(table, "title", "topic", '\0');
  EXPECT_EQ(samples.labels.size(), 6U);
  EXPECT_EQ(samples.unlabelled, 2U);
  EXPECT_EQ(samples.rows[0], 2U);
}

TEST(Samples, WhatCannotBeLearned) {
  Table table = made_up_posts(1);
  EXPECT_EQ(error_of(table, "title", "kind"),
            "made-up.csv has no column 'kind'; it has: id, title, body, topic, topics");
  EXPECT_EQ(error_of(table, "headline", "topic"),
            "made-up.csv has no column 'headline'; it has: id, title, body, topic, topics");
  EXPECT_EQ(error_of(table, " , ", "topic"), "no column was named");
  for (CsvRow &row : table.csv.rows) {
    row[3] = "same";
  }
  EXPECT_EQ(error_of(table, "title", "topic"),
            "made-up.csv: all rows have the same 'topic', 'same': there is nothing to learn");
  for (CsvRow &row : table.csv.rows) {
    row[3] = "";
  }
  EXPECT_EQ(error_of(table, "title", "topic"), "made-up.csv: column 'topic' is empty in every row");
}

} // namespace
