#include "study/select.h"

#include "study/files.h"
#include "study/post.h"
#include "study/store.h"
#include "study/temp_folder.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

using namespace deepperf;
using namespace deepperf::study;

namespace {

constexpr const char *kEverything = "name = \"all\"\n";

// Where the part stands in the text. It must be there.
std::size_t place(const std::string &text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) {
    throw std::runtime_error("the text has no " + std::string(part));
  }
  return at;
}

std::string question(i64 id, const std::string &more = "") {
  return fmt::format(
      "  <row Id=\"{}\" PostTypeId=\"1\" CreationDate=\"2018-01-02T00:00:00.000\" Score=\"1\" Title=\"How to {}\" "
      "Body=\"&lt;p&gt;b\" Tags=\"&lt;keras&gt;\" {}/>\n",
      id, id, more);
}

std::string answer(i64 id, i64 parent) {
  return fmt::format(
      "  <row Id=\"{}\" PostTypeId=\"2\" ParentId=\"{}\" CreationDate=\"2018-01-03T00:00:{:02}.500\" Body=\"\" />\n",
      id, parent, id % 60);
}

std::string dump(const std::string &rows) {
  return "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<posts>\n" + rows + "</posts>";
}

// Enough rows for several chunks.
std::string many(int pairs) {
  std::string rows;
  const std::string filler(1000, 'x');
  for (int i = 0; i < pairs; ++i) {
    rows +=
        question(2 * i + 1, fmt::format("AcceptedAnswerId=\"{}\" LastEditorDisplayName=\"{}\" ", 2 * i + 2, filler));
    rows += answer(2 * i + 2, 2 * i + 1);
  }
  return dump(rows);
}

// `format` and `filter` are libarchive's; the entry is called `entry`.
std::string packed(const std::string &bytes, int format, int filter, const char *entry = "Posts.xml") {
  std::string out(bytes.size() + 100000, '\0');
  std::size_t used = 0;
  archive *const handle = archive_write_new();
  archive_write_set_format(handle, format);
  archive_write_add_filter(handle, filter);
  archive_write_set_bytes_per_block(handle, 0);
  EXPECT_EQ(archive_write_open_memory(handle, out.data(), out.size(), &used), ARCHIVE_OK)
      << archive_error_string(handle);
  archive_entry *const header = archive_entry_new();
  archive_entry_set_pathname(header, entry);
  archive_entry_set_filetype(header, AE_IFREG);
  archive_entry_set_size(header, static_cast<la_int64_t>(bytes.size()));
  EXPECT_EQ(archive_write_header(handle, header), ARCHIVE_OK) << archive_error_string(handle);
  EXPECT_EQ(archive_write_data(handle, bytes.data(), bytes.size()), static_cast<la_ssize_t>(bytes.size()));
  archive_entry_free(header);
  EXPECT_EQ(archive_write_close(handle), ARCHIVE_OK) << archive_error_string(handle);
  archive_write_free(handle);
  out.resize(used);
  return out;
}

class Select : public TempFolder {
protected:
  SelectResult run(const std::string &bytes, const std::string &recipe = kEverything, u32 jobs = 2) {
    write_file(path("dump"), bytes);
    SelectOptions options;
    options.dump = path("dump");
    options.recipe = parse_recipe(recipe, "x.toml");
    options.output = path("out.sqlite");
    options.replace = true;
    options.jobs = jobs;
    SelectProgress progress;
    return select(options, progress);
  }

  std::string failure(const std::string &bytes) {
    try {
      run(bytes);
    } catch (const std::runtime_error &error) {
      EXPECT_FALSE(std::filesystem::exists(path("out.sqlite")));
      EXPECT_FALSE(std::filesystem::exists(path("out.sqlite.partial")));
      return error.what();
    }
    return "";
  }

  std::vector<Post> posts() const {
    std::vector<Post> list;
    Store(path("out.sqlite"), Store::Mode::Read).for_each([&](const Post &post) { list.push_back(post); });
    return list;
  }
};

u64 count(const SelectResult &result, Fault fault) { return result.counts.faults[static_cast<std::size_t>(fault)]; }

