// What a hostile host can put into the subjects and buckets of a fleet, and files that a sink
// finds: the sink takes or refuses it. Sums and hashes are corrected, so that the contents are
// reached.
//
// Input: a byte that selects, then four parts: repeated blocks, blocks, contents of the dictionary,
// and a file of the sink; before each its length, 4 bytes. The rest is a payload as it is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>

#include <fmt/format.h>

#include "tools/fleet/dictionary_fragments.hpp"
#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/trace_segments.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::fleet {
namespace {

constexpr int kFindingStatus = 86;

class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }
  Bytes part() {
    if (rest_.size() < 4) return {};
    const std::size_t size = trace::load<std::uint32_t>(rest_.data());
    rest_ = rest_.subspan(4);
    const auto part = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(part.size());
    return {part.begin(), part.end()};
  }
  Bytes rest() const { return {rest_.begin(), rest_.end()}; }

 private:
  std::span<const std::byte> rest_;
};

// Whole blocks with correct sums, as far as they go.
Bytes with_sums(Bytes bytes) {
  std::size_t at = 0;
  trace::BlockFrame frame;
  while (trace::parse_block_frame(std::span(bytes).subspan(at), frame) &&
         frame.block_bytes() <= bytes.size() - at) {
    trace::write_block_frame(bytes.data() + at, frame.type, frame.payload_bytes, frame.flags);
    at += frame.block_bytes();
  }
  bytes.resize(at);
  return bytes;
}

// Blocks that begin with a HEADER decide about the segment.
bool find_segment(const Bytes& blocks, trace::SectionHeader& header) {
  trace::BlockFrame frame;
  return trace::parse_block_frame(blocks, frame) && frame.type == trace::BlockType::kHeader &&
         trace::SectionHeader::parse(
             std::span(blocks).subspan(trace::kBlockHeaderBytes, frame.payload_bytes), header);
}

class Case {
 public:
  Case(std::span<const std::byte> bytes, std::string directory)
      : input_(bytes), directory_(std::move(directory)) {}

  void run() {
    const std::uint8_t how = input_.byte();
    ExtentMessage message;
    message.repeated = with_sums(input_.part());
    message.blocks = with_sums(input_.part());
    const Bytes contents = input_.part();
    const Bytes file = with_sums(input_.part());
    const Bytes payload = input_.rest();

    trace::SectionHeader header;
    const bool has_segment =
        find_segment(message.repeated.empty() ? message.blocks : message.repeated, header);
    if (has_segment) {
      message.uuid = header.uuid;
      write_file(header, file);
    }
    add_contents(how, contents, message);
    message.first_block = how >> 4;

    std::string why;
    const auto sink = FileSink::open(
        directory_,
        [this](std::string_view key, Bytes& found) {
          const auto at = contents_.find(key);
          if (at == contents_.end()) return DeliveryQueue::Fetched::kMissing;
          found = at->second;
          return DeliveryQueue::Fetched::kYes;
        },
        &why);
    if (sink == nullptr) std::exit(kFindingStatus);
    const std::string subject = extent_subject("t", header.host, header.service, message.uuid);
    Bytes sound = write_extent_message(message, 1);
    if ((how & 4U) != 0) {
      const Bytes body = take_body(sound);
      store_whole(content_hash(body), body, (how & 8U) != 0 ? 4096 : body.size(), body_key,
                  [this](std::string_view key, const Bytes& piece) {
                    contents_[std::string(key)] = piece;
                    return true;
                  });
    }
    take(*sink, {1, subject, payload});
    take(*sink, {2, subject, sound});
    take(*sink, {3, subject, sound});
    if (!sink->sync(&why)) std::exit(kFindingStatus);
  }

 private:
  void write_file(const trace::SectionHeader& header, const Bytes& file) const {
    const std::string folder = directory_ + "/" + subject_part(header.host);
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    // The service's name can be too long for a file.
    std::ofstream(fmt::format("{}/{}.{}.{}.0.ringtrace", folder, subject_part(header.service),
                              header.pid, uuid_text(header.uuid)),
                  std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
  }

  // As a dictionary, as a manifest, or as a list of pieces.
  void add_contents(std::uint8_t how, const Bytes& contents, ExtentMessage& message) {
    if (contents.empty()) return;
    if ((how & 3U) == 1) {
      message.manifest = content_hash(contents);
      contents_[hash_key(message.manifest)] = contents;
    } else if ((how & 3U) == 2) {
      message.manifest.fill(1);
      contents_[hash_key(message.manifest)] = contents;
    } else {
      DictionaryFragments dictionary;
      dictionary.add(contents);
      for (const NamedContents& each : dictionary.cut())
        contents_[hash_key(each.hash)] = each.bytes;
      message.manifest = dictionary.manifest();
      // A fragment that is not a sequence of entries.
      const ContentHash hash = content_hash(contents);
      contents_[hash_key(hash)] = contents;
    }
  }

  static void take(FileSink& sink, const StoredMessage& stored) {
    std::string why;
    const FileSink::Taken taken = sink.take(stored, true, &why);
    if (taken == FileSink::Taken::kRefused && why.empty()) std::exit(kFindingStatus);
  }

  Input input_;
  const std::string directory_;
  std::map<std::string, Bytes, std::less<>> contents_;
};

}  // namespace
}  // namespace ringside::fleet

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const char* const place = std::getenv("RINGSIDE_FUZZ_PLACE");
  std::string directory = std::string(place == nullptr ? "/dev/shm" : place) + "/sink-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) return 0;
  ringside::fleet::Case(std::as_bytes(std::span(data, size)), directory).run();
  std::filesystem::remove_all(directory);
  return 0;
}
