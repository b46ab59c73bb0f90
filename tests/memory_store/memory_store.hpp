// The store's contract implemented with maps, instead of a database, for the tests of actors and the simulation. The
// contract suite of tests/persistence/ runs over it as over the databases.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gateway/ports/store/store.hpp"
#include "unit_parts.hpp"

namespace gateway::testing {

class memory_store {
 public:
  using entity_row_key = std::tuple<std::string, int, int, std::string>;
  /// By merchant, environment, time, payment and number, as the databases sort them.
  using ledger_row_key = std::tuple<std::string, std::string, time_point, std::string, std::uint32_t>;
  static ledger_row_key id(const ledger_entry& e) {
    return {e.payment.merchant.value, std::string{to_string(e.payment.env)}, e.at, e.payment.id, e.seq};
  }
  using command_row_key = std::tuple<std::string, int, std::string, std::string>;
  static entity_row_key id(const entity_key& k) {
    return {k.merchant.value, static_cast<int>(k.env), static_cast<int>(k.kind), k.id};
  }
  using event_row_key = std::tuple<std::string, int, std::string>;
  static event_row_key id(const counted_event& e) { return {e.merchant.value, static_cast<int>(e.env), e.event_id}; }
  static command_row_key id(const command_key& k) {
    return {k.merchant.value, static_cast<int>(k.env), k.principal, k.key};
  }

  /// All or nothing.
  commit_outcome commit(const unit_of_work& unit);
  /// In order; each unit succeeds or fails alone.
  std::vector<commit_outcome> commit(std::span<const unit_of_work> units);

  entity_lookup run(const find_entity& what) const;
  command_lookup run(const find_command& what) const;
  payments_lookup run(const find_payments& what) const;
  payment_counts run(const count_payments& what) const;
  payments_lookup run(const find_payments_by_ref& what) const;
  payments_of_merchants_lookup run(const find_payments_of_merchants& what) const;
  payments_lookup run(const find_unknown_payments& what) const;
  payment_key_lookup run(const find_payment_key& what) const;
  purged_payment_lookup run(const find_purged_payment& what) const;
  daily_totals_lookup run(const find_daily_totals& what) const;
  ledger_sums_lookup run(const find_ledger_sums& what) const;
  ledger_lookup run(const find_ledger& what) const;
  timeline_lookup run(const find_timeline& what) const;
  due_lookup run(const find_due& what) const;
  directory_lookup run(const find_directory& what) const;
  directory_updates run(const find_directory_updates& what) const;
  destinations_lookup run(const find_destinations& what) const;
  due_deliveries_lookup run(const find_due_deliveries& what) const;
  backlog_lookup run(const find_backlog& what) const;
  deliveries_lookup run(const find_deliveries& what) const;
  delivery_count run(const count_deliveries& what) const;
  waiting_deliveries run(const find_waiting_deliveries& what) const;
  destination_health_lookup run(const find_destination_health& what) const;
  events_lookup run(const find_events& what) const;
  grant_lookup run(const find_grant& what) const;
  grants_lookup run(const find_grants& what) const;
  customers_lookup run(const find_customers& what) const;
  customer_keys_lookup run(const find_customer_keys& what) const;
  subscription_keys_lookup run(const find_subscription_keys& what) const;
  subscriptions_lookup run(const find_subscriptions& what) const;
  customers_page run(const find_customers_of_platform& what) const;
  subscriptions_page run(const find_subscriptions_of_platform& what) const;
  user_lookup run(const find_user& what) const;
  session_lookup run(const find_session& what) const;
  sessions_lookup run(const find_sessions& what) const;
  audit_lookup run(const find_audit& what) const;
  audit_entries_lookup run(const find_audit_entries& what) const;
  audit_chain_lookup run(const find_audit_chain& what) const;
  audit_heads_lookup run(const find_audit_heads& what) const;
  notifications_lookup run(const find_notifications& what) const;
  spent_token_lookup run(const find_spent_token& what) const;
  invitations_lookup run(const find_invitations& what) const;
  disputes_lookup run(const find_disputes& what) const;
  event_lists_lookup run(const find_event_lists& what) const;
  sandbox_events_lookup run(const find_sandbox_events& what) const;
  merchants_lookup run(const find_merchants& what) const;
  people_lookup run(const find_people& what) const;
  payments_everywhere_lookup run(const find_payments_everywhere& what) const;
  events_by_id_lookup run(const find_events_by_id& what) const;
  requests_lookup run(const find_requests& what) const;
  logged_events_lookup run(const find_logged_events& what) const;
  event_news_lookup run(const find_event_news& what) const;
  logo_lookup run(const find_logo& what) const;
  master_keys_lookup run(const find_master_keys& what) const;
  sealed_lookup run(const find_sealed& what) const;
  mail_lookup run(const find_due_mail& what) const;
  mail_lookup run(const find_mail& what) const;
  password_link_lookup run(const find_password_link& what) const;
  operator_lookup run(const find_operator& what) const;
  operators_lookup run(const find_operators& what) const;
  personal_texts run(const find_personal_texts& what) const;
  purge_result run(const purge_commands& what);
  redeliver_rows_result run(const redeliver_rows& what);

