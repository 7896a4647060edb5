#pragma once
// Arrays and bytes: how they are passed to the function that records them, and stored.

#include <cstddef>
#include <cstdint>
#include <string.h>
#include <type_traits>
#include <utility>

#include "abi.h"
#include "argument_kind.hpp"
#include "elements.hpp"
#include "shm-layout/field_type.hpp"
#include "stored_argument.hpp"

namespace ringside::detail {

// `count` elements from `begin` on, each of the field type `kElement`. `Of` takes the field's value
// from an element.
template <class Iterator, shm::FieldType kElement, class Of>
struct Elements {
  Iterator begin;
  std::uint32_t count;
};

struct BytesView {
  const void* data;
  std::size_t bytes;
};

template <>
struct Stored<BytesView> : StoredText {
  // An empty view may have no address, which memcpy refuses.
  explicit Stored(BytesView passed)
      : StoredText(passed.data != nullptr ? static_cast<const char*>(passed.data) : "",
                   passed.data != nullptr ? passed.bytes : 0) {}
  rs_piece piece() const { return {text, length, RS_PIECE_BYTES}; }
};

template <class Iterator, shm::FieldType kElement, class Of>
struct Stored<Elements<Iterator, kElement, Of>> {
  using Array = Elements<Iterator, kElement, Of>;
  static constexpr bool kIsText = true;  // its length is known only at run time
  static constexpr std::size_t kFixed = shm::fixed_size(kElement);
  static constexpr bool is_copied() {
    if constexpr (std::is_pointer_v<Iterator> && std::is_same_v<Of, WholeElement>) {
      return kFixed == sizeof(*Iterator());
    } else {
      return false;
    }
  }

  // Measured once: texts may change meanwhile.
  Array array;
  std::uint32_t size_bytes;
  rs_array cut = {this, &fit, &store_first};

  explicit Stored(Array passed) : array(passed), size_bytes(first_bytes(passed, UINT32_MAX - 4)) {}
  Stored(const Stored&) = delete;

  std::uint64_t bytes() const { return sizeof array.count + std::uint64_t{size_bytes}; }
  unsigned char* store(unsigned char* p) const {
    write(array, p, size_bytes);
    return p + sizeof array.count + size_bytes;
  }
  rs_piece piece() const { return {&cut, size_bytes, RS_PIECE_ARRAY}; }

 private:
  // Calls `use` with the stored form of an element. The part of it that is recorded can be a
  // temporary.
  template <class T, class Use>
  static auto with_stored(const T& element, const Use& use) {
    decltype(auto) part = Of::of(element);
    const auto value = passed<unsigned{shm::code(kElement)}>(part, -1);
    return use(Stored<std::decay_t<decltype(value)>>(value));
  }

  // The size of the first elements that fit into `most` bytes.
  static std::uint32_t first_bytes(const Array& array, std::uint32_t most) {
    if constexpr (kFixed != 0) {
      const std::uint32_t fitting = most / static_cast<std::uint32_t>(kFixed);
      return (array.count < fitting ? array.count : fitting) * static_cast<std::uint32_t>(kFixed);
    } else {
      std::uint64_t sum = 0;
      Iterator at = array.begin;
      for (std::uint32_t i = 0; i < array.count; ++i, ++at) {
        const auto& element = *at;
        const std::uint64_t bytes =
            with_stored(element, [](const auto& text) { return text.bytes(); });
        if (sum + bytes > most) break;
        sum += bytes;
      }
      return static_cast<std::uint32_t>(sum);
    }
  }

  // Exactly `bytes`, which are a whole number of elements.
  static void write(const Array& array, unsigned char* p, std::uint32_t bytes) {
    unsigned char* const count_place = p;
    p += sizeof array.count;
    std::uint32_t count = 0;
    if constexpr (is_copied()) {
      count = bytes / static_cast<std::uint32_t>(kFixed);
      if (bytes != 0) memcpy(p, array.begin, bytes);
    } else if constexpr (kFixed != 0) {
      Iterator at = array.begin;
      for (; count < bytes / kFixed; ++count, ++at) {
        const auto& element = *at;
        p = with_stored(element, [p](const auto& value) { return value.store(p); });
      }
    } else {
      count = write_texts(array, p, p + bytes);
    }
    memcpy(count_place, &count, sizeof count);
  }

  // Texts that another thread changes meanwhile are cut or padded, so that the size stays.
  static std::uint32_t write_texts(const Array& array, unsigned char* p, unsigned char* end) {
    std::uint32_t count = 0;
    unsigned char* last = nullptr;
    Iterator at = array.begin;
    for (; count < array.count && end - p >= 4; ++count, ++at) {
      const auto& element = *at;
      const auto room = static_cast<std::uint64_t>(end - p) - 4;
      last = p;
      p = with_stored(element, [p, room](auto text) {
        if (text.length > room) text.length = static_cast<std::uint32_t>(room);
        return text.store(p);
      });
    }
    if (p == end || last == nullptr) return count;
    std::uint32_t length = 0;
    memcpy(&length, last, sizeof length);
    length += static_cast<std::uint32_t>(end - p);
    memcpy(last, &length, sizeof length);
    memset(p, 0, static_cast<std::size_t>(end - p));
    return count;
  }

  static std::uint32_t fit(const void* self, std::uint32_t most) {
    const auto* const stored = static_cast<const Stored*>(self);
    const std::uint32_t bytes = first_bytes(stored->array, most);
    return bytes < stored->size_bytes ? bytes : stored->size_bytes;
  }
  static void store_first(const void* self, unsigned char* out, std::uint32_t bytes) {
    write(static_cast<const Stored*>(self)->array, out, bytes);
  }
};

}  // namespace ringside::detail
