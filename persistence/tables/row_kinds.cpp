#include "persistence/tables/row_kinds.hpp"

#include <string_view>
#include <type_traits>
#include <variant>

#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

using enum commit_outcome;

struct table_row {
  row_kind kind;
  row_writing how;
};

constexpr table_row table[] = {
    {row_kind::command, {&statements::insert_command, nullptr, 0, duplicate_command}},
    {row_kind::counted_event, {&statements::insert_counted_event, nullptr, 0, duplicate_record}},
    {row_kind::payment, {&statements::insert_payment, nullptr, 0, entity_exists}},
    {row_kind::binding, {&statements::insert_binding, nullptr, 0, entity_exists}},
    {row_kind::customer, {&statements::insert_customer, nullptr, 0, entity_exists}},
    {row_kind::subscription, {&statements::insert_subscription, nullptr, 0, entity_exists}},
    {row_kind::enrollment, {&statements::insert_enrollment, nullptr, 0, entity_exists}},
    {row_kind::notification, {&statements::insert_notification, nullptr, 0, entity_exists}},
    {row_kind::payment_claim, {&statements::update_payment, nullptr, 0, lost_claim}},
    {row_kind::binding_claim, {&statements::update_binding, nullptr, 0, lost_claim}},
    {row_kind::customer_claim, {&statements::update_customer, nullptr, 0, lost_claim}},
    {row_kind::subscription_claim, {&statements::update_subscription, nullptr, 0, lost_claim}},
    {row_kind::enrollment_claim, {&statements::update_enrollment, nullptr, 0, lost_claim}},
    {row_kind::notification_claim, {&statements::update_notification, nullptr, 0, lost_claim}},
    {row_kind::past_grant, {&statements::insert_past_grant, nullptr, 0, lost_claim}},
    {row_kind::command_finish, {&statements::finish_command, nullptr, 0, lost_claim}},
    {row_kind::attempt, {&statements::insert_attempt, nullptr, 0, lost_claim}},
    {row_kind::event, {&statements::insert_event, nullptr, 0, lost_claim}},
    {row_kind::delivery, {&statements::insert_delivery, nullptr, 0, lost_claim}},
    {row_kind::delivery_claim, {&statements::update_delivery, nullptr, 0, lost_claim}},
    {row_kind::merchant, {&statements::insert_merchant, nullptr, 0, duplicate_record}},
    {row_kind::api_key, {&statements::insert_api_key, nullptr, 0, duplicate_record}},
    {row_kind::person, {&statements::insert_person, nullptr, 0, duplicate_record}},
    {row_kind::credentials_check, {nullptr, &statements::check_credentials, 3, duplicate_record, true}},
    {row_kind::first_password, {nullptr, &statements::set_first_password, 5, duplicate_record, true}},
    {row_kind::password_link_use, {nullptr, &statements::spend_password_link, 3, duplicate_record, true}},
    {row_kind::mailed_password, {nullptr, &statements::set_mailed_password, 3, duplicate_record, true}},
    {row_kind::membership, {&statements::put_membership, nullptr, 0, duplicate_record}},
    {row_kind::invitation, {&statements::put_invitation, nullptr, 0, duplicate_record}},
    {row_kind::session, {&statements::insert_session, nullptr, 0, duplicate_record}},
    {row_kind::connection, {&statements::put_connection, nullptr, 0, duplicate_record}},
    {row_kind::route, {&statements::put_route, nullptr, 0, duplicate_record}},
    {row_kind::branding, {&statements::put_branding, nullptr, 0, duplicate_record}},
    {row_kind::logo, {&statements::put_logo, nullptr, 0, duplicate_record}},
    {row_kind::setup_token, {&statements::insert_setup_token, nullptr, 0, duplicate_record}},
    {row_kind::destination, {&statements::put_destination, nullptr, 0, duplicate_record}},
    {row_kind::destination_health, {&statements::put_destination_health, nullptr, 0, duplicate_record}},
    {row_kind::platform, {&statements::insert_platform, nullptr, 0, duplicate_record}},
    {row_kind::platform_key, {&statements::insert_platform_key, nullptr, 0, duplicate_record}},
    {row_kind::provider, {&statements::put_provider, nullptr, 0, duplicate_record}},
    {row_kind::master_key, {&statements::insert_master_key, nullptr, 0, duplicate_record}},
    {row_kind::last_seen, {&statements::put_meta, nullptr, 0, duplicate_record}},
    {row_kind::fact, {&statements::put_meta, nullptr, 0, duplicate_record}},
    // Revoking a revoked key changes nothing and is no error; the first time of revocation stays.
    {row_kind::api_key_revocation, {nullptr, &statements::revoke_api_key, 3, duplicate_record}},
    {row_kind::api_key_use, {nullptr, &statements::note_api_key_use, 4, duplicate_record}},
    {row_kind::platform_change, {nullptr, &statements::update_platform, 6, duplicate_record}},
    {row_kind::platform_key_revocation, {nullptr, &statements::revoke_platform_key, 3, duplicate_record}},
    {row_kind::platform_key_use, {nullptr, &statements::note_platform_key_use, 4, duplicate_record}},
    {row_kind::shown_password_end, {nullptr, &statements::end_shown_password, 1, duplicate_record}},
    {row_kind::shown_sessions_end, {nullptr, &statements::end_shown_sessions, 2, duplicate_record}},
    {row_kind::shown_codes_end, {nullptr, &statements::end_shown_codes, 2, duplicate_record}},
    {row_kind::password_change, {nullptr, &statements::update_password, 3, duplicate_record}},
    {row_kind::membership_end, {nullptr, &statements::drop_membership, 2, duplicate_record}},
    {row_kind::invitation_end, {nullptr, &statements::drop_invitation, 2, duplicate_record}},
    {row_kind::invitation_use, {nullptr, &statements::spend_invitation, 4, duplicate_record, true}},
    {row_kind::invitations_purge, {nullptr, &statements::purge_invitations, 2, duplicate_record}},
    {row_kind::session_use, {nullptr, &statements::touch_session, 2, duplicate_record}},
    {row_kind::session_end, {nullptr, &statements::end_session, 1, duplicate_record}},
    {row_kind::other_sessions_end, {nullptr, &statements::end_other_sessions, 2, duplicate_record}},
    {row_kind::sessions_purge, {nullptr, &statements::purge_sessions, 2, duplicate_record}},
    {row_kind::second_factor, {nullptr, &statements::replace_second_factor, 2, duplicate_record}},
    {row_kind::recovery_codes_end, {nullptr, &statements::drop_recovery_codes, 1, duplicate_record}},
    {row_kind::recovery_code, {&statements::insert_recovery_code, nullptr, 0, duplicate_record}},
    {row_kind::totp_step_use, {nullptr, &statements::spend_totp_step, 3, duplicate_record, true}},
    {row_kind::recovery_code_use, {nullptr, &statements::spend_recovery_code, 3, duplicate_record, true}},
    {row_kind::time_zone_change, {nullptr, &statements::update_time_zone, 2, duplicate_record}},
    {row_kind::password_link_end, {nullptr, &statements::drop_password_link, 1, duplicate_record}},
    {row_kind::password_link, {&statements::put_password_link, nullptr, 0, duplicate_record}},
    {row_kind::mail, {&statements::insert_mail, nullptr, 0, duplicate_record}},
    {row_kind::mail_lease, {nullptr, &statements::lease_mail, 3, duplicate_record, true}},
    {row_kind::mail_finish, {nullptr, &statements::finish_mail, 7, duplicate_record, true}},
    {row_kind::mail_retry, {nullptr, &statements::retry_mail, 3, duplicate_record, true}},
    {row_kind::mail_purge, {nullptr, &statements::purge_mail, 2, duplicate_record}},
    {row_kind::mail_forgetting, {nullptr, &statements::forget_mail, 1, duplicate_record}},
    {row_kind::console_operator, {&statements::insert_operator, nullptr, 0, duplicate_record}},
    {row_kind::operator_reset, {nullptr, &statements::reset_operator, 3, duplicate_record, true}},
    {row_kind::operator_setup, {nullptr, &statements::set_up_operator, 5, duplicate_record, true}},
    {row_kind::operator_code_use, {nullptr, &statements::spend_operator_code, 5, duplicate_record, true}},
    {row_kind::operator_end, {nullptr, &statements::drop_operator, 1, duplicate_record, true}},
    {row_kind::api_key_seal, {nullptr, &statements::reseal_api_key, 4, duplicate_record, true}},
    {row_kind::platform_key_seal, {nullptr, &statements::reseal_platform_key, 4, duplicate_record, true}},
    {row_kind::destination_seal, {nullptr, &statements::reseal_destination, 4, duplicate_record, true}},
    {row_kind::previous_secret_seal, {nullptr, &statements::reseal_previous_secret, 4, duplicate_record, true}},
    {row_kind::provider_seal, {nullptr, &statements::reseal_provider, 4, duplicate_record, true}},
    {row_kind::second_factor_seal, {nullptr, &statements::reseal_second_factor, 3, duplicate_record, true}},
    {row_kind::operator_factor_seal, {nullptr, &statements::reseal_operator_factor, 3, duplicate_record, true}},
    {row_kind::mail_seal, {nullptr, &statements::reseal_mail, 3, duplicate_record, true}},
    {row_kind::details_replacement, {nullptr, &statements::replace_details, 4, duplicate_record}},
    {row_kind::event_data_replacement, {nullptr, &statements::replace_event_data, 6, duplicate_record}},
    {row_kind::attempt_message_replacement, {nullptr, &statements::replace_attempt_message, 6, duplicate_record}},
    {row_kind::answer_replacement, {nullptr, &statements::replace_answer, 5, duplicate_record}},
    {row_kind::notification_body_replacement, {nullptr, &statements::replace_notification_body, 3, duplicate_record}},
    {row_kind::audit_texts_replacement, {nullptr, &statements::replace_audit_texts, 4, duplicate_record}},
    {row_kind::master_key_demotion, {nullptr, &statements::demote_master_keys, 1, duplicate_record}},
    {row_kind::master_key_promotion, {nullptr, &statements::promote_master_key, 1, duplicate_record, true}},
    {row_kind::master_key_withdrawal, {nullptr, &statements::withdraw_master_key, 1, duplicate_record, true}},
    {row_kind::master_key_retirement, {nullptr, &statements::retire_master_key, 17, duplicate_record, true}},
    {row_kind::master_key_unwrapping, {nullptr, &statements::unwrap_master_keys, 2, duplicate_record}},
    {row_kind::audit, {&statements::insert_audit, nullptr, 0, duplicate_record}},
    {row_kind::audit_head, {&statements::put_audit_head, nullptr, 0, duplicate_record}},
    {row_kind::customer_payment, {&statements::insert_customer_payment, nullptr, 0, entity_exists}},
    {row_kind::ledger_entry, {&statements::insert_ledger_entry, nullptr, 0, lost_claim}},
    {row_kind::dispute_entry, {&statements::put_dispute, nullptr, 0, duplicate_record}},
    {row_kind::sandbox_event, {&statements::insert_sandbox_event, nullptr, 0, lost_claim}},
    {row_kind::event_position, {&statements::put_event_position, nullptr, 0, duplicate_record}},
    // Late, because other transactions that add to the same total wait for its row until the commit.
    {row_kind::daily_total, {&statements::add_daily_total, nullptr, 0, duplicate_record}},
    // Last, because all nodes wait for this row until the commit.
    {row_kind::directory_turn, {nullptr, &statements::take_turn, 1, duplicate_record, true}},
    {row_kind::directory_number, {nullptr, &statements::raise_number, 0, duplicate_record}},
    {row_kind::directory_change, {nullptr, &statements::log_change, 2, duplicate_record}},
};
static_assert(std::size(table) == row_kind_count);
static_assert(
    [] {
      for (std::size_t i = 0; i < row_kind_count; ++i)
        if (table[i].kind != static_cast<row_kind>(i)) return false;
      return true;
    }(),
    "each row stands at its kind");

}  // namespace

