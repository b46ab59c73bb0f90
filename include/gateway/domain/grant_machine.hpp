// The grant's state machine: pure functions from a binding and a command to what must become durable. No command needs
// a provider, so each is one step: what `decide` returns is committed, published, and only then answered.
//
// Nothing here reads a clock, a store or a socket: time is an argument, and whoever asks has made the ids and codes.
#pragma once

#include <optional>
#include <variant>

#include "gateway/domain/grant.hpp"

namespace gateway {

/// The binding as it must be stored, by its next version.
struct grant_change {
  grant_binding next;
  std::optional<grant> past;  ///< the revoked grant that a new one replaces: kept beside it

  bool operator==(const grant_change&) const = default;
};
/// Nothing to store: it is so already. A result is kept under an idempotency key all the same.
struct grant_unchanged {
  bool operator==(const grant_unchanged&) const = default;
};
/// Why a command changes nothing. None of these is kept under an idempotency key.
enum class grant_refusal : unsigned char {
  not_covered,    ///< a code was wanted without asking anybody, and the grant does not have all of it, or is no more
  invalid_code,  ///< unknown, used, expired, another platform's, for another redirect_uri, or of a grant since revoked
  unknown_grant,  ///< none of this id has ever been here
};

using grant_decision = std::variant<grant_change, grant_unchanged, grant_refusal>;

/// Whether everything asked for is granted already, so that nobody needs to be asked.
constexpr bool covers(const grant_binding& b, scope_set asked) noexcept {
  return state_of(b.newest) == grant_state::active && without(asked, b.newest->scopes).bits == 0;
}

grant_decision decide(const grant_binding& b, const give_consent& wanted, time_point now);

/// The grant that the code was exchanged for is `next.newest`.
grant_decision decide(const grant_binding& b, const exchange_code& wanted, time_point now);

/// `is_past`: the store knows a grant of this id among the past ones of this binding, which all are revoked.
grant_decision decide(const grant_binding& b, const revoke_grant& wanted, bool is_past, time_point now);

}  // namespace gateway
