// Writes a synthetic Posts.xml of a given size, with the proportions of Stack Overflow's: two questions to three
// answers, rows of 1.6 KB on average with bodies of prose and code, one question in 250 about a deep-learning
// framework.
//
//   posts_generator MEGABYTES > Posts.xml        the same bytes every time
#include "base/types.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace deepperf;

namespace {

class Random {
public:
  u64 next() { // xorshift64*
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545F4914F6CDD1DU;
  }
  u64 below(u64 limit) { return (next() >> 32U) * limit >> 32U; }
  bool chance(u64 per_mille) { return below(1000) < per_mille; }

private:
  u64 state_ = 88172645463325252U;
};

constexpr std::string_view kWords[] = {
    "the",         "to",       "a",        "is",      "I",        "in",      "of",       "and",
    "that",        "it",       "have",     "this",    "with",     "for",     "but",      "not",
    "on",          "function", "value",    "error",   "file",     "when",    "using",    "code",
    "data",        "class",    "model",    "image",   "list",     "array",   "string",   "server",
    "page",        "button",   "query",    "table",   "slow",     "faster",  "memory",   "run",
    "train",       "layer",    "gradient", "session", "database", "request", "response", "na\xC3\xAFve",
    "caf\xC3\xA9", "I'm"};
constexpr std::string_view kCode[] = {"x = foo(bar)",
                                      "for (int i = 0; i &amp;lt; n; i++) {",
                                      "return self.value",
                                      "if (a &amp;amp;&amp;amp; b) {",
                                      "print(&quot;hello&quot;)",
                                      "SELECT * FROM t",
                                      "import numpy as np",
                                      "}"};
constexpr std::string_view kTags[] = {"python",  "java",   "c#",  "javascript", "php",   "android", "html",
                                      "jquery",  "c++",    "css", "ios",        "mysql", "sql",     "r",
                                      "node.js", "arrays", "c",   "asp.net",    "json",  ".net",    "ruby-on-rails"};
constexpr std::string_view kLearning[] = {"tensorflow", "keras", "pytorch", "tensorflow2.0", "theano"};

template <std::size_t kSize> std::string_view pick(Random &random, const std::string_view (&list)[kSize]) {
  return list[random.below(kSize)];
}

void add_prose(Random &random, std::string &out) {
  out += "&lt;p&gt;";
  for (u64 words = 20 + random.below(60); words != 0; --words) {
    out += pick(random, kWords);
    out += random.chance(80) ? ", " : " ";
  }
  out += "&lt;/p&gt;&#xA;&#xA;";
}

void add_code(Random &random, std::string &out) {
  out += "&lt;pre&gt;&lt;code&gt;";
  for (u64 lines = 3 + random.below(20); lines != 0; --lines) {
    out += "    ";
    out += pick(random, kCode);
    out += "&#xA;";
  }
  out += "&lt;/code&gt;&lt;/pre&gt;&#xA;&#xA;";
}

// Bodies are drawn from a stock: creating each one again would take longer than all that is measured.
std::vector<std::string> make_bodies(Random &random) {
  std::vector<std::string> bodies(4096);
  for (std::string &body : bodies) {
    for (u64 parts = 1 + random.below(4); parts != 0; --parts) {
      add_prose(random, body);
      if (random.chance(450)) {
        add_code(random, body);
      }
    }
  }
  return bodies;
}

void add_tags(Random &random, std::string &out) {
  const bool learning = random.chance(4);
  if (learning) {
    fmt::format_to(std::back_inserter(out), "&lt;{}&gt;", pick(random, kLearning));
  }
  for (u64 count = 1 + random.below(4); count != 0; --count) {
    fmt::format_to(std::back_inserter(out), "&lt;{}&gt;", pick(random, kTags));
  }
}

void add_date(u64 id, std::string &out) { // later numbers are later
  const u64 day = id / 2000;
  fmt::format_to(std::back_inserter(out), "{}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", 2008 + day / 336,
                 1 + day % 336 / 28, 1 + day % 28, id % 24, id % 60, id % 59, id % 1000);
}

// Which of the next rows are accepted answers, and of which question.
struct Promised {
  std::array<u64, 64> question{};
  u64 &at(u64 id) { return question[id % question.size()]; }
};

void add_row(Random &random, const std::vector<std::string> &bodies, Promised &promised, u64 id, std::string &out) {
  const u64 answered = std::exchange(promised.at(id), 0);
  const bool question = answered == 0 && (random.chance(450) || id < 10);
  auto to = std::back_inserter(out);
  u64 accepted = 0;
  if (question && random.chance(500)) {
    accepted = id + 1 + random.below(40);
    if (promised.at(accepted) == 0) {
      promised.at(accepted) = id;
    } else {
      accepted = 0;
    }
  }
  fmt::format_to(to, "  <row Id=\"{}\" PostTypeId=\"{}\" ", id, question ? 1 : 2);
  if (accepted != 0) {
    fmt::format_to(to, "AcceptedAnswerId=\"{}\" ", accepted);
  }
  if (!question) {
    fmt::format_to(to, "ParentId=\"{}\" ", answered != 0 ? answered : id - 1 - random.below(9));
  }
  out += "CreationDate=\"";
  add_date(id, out);
  fmt::format_to(to, "\" Score=\"{}\" ", static_cast<i64>(random.below(12)) - 1);
  if (question) {
    fmt::format_to(to, "ViewCount=\"{}\" ", random.below(5000));
  }
  fmt::format_to(to, "Body=\"{}\" OwnerUserId=\"{}\" LastActivityDate=\"", bodies[random.below(bodies.size())],
                 random.below(9000000));
  add_date(id, out);
  out += "\" ";
  if (question) {
    out += random.chance(150) ? "Title=\"How to" : "Title=\"Why does";
    for (u64 words = 4 + random.below(6); words != 0; --words) {
      fmt::format_to(to, " {}", pick(random, kWords));
    }
    out += "\" Tags=\"";
    add_tags(random, out);
    fmt::format_to(to, "\" AnswerCount=\"{}\" ", random.below(5));
    if (random.chance(40)) {
      out += "ClosedDate=\"2019-03-04T05:06:07.890\" ";
    }
  }
  fmt::format_to(to, "CommentCount=\"{}\" ContentLicense=\"CC BY-SA 4.0\" />\n", random.below(6));
}

bool flush(std::string &out) {
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
  out.clear();
  return written;
}

} // namespace

int main(int argc, char **argv) {
  const u64 wanted = (argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0) * 1'000'000;
  if (wanted == 0) {
    std::fputs("usage: posts_generator MEGABYTES > Posts.xml\n", stderr);
    return 2;
  }
  Random random;
  const std::vector<std::string> bodies = make_bodies(random);
  Promised promised;
  std::string out = "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<posts>\n";
  bool written = true;
  u64 size = 0;
  for (u64 id = 1; size < wanted && written; ++id) {
    const std::size_t before = out.size();
    add_row(random, bodies, promised, id, out);
    size += out.size() - before;
    if (out.size() > (1U << 20U)) {
      written = flush(out);
    }
  }
  out += "</posts>\n";
  return flush(out) && written && std::fflush(stdout) == 0 ? 0 : 1;
}
