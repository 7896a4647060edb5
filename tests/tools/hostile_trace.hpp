// Traces of random statements whose names and texts are arbitrary bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/trace-format/random_records.hpp"
#include "tests/trace-format/trace_file_builder.hpp"

namespace ringside::tool::testing {

using namespace trace::testing;

// A trace of one stream with records of one statement.
inline Bytes trace_of(const std::vector<TestSite>& sites, const std::string& records,
                      const std::string& thread_name = "thread") {
  TraceFileBuilder file;
  file.begin();
  file.stream(1, thread_name);
  trace::SiteTable table;
  Bytes entries;
  for (const TestSite& site : sites) {
    add_site(table, site);
    append(entries, site_entry(site));
  }
  Bytes block(entries.size() + 4096);
  block.resize(trace::write_dictionary_block(entries, block));
  append(file.bytes, block);
  trace::ExtentEncoder encoder(table);
  trace::StreamCursor cursor;
  cursor.stream_id = 1;
  Bytes out(2 * records.size() + 65536);
  out.resize(encoder.encode(as_bytes(records), cursor, 0, 0, out).output_bytes);
  append(file.bytes, out);
  file.end();
  return file.bytes;
}

inline Bytes trace_of(const TestSite& site, const std::string& records) {
  return trace_of(std::vector<TestSite>{site}, records);
}

class HostileTrace {
 public:
  explicit HostileTrace(std::uint64_t seed) : random_(seed), any_(seed) {
    std::vector<TestSite> sites;
    for (std::uint32_t id = 10; id < 20; ++id) {
      TestSite site = random_.site(id);
      site.kind = shm::SiteKind::kLog;  // each record is a line
      site.format = text();
      site.style = 0;  // the text unchanged, then the fields
      for (TestField& field : site.fields) {
        field.name = random_.below(3) == 0 ? "same" : text();
      }
      fields_[id] = site.fields.size();
      sites.push_back(std::move(site));
    }
    std::string ring;
    std::vector<Decoded> decoded;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const TestSite& site = sites[random_.below(sites.size())];
      std::string args;
      for (const TestField& field : site.fields) {
        if (!field.constant) args += argument(field.type);
      }
      ring += plain_record(site.id, 1 + i, args);
    }
    records_ = 200;
    bytes_ = trace_of(sites, ring, text());
  }

  const Bytes& bytes() const { return bytes_; }
  std::size_t records() const { return records_; }
  std::size_t fields_of(std::uint32_t site) const { return fields_.at(site); }

 private:
  // Text with more characters that matter to parsers and terminals than chance would give.
  std::string text() {
    constexpr std::string_view kOdd("\0\n\r\t\x1b\x7f\"'\\,;={}%\x80\x9b\xc2\xe2\x80\xa8\xed\xff",
                                    23);
    std::string text(any_() % 20, '\0');
    for (char& c : text) {
      c = static_cast<char>(any_() % 2 == 0 ? 'a' + any_() % 26
                            : any_() % 2 == 0
                                ? any_() % 256
                                : static_cast<unsigned char>(kOdd[any_() % kOdd.size()]));
    }
    return text;
  }

  std::string argument(shm::FieldType type) {
    using shm::FieldType;
    if (type == FieldType::string || type == FieldType::bytes) return raw_text(text());
    if (type == shm::array_of(FieldType::string)) {
      return raw(std::uint32_t{2}) + raw_text(text()) + raw_text(text());
    }
    return random_.argument(type);
  }

  RandomRecords random_;
  std::mt19937_64 any_;
  std::map<std::uint32_t, std::size_t> fields_;
  std::size_t records_ = 0;
  Bytes bytes_;
};

}  // namespace ringside::tool::testing
