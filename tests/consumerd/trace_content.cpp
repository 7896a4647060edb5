#include "trace_content.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer_test {
namespace {

class Content {
 public:
  explicit Content(TraceContent& out) : out_(out) {}

  void block(trace::BlockType type, std::span<const std::byte> payload) {
    std::string why;
    if (type == trace::BlockType::kHeader) {
      ++out_.sections;
      sites_.emplace();
    } else if (type == trace::BlockType::kDictionary) {
      if (!sites_->add(payload, &why)) out_.faults.push_back(why);
    } else if (type == trace::BlockType::kClock) {
      ++out_.clocks;
    } else if (type == trace::BlockType::kStream) {
      ++out_.streams;
    } else if (type == trace::BlockType::kEnd) {
      ++out_.ends;
    } else if (type == trace::BlockType::kExtent) {
      extent(payload);
    }
  }

 private:
  void extent(std::span<const std::byte> payload) {
    std::string why;
    if (!decoder_.open(payload, *sites_, &why)) {
      out_.faults.push_back(why);
      return;
    }
    const trace::ExtentHeader& header = decoder_.header();
    out_.dropped += header.dropped;
    const bool known = next_sequence_.contains(header.stream_id);
    std::uint64_t& next = next_sequence_[header.stream_id];
    // The first extent of a stream in a file can continue a stream from another file.
    if (known && header.first_sequence != next + header.dropped)
      out_.faults.emplace_back("sequence numbers have a gap");
    trace::Record record;
    while (decoder_.next(record)) {
      out_.values[record.stream_id].push_back(record.args.empty() ? 0 : record.args[0].u64);
      ++out_.records;
    }
    if (decoder_.failed()) out_.faults.emplace_back(decoder_.failure());
    next = header.first_sequence + header.records;
  }

  TraceContent& out_;
  std::optional<trace::SiteTable> sites_ = std::optional<trace::SiteTable>(std::in_place);
  trace::ExtentDecoder decoder_;
  std::map<std::uint64_t, std::uint64_t> next_sequence_;
};

void read_into(const std::string& path, TraceContent& out) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(in)),
                               std::istreambuf_iterator<char>());
  std::span<const std::byte> rest = std::as_bytes(std::span(text));
  Content content(out);
  while (!rest.empty()) {
    trace::BlockFrame frame;
    if (!trace::parse_block_frame(rest, frame) || frame.block_bytes() > rest.size()) {
      out.faults.push_back(path + ": a block is missing");
      return;
    }
    const auto payload = rest.subspan(trace::kBlockHeaderBytes, frame.payload_bytes);
    if (!trace::check_block(rest.first(trace::kBlockHeaderBytes), payload)) {
      out.faults.push_back(path + ": a block's checksum is wrong");
    }
    content.block(frame.type, payload);
    rest = rest.subspan(frame.block_bytes());
  }
}

}  // namespace

TraceContent read_trace(const std::string& path) {
  TraceContent out;
  read_into(path, out);
  return out;
}

TraceContent read_traces(const std::string& dir, const std::string& service) {
  TraceContent out;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(service + ".") && name.ends_with(".ringtrace")) {
      paths.push_back(entry.path());
    }
  }
  // File names of one segment differ only in their sequence numbers.
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  for (const std::string& path : paths) read_into(path, out);
  return out;
}

bool counts_up_to(const TraceContent& content, std::uint64_t stream, std::uint64_t count) {
  const auto found = content.values.find(stream);
  if (found == content.values.end()) return count == 0;
  if (found->second.size() != count) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (found->second[i] != i) return false;
  }
  return true;
}

}  // namespace ringside::consumer_test
