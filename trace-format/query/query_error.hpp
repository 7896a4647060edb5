// Why the available files cannot answer a query.
#pragma once

#include <string>

namespace ringside::trace::query {

struct QueryError {
  std::string site;    // "service file:line "text""; empty if the error is not about a site
  std::string field;   // empty if the error is not about a field
  std::string wanted;  // the C++ type that the visitor takes; empty if there is no such field
  std::string found;   // the type that the site records, as in shm::name()
  std::string what;    // a sentence with all of the above
  std::string remedy;

  std::string text() const { return remedy.empty() ? what : what + "; " + remedy; }
};

}  // namespace ringside::trace::query
