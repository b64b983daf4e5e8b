#include "study/liu.h"

#include "shared_data.h"
#include "study/csv.h"
#include "study/files.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <set>
#include <stdexcept>

using namespace deepperf::study;

namespace {

std::string temporary(const std::string &text) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("deepperf_liu_" + std::to_string(getpid()) + ".csv")).string();
  write_file(path, text);
  return path;
}

TEST(Liu, Taxonomy) {
  EXPECT_EQ(liu_objects().size(), 63U);
  EXPECT_EQ(liu_object('d', "dt")->name, "Tensor");
  EXPECT_EQ(liu_object('m', "lstm layer")->name, "Layer");
  EXPECT_EQ(liu_object('m', "bert trained model")->name, "Trained model");
  EXPECT_EQ(liu_object('m', "loss")->phase, 'T'); // moved by the paper
  EXPECT_EQ(liu_object('x', "loss"), nullptr);
  EXPECT_EQ(liu_object('d', "nonsense"), nullptr);
  EXPECT_EQ(liu_model_type("max pooling layer"), "Pooling");
  EXPECT_EQ(liu_phase_name('V'), "Visualization");
}

TEST(Liu, Rows) {
  const std::string path =
      temporary("How to &quot;cut&quot; a tensor?,\"<python>, <pytorch>\",7,30,-1,2020-01-01T00:00:00.000,"
                "2020-01-02T12:00:00.000,\"slice,dt,d\"\n");
  const std::vector<LiuPost> posts = read_liu(path);
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_EQ(posts[0].title, "How to \"cut\" a tensor?");
  EXPECT_EQ(posts[0].tags, (std::vector<std::string>{"python", "pytorch"}));
  EXPECT_EQ(posts[0].framework, "PyTorch");
  EXPECT_EQ(posts[0].score, -1);
  EXPECT_EQ(posts[0].year, 2020);
  EXPECT_DOUBLE_EQ(posts[0].days, 1.5);
  EXPECT_EQ(posts[0].verb, "slice");
  EXPECT_EQ(posts[0].object->name, "Tensor");
  std::filesystem::remove(path);
}

TEST(Liu, BrokenRows) {
  for (const char *text : {"", "a,b\n", "t,<x>,seven,1,1,2020-01-01T00:00:00,2020-01-01T00:00:00,\"a,b,c\"\n",
                           "t,<x>,7,1,1,never,2020-01-01T00:00:00,\"a,b,c\"\n",
                           "t,<x>,7,1,1,2020-01-01T00:00:00,2020-01-01T00:00:00,label\n"}) {
    EXPECT_THROW(read_liu(temporary(text)), std::runtime_error) << text;
  }
  std::filesystem::remove(temporary(""));
}

// The authors' own preprocessing gives the same years, views, scores and days.
TEST(Liu, AsTheAuthorsPreprocessedThem) {
  NEEDS_SHARED_DATA(data);
  const std::vector<LiuPost> posts = read_liu(data + "/liu/rawdata.csv");
  const std::string bytes = read_file(data + "/liu/rawdata-preprocess.csv");
  CsvReader reader(bytes);
  std::size_t next = 0;
  for (CsvRow row; reader.next(row); ++next) {
    ASSERT_LT(next, posts.size());
    EXPECT_EQ(std::to_string(posts[next].id), row[0]);
    EXPECT_EQ(std::to_string(posts[next].views), row[2]);
    EXPECT_EQ(std::to_string(posts[next].score), row[3]);
    EXPECT_EQ(std::to_string(posts[next].year), row[4]);
    EXPECT_NEAR(posts[next].rounded_days, std::stod(row[5]), 1e-9);
    EXPECT_NE(posts[next].object, nullptr);
  }
  EXPECT_EQ(next, posts.size());
}

} // namespace