  // The rows themselves: a test may read them, and change them as manual SQL could.
  std::map<entity_row_key, payment> payments;
  std::set<entity_row_key> purged_payments;
  std::map<entity_row_key, grant_binding> bindings;
  std::map<entity_row_key, customer> customers;
  std::map<entity_row_key, subscription> subscriptions;
  std::map<entity_row_key, sandbox_enrollment> enrollments;
  std::map<entity_row_key, notification> notifications;
  std::set<event_row_key> counted_events;
  std::map<std::string, past_grant> past_grants;  ///< by the grant's id
  std::map<command_row_key, command_record> commands;
  std::map<entity_row_key, std::map<std::uint32_t, timeline_entry>> timelines;
  /// The n-th event has the position n, from 1. An event of a payment that was purged has the number 0.
  std::vector<std::pair<entity_key, std::uint32_t>> event_log;
  std::int64_t events_kept_from = 0;  ///< events before this position have left the log, or are leaving it
  std::size_t events_purged = 0;      ///< how many events have left the log
  std::map<std::int64_t, delivery> deliveries;  ///< by number
  /// By merchant, environment, day, currency and counter, as the databases sort them.
  std::map<std::tuple<std::string, std::string, std::chrono::sys_days, std::string, std::string>, daily_total> totals;
  std::map<ledger_row_key, ledger_entry> ledger;
  std::optional<time_point> last_seen;
  std::map<std::string, std::string> facts;  ///< about the database itself
  /// By provider, environment and account.
  std::map<std::tuple<std::string, std::string, std::string>, time_point> event_positions;
  std::vector<sandbox_event> sandbox_events;
  std::map<std::tuple<std::string, std::string, std::string>, dispute_entry> disputes;
  std::map<std::pair<std::string, std::string>, destination_health> health;  ///< by owner and destination
  directory_head head;
  std::vector<std::pair<std::int64_t, directory_change>> log;

  /// Of all merchants, platforms and providers.
  directory_lookup whole_directory() const;
  /// The commands that run(purge_commands) would delete now, oldest first.
  std::vector<command_row_key> found_by(const purge_commands& what) const;

 private:
  struct directory_rows {
    std::map<std::string, save_merchant> merchants;
    std::map<std::string, stored_key> keys;
    struct session {
      save_session what;
      time_point used_at{};
    };

    std::map<std::string, stored_person> users;  ///< by email_key
    std::map<std::pair<std::string, std::string>, bool> recovery_codes;  ///< by user and hash: whether it is spent
    std::map<std::string, audit_entry> audit;
    std::optional<audit_head> audit_end;  ///< of the one chain
    std::map<std::pair<std::string, std::string>, save_membership> memberships;
    std::map<std::pair<std::string, std::string>, stored_invitation> invitations;
    std::map<std::string, merchant_id> shown_passwords;  ///< by user
    std::map<std::string, session> sessions;  ///< by hash
    std::map<std::string, queued_mail> mails;  ///< by id
    std::map<std::string, save_password_link> password_links;  ///< by user
    std::map<std::string, stored_operator> operators;  ///< by operator_key
    std::map<std::string, insert_platform> platforms;
    std::map<std::string, stored_platform_key> platform_keys;
    std::map<std::tuple<std::string, std::string, std::string>, stored_connection> connections;
    std::map<std::tuple<std::string, std::string, std::string>, stored_route> routes;
    std::map<std::string, save_branding> brandings;
    std::map<std::string, save_logo> logos;
    std::set<std::pair<std::string, std::string>> spent_tokens;
    std::map<std::pair<std::string, std::string>, save_destination> destinations;
    std::map<std::pair<std::string, std::string>, save_provider> providers;  ///< by kind and environment

    std::map<std::int64_t, save_master_key> master_keys;  ///< by position

    bool apply(const inserted_row& record);
    bool apply(const save_audit& entry);
    void apply(const revoke_api_key& k);
    bool apply(const claimed_row& record);
    stored_person* person(const user_id& id);
    save_master_key* master_key(const std::string& id, master_key_status status);
    bool apply(const promote_key& k);
    bool apply(const withdraw_key& k);
    bool apply(const retire_key& k);
    bool apply(const reseal& r);
    /// Every sealed text of the column, ordered by id; the empty ones are left out.
    std::vector<sealed_text> sealed_in(sealed_column in) const;
    queued_mail* pending_mail(const std::string& id);
  };
  commit_outcome obstacle_to(const unit_parts& unit) const;
  bool counts_once(const unit_parts& unit) const;
  bool is_new_in_ledger(const unit_parts& unit) const;
  commit_outcome records_apply(const unit_parts& unit);
  bool deliveries_apply(const unit_parts& unit) const;
  void replace(const replace_text& what);
  void replace(const replace_details& what);
  bool has_other_binding_with_grant_of(const grant_binding& one) const;
  delivery_job job_of(const delivery& row) const;
  std::uint64_t purge_events(time_point before, std::uint32_t limit);
  void purge_payments(const purge_commands& what, purge_result& made);
  void forget(const payment& row);
  std::uint64_t purge_audit(time_point before, std::uint32_t limit);
  std::optional<logged_event> logged_at(std::size_t position, const find_logged_events& what) const;
  bool may_read(const platform_id& platform, const event_record& event) const;

  directory_rows directory_;
};

}  // namespace gateway::testing
