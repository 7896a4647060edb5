// The other source file of the service in listed_statements.cpp.

#include "listed_statements.hpp"

namespace listed {

void enter_elsewhere() {
  enter(2);
  measure("elsewhere", 7);
}

}  // namespace listed
