// A NanoLog log file for benchmarks of its reader: the statements have the shapes of NanoLog's
// dissertation (table 9.3), and four threads log them without a pause.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace ringside::perf {

class GeneratedNanoLog {
 public:
  explicit GeneratedNanoLog(std::uint64_t records) {
    put<std::uint8_t>(3);
    put<std::uint64_t>(0);
    put<std::int64_t>(1'700'000'000);
    put(2.6e9);
    put<std::uint64_t>(0);
    dictionary();
    constexpr std::uint64_t kOfExtent = 16'384;
    std::array<std::uint64_t, 4> cycles{};  // per thread
    for (std::uint64_t at = 0, extent = 0; at < records; at += kOfExtent, ++extent)
      add_extent(extent % 4, cycles[extent % 4], std::min(kOfExtent, records - at));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::string_view kFormats[] = {
      "Starting the collector of things that backups have left",
      "Opened a session with the coordinator at %s",
      "Backups are read at %d MB/s at least",
      "The buffer has taken %u bytes more, and has %u bytes now",
      "Balancing by a ratio of %0.6lf",
      "The driver has %lu buffers to receive (%u MB) and %u to send (%u MB), made in %0.1lf ms"};

  template <class Number>
  void put(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  void dictionary() {
    std::string statements;
    bytes_.swap(statements);
    for (const std::string_view format : kFormats) {
      constexpr std::string_view kFile = "orders.cpp";
      put<std::uint8_t>(3);
      put<std::uint32_t>(42);
      put(static_cast<std::uint16_t>(kFile.size() + 1));
      put(static_cast<std::uint16_t>(format.size() + 1));
      bytes_.append(kFile).append(1, '\0').append(format).append(1, '\0');
    }
    bytes_.swap(statements);
    put(static_cast<std::uint32_t>((8 + statements.size()) << 2 | 1));
    put(static_cast<std::uint32_t>(std::size(kFormats)));
    bytes_ += statements;
  }

  void add_extent(std::uint64_t thread, std::uint64_t& cycles, std::uint64_t records) {
    std::string before;
    bytes_.swap(before);
    for (std::uint64_t i = 0; i < records; ++i) {
      const std::uint64_t before_extent = i == 0 ? cycles : 0;
      const std::uint64_t step = 300 + random_() % 1500;
      const std::uint64_t delta = before_extent + step;
      cycles += step;
      const std::uint64_t id = random_() % std::size(kFormats);
      put(static_cast<std::uint8_t>(1 | bytes_of(delta) << 4));
      put(static_cast<std::uint8_t>(id));
      put_bytes(delta);
      arguments(id);
    }
    bytes_.swap(before);
    put(static_cast<std::uint8_t>(2 | 8 | thread << 4));
    put(static_cast<std::uint32_t>(5 + before.size()));
    bytes_ += before;
  }

  void arguments(std::uint64_t id) {
    switch (id) {
      case 1:
        bytes_ += "basic+udp:host=192.168.1.";
        bytes_ += std::to_string(random_() % 256) + ",port=12246";
        bytes_ += '\0';
        return;
      case 2:
        return integers({random_() % 500});
      case 3:
        return integers({random_() % (1U << 21), random_() % (1U << 21)});
      case 4:
        put<std::uint8_t>(8);
        return put(static_cast<double>(random_() % 1000) / 1000);
      case 5: {
        const std::uint64_t numbers[] = {random_() % 100'000, random_() % 100, random_() % 100,
                                         random_() % 100};
        for (const unsigned i : {0U, 2U})
          put(static_cast<std::uint8_t>(bytes_of(numbers[i]) | bytes_of(numbers[i + 1]) << 4));
        put<std::uint8_t>(8);
        for (const std::uint64_t number : numbers) put_bytes(number);
        return put(static_cast<double>(random_() % 1000) / 10);
      }
      default:
        return;
    }
  }

  void integers(std::initializer_list<std::uint64_t> numbers) {
    std::uint8_t nibbles = 0;
    unsigned shift = 0;
    for (const std::uint64_t number : numbers) {
      nibbles = static_cast<std::uint8_t>(nibbles | bytes_of(number) << shift);
      shift += 4;
    }
    put(nibbles);
    for (const std::uint64_t number : numbers) put_bytes(number);
  }

  static std::uint64_t bytes_of(std::uint64_t number) {
    return number == 0 ? 1 : (static_cast<std::uint64_t>(std::bit_width(number)) + 7) / 8;
  }
  void put_bytes(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), bytes_of(number));
  }

  std::mt19937_64 random_;
  std::string bytes_;
};

}  // namespace ringside::perf
