#include "gateway/domain/grant_machine.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

namespace machine {

/// The binding's next version, without expired codes.
static grant_change changed(const grant_binding& b, time_point now) {
  grant_change change{b, std::nullopt};
  change.next.version += 1;
  std::erase_if(change.next.codes, [&](const auth_code& code) { return code.expires_at <= now; });
  return change;
}

static void issue(grant_binding& b, const give_consent& wanted, time_point now) {
  if (b.codes.size() >= most_auth_codes) b.codes.erase(b.codes.begin());
  b.codes.push_back({wanted.code_hash, wanted.redirect_uri, now + auth_code_lifetime});
}

}  // namespace machine

grant_decision decide(const grant_binding& b, const give_consent& wanted, time_point now) {
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

grant_decision decide(const grant_binding& b, const exchange_code& wanted, time_point now) {
  if (wanted.platform.value != b.key.id || state_of(b.newest) != grant_state::active)
    return grant_refusal::invalid_code;
  const auto code = std::ranges::find(b.codes, wanted.code_hash, &auth_code::hash);
  if (code == b.codes.end() || code->expires_at <= now || code->redirect_uri != wanted.redirect_uri)
    return grant_refusal::invalid_code;
  auto change = machine::changed(b, now);
  std::erase_if(change.next.codes, [&](const auth_code& other) { return other.hash == wanted.code_hash; });
  return change;
}

grant_decision decide(const grant_binding& b, const revoke_grant& wanted, bool is_past, time_point now) {
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
