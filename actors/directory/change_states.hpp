// What a change of the directory looks like on the audit log: each thing that it changes, before and after.
#pragma once

#include <string>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/store/store.hpp"
#include "people.hpp"

namespace gateway::actors {

/// JSON objects without secrets, with a member for each thing; empty if there is none. A thing that is created has no
/// state before, one that ends has none after.
struct change_states {
  std::string before;
  std::string after;
};

/// `published` and `persons` are as they are before the change.
change_states states_of(const unit_of_work& change, const directory& published, const people& persons);

}  // namespace gateway::actors