const row_writing& writing_of(row_kind kind) noexcept { return table[static_cast<std::size_t>(kind)].how; }

row_buffer& gathered_rows::add_to(row_kind kind) {
  auto& place = places_[static_cast<std::size_t>(kind)];
  if (place == 0) {
    rows_.push_back(std::make_unique<row_buffer>());
    place = static_cast<unsigned char>(rows_.size());
  }
  return *rows_[place - 1u];
}

void gathered_rows::count(const count_daily& what) {
  const auto& added = what.added;
  auto& total = totals_[{what.merchant.value, what.env, added.day, added.amount.unit.code(), added.what}];
  total.counted += added.count;
  total.amount += added.amount.minor;
}

void gathered_rows::add_event(const entity_key& subject, const timeline_entry& event, std::int64_t position) {
  insert_event(*this, subject, event, position);
}

void gathered_rows::add_up(std::int64_t lane) {
  for (const auto& [key, total] : totals_) {
    const auto& [merchant, env, day, currency, what] = key;
    insert_row(*this, added_total{merchant, env, day, currency, what, lane, total.counted, total.amount});
  }
}

void gathered_rows::gather(const unit_of_work& unit) {
  for (const auto& row : unit.inserts)
    std::visit(
        [&]<class Row>(const Row& one) {
          if constexpr (std::is_same_v<Row, timeline_entry>)
            insert_entry(*this, unit.subject, one);
          else
            insert_row(*this, one);
        },
        row);
  for (const auto& row : unit.claims) std::visit([&](const auto& one) { claim_row(*this, one); }, row);
}

void append_row_hashes(std::vector<std::size_t>& hashes, const unit_of_work& unit) {
  for (const auto& row : unit.inserts)
    std::visit(
        [&]<class Row>(const Row& one) {
          if constexpr (!std::is_same_v<Row, timeline_entry> && !std::is_same_v<Row, count_daily> &&
                        !std::is_same_v<Row, ledger_entry> && !std::is_same_v<Row, dispute_entry> &&
                        !std::is_same_v<Row, sandbox_event>)
            hashes.push_back(row_hash(one));
          if constexpr (std::is_same_v<Row, save_session> || std::is_same_v<Row, save_membership>)
            hashes.push_back(owner_hash(one.user));
        },
        row);
  for (const auto& row : unit.claims) hashes.push_back(std::visit([](const auto& one) { return row_hash(one); }, row));
}

std::size_t estimated_bytes(const unit_of_work& unit) noexcept {
  std::size_t bytes = 256;
  for (const auto& row : unit.inserts) bytes += std::visit([](const auto& one) { return row_bytes(one); }, row);
  for (const auto& row : unit.claims) bytes += std::visit([](const auto& one) { return row_bytes(one); }, row);
  return bytes;
}

}  // namespace gateway::persistence