TEST_F(Select, FunnelAndStore) {
  const std::string rows =
      question(1, "AcceptedAnswerId=\"3\" ViewCount=\"5\" AnswerCount=\"2\" FavoriteCount=\"1\" ") +
      question(2, "ClosedDate=\"2018-02-02T00:00:00.000\" ") + answer(3, 1) + answer(4, 1) +
      "<row Id=\"5\" PostTypeId=\"5\" CreationDate=\"2018-01-01T00:00:00\" />";
  const SelectResult result =
      run(dump(rows), "[[step]]\nname=\"tagged\"\ntags=[\"keras\"]\n[[step]]\nname=\"open\"\nclosed=false\n");
  EXPECT_EQ(result.counts.questions, 2);
  EXPECT_EQ(result.counts.answers, 2);
  EXPECT_EQ(result.counts.others, 1);
  EXPECT_EQ(result.counts.steps, (std::vector<u64>{2, 1}));
  EXPECT_EQ(result.counts.bytes, dump(rows).size());
  EXPECT_EQ(result.stored, 1);
  EXPECT_EQ(result.with_accepted, 1);
  EXPECT_EQ(result.found_accepted, 1);
  EXPECT_TRUE(result.counts.problems.empty());
  const std::vector<Post> stored = posts();
  ASSERT_EQ(stored.size(), 1);
  EXPECT_EQ(stored[0].id, 1);
  EXPECT_EQ(stored[0].title, "How to 1");
  EXPECT_EQ(stored[0].body, "<p>b");
  EXPECT_EQ(stored[0].tags, std::vector<std::string>{"keras"});
  EXPECT_EQ(stored[0].created, "2018-01-02T00:00:00.000");
  EXPECT_EQ(stored[0].accepted, "2018-01-03T00:00:03.500");
  EXPECT_EQ(stored[0].views, 5);
  EXPECT_EQ(stored[0].answers, 2);
  EXPECT_EQ(stored[0].favourites, 1);
  EXPECT_FALSE(std::filesystem::exists(path("out.sqlite.partial")));
  const Store store(path("out.sqlite"), Store::Mode::Read);
  EXPECT_EQ(store.fact("funnel"), "step,questions,published\r\nquestions,2,\r\ntagged,2,\r\nopen,1,\r\n");
}

TEST_F(Select, SameForAnyNumberOfThreads) {
  const std::string bytes = many(3000);
  for (const u32 jobs : {1U, 2U, 7U}) {
    const SelectResult result = run(bytes, kEverything, jobs);
    EXPECT_EQ(result.counts.questions, 3000);
    EXPECT_EQ(result.stored, 3000);
    EXPECT_EQ(result.found_accepted, 3000);
    EXPECT_EQ(posts()[1234].accepted, fmt::format("2018-01-03T00:00:{:02}.500", 2470 % 60));
  }
}

TEST_F(Select, AnswersThatAreNotFound) {
  const SelectResult result =
      run(dump(answer(1, 5) + question(5, "AcceptedAnswerId=\"1\" ") + question(6, "AcceptedAnswerId=\"9\" ") +
               question(7, "AcceptedAnswerId=\"8\" ") + answer(8, 6)));
  EXPECT_EQ(result.with_accepted, 3);
  EXPECT_EQ(result.found_accepted, 0); // 8 says that it answers another question
  EXPECT_EQ(result.earlier_accepted, 1);
}

TEST_F(Select, EveryPacking) {
  const std::string bytes = many(300);
  const std::pair<int, int> kinds[] = {
      {ARCHIVE_FORMAT_7ZIP, ARCHIVE_FILTER_NONE}, {ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE},
      {ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP},  {ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_ZSTD},
      {ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_XZ},    {ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_BZIP2}};
  for (const auto &[format, filter] : kinds) {
    const SelectResult result = run(packed(bytes, format, filter));
    EXPECT_EQ(result.counts.questions, 300) << format << " " << filter;
    EXPECT_EQ(result.counts.bytes, bytes.size());
    EXPECT_EQ(result.trouble, "");
    EXPECT_TRUE(result.counts.problems.empty());
  }
}

