#include "study/store.h"

#include "study/files.h"
#include "study/temp_folder.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace deepperf;
using namespace deepperf::study;

namespace {

using StoreTest = TempFolder;

Post sample(i64 id) {
  Post post;
  post.id = id;
  post.title = "How to batch a map?";
  post.body = "<p>It is \xC3\xA4 slow.</p>";
  post.tags = {"python", "tensorflow"};
  post.created = "2018-01-02T03:04:05.678";
  post.score = -2;
  post.views = 17;
  post.accepted_id = id + 1;
  return post;
}

TEST_F(StoreTest, GivesBackWhatWasAdded) {
  {
    Store store(path("a.sqlite"), Store::Mode::Create);
    store.begin();
    Post post = sample(9);
    post.labels = {{"phase", "M"}, {"phase", "T"}};
    store.add(post);
    store.add(sample(4));
    EXPECT_TRUE(store.set_accepted(9, 10, "2018-01-03T00:00:00.000"));
    EXPECT_FALSE(store.set_accepted(9, 11, "2018-01-03T00:00:00.000"));
    EXPECT_FALSE(store.set_accepted(5, 6, "2018-01-03T00:00:00.000"));
    store.set_labels(4, "symptom", {"Time", "Time", "Memory"});
    store.set_labels(4, "symptom", {"Memory"});
    store.set_fact("recipe", "liu");
    store.commit();
  }
  const Store store(path("a.sqlite"), Store::Mode::Read);
  std::vector<Post> posts;
  store.for_each([&](const Post &post) { posts.push_back(post); });
  ASSERT_EQ(posts.size(), 2);
  EXPECT_EQ(posts[0].id, 4);
  EXPECT_EQ(posts[0].accepted, "");
  ASSERT_EQ(posts[0].labels.size(), 1);
  EXPECT_EQ(posts[0].labels[0].value, "Memory");
  const Post &post = posts[1];
  EXPECT_EQ(post.title, sample(9).title);
  EXPECT_EQ(post.body, sample(9).body);
  EXPECT_EQ(post.tags, sample(9).tags);
  EXPECT_EQ(post.created, sample(9).created);
  EXPECT_EQ(post.score, -2);
  EXPECT_EQ(post.views, 17);
  EXPECT_EQ(post.answers, std::nullopt);
  EXPECT_EQ(post.accepted_id, 10);
  EXPECT_EQ(post.accepted, "2018-01-03T00:00:00.000");
  EXPECT_EQ(post.closed, "");
  EXPECT_EQ(post.labels.size(), 2);
  EXPECT_EQ(store.count(), 2);
  EXPECT_EQ(store.label_names(), (std::vector<std::string>{"phase", "symptom"}));
  EXPECT_EQ(store.fact("recipe"), "liu");
  EXPECT_EQ(store.fact("nothing"), std::nullopt);
}

TEST_F(StoreTest, WhatWasNotCommittedIsNotThere) {
  {
    Store store(path("a.sqlite"), Store::Mode::Create);
    store.begin();
    store.add(sample(1));
    store.commit();
    store.begin();
    store.add(sample(2));
  }
  EXPECT_EQ(Store(path("a.sqlite"), Store::Mode::Read).count(), 1);
}

TEST_F(StoreTest, RefusesOtherFiles) {
  EXPECT_THROW(Store(path("none.sqlite"), Store::Mode::Read), std::runtime_error);
  EXPECT_THROW(Store(path("none.sqlite"), Store::Mode::Write), std::runtime_error);
  EXPECT_THROW(Store(path("no/such/folder.sqlite"), Store::Mode::Create), std::runtime_error);
  write_file(path("text.sqlite"), "not a database at all, but long enough to look at, and then some more text");
  EXPECT_THROW(Store(path("text.sqlite"), Store::Mode::Read), std::runtime_error);
  write_file(path("empty.sqlite"), "");
  EXPECT_THROW(Store(path("empty.sqlite"), Store::Mode::Read), std::runtime_error);
}

TEST(Post, Times) {
  EXPECT_EQ(parse_time("1970-01-01"), 0);
  EXPECT_EQ(parse_time("1970-01-02T00:00:01.5"), 86'401'500);
  EXPECT_EQ(parse_time("2020-12-06T01:43:50.000Z"), 1607219030000);
  EXPECT_EQ(parse_time("2020-12-06 01:43:50"), 1607219030000);
  EXPECT_EQ(format_time(1607219030007), "2020-12-06T01:43:50.007");
  EXPECT_EQ(parse_time(format_time(-1)), -1);
  for (const char *wrong : {"", "2020", "2020-13-01", "2020-02-30", "2020-12-06T", "2020-12-06T01:43",
                            "2020-12-06T24:00:00", "2020-12-06T01:43:50.", "2020-12-06T01:43:50.0x", "x020-12-06"}) {
    EXPECT_EQ(parse_time(wrong), std::nullopt) << wrong;
  }
}

TEST(Post, BothFormsOfTags) {
  const std::vector<std::string> tags = {"c++", "tensorflow2.0"};
  EXPECT_EQ(parse_tags("<c++><tensorflow2.0>"), tags);
  EXPECT_EQ(parse_tags("|c++|tensorflow2.0|"), tags);
  EXPECT_EQ(parse_tags("<c++>, <tensorflow2.0>"), tags);
  EXPECT_EQ(parse_tags(""), std::vector<std::string>());
  EXPECT_EQ(join_tags(tags), "|c++|tensorflow2.0|");
  EXPECT_EQ(join_tags({}), "");
}

} // namespace
