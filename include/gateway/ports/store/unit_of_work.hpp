// Units of work: rows that are committed whole or not at all. The writers in persistence/ commit them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "gateway/base/compiled_once.hpp"
#include "gateway/domain/daily_total.hpp"
#include "gateway/domain/destination_health.hpp"
#include "gateway/domain/ledger.hpp"
#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/command_rows.hpp"
#include "gateway/ports/store/directory_rows.hpp"
#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/erasure_rows.hpp"
#include "gateway/ports/store/event_rows.hpp"
#include "gateway/ports/store/mail_rows.hpp"
#include "gateway/ports/store/master_key_rows.hpp"
#include "gateway/ports/store/operator_rows.hpp"
#include "gateway/ports/store/people_rows.hpp"
#include "gateway/ports/store/witness_rows.hpp"

namespace gateway {

/// The name under which the database keeps the last time that a trusted clock has shown, in milliseconds since 1970.
inline constexpr std::string_view last_seen_name = "clock_last_seen";

/// Replaces that time, possibly by an earlier one: a clock that was ahead has then been corrected.
struct save_last_seen {
  time_point at{};
};

/// Adds to a merchant's daily total, in the commit of the payment's change. A writer first sums the additions of a
/// batch.
struct count_daily {
  merchant_id merchant;
  environment env = environment::test;
  daily_total added;
};

/// A dispute in the lists of its merchant. Its details are in its payment's records. Replaces the entry of the same id.
struct dispute_entry {
  merchant_id merchant;
  environment env = environment::test;
  std::string dispute_id;
  std::string payment_id;
  dispute_status status = dispute_status::needs_response;
  time_point opened_at{};

  bool operator==(const dispute_entry&) const = default;
};

/// A new row, or an operator's record that may be replaced.
struct inserted_row
    : compiled_once<std::variant<
          command_record, payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr,
          counted_event, past_grant, timeline_entry, delivery, save_merchant, save_api_key, save_user, save_membership,
          save_invitation, save_session, save_connection, save_route, spend_token, save_destination, insert_platform,
          save_platform_key, save_last_seen, directory_change, save_audit, count_daily, save_provider, ledger_entry,
          dispute_entry, save_event_position, sandbox_event, destination_health, save_branding, save_logo,
          save_master_key, save_mail, save_password_link, save_operator, save_fact>> {
  using compiled_once::compiled_once;
};

/// A change of an existing row. It requires: an entity or a delivery one version before the given one, an open command,
/// an unspent code of a second factor, a valid link of an invitation or for a forgotten password, an offered or old
/// master key, a sealed text as it was, an operator who exists.
struct claimed_row
    : compiled_once<std::variant<
          payment_ptr, binding_ptr, customer_ptr, subscription_ptr, enrollment_ptr, notification_ptr, command_finish,
          delivery, revoke_api_key, note_api_key_use, update_platform, revoke_platform_key, note_platform_key_use,
          set_user_password, set_first_password, end_shown_password, check_credentials, drop_membership,
          drop_invitation, spend_invitation, touch_session, end_session, set_second_factor, spend_totp_step,
          spend_recovery_code, set_time_zone, directory_turn, promote_key, withdraw_key, retire_key, reseal, lease_mail,
          finish_mail, retry_mail, purge_mail, spend_password_link, set_mailed_password, reset_operator, drop_operator,
          set_up_operator, spend_operator_code, replace_text, replace_details>> {
  using compiled_once::compiled_once;
};

/// The step that a unit commits. The writer derives from it how long the sender can wait.
enum class unit_kind : unsigned char {
  begin,  ///< takes an idempotency key and claims or inserts the entity; the provider is called next
  conclude,  ///< the only step of a command that needs no provider
  finish,  ///< the outcome of a provider's call, of a hosted page or of time: the entity, its events, the stored result
  /// results of delivery attempts or of mails, save_last_seen, save_fact, save_event_position, destination_health or
  /// uses of keys: no caller waits for it
  record,
  change,  ///< an operator's change to the directory
};

/// Rows that must be committed together, or not at all.
struct unit_of_work {
  unit_kind kind = unit_kind::change;
  entity_key subject;  ///< of begin, conclude and finish; the timeline entries belong to it
  std::vector<inserted_row> inserts;
  std::vector<claimed_row> claims;
};

enum class commit_outcome : unsigned char {
  committed,
  duplicate_command,  ///< the idempotency key is taken; nothing was committed
  entity_exists,  ///< an entity with this key exists; nothing was committed
  /// The entity or the delivery has changed, or a delivery's number is taken; nothing was committed: load it again.
  lost_claim,
  /// A row of an operator's change exists already, or an event was counted before; nothing was committed.
  duplicate_record,
  unavailable,  ///< the database did not answer: only a read shows whether the unit was committed
  rejected,  ///< the writer's queue is full; nothing was committed
};

inline constexpr std::size_t commit_outcome_count = 7;

constexpr std::string_view to_string(commit_outcome o) noexcept {
  constexpr std::string_view names[] = {"committed",        "duplicate_command", "entity_exists", "lost_claim",
                                        "duplicate_record", "unavailable",       "rejected"};
  return names[static_cast<std::size_t>(o)];
}

}  // namespace gateway

// Compiled in unit_of_work.cpp.
extern template class std::vector<gateway::inserted_row>;
extern template class std::vector<gateway::claimed_row>;
extern template class std::vector<gateway::timeline_entry>;
extern template class std::vector<gateway::save_destination>;
extern template class std::vector<std::string>;
