#include "study/recipe.h"

#include "study/recipe_text.h"

#include "study/post.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace deepperf;
using namespace deepperf::study;

namespace {

// Whether the one step, made of these lines, lets the row through.
bool lets(const std::string &lines, const std::string &attributes) {
  const Recipe recipe = parse_recipe("[[step]]\nname = \"s\"\n" + lines, "x.toml");
  const std::string text = "<row Id=\"1\" " + attributes + " />";
  RowScanner scanner(text, false);
  Row row;
  EXPECT_EQ(scanner.next(row), RowScanner::Event::Row) << text;
  Question question(row, parse_time("2018-06-01T12:00:00").value());
  return passes(recipe.steps.at(0), question);
}

std::string recipe_error(const std::string &text) {
  try {
    parse_recipe(text, "x.toml");
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Recipe, Tags) {
  for (const char *form : {"Tags=\"&lt;python&gt;&lt;tensorflow2.0&gt;\"", "Tags=\"|python|tensorflow2.0|\""}) {
    EXPECT_TRUE(lets("tags = [\"r\", \"python\"]", form));
    EXPECT_FALSE(lets("tags = [\"tensorflow\"]", form));
    EXPECT_TRUE(lets("tags_contain = [\"tensorflow\"]", form));
    EXPECT_FALSE(lets("tags_contain = [\"torch\"]", form));
    EXPECT_TRUE(lets("tags_all = [\"tensorflow2.0\", \"python\"]", form));
    EXPECT_FALSE(lets("tags_all = [\"python\", \"keras\"]", form));
    EXPECT_FALSE(lets("tags_none = [\"keras\", \"python\"]", form));
    EXPECT_TRUE(lets("tags_none = [\"keras\"]", form));
  }
  EXPECT_FALSE(lets("tags = [\"python\"]", ""));
}

TEST(Recipe, Titles) {
  EXPECT_TRUE(lets("title_contains = [\"How To\"]", "Title=\"Only show total loss\""));
  EXPECT_FALSE(lets("title_words = [\"how to\"]", "Title=\"Only show total loss\""));
  EXPECT_TRUE(lets("title_words = [\"how to\"]", "Title=\"Show to me: HOW TO?\""));
  EXPECT_FALSE(lets("title_words = [\"how to\"]", "Title=\"How &quot;to&quot;\""));
}

TEST(Recipe, NumbersAndDates) {
  EXPECT_TRUE(lets("from = 2018-06-01", ""));
  EXPECT_FALSE(lets("from = 2018-06-02", ""));
  EXPECT_TRUE(lets("before = \"2018-06-01T12:00:01\"", ""));
  EXPECT_FALSE(lets("before = 2018-06-01", ""));
  EXPECT_TRUE(lets("accepted = true", "AcceptedAnswerId=\"3\""));
  EXPECT_FALSE(lets("accepted = false", "AcceptedAnswerId=\"3\""));
  EXPECT_FALSE(lets("accepted = true", ""));
  EXPECT_TRUE(lets("closed = false", ""));
  EXPECT_FALSE(lets("closed = false", "ClosedDate=\"2019-01-01T00:00:00.000\""));
  EXPECT_TRUE(lets("min_score = -1", "Score=\"-1\""));
  EXPECT_FALSE(lets("min_score = 0", "Score=\"-1\""));
  EXPECT_FALSE(lets("min_views = 10\nmin_answers = 1", "ViewCount=\"10\" AnswerCount=\"0\""));
}

TEST(Recipe, Keywords) {
  EXPECT_TRUE(lets("keywords = \"published\"", "Title=\"Training slower each epoch\""));
  EXPECT_TRUE(lets("keywords = \"published\"", "Title=\"x\" Body=\"&lt;p&gt;there are memory leaks&lt;/p&gt;\""));
  EXPECT_FALSE(lets("keywords = \"published\"", "Title=\"It hangs\""));
  EXPECT_TRUE(lets("keywords = \"corrected\"", "Title=\"It hangs\""));
  EXPECT_TRUE(lets("keywords = [\"crash\", \"segment fault\"]", "Title=\"Segmentation faults!\""));
  EXPECT_FALSE(
      lets("keywords = [\"crash\"]", "Title=\"x\" Body=\"&lt;pre&gt;&lt;code&gt;crash()&lt;/code&gt;&lt;/pre&gt;\""));
}

TEST(Recipe, ThoseThatComeWithTheProgram) {
  EXPECT_EQ(recipe_names(), (std::vector<std::string>{"dlperf", "liu", "zhang"}));
  for (const std::string &name : recipe_names()) {
    const Recipe recipe = load_recipe(name);
    EXPECT_EQ(recipe.name, name);
    EXPECT_FALSE(recipe.about.empty());
    EXPECT_GE(recipe.steps.size(), 2);
  }
  EXPECT_EQ(load_recipe("liu").steps.back().published, 3842);
}

TEST(Recipe, InWords) {
  const auto words = [](const std::string &conditions) {
    return describe(parse_recipe("[[step]]\nname = \"a\"\n" + conditions, "x.toml").steps[0]);
  };
  EXPECT_EQ(words("tags = [\"A\", \"b\", \"c\"]\nfrom = 2018-01-01"), "tag a, b or c; from 2018-01-01");
  EXPECT_EQ(words("tags_all = [\"a\", \"b\"]\ntags_none = [\"c\"]"), "tag a and b; no tag c");
  EXPECT_EQ(words("tags_contain = [\"a\"]\ntitle_contains = [\"how to\", \"x\"]"),
            "a in a tag; \"how to\" or \"x\" in the title");
  EXPECT_EQ(words("keywords = \"published\"\nbefore = \"2018-01-01T12:00:00\""),
            "one of 24 stems in title or body; before 2018-01-01T12:00:00.000");
  EXPECT_EQ(words("accepted = true\nclosed = false\nmin_score = 5\nmin_views = 6\nmin_answers = 7"),
            "an accepted answer; not closed; a score of 5 or more; 6 views or more; 7 answers or more");
}

TEST(Recipe, ErrorsSayWhere) {
  EXPECT_EQ(recipe_error("").substr(0, 7), ""); // takes every question
  EXPECT_EQ(recipe_error("name = \n").substr(0, 9), "x.toml:1:");
  EXPECT_EQ(recipe_error("name = \"a\"\nsteps = 1\n").substr(0, 38), "x.toml:2:9: there is no setting 'steps");
  EXPECT_EQ(recipe_error("[step]\nname = \"a\"\n"), "x.toml:1:1: steps are written with two brackets: [[step]]");
  EXPECT_EQ(recipe_error("[[step]]\ntags = [\"a\"]\n"), "x.toml:1:1: this step has no name");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\n"), "x.toml:1:1: the step 'a' has no condition");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\ntag = [\"b\"]\n").substr(0, 36),
            "x.toml:3:7: unknown condition 'tag';");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\ntags = \"b\"\n"),
            "x.toml:3:8: 'tags' is a list of texts, such as [\"a\", \"b\"]");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\ntags = [1]\n"), "x.toml:3:9: 'tags' is text in quotes");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\nfrom = 2018\n"), "x.toml:3:8: 'from' is a day, such as 2018-01-31");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\naccepted = 1\n"), "x.toml:3:12: 'accepted' is true or false");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\nmin_score = 0.5\n"), "x.toml:3:13: 'min_score' is a whole number");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\nkeywords = [\"hangs\"]\n"),
            "x.toml:3:12: 'hangs' is not a stem, so it can never match");
  EXPECT_EQ(recipe_error("[[step]]\nname = \"a\"\nfrom = 2019-01-01\nbefore = 2018-01-01\n"),
            "x.toml:1:1: 'from' is not before 'before' in the step 'a'");
  EXPECT_THROW(load_recipe("nobody"), std::runtime_error);
  EXPECT_THROW(load_recipe("/nonexistent/x.toml"), std::runtime_error);
}

} // namespace
