#pragma once
// The dictionaries of messages, and what rows need to know of statements.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/fleet/content_hash.hpp"
#include "tools/fleet/contents_fetch.hpp"
#include "tools/fleet/message_queue.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/condition/site_message.hpp"

namespace ringside::fleet {

// The same for the same statement in all processes, on all hosts.
std::uint64_t statement_id(const trace::Site& site);

// As numbers of the tables' enumerations, of what is not trusted.
std::uint8_t level_number(const trace::Site& site);
std::uint8_t kind_number(const trace::Site& site);

struct StatementFacts {
  explicit StatementFacts(const trace::Site& statement);

  // Keys of the fields of a context, after those of the statement. Valid until the next call.
  const std::vector<std::string>& context_keys(const trace::Site& context);

  const trace::Site& site;
  std::uint64_t id;
  trace::SiteMessage message;
  std::vector<std::string> keys;  // "\"key\":"
  // Keys of the names in a batch, of this generation.
  std::uint64_t generation = 0;
  std::uint32_t name_key = 0;
  std::uint32_t file_key = 0;

  static constexpr std::size_t kMostContexts = 1000;
  std::size_t contexts() const { return context_keys_.size(); }

 private:
  std::map<const trace::Site*, std::vector<std::string>> context_keys_;
};

// Of one manifest. Not thread-safe.
class MessageDictionary {
 public:
  // False with `*why` if the entries are invalid.
  bool add(std::span<const std::byte> entries, std::string* why);

  const trace::SiteTable& sites() const { return sites_; }
  StatementFacts& facts_of(const trace::Site& site);
  // Of memory, about: a large id of one small entry makes both tables large.
  std::size_t bytes() const { return bytes_ + kIdBytes * sites_.id_limit(); }

 private:
  static constexpr std::size_t kIdBytes = 16;

  trace::SiteTable sites_;
  std::vector<std::unique_ptr<StatementFacts>> facts_;  // by site id
  std::size_t bytes_ = 0;                               // of the entries
};

// Remembers dictionaries, up to a bound of memory. Not thread-safe.
class DictionaryCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMostDictionaries = 1024;

  // `fetch` must outlive it.
  explicit DictionaryCache(ContentsFetch& fetch) : fetch_(fetch) {}

  enum class Found : std::uint8_t {
    kYes,
    kMissing,  // not stored, or not yet
    kUnknown,  // it cannot be fetched now
    kInvalid,  // `*why`
  };
  // Valid until the next call.
  Found get(const ContentHash& manifest, MessageDictionary*& dictionary, std::string* why);

 private:
  struct Entry {
    ContentHash manifest{};
    std::unique_ptr<MessageDictionary> dictionary;
  };

  Found load(const ContentHash& manifest, MessageDictionary& dictionary, std::string* why);
  Found fetch(const ContentHash& hash, std::size_t most_bytes, Bytes& bytes, std::string* why);
  void drop_oldest();

  ContentsFetch& fetch_;
  std::list<Entry> entries_;  // the most recently used one first
  std::map<ContentHash, std::list<Entry>::iterator> known_;
  std::size_t bytes_ = 0;
};

}  // namespace ringside::fleet
