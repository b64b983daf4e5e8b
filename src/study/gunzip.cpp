#include "study/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace deepperf::study {

namespace {

constexpr std::size_t kRoom = std::size_t{256} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;

} // namespace

Gunzip::Gunzip(Source source)
    : source_(std::move(source)), stream_(std::make_unique<z_stream>()), packed_(std::make_unique<char[]>(kRoom)) {
  if (inflateInit2(stream_.get(), kGzipOnly) != Z_OK) {
    throw std::bad_alloc();
  }
}

Gunzip::~Gunzip() { inflateEnd(stream_.get()); }

bool Gunzip::fill() {
  if (stream_->avail_in == 0) {
    stream_->next_in = reinterpret_cast<Bytef *>(packed_.get());
    stream_->avail_in = static_cast<uInt>(source_(packed_.get(), kRoom));
  }
  return stream_->avail_in != 0;
}

bool Gunzip::begin_next_part() {
  while (fill() && *stream_->next_in == 0) { // tapes and some tools fill up with zeros
    ++stream_->next_in;
    --stream_->avail_in;
  }
  if (stream_->avail_in == 0) {
    return false;
  }
  inflateReset(stream_.get());
  in_part_ = true;
  return true;
}

std::size_t Gunzip::read(char *room, std::size_t size) {
  if (!problem_.empty() || (!in_part_ && !begin_next_part())) {
    return 0;
  }
  stream_->next_out = reinterpret_cast<Bytef *>(room);
  stream_->avail_out = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
  const uInt wanted = stream_->avail_out;
  while (stream_->avail_out != 0) {
    if (!fill()) {
      problem_ = "truncated gzip data";
      break;
    }
    const int result = inflate(stream_.get(), Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      in_part_ = false;
      if (!begin_next_part()) {
        break;
      }
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      problem_ = stream_->msg == nullptr ? "it is damaged" : stream_->msg;
      break;
    }
  }
  return wanted - stream_->avail_out;
}

} // namespace deepperf::study
