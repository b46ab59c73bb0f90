// Converts the domain's values to rows and back. The cells of a row are in the order of the statement's columns.
#pragma once

#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/node.hpp"
#include "gateway/store.hpp"
#include "persistence/connection.hpp"

namespace gateway::persistence {

/// The rows of one statement, and the texts that were created for them.
class row_buffer {
 public:
  row_buffer& add(std::int64_t number) { return push(number); }
  row_buffer& add(std::string_view text) { return push(text); }
  row_buffer& add(const std::string& text) { return push(std::string_view{text}); }
  row_buffer& add(std::string&&) = delete;  // the text would dangle: use keep()
  row_buffer& add(const char*) = delete;
  row_buffer& add(time_point at) { return push(to_unix_ms(at)); }
  row_buffer& add(std::optional<time_point> at) { return at ? add(*at) : null(); }
  row_buffer& keep(std::string&& text) { return push(std::string_view{kept_.emplace_back(std::move(text))}); }
  row_buffer& null() { return push(std::monostate{}); }

  const std::vector<cell>& cells() const noexcept { return cells_; }
  bool empty() const noexcept { return cells_.empty(); }

 private:
  row_buffer& push(cell value) {
    cells_.push_back(value);
    return *this;
  }

  std::vector<cell> cells_;
  std::deque<std::string> kept_;
};

/// A day as it is stored: the number of days since 1970-01-01.
inline std::int64_t day_number(std::chrono::sys_days day) noexcept { return day.time_since_epoch().count(); }

// Each appends one row for the statement of the same name.
void insert_payment_row(row_buffer& rows, const payment& p);
void update_payment_row(row_buffer& rows, const payment& p);
void insert_command_row(row_buffer& rows, const command_record& c);
void finish_command_row(row_buffer& rows, const command_finish& f);
void insert_attempt_row(row_buffer& rows, const entity_key& subject, const timeline_entry& e);
void insert_event_row(row_buffer& rows, const entity_key& subject, const timeline_entry& e);
void revoke_api_key_row(row_buffer& rows, const revoke_api_key& k);
void insert_merchant_row(row_buffer& rows, const save_merchant& m);
void insert_api_key_row(row_buffer& rows, const save_api_key& k);
void insert_person_row(row_buffer& rows, const save_user& u);
void update_password_row(row_buffer& rows, const set_user_password& p);
void end_other_sessions_row(row_buffer& rows, const set_user_password& p);
void put_membership_row(row_buffer& rows, const save_membership& m);
void drop_membership_row(row_buffer& rows, const drop_membership& m);
void put_invitation_row(row_buffer& rows, const stored_invitation& i);
void purge_invitations_row(row_buffer& rows, const stored_invitation& i);
void drop_invitation_row(row_buffer& rows, const drop_invitation& i);
void spend_invitation_row(row_buffer& rows, const spend_invitation& i);
void set_first_password_row(row_buffer& rows, const set_first_password& p);
void check_credentials_row(row_buffer& rows, const check_credentials& c);
void add_user(row_buffer& rows, const user_id& user);
void add_user_twice(row_buffer& rows, const user_id& user);
void insert_session_row(row_buffer& rows, const save_session& s);
void purge_sessions_row(row_buffer& rows, const save_session& s);
void touch_session_row(row_buffer& rows, const touch_session& s);
void end_session_row(row_buffer& rows, const end_session& s);
void insert_platform_row(row_buffer& rows, const insert_platform& p);
void update_platform_row(row_buffer& rows, const update_platform& p);
void insert_platform_key_row(row_buffer& rows, const save_platform_key& k);
void revoke_platform_key_row(row_buffer& rows, const revoke_platform_key& k);
/// For insert_binding and for update_binding.
void binding_row(row_buffer& rows, const grant_binding& b);
/// For insert_customer and for update_customer.
void customer_row(row_buffer& rows, const customer& c);
/// For insert_subscription and for update_subscription.
void subscription_row(row_buffer& rows, const subscription& s);
/// For insert_enrollment and for update_enrollment.
void enrollment_row(row_buffer& rows, const sandbox_enrollment& e);
void insert_notification_row(row_buffer& rows, const notification& n);
void update_notification_row(row_buffer& rows, const notification& n);
void insert_counted_event_row(row_buffer& rows, const counted_event& e);
void insert_past_grant_row(row_buffer& rows, const past_grant& g);
void put_connection_row(row_buffer& rows, const save_connection& c);
void put_route_row(row_buffer& rows, const save_route& r);
void insert_spent_token_row(row_buffer& rows, const spend_token& t);
void replace_second_factor_row(row_buffer& rows, const set_second_factor& f);
void drop_recovery_codes_row(row_buffer& rows, const set_second_factor& f);
void insert_recovery_code_row(row_buffer& rows, const user_id& user, const std::string& hash);
void spend_totp_step_row(row_buffer& rows, const spend_totp_step& s);
void spend_recovery_code_row(row_buffer& rows, const spend_recovery_code& c);
void update_time_zone_row(row_buffer& rows, const set_time_zone& z);
void insert_audit_row(row_buffer& rows, const save_audit& a);
void insert_ledger_entry_row(row_buffer& rows, const ledger_entry& e);
void put_destination_row(row_buffer& rows, const save_destination& d);
void put_provider_row(row_buffer& rows, const save_provider& p);
void put_last_seen_row(row_buffer& rows, const save_last_seen& s);
void directory_change_row(row_buffer& rows, const directory_change& c);
void directory_turn_row(row_buffer& rows, const directory_turn& t);
void insert_delivery_row(row_buffer& rows, const delivery& d);
void update_delivery_row(row_buffer& rows, const delivery& d);

/// A stored row that this program cannot read. The caller is not at fault; an operator has to investigate.
class corrupt_row : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// From a row of the statement of the same name. Throw corrupt_row.
payment payment_from(const result_row& row, const entity_key& key);
/// From a row of a list of payments, which ends with the id.
payment listed_payment_from(const result_row& row, const merchant_id& merchant, environment env);
daily_total daily_total_from(const result_row& row);
ledger_sum ledger_sum_from(const result_row& row);
ledger_entry ledger_entry_from(const result_row& row, const merchant_id& merchant, environment env);
save_audit audit_from(const result_row& row);
listed_session listed_session_from(const result_row& row);
command_record command_from(const result_row& row, const command_key& key);
timeline_entry timeline_entry_from(const result_row& row);
/// From a row of a read that returns keys.
entity_key key_from(const result_row& row, entity_kind kind);
save_merchant merchant_from(const result_row& row);
stored_key api_key_from(const result_row& row);
stored_user user_from(const result_row& row);
stored_membership membership_from(const result_row& row);
stored_invitation invitation_from(const result_row& row);
/// Adds the invitation of a row of read_invitations_of_user, and sets the person's state.
void add_invitation_row(invitations_lookup& found, const result_row& row);
stored_person person_from(const result_row& row);
/// Adds the membership of a row of read_session, and sets the rest.
void add_session_row(std::optional<stored_session>& found, const result_row& row);
platform platform_from(const result_row& row);
stored_platform_key platform_key_from(const result_row& row);
grant_binding binding_from(const result_row& row, const entity_key& key);
/// From a row of read_customer or read_customers.
customer customer_from(const result_row& row, const merchant_id& merchant);
/// From a row of read_subscription or read_subscriptions.
subscription subscription_from(const result_row& row, const merchant_id& merchant);
sandbox_enrollment enrollment_from(const result_row& row, const entity_key& key);
/// From a row of read_notification, or of a list of notifications.
notification notification_from(const result_row& row);
stored_binding stored_binding_from(const result_row& row);
grant_lookup grant_lookup_from(const result_row& row);
std::pair<entity_key, grant> grant_from(const result_row& row);
stored_connection connection_from(const result_row& row);
stored_route route_from(const result_row& row);
stored_destination destination_from(const result_row& row);
delivery_job delivery_job_from(const result_row& row);
destination_backlog backlog_from(const result_row& row);
save_provider provider_from(const result_row& row);
directory_change directory_change_from(const result_row& row);
node_row node_from(const result_row& row);
event_record event_from(const result_row& row);

}  // namespace gateway::persistence
