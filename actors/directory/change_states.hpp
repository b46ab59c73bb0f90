// A change of the directory as the audit log shows it: the states of the changed objects before and after.
#pragma once

#include <string>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/store/store.hpp"
#include "people.hpp"

namespace gateway::actors {

/// JSON objects without secrets, with a member for each changed object; empty if there is none. A created object has no
/// state before the change, and a removed one has none after it.
struct change_states {
  std::string before;
  std::string after;
};

/// `published` and `persons` have the state before the change.
change_states states_of(const unit_of_work& change, const directory& published, const people& persons);

}  // namespace gateway::actors
