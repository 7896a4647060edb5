#include <stdexcept>

#include "perf/compression/codecs.hpp"

#if defined(RINGSIDE_HAVE_ZLIB)
#include <zlib.h>
#endif
#if defined(RINGSIDE_HAVE_SNAPPY)
#include <snappy-c.h>
#endif
#if defined(RINGSIDE_HAVE_LZ4)
#include <lz4.h>
#endif
#if defined(RINGSIDE_HAVE_ZSTD)
#include <zstd.h>
#endif

namespace ringside::perf {
namespace {

#if defined(RINGSIDE_HAVE_SNAPPY) || defined(RINGSIDE_HAVE_LZ4)
const char* chars(const std::byte* p) {
  return reinterpret_cast<const char*>(p);
}
char* chars(std::byte* p) {
  return reinterpret_cast<char*>(p);
}
#endif

void demand(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string(what) + " failed");
}

#if defined(RINGSIDE_HAVE_ZLIB)
class Zlib : public Codec {
 public:
  explicit Zlib(int level) : level_(level) {}
  std::string name() const override { return "zlib" + std::to_string(level_); }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    uLongf size = out.size();
    const int result =
        compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                  reinterpret_cast<const Bytef*>(input.data()), input.size(), level_);
    demand(result == Z_OK, "compress2");
    return size;
  }

 private:
  int level_;
};
#endif

#if defined(RINGSIDE_HAVE_SNAPPY)
class Snappy : public Codec {
 public:
  std::string name() const override { return "snappy"; }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    std::size_t size = out.size();
    const snappy_status status =
        snappy_compress(chars(input.data()), input.size(), chars(out.data()), &size);
    demand(status == SNAPPY_OK, "snappy_compress");
    return size;
  }
};
#endif

#if defined(RINGSIDE_HAVE_LZ4)
class Lz4 : public Codec {
 public:
  std::string name() const override { return "lz4"; }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    const int size =
        LZ4_compress_default(chars(input.data()), chars(out.data()), static_cast<int>(input.size()),
                             static_cast<int>(out.size()));
    demand(size > 0, "LZ4_compress_default");
    return static_cast<std::size_t>(size);
  }
};
#endif

#if defined(RINGSIDE_HAVE_ZSTD)
class Zstd : public Codec {
 public:
  explicit Zstd(int level) : level_(level), context_(ZSTD_createCCtx()) {}
  ~Zstd() override { ZSTD_freeCCtx(context_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  std::string name() const override { return "zstd" + std::to_string(level_); }
  std::size_t encode(std::span<const std::byte> input, std::span<std::byte> out) override {
    const std::size_t size =
        ZSTD_compressCCtx(context_, out.data(), out.size(), input.data(), input.size(), level_);
    demand(ZSTD_isError(size) == 0, "ZSTD_compressCCtx");
    return size;
  }

 private:
  int level_;
  ZSTD_CCtx* context_;
};
#endif

}  // namespace

std::vector<std::unique_ptr<Codec>> byte_codecs() {
  std::vector<std::unique_ptr<Codec>> codecs;
#if defined(RINGSIDE_HAVE_ZLIB)
  codecs.push_back(std::make_unique<Zlib>(1));
  codecs.push_back(std::make_unique<Zlib>(6));
#endif
#if defined(RINGSIDE_HAVE_SNAPPY)
  codecs.push_back(std::make_unique<Snappy>());
#endif
#if defined(RINGSIDE_HAVE_LZ4)
  codecs.push_back(std::make_unique<Lz4>());
#endif
#if defined(RINGSIDE_HAVE_ZSTD)
  codecs.push_back(std::make_unique<Zstd>(1));
  codecs.push_back(std::make_unique<Zstd>(3));
#endif
  return codecs;
}

std::vector<std::unique_ptr<Codec>> slow_byte_codecs() {
  std::vector<std::unique_ptr<Codec>> codecs;
#if defined(RINGSIDE_HAVE_ZLIB)
  codecs.push_back(std::make_unique<Zlib>(9));
#endif
  return codecs;
}

}  // namespace ringside::perf
