// The grant's state machine: pure functions from a binding and a command to what must become durable. No command needs
// a provider, so each is one step: what `decide` returns is committed, published, and only then answered.
//
// Nothing here reads a clock, a store or a socket: time is an argument, and whoever asks has made the ids and codes.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
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

namespace machine {

/// One version on, without the codes that have expired.
inline grant_change changed(const grant_binding& b, time_point now) {
  grant_change change{b, std::nullopt};
  change.next.version += 1;
  std::erase_if(change.next.codes, [&](const auth_code& code) { return code.expires_at <= now; });
  return change;
}

inline void issue(grant_binding& b, const give_consent& wanted, time_point now) {
  if (b.codes.size() >= most_auth_codes) b.codes.erase(b.codes.begin());
  b.codes.push_back({wanted.code_hash, wanted.redirect_uri, now + auth_code_lifetime});
}

}  // namespace machine

/// Whether everything asked for is granted already, so that nobody needs to be asked.
constexpr bool covers(const grant_binding& b, scope_set asked) noexcept {
  return state_of(b.newest) == grant_state::active && without(asked, b.newest->scopes).bits == 0;
}

inline grant_decision decide(const grant_binding& b, const give_consent& wanted, time_point now) {
  if (!wanted.shown && !covers(b, wanted.scopes)) return grant_refusal::not_covered;
  auto change = machine::changed(b, now);
  auto& next = change.next;
  if (state_of(b.newest) == grant_state::active) {
    next.newest->scopes = united(next.newest->scopes, wanted.scopes);
  } else {
    change.past = std::exchange(next.newest, grant{wanted.fresh, wanted.scopes, wanted.user, now, std::nullopt, {}});
  }
  machine::issue(next, wanted, now);
  return change;
}

/// The grant that the code was exchanged for is `next.newest`.
inline grant_decision decide(const grant_binding& b, const exchange_code& wanted, time_point now) {
  if (wanted.platform.value != b.key.id || state_of(b.newest) != grant_state::active)
    return grant_refusal::invalid_code;
  const auto code = std::ranges::find(b.codes, wanted.code_hash, &auth_code::hash);
  if (code == b.codes.end() || code->expires_at <= now || code->redirect_uri != wanted.redirect_uri)
    return grant_refusal::invalid_code;
  auto change = machine::changed(b, now);
  std::erase_if(change.next.codes, [&](const auth_code& other) { return other.hash == wanted.code_hash; });
  return change;
}

/// `is_past`: the store knows a grant of this id among the past ones of this binding, which all are revoked.
inline grant_decision decide(const grant_binding& b, const revoke_grant& wanted, bool is_past, time_point now) {
  if (!b.newest || b.newest->id != wanted.id) {
    if (is_past) return grant_unchanged{};
    return grant_refusal::unknown_grant;
  }
  if (state_of(b.newest) == grant_state::revoked) return grant_unchanged{};
  auto change = machine::changed(b, now);
  change.next.newest->revoked_at = now;
  change.next.newest->revoke_reason = wanted.reason;
  change.next.codes.clear();
  return change;
}

}  // namespace gateway
