#include "tools/fleet/ship_cursor.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/fleet/trace_segments.hpp"

namespace ringside::fleet {
namespace {

using nlohmann::json;

constexpr int kCursorVersion = 1;

}  // namespace

std::optional<CursorStore> CursorStore::open(const std::string& directory, std::string* why) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) {
    *why = directory + ": cannot be created: " + code.message() +
           "; give a directory that ringship can write to with --state";
    return std::nullopt;
  }
  return CursorStore(directory);
}

std::string CursorStore::path_of(const SegmentUuid& uuid) const {
  return directory_ + "/" + uuid_text(uuid) + ".cursor";
}

bool CursorStore::load(const SegmentUuid& uuid, ShipCursor& cursor, std::string* why) const {
  cursor = {};
  const std::string path = path_of(uuid);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    if (errno == ENOENT) return true;
    *why = path + ": cannot be read: " + std::generic_category().message(errno) +
           "; let the user of ringship read it";
    return false;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const json stored = json::parse(text, nullptr, false);
  try {
    if (stored.at("version").get<int>() != kCursorVersion)
      throw std::out_of_range("another version");
    cursor.file_sequence = stored.at("file_sequence").get<std::uint32_t>();
    cursor.section = stored.at("section").get<std::uint32_t>();
    cursor.blocks = stored.at("blocks").get<std::uint64_t>();
    cursor.sent_blocks = stored.at("sent_blocks").get<std::uint64_t>();
    cursor.stored = stored.at("stored").get<std::uint64_t>();
    cursor.streams.has_moved = stored.at("has_moved").get<bool>();
    for (const auto& [stream, next] : stored.at("next_sequence").items())
      cursor.streams.by_stream[std::stoull(stream)].next = next.get<std::uint64_t>();
    for (const auto& [stream, count] : stored.at("left_out").items())
      cursor.streams.by_stream[std::stoull(stream)].pending = count.get<std::uint64_t>();
  } catch (const std::exception& error) {
    cursor = {};
    *why = path + ": is not a cursor of this version (" + error.what() +
           "); remove it: ringship sends the segment again, and receivers keep each record once";
    return false;
  }
  return true;
}

bool CursorStore::save(const SegmentUuid& uuid, const ShipCursor& cursor, std::string* why) const {
  json next = json::object();
  json left_out = json::object();
  for (const auto& [stream, sent] : cursor.streams.by_stream) {
    next[std::to_string(stream)] = sent.next;
    if (sent.pending != 0) left_out[std::to_string(stream)] = sent.pending;
  }
  const std::string text = json{{"version", kCursorVersion},
                                {"file_sequence", cursor.file_sequence},
                                {"section", cursor.section},
                                {"blocks", cursor.blocks},
                                {"sent_blocks", cursor.sent_blocks},
                                {"stored", cursor.stored},
                                {"has_moved", cursor.streams.has_moved},
                                {"next_sequence", next},
                                {"left_out", left_out}}
                               .dump() +
                           "\n";
  // Not synced: an older cursor after a failure of the power costs only that messages are repeated.
  const std::string path = path_of(uuid);
  const std::string unfinished = path + ".new";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    *why =
        path + ": cannot be written: " + std::generic_category().message(errno) +
        "; free space and check the permissions: until then, messages are repeated after a restart";
    return false;
  }
  return true;
}

}  // namespace ringside::fleet
