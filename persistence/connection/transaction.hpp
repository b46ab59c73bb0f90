// One transaction around some work.
#pragma once

#include <type_traits>

#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

/// Commits what `work()` has done, and returns its result. Rolls back if it throws, so that the connection can be used
/// again.
template <class Work>
auto in_transaction(db_connection& db, Work work) {
  try {
    db.begin();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      db.commit();
    } else {
      auto made = work();
      db.commit();
      return made;
    }
  } catch (...) {
    db.rollback();
    throw;
  }
}

}  // namespace gateway::persistence
