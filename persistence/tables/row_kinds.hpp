// The kinds of rows that units of work hold: in which order they are written, and what a failure means. A new kind of
// row needs an alternative in gateway/ports/store/unit_of_work.hpp, an entry here, and its functions in
// tables/unit_rows.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gateway/ports/store/store.hpp"
#include "persistence/connection/rows.hpp"
#include "persistence/connection/statements.hpp"

namespace gateway::persistence {

/// In the order in which a batch writes them. A unit's outcome is its first failure. So a taken idempotency key is
/// reported before any other failure. An event that was counted before is reported as a duplicate, and not as a
/// conflict with the row that it has already changed or inserted.
enum class row_kind : unsigned char {
  command,
  counted_event,
  payment,
  binding,
  customer,
  subscription,
  enrollment,
  notification,
  payment_claim,
  binding_claim,
  customer_claim,
  subscription_claim,
  enrollment_claim,
  notification_claim,
  past_grant,
  command_finish,
  attempt,
  event,
  delivery,
  delivery_claim,
  merchant,
  api_key,
  person,
  credentials_check,  ///< before every write that the credentials permit
  first_password,  ///< before the membership that comes with it
  password_link_use,  ///< before the password that the link permits
  mailed_password,
  membership,
  invitation,
  session,
  connection,
  route,
  branding,
  logo,
  setup_token,
  destination,
  destination_health,
  platform,
  platform_key,
  provider,
  master_key,
  last_seen,
  fact,
  api_key_revocation,
  api_key_use,
  platform_change,
  platform_key_revocation,
  platform_key_use,
  shown_password_end,  ///< first of three: it locks the person's row, so no session can begin between them
  shown_sessions_end,
  shown_codes_end,  ///< before the new password
  password_change,
  membership_end,
  invitation_end,
  invitation_use,
  invitations_purge,
  session_use,
  session_end,
  other_sessions_end,
  sessions_purge,
  second_factor,
  recovery_codes_end,
  recovery_code,
  totp_step_use,
  recovery_code_use,
  time_zone_change,
  password_link_end,  ///< before a new one
  password_link,
  mail,
  mail_lease,
  mail_finish,
  mail_retry,
  mail_purge,
  mail_forgetting,
  console_operator,
  operator_reset,
  operator_setup,
  operator_code_use,
  operator_end,
  api_key_seal,
  platform_key_seal,
  destination_seal,
  previous_secret_seal,
  provider_seal,
  second_factor_seal,
  operator_factor_seal,
  mail_seal,
  details_replacement,
  event_data_replacement,
  attempt_message_replacement,
  answer_replacement,
  notification_body_replacement,
  audit_texts_replacement,
  master_key_demotion,
  master_key_promotion,
  master_key_withdrawal,
  master_key_retirement,  ///< after every write of a sealed text, because it counts them
  master_key_unwrapping,
  audit,
  audit_head,
  customer_payment,
  ledger_entry,
  dispute_entry,
  sandbox_event,
  event_position,
  daily_total,
  directory_turn,
  directory_number,
  directory_change,  ///< the last: row_kind_count counts up to it
};

inline constexpr std::size_t row_kind_count = static_cast<std::size_t>(row_kind::directory_change) + 1;

struct row_writing {
  const write_shape* shape;  ///< writes many rows at once
  const statement* each;  ///< without a shape: runs once for each row, and may find nothing to change
  std::size_t each_width;  ///< number of its parameters
  commit_outcome of_duplicate;  ///< the outcome if its key is taken
  bool must_change = false;  ///< without a shape: a statement that changes no row means a lost claim
};

const row_writing& writing_of(row_kind kind) noexcept;

/// The rows of several units, by kind.
class gathered_rows {
 public:
  void gather(const unit_of_work& unit);
  /// To be called once all units are gathered. Adds one row for each total that they add to, in the writer's lane.
  void add_up(std::int64_t lane);
  /// Null if there are none.
  const row_buffer* of(row_kind kind) const noexcept {
    const auto place = places_[static_cast<std::size_t>(kind)];
    return place == 0 ? nullptr : rows_[place - 1u].get();
  }
  row_buffer& add_to(row_kind kind);
  void count(const count_daily& what);
  /// The entry has no row until link_audits() has linked it.
  void add_audit(const save_audit& what) { audits_.push_back(&what); }
  const std::vector<const save_audit*>& audits() const noexcept { return audits_; }
  /// Keeps what rows refer to.
  const audit_entry& keep(audit_entry linked) { return linked_.emplace_back(std::move(linked)); }
  const audit_head& keep(audit_head head) { return audit_head_.emplace(std::move(head)); }

  /// Keeps an event for add_events(). Both are borrowed.
  void log(const entity_key& subject, const timeline_entry& event) { events_.emplace_back(&subject, &event); }
  bool has_events() const noexcept { return !events_.empty(); }
  /// Adds the rows of the events, each at the position that `draw` returns for its time.
  template <class Draw>
  void add_events(Draw draw) {
    for (const auto& [subject, event] : std::exchange(events_, {}))
      add_event(*subject, *event, draw(event->occurred_at));
  }

 private:
  using total_key = std::tuple<std::string_view, environment, std::chrono::sys_days, std::string_view, daily_counter>;
  struct sum {
    std::int64_t counted = 0;
    std::int64_t amount = 0;
  };

  void add_event(const entity_key& subject, const timeline_entry& event, std::int64_t position);

  std::vector<std::pair<const entity_key*, const timeline_entry*>> events_;
  std::map<total_key, sum> totals_;  ///< the keys' texts are borrowed from the units
  std::vector<const save_audit*> audits_;  ///< borrowed from the units
  std::list<audit_entry> linked_;
  std::optional<audit_head> audit_head_;
  /// A unit writes few of the kinds. For each kind: 0, or one more than where its rows are in `rows_`.
  std::array<unsigned char, row_kind_count> places_{};
  std::vector<std::unique_ptr<row_buffer>> rows_;
};

/// Appends a hash for each row that the unit writes. Two units that write the same row have a hash in common.
void append_row_hashes(std::vector<std::size_t>& hashes, const unit_of_work& unit);

/// Roughly the size of the unit's rows in bytes.
std::size_t estimated_bytes(const unit_of_work& unit) noexcept;

}  // namespace gateway::persistence