TEST_F(Select, ArchivesThatAreCutOff) {
  // What is packed must not be too easy, or half of the archive is half of nothing.
  std::string rows;
  u64 state = 1;
  for (int i = 1; i < 3000; ++i) {
    std::string noise;
    for (int word = 0; word < 20; ++word) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      noise += fmt::format("{:x} ", state >> 20U);
    }
    rows += question(i, "LastEditorDisplayName=\"" + noise + "\" ");
  }
  const std::string bytes = dump(rows);
  for (const auto &[format, filter] :
       {std::pair{ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP}, std::pair{ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_ZSTD},
        std::pair{ARCHIVE_FORMAT_7ZIP, ARCHIVE_FILTER_NONE}}) {
    std::string torn = packed(bytes, format, filter);
    torn.resize(torn.size() * 3 / 4);
    const SelectResult result = run(torn);
    EXPECT_GT(result.counts.questions, 1500) << format << " " << filter;
    EXPECT_LT(result.counts.questions, 2990);
    EXPECT_EQ(result.stored, result.counts.questions);
    EXPECT_NE(result.trouble, "");
    ASSERT_EQ(result.counts.problems.size(), 1);
    EXPECT_EQ(result.counts.problems[0].fault, Fault::CutOff);
  }
}

TEST_F(Select, WhatIsWrongIsCountedAndPlaced) {
  const std::string first = question(1);
  const std::string broken = "  <row Id=\"2\" PostTypeId=\"1\" Body=\"a < b\" />\n";
  const std::string latin = question(3, "Unknown=\"caf\xE9\" ");
  const std::string numberless = "  <row Id=\"x\" PostTypeId=\"1\" CreationDate=\"2018-01-01T00:00:00\" />\n";
  const std::string entity = question(4, "FavoriteCount=\"1\" ").replace(place(question(4), "&lt;"), 4, "&no;");
  const std::string bytes = dump(first + broken + latin + numberless + entity + "junk\n" + question(9));
  const SelectResult result = run(bytes);
  EXPECT_EQ(result.counts.questions, 2);
  EXPECT_EQ(count(result, Fault::BrokenRow), 3);
  EXPECT_EQ(count(result, Fault::WrongEncoding), 1);
  EXPECT_EQ(count(result, Fault::Junk), 1);
  EXPECT_EQ(count(result, Fault::CutOff), 0);
  const std::pair<Fault, std::string> wanted[] = {{Fault::BrokenRow, "<row Id=\"2\""},
                                                  {Fault::WrongEncoding, "<row Id=\"3\""},
                                                  {Fault::BrokenRow, "<row Id=\"x\""},
                                                  {Fault::BrokenRow, "<row Id=\"4\""},
                                                  {Fault::Junk, "junk"}};
  ASSERT_EQ(result.counts.problems.size(), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(result.counts.problems[i].fault, wanted[i].first) << i;
    EXPECT_EQ(result.counts.problems[i].offset, place(bytes, wanted[i].second)) << i;
  }
}

TEST_F(Select, ADumpThatEndsEarly) {
  const std::string whole = dump(question(1) + question(2));
  const SelectResult in_row = run(whole.substr(0, place(whole, "Id=\"2\"") + 30));
  EXPECT_EQ(in_row.counts.questions, 1);
  ASSERT_EQ(in_row.counts.problems.size(), 1);
  EXPECT_EQ(in_row.counts.problems[0].fault, Fault::CutOff);
  EXPECT_EQ(in_row.counts.problems[0].offset, place(whole, "<row Id=\"2\""));
  const SelectResult between = run(whole.substr(0, place(whole, "</posts>")));
  EXPECT_EQ(between.counts.questions, 2);
  EXPECT_EQ(count(between, Fault::CutOff), 1);
}

TEST_F(Select, ABrokenLastRowIsNoEarlyEnd) {
  const SelectResult result = run(dump(question(1) + "<row Id=\"2\" PostTypeId=1 />\n"));
  EXPECT_EQ(count(result, Fault::BrokenRow), 1);
  EXPECT_EQ(count(result, Fault::CutOff), 0);
}

