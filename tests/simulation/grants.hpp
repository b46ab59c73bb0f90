// Checks the gateway's promises about platforms' grants: a revoke cuts off, a code buys one exchange, and there is one
// active grant at a time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "gateway/directory/directory.hpp"
#include "promises.hpp"

namespace gateway::simulation {

class grant_promises {
 public:
  grant_promises(const testing::memory_store& rows, promises& all) : rows_{rows}, all_{all} {}

  /// A unit has been committed.
  void committed(const testing::unit_parts& unit);
  /// The request to revoke this grant is answered as successful.
  void revoked(const entity_key& binding, const grant_id& id);
  /// A platform sends a write, or sends it again: each idempotency key is used with one key of the platform's.
  void asked(const entity_request& request);
  /// The revocation of this platform key, or the platform's suspension or resumption, is answered.
  void key_revoked(const key_id& key) { revoked_keys_.insert(key.value); }
  void suspended(const platform_id& who) { suspended_.insert(who.value); }
  void resumed(const platform_id& who) { suspended_.erase(who.value); }
  /// A payment sends its writer a unit that begins an operation, or decides it at once.
  void composed(const unit_of_work& unit);
  /// The node has admitted a platform's request, by the grant published there.
  void let_in(const entity_key& binding);
  /// A platform's exchange is answered as successful. `command` is the request's idempotency key.
  void exchanged(const std::string& code_hash, const std::string& command);
  /// The checks after the faults have ended and nothing is in flight.
  void at_rest(const directory& published);

 private:
  using row_key = testing::memory_store::entity_row_key;

  bool is_cut_off(const entity_key& binding) const;

  const testing::memory_store& rows_;
  promises& all_;
  std::map<row_key, grant_binding> last_;                ///< as of the last commit
  std::map<row_key, std::int64_t> cut_off_;              ///< the version whose revoke was answered
  std::map<std::string, grant> ended_;                   ///< by id: a revoked grant never changes
  std::map<std::string, row_key> bound_;                 ///< by a grant's id
  std::map<std::string, std::string> exchanges_;         ///< by the code's hash: the idempotency key that bought it
  std::set<std::string> revoked_keys_;                   ///< of platforms
  std::set<std::string> suspended_;                      ///< platforms
  std::map<testing::memory_store::command_row_key, asked_by> asked_;
  std::map<std::string, unsigned> spent_;                ///< by the code's hash: commits that consumed it
};

}  // namespace gateway::simulation
