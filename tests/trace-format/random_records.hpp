// Random sites and records whose values cluster around the difficult cases of a codec.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "decoded_record.hpp"

namespace ringside::trace::testing {

class RandomRecords {
 public:
  explicit RandomRecords(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  shm::FieldType type() {
    const auto element = static_cast<shm::FieldType>(1 + below(shm::kLastFieldType));
    return below(5) == 0 ? shm::array_of(element) : element;
  }

  TestSite site(std::uint32_t id) {
    TestSite site{.id = id};
    const bool integers = below(2) == 0;
    const std::uint64_t count = below(8) == 0 ? below(65) : below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      TestField field{.type = integers ? shm::FieldType::i32 : type()};
      if (below(5) == 0) {
        field.constant = true;
        const std::string value = argument(field.type);
        const bool lengthy = shm::is_variable_length(field.type);
        field.value = lengthy ? value.substr(4) : value;
      }
      site.fields.push_back(field);
    }
    if (site.fields.size() < 5 && below(5) == 0) site.kind = shm::SiteKind::kContext;
    return site;
  }

  // A number of `bytes` bytes: small, near a power of two, or arbitrary, of either sign; often
  // equal or close to the previous one.
  std::string number(std::size_t bytes) {
    std::uint64_t value = 0;
    switch (below(6)) {
      case 0:
        value = last_;
        break;
      case 1:
        value = last_ + below(600) - 300;
        break;
      case 2:
        value = (std::uint64_t{1} << below(64)) + below(3) - 1;
        break;
      case 3:
        value = ~((std::uint64_t{1} << below(64)) + below(3) - 1);
        break;
      case 4:
        value = below(300) - 150;
        break;
      default:
        value = random_();
    }
    last_ = value;
    std::string result = raw(value) + raw(below(3) == 0   ? random_()
                                          : below(2) == 0 ? ~std::uint64_t{0}
                                                          : std::uint64_t{0});
    result.resize(bytes);
    return result;
  }

  std::string text() {
    if (!texts_.empty() && below(2) == 0) return texts_[below(texts_.size())];
    std::string text(below(30) == 0 ? below(70000) : below(40), '\0');
    for (char& c : text) c = static_cast<char>('a' + below(4));
    if (texts_.size() < 20) texts_.push_back(text);
    return text;
  }

  std::string argument(shm::FieldType type) {
    if (!shm::is_array(type)) {
      return shm::is_variable_length(type) ? raw_text(text()) : number(shm::fixed_size(type));
    }
    const auto count = static_cast<std::uint32_t>(below(6));
    std::string array = raw(count);
    for (std::uint32_t i = 0; i < count; ++i) array += argument(shm::element_type(type));
    return array;
  }

  std::string arguments(const TestSite& site) {
    std::string args;
    for (const TestField& f : site.fields) {
      if (!f.constant) args += argument(f.type);
    }
    return args;
  }

  // The next records are those of this stream: each has its own context.
  void enter_stream(std::uint64_t stream) { stream_ = stream; }

  // Appends a record to `ring` and the expected result to `expected`.
  void record(const TestSite& site, std::uint64_t tsc, std::string& ring,
              std::vector<Decoded>& expected) {
    std::string& latest = latest_[site.id];
    const bool is_context = site.kind == shm::SiteKind::kContext;
    if (below(4) != 0 || latest.empty()) {
      do {
        latest = arguments(site);
      } while (is_context && latest.size() > shm::kMaxContextBytes);
    }
    std::string& context = contexts_[stream_];
    if (is_context) context = site.fields.empty() ? std::string() : raw(site.id) + latest;
    Decoded d{tsc, expected.size(), site.id, 0, {}, latest, context};
    if (below(10) == 0) {
      d.ext_flags = static_cast<std::uint32_t>(below(shm::kExtKnownFlags + 1));
      if (!shm::are_valid_flags(d.ext_flags)) d.ext_flags &= ~shm::kExtFromEnd;
      d.parts = std::string(shm::extended_parts_bytes(d.ext_flags), '\0');
      for (char& c : d.parts) c = static_cast<char>(below(2) == 0 ? 0 : below(256));
      if ((d.ext_flags & shm::kExtFromEnd) != 0) {
        const std::uint64_t duration = below(std::min<std::uint64_t>(tsc, 1'000'000) + 1);
        std::memcpy(d.parts.data() + d.parts.size() - sizeof duration, &duration, sizeof duration);
        d.tsc -= duration;
      }
      ring += extended_record(site.id, tsc, d.ext_flags, d.parts, d.args);
    } else {
      ring += plain_record(site.id, tsc, d.args);
    }
    expected.push_back(std::move(d));
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t last_ = 0;
  std::vector<std::string> texts_;
  std::map<std::uint32_t, std::string> latest_;
  std::uint64_t stream_ = 0;
  std::map<std::uint64_t, std::string> contexts_;  // by stream
};

}  // namespace ringside::trace::testing
