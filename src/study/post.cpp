#include "study/post.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace deepperf::study {

namespace {

// Reads exactly `digits` digits from the front of `text`, and takes them away.
std::optional<int> take_number(std::string_view &text, std::size_t digits) {
  int value = 0;
  if (text.size() < digits) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view &text, char wanted) {
  if (text.empty() || text[0] != wanted) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

// .947 as milliseconds; digits beyond the third are cut off.
std::optional<int> take_fraction(std::string_view &text) {
  int value = 0;
  int digits = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    if (digits < 3) {
      value = value * 10 + (text[0] - '0');
    }
    ++digits;
    text.remove_prefix(1);
  }
  if (digits == 0) {
    return std::nullopt;
  }
  for (; digits < 3; ++digits) {
    value *= 10;
  }
  return value;
}

} // namespace

std::optional<i64> parse_time(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) {
    return std::nullopt;
  }
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) {
    return std::nullopt;
  }
  const auto day = take_number(text, 2);
  if (!day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  i64 time = i64{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400'000;
  if (text.empty()) {
    return time;
  }
  if (!take(text, 'T') && !take(text, ' ')) {
    return std::nullopt;
  }
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) {
    return std::nullopt;
  }
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) {
    return std::nullopt;
  }
  const auto second = take_number(text, 2);
  if (!second || *second > 60) {
    return std::nullopt;
  }
  time += ((i64{*hour} * 60 + *minute) * 60 + *second) * 1000;
  if (take(text, '.')) {
    const auto fraction = take_fraction(text);
    if (!fraction) {
      return std::nullopt;
    }
    time += *fraction;
  }
  take(text, 'Z');
  return text.empty() ? std::optional(time) : std::nullopt;
}

std::string format_time(i64 milliseconds) {
  const i64 day = milliseconds >= 0 ? milliseconds / 86'400'000 : -((-milliseconds + 86'399'999) / 86'400'000);
  const i64 rest = milliseconds - day * 86'400'000;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), rest / 3'600'000,
                     rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
}

std::vector<std::string_view> split_tags(std::string_view text) {
  constexpr std::string_view kBetween = "<>| ,";
  std::vector<std::string_view> tags;
  for (std::size_t start = text.find_first_not_of(kBetween); start != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, start), text.size());
    tags.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(kBetween, end);
  }
  return tags;
}

std::vector<std::string> parse_tags(std::string_view text) {
  const std::vector<std::string_view> tags = split_tags(text);
  return {tags.begin(), tags.end()};
}

std::string join_tags(const std::vector<std::string> &tags) {
  std::string text;
  for (const std::string &tag : tags) {
    text += '|';
    text += tag;
  }
  if (!text.empty()) {
    text += '|';
  }
  return text;
}

} // namespace deepperf::study
