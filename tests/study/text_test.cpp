#include "study/text.h"

#include <gtest/gtest.h>

using namespace deepperf::study;

namespace {

using Words = std::vector<std::string_view>;

TEST(Text, Words) {
  EXPECT_EQ(words(""), Words());
  EXPECT_EQ(words("How to tf.data.Dataset, run_it?"), (Words{"How", "to", "tf", "data", "Dataset", "run_it"}));
  EXPECT_EQ(words("“naïve” — Größe…"), (Words{"naïve", "Größe"}));
  EXPECT_EQ(words("a\xFFz\xE2"), (Words{"a", "z"}));
}

TEST(Text, Entities) {
  EXPECT_EQ(decode_entities("&quot;a&quot; &amp;&lt;&#39;&#x27;&hellip;"), "\"a\" &<''…");
  EXPECT_EQ(decode_entities("AT&T; a & b &; &#; &#xD800; &#99999999;"), "AT&T; a & b &; &#; &#xD800; &#99999999;");
  EXPECT_EQ(decode_entities("&amp;lt;"), "&lt;"); // once, not twice
}

TEST(Text, PostsComeApart) {
  const PostText post =
      split_post("<p>Why is <code>fit</code> slow?</p><pre class=\"x\"><code>a &lt; b\nTraceback (most "
                 "recent call last):\n  File &quot;x.py&quot;\nValueError: bad\n</code></pre>"
                 "<p>See 1 < 2</p>");
  EXPECT_EQ(words(post.prose), (Words{"Why", "is", "fit", "slow", "See", "1", "2"}));
  EXPECT_TRUE(post.code.starts_with("a < b\nTraceback"));
  EXPECT_TRUE(post.has_trace);
  EXPECT_EQ(post.errors, (std::vector<std::string>{"ValueError"}));
}

TEST(Text, BrokenHtml) {
  EXPECT_EQ(split_post("<pre><code>x").code, "x");
  EXPECT_EQ(split_post("a <b").prose, "a <b");
  EXPECT_EQ(split_post("<").prose, "<");
  EXPECT_EQ(split_post("</pre>x").prose, "x");
  EXPECT_TRUE(split_post(std::string(1'000'000, '<')).errors.empty());
}

TEST(Text, Shorten) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab…");
  EXPECT_EQ(shorten("äöü\n", 3), "äö…");
  EXPECT_EQ(shorten("a\tb\x1b[0m", 20), "a b [0m");
}

} // namespace
