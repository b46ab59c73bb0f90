// The grant's state machine: pure functions from a binding and a command to what must become durable. No command needs
// a provider, so each is one step: the result of `decide` is committed, published, and only then answered.
//
// The functions read no clock, store or socket: time is an argument, and the caller has generated the ids and codes.
#pragma once

#include <optional>
#include <variant>

#include "gateway/domain/grant.hpp"

namespace gateway {

/// The binding to store, as its next version.
struct grant_change {
  grant_binding next;
  std::optional<grant> past;  ///< the revoked grant that a new one replaces, to be stored beside it

  bool operator==(const grant_change&) const = default;
};
/// Nothing to store, because the state is already as requested. The result is still stored under an idempotency key.
struct grant_unchanged {
  bool operator==(const grant_unchanged&) const = default;
};
/// Why a command changes nothing. Refusals are not stored under an idempotency key.
enum class grant_refusal : unsigned char {
  not_covered,  ///< a code was requested without showing the page, and the grant does not cover it or is not active
  /// Unknown, used, expired, another platform's, for another redirect_uri, or its grant has been revoked.
  invalid_code,
  unknown_grant,  ///< this binding never had a grant of this id
};

using grant_decision = std::variant<grant_change, grant_unchanged, grant_refusal>;

/// Whether everything requested is granted already, so that no consent is needed.
constexpr bool covers(const grant_binding& b, scope_set asked) noexcept {
  return state_of(b.newest) == grant_state::active && without(asked, b.newest->scopes).bits == 0;
}

grant_decision decide(const grant_binding& b, const give_consent& wanted, time_point now);

/// `next.newest` is the grant that the code was exchanged for.
grant_decision decide(const grant_binding& b, const exchange_code& wanted, time_point now);

/// `is_past`: the store has a grant of this id among the past ones of this binding, which are all revoked.
grant_decision decide(const grant_binding& b, const revoke_grant& wanted, bool is_past, time_point now);

}  // namespace gateway
