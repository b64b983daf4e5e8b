// Numbers and texts as bytes of a cache, and back. The reader trusts nothing: what does not fit makes it fail, and from
// then on it gives zeros and empty texts.
#pragma once

#include "base/types.h"

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace deepperf::check {

static_assert(std::endian::native == std::endian::little); // of fixed numbers; others are written byte by byte

class ByteWriter {
public:
  // Seven bits a byte, so that small numbers take one.
  void number(u64 value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void fixed(u64 value) {
    char room[sizeof value];
    std::memcpy(room, &value, sizeof value);
    bytes_.append(room, sizeof value);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }

  [[nodiscard]] std::string &bytes() { return bytes_; }

private:
  std::string bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  u64 number() {
    u64 value = 0;
    for (u32 shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<u8>(*at_++);
      value |= u64{byte & 0x7FU} << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    fail();
    return 0;
  }
  // A number that is at most `most`.
  u32 number(u32 most) {
    const u64 value = number();
    if (value > most) {
      fail();
      return 0;
    }
    return static_cast<u32>(value);
  }
  u32 number32() { return number(std::numeric_limits<u32>::max()); }
  bool flag() { return number(1) != 0; }
  // How many things follow. Each takes a byte or more, so that nobody can make us allocate more than there is.
  std::size_t count() {
    const u64 value = number();
    if (value > left()) {
      fail();
      return 0;
    }
    return value;
  }
  u64 fixed() {
    u64 value = 0;
    if (left() < sizeof value) {
      fail();
      return 0;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // A part of the bytes themselves.
  std::string_view text() {
    const std::size_t size = count();
    const std::string_view value(at_, size);
    at_ += size;
    return value;
  }

  void fail() {
    ok_ = false;
    at_ = end_;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

private:
  const char *at_;
  const char *end_;
  bool ok_ = true;
};

} // namespace deepperf::check
