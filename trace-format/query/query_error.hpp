// Why a question cannot be answered by the files at hand.
#pragma once

#include <string>

namespace ringside::trace::query {

struct QueryError {
  std::string site;    // "service file:line "text""; empty if it is about none
  std::string field;   // empty if it is about none
  std::string wanted;  // what the visitor takes, as C++ says it; empty if there is no such field
  std::string found;   // what the site records, as shm::name() says it
  std::string what;    // a sentence that names all of the above
  std::string remedy;

  std::string text() const { return remedy.empty() ? what : what + "; " + remedy; }
};

}  // namespace ringside::trace::query
