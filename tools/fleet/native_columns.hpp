#pragma once
// Columns of a table in memory, and blocks of ClickHouse's Native format that are made of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/text/text_sink.hpp"

namespace ringside::fleet {

// Values of one size. Columns keep their memory when they are cleared.
template <class Number>
class NumberColumn {
 public:
  void put(Number number) { numbers_.push_back(number); }
  void fill(Number number, std::size_t count) { numbers_.insert(numbers_.end(), count, number); }
  void clear() { numbers_.clear(); }
  void mark() { mark_ = numbers_.size(); }
  void roll_back() { numbers_.resize(mark_); }
  std::size_t bytes() const { return numbers_.size() * sizeof(Number); }
  std::string_view data() const {
    return {reinterpret_cast<const char*>(numbers_.data()), bytes()};
  }
  std::span<const Number> from(std::size_t row) const { return std::span(numbers_).subspan(row); }

 private:
  std::vector<Number> numbers_;
  std::size_t mark_ = 0;
};

// As ClickHouse stores them: two little-endian halves, the half with the first digits first.
using UuidBytes = std::array<std::uint8_t, 16>;
UuidBytes native_uuid(const std::array<std::uint8_t, 16>& id);

// A number, or NULL.
class OptionalNumberColumn {
 public:
  void put(bool has, std::uint64_t number) {
    nulls_.put(has ? 0 : 1);
    numbers_.put(has ? number : 0);
  }
  void clear() { nulls_.clear(), numbers_.clear(); }
  void mark() { nulls_.mark(), numbers_.mark(); }
  void roll_back() { nulls_.roll_back(), numbers_.roll_back(); }
  std::size_t bytes() const { return nulls_.bytes() + numbers_.bytes(); }
  std::string_view nulls() const { return nulls_.data(); }
  std::string_view numbers() const { return numbers_.data(); }

 private:
  NumberColumn<std::uint8_t> nulls_;
  NumberColumn<std::uint64_t> numbers_;
};

void put_native_size(trace::TextSink& out, std::uint64_t size);  // LEB128

// Any texts.
class TextColumn {
 public:
  void put(std::string_view text) {
    put_native_size(out_, text.size());
    out_.write(text);
  }
  void put_size(std::uint64_t size) { put_native_size(out_, size); }
  void clear() { out_.clear(); }
  void mark() { mark_ = out_.size(); }
  void roll_back() { out_.take_back(out_.size() - mark_); }
  std::size_t bytes() const { return out_.size(); }
  std::string_view data() const { return out_.text(); }

 private:
  trace::TextSink out_;
  std::size_t mark_ = 0;
};

// Texts of which there are few different ones.
class NameColumn {
 public:
  // The key of a name, valid until clear().
  std::uint32_t key(std::string_view name);
  void put(std::uint32_t key) { keys_.push_back(key); }
  void fill(std::uint32_t key, std::size_t count) { keys_.insert(keys_.end(), count, key); }
  void clear();
  void mark() { mark_ = keys_.size(); }
  void roll_back() { keys_.resize(mark_); }
  std::size_t bytes() const { return keys_.size() * sizeof(std::uint32_t) + name_bytes_; }

  // The data of a column of LowCardinality(String), or of String.
  void write_dictionary(std::string& out) const;
  void write_texts(std::string& out) const;

 private:
  template <class Index>
  void write_keys(std::string& out) const;

  std::map<std::string, std::uint32_t, std::less<>> known_;
  std::vector<const std::string*> names_;  // by key
  std::vector<std::uint32_t> keys_;
  std::size_t name_bytes_ = 0;
  std::size_t mark_ = 0;
};

// Refers to the columns that it was made of.
class NativeBlock {
 public:
  NativeBlock(std::size_t columns, std::size_t rows);

  // `type`: as the table has it. Columns may come in any order.
  template <class Number>
  void add(std::string_view name, std::string_view type, const NumberColumn<Number>& column) {
    begin(name, type);
    pieces_.push_back(column.data());
  }
  void add(std::string_view name, std::string_view type, const OptionalNumberColumn& column);
  void add(std::string_view name, std::string_view type, const TextColumn& column);
  // The type decides about the form.
  void add(std::string_view name, std::string_view type, const NameColumn& column);

  std::size_t rows() const { return rows_; }
  // The block is these, one after another.
  const std::vector<std::string_view>& pieces() const { return pieces_; }
  // "a, b, c": of all columns so far.
  const std::string& names() const { return names_; }

 private:
  void begin(std::string_view name, std::string_view type);
  void own(std::string bytes);

  std::size_t rows_;
  std::deque<std::string> owned_;
  std::vector<std::string_view> pieces_;
  std::string names_;
};

}  // namespace ringside::fleet