TEST_F(Select, ARowThatIsTooLongToBeOne) {
  std::string huge = "<row Id=\"2\" PostTypeId=\"1\" Body=\"";
  huge.resize(20'000'000, 'a');
  const SelectResult result = run(dump(question(1) + huge + question(3)));
  EXPECT_EQ(result.counts.questions, 2);
  EXPECT_EQ(count(result, Fault::BrokenRow), 1);
  EXPECT_EQ(count(result, Fault::Junk), 0);
}

TEST_F(Select, WhatIsNoDump) {
  EXPECT_NE(failure("").find("contains no post"), std::string::npos);
  EXPECT_NE(failure("just text").find("contains no post"), std::string::npos);
  EXPECT_NE(failure(std::string("\xFF\xFE<\0r\0o\0w\0", 10)).find("UTF-16"), std::string::npos);
  EXPECT_NE(failure("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><posts></posts>").find("ISO-8859-1"),
            std::string::npos);
  EXPECT_NE(failure(packed("x", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, "Badges.xml"))
                .find("it contains no Posts.xml, but Badges.xml"),
            std::string::npos);
  EXPECT_NE(failure(packed(dump(question(1)), ARCHIVE_FORMAT_7ZIP, ARCHIVE_FILTER_NONE, "Users.xml"))
                .find("it contains no Posts.xml, but Users.xml"),
            std::string::npos);
  EXPECT_NE(failure(std::string("7z\xBC\xAF\x27\x1C rubbish")).find("cannot unpack"), std::string::npos);
  EXPECT_EQ(run("<posts></posts>").counts.questions, 0); // a site may be empty
}

TEST_F(Select, GoesOnWhereItWasStopped) {
  write_file(path("dump"), many(4000));
  SelectOptions options;
  options.dump = path("dump");
  options.recipe = parse_recipe(kEverything, "x.toml");
  options.output = path("out.sqlite");
  options.jobs = 1;
  {
    SelectProgress progress;
    progress.stop = true;
    EXPECT_TRUE(select(options, progress).stopped);
  }
  EXPECT_FALSE(std::filesystem::exists(path("out.sqlite")));
  // As if it had been stopped behind the 1000th pair.
  const std::string bytes = read_file(path("dump"));
  const u64 offset = place(bytes, "<row Id=\"2001\"");
  {
    Store store(path("out.sqlite.partial"), Store::Mode::Write);
    Post post;
    post.id = 1999;
    post.accepted_id = 2002; // not this one's, but behind the place
    store.add(post);
    store.set_fact("counts", fmt::format("{} 1000 1000 0 5 6 0 0 0 0 0", offset));
  }
  options.resume = true;
  SelectProgress progress;
  const SelectResult result = select(options, progress);
  EXPECT_EQ(result.resumed_at, offset);
  EXPECT_EQ(result.counts.questions, 4000);
  EXPECT_EQ(result.counts.answers, 4000);
  EXPECT_EQ(result.counts.bytes, bytes.size());
  EXPECT_EQ(result.counts.first, 5);
  EXPECT_EQ(result.counts.last, parse_time("2018-01-02"));
  EXPECT_EQ(result.stored, 3001);
  EXPECT_EQ(result.found_accepted, 3000);
}

TEST_F(Select, DoesNotMixTwoDumpsOrRecipes) {
  write_file(path("dump"), many(10));
  SelectOptions options;
  options.dump = path("dump");
  options.recipe = parse_recipe(kEverything, "x.toml");
  options.output = path("out.sqlite");
  {
    SelectProgress progress;
    progress.stop = true;
    select(options, progress);
  }
  SelectProgress progress;
  options.resume = true;
  options.recipe = load_recipe("liu");
  EXPECT_THROW(select(options, progress), std::runtime_error);
  options.recipe = parse_recipe(kEverything, "x.toml");
  write_file(path("dump"), many(11));
  EXPECT_THROW(select(options, progress), std::runtime_error);
  options.resume = false;
  EXPECT_EQ(select(options, progress).stored, 11);
  EXPECT_THROW(select(options, progress), std::runtime_error); // it is there
  options.replace = true;
  EXPECT_EQ(select(options, progress).stored, 11);
  options.output = path("no/such/folder/out.sqlite");
  EXPECT_THROW(select(options, progress), std::runtime_error);
}

} // namespace
