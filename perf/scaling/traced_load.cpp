// A service that only logs, as fast as it can. When all records are logged, it prints
//   BEGIN_TICKS END_TICKS CPU_NS DROPPED
// where CPU_NS is the processor time of its logging threads. It starts when its standard input
// ends, so that several services start together.
//
//   traced_load --threads=N --records=N(of each) --sites=N --text-bytes=N --ring-bytes=N

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <ringside/ringside.hpp>

#include "perf/scaling/load_shape.hpp"

namespace {

using ringside::perf::LoadShape;
using ringside::perf::read_number;

template <std::size_t>
void log_number(std::uint32_t number) {
  RS_INFO("number %u", number);
}

// One statement per instance.
constexpr auto kStatements = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<void (*)(std::uint32_t), sizeof...(I)>{&log_number<I>...};
}
(std::make_index_sequence<LoadShape::kMaxSites>());

// The same statement, inlined as in a service.
void log_one_site(std::uint64_t records) {
  for (std::uint64_t i = 0; i < records; ++i) RS_INFO("number %u", static_cast<unsigned>(i));
}

void log_sites(std::uint64_t records, std::uint32_t sites) {
  std::uint32_t site = 0;
  for (std::uint64_t i = 0; i < records; ++i) {
    kStatements[site](static_cast<std::uint32_t>(i));
    site = site + 1 == sites ? 0 : site + 1;
  }
}

void log_texts(std::uint64_t records, std::uint32_t bytes) {
  std::string text(bytes, 'x');
  for (std::uint64_t i = 0; i < records; ++i) {
    // No two texts in a row are equal.
    text[0] = static_cast<char>('a' + i % 26);
    text[bytes / 2] = static_cast<char>('a' + i / 26 % 26);
    RS_INFO("text %s", text.c_str());
  }
}

std::uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  LoadShape shape;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!read_number(word, "--threads=", &shape.threads) &&
        !read_number(word, "--records=", &shape.records) &&
        !read_number(word, "--sites=", &shape.sites) &&
        !read_number(word, "--text-bytes=", &shape.text_bytes) &&
        !read_number(word, "--ring-bytes=", &shape.ring_bytes)) {
      std::fprintf(stderr, "traced_load: unknown argument %s\n", argv[i]);
      return 2;
    }
  }
  shape.sites = std::clamp<std::uint32_t>(shape.sites, 1, LoadShape::kMaxSites);
  ringside::Options options;
  options.ring_bytes = shape.ring_bytes;
  options.block_timeout = std::chrono::seconds(60);
  options.max_threads = std::max<std::uint32_t>(shape.threads, 1);
  ringside::init(options);

  std::atomic<std::uint32_t> waiting{0};
  std::atomic<bool> go{false};
  std::atomic<std::uint64_t> cpu_ns{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < shape.threads; ++t) {
    threads.emplace_back([&] {
      ringside::preallocate();
      waiting.fetch_add(1);
      go.wait(false);
      const std::uint64_t from_ns = thread_cpu_ns();
      if (shape.text_bytes != 0) {
        log_texts(shape.records, shape.text_bytes);
      } else if (shape.sites == 1) {
        log_one_site(shape.records);
      } else {
        log_sites(shape.records, shape.sites);
      }
      cpu_ns.fetch_add(thread_cpu_ns() - from_ns);
    });
  }
  while (waiting.load() < shape.threads) usleep(100);
  std::printf("ready\n");
  std::fflush(stdout);
  char ignored = 0;
  while (read(STDIN_FILENO, &ignored, 1) > 0) {
  }
  const std::uint64_t begin = __builtin_ia32_rdtsc();
  go.store(true);
  go.notify_all();
  for (std::thread& thread : threads) thread.join();
  const bool written = ringside::flush(std::chrono::seconds(60));
  const std::uint64_t end = __builtin_ia32_rdtsc();
  const ringside::Status status = ringside::status();
  std::printf("%lu %lu %lu %lu\n", begin, end, cpu_ns.load(),
              written ? status.dropped + status.refused : ~0UL);
  return 0;
}
