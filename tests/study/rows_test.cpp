#include "study/rows.h"

#include <gtest/gtest.h>

#include <vector>

using namespace deepperf::study;
using Event = RowScanner::Event;

namespace {

struct Seen {
  Event event;
  std::string text; // the Id of a row, else what was passed over
  bool operator==(const Seen &) const = default;
};

std::vector<Seen> scan(std::string_view text, bool inside = false) {
  RowScanner scanner(text, inside);
  std::vector<Seen> seen;
  Row row;
  for (;;) {
    const Event event = scanner.next(row);
    if (event == Event::End) {
      return seen;
    }
    seen.push_back({event, std::string(event == Event::Row ? row[Field::Id] : row.text)});
  }
}

std::string meaning(std::string_view raw) {
  std::string out;
  return unescape(raw, out) ? out : "!";
}

TEST(Rows, FieldsOfARow) {
  RowScanner scanner(
      "<posts>\n  <row Id=\"4\" PostTypeId=\"1\" AcceptedAnswerId=\"7\" ParentId='3' CreationDate=\"a\" Score=\"-1\" "
      "ViewCount=\"2\" Body=\"&lt;p&gt;it's > all\" Title=\"t\" Tags=\"|a|\" AnswerCount=\"13\" "
      "FavoriteCount=\"0\" ClosedDate=\"\" Unknown=\"?\"/></posts>",
      false);
  Row row;
  ASSERT_EQ(scanner.next(row), Event::Row);
  EXPECT_EQ(row[Field::Id], "4");
  EXPECT_EQ(row[Field::PostType], "1");
  EXPECT_EQ(row[Field::AcceptedAnswer], "7");
  EXPECT_EQ(row[Field::Parent], "3");
  EXPECT_EQ(row[Field::Created], "a");
  EXPECT_EQ(row[Field::Score], "-1");
  EXPECT_EQ(row[Field::Views], "2");
  EXPECT_EQ(row[Field::Body], "&lt;p&gt;it's > all");
  EXPECT_EQ(row[Field::Title], "t");
  EXPECT_EQ(row[Field::Tags], "|a|");
  EXPECT_EQ(row[Field::Answers], "13");
  EXPECT_EQ(row[Field::Favourites], "0");
  EXPECT_TRUE(row.has(Field::Closed));
  EXPECT_FALSE(scanner.closed());
  EXPECT_EQ(scanner.next(row), Event::End);
  EXPECT_TRUE(scanner.closed());
}

TEST(Rows, WhatStandsBetweenThem) {
  const std::vector<Seen> both = {{Event::Row, "1"}, {Event::Row, "2"}};
  EXPECT_EQ(scan("<row Id=\"1\"/><row Id=\"2\"/>"), both);
  EXPECT_EQ(scan("<?xml version=\"1.0\"?><!DOCTYPE posts><!-- <row/> --><row Id=\"1\" "
                 "/>\r\n\t<row\nId=\"2\"></row></posts>\n"),
            both);
  EXPECT_EQ(scan(""), std::vector<Seen>());
  EXPECT_EQ(scan("<posts><rows></posts>"), std::vector<Seen>());
  EXPECT_EQ(scan("rest=\"of a row\"/> <row Id=\"1\"/><row Id=\"2\"/>", true), both);
}

TEST(Rows, ABrokenRowDoesNotHurtTheNext) {
  for (const std::string broken :
       {"<row Id=\"1 Body=\"a\"/>", "<row Id=\"1\" Body=\"a <b>bold</b>\" Score=\"1\" />", "<row Id=\"1\" Body=\"a />",
        "<row Id=\"1\" Body=a />", "<row Id=\"1\"Body=\"a\"/>", "<row Id=\"1\" Id=\"2\"/>", "<row Id />",
        "<row Id=\"1\" >", "<row Id=\"1\" / Body=\"\">", "<row", "<row "}) {
    const std::string text = "<row Id=\"0\"/>" + broken + "\n<row Id=\"9\"/>";
    const std::vector<Seen> wanted = {{Event::Row, "0"}, {Event::Broken, broken + "\n"}, {Event::Row, "9"}};
    if (broken == "<row") {
      continue; // joined with what follows it is a row of another kind
    }
    EXPECT_EQ(scan(text), wanted) << broken;
  }
  EXPECT_EQ(scan("junk <row Id=\"1\"/> more & more"),
            (std::vector<Seen>{{Event::Junk, "junk "}, {Event::Row, "1"}, {Event::Junk, "more & more"}}));
}

TEST(Rows, TheEndWithinARow) {
  for (const std::string torn :
       {"<row", "<row ", "<row Id", "<row Id=", "<row Id=\"", "<row Id=\"1", "<row Id=\"1\"", "<row Id=\"1\" /"}) {
    EXPECT_EQ(scan(torn), (std::vector<Seen>{{Event::Unclosed, torn}})) << torn;
  }
}

TEST(Rows, Entities) {
  EXPECT_EQ(meaning("a&lt;b&gt;&amp;&quot;&apos;"), "a<b>&\"'");
  EXPECT_EQ(meaning("&#xA;&#10;&#xe4;&#x1F600;"), "\n\n\xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(meaning("line\nend\ttab"), "line end tab");
  EXPECT_EQ(meaning("&#0;&#xD800;"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  for (const char *wrong :
       {"&", "&amp", "&nbsp;", "&#;", "&#x;", "&#xG;", "&#x110000;", "&#99999999999999;", "a & b"}) {
    EXPECT_EQ(meaning(wrong), "!") << wrong;
  }
}

} // namespace
