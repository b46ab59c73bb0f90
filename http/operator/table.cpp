#include "table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "audit.hpp"
#include "backup.hpp"
#include "carry_out.hpp"
#include "compliance.hpp"
#include "customers.hpp"
#include "decode_directory.hpp"
#include "encode.hpp"
#include "grants.hpp"
#include "health.hpp"
#include "http/call/reply.hpp"
#include "http/call/serve.hpp"
#include "http/errors.hpp"
#include "ledger.hpp"
#include "mail.hpp"
#include "master_keys.hpp"
#include "merchants.hpp"
#include "nodes.hpp"
#include "notifications.hpp"
#include "operator_name.hpp"
#include "operators.hpp"
#include "payments.hpp"
#include "people.hpp"
#include "personal_data.hpp"
#include "provider_events.hpp"
#include "providers.hpp"
#include "recovery.hpp"
#include "searches.hpp"
#include "subscriptions.hpp"
#include "webhooks.hpp"

namespace gateway::http {
namespace {

/// Decodes a command to the directory, executes it, and encodes its result.
template <auto Decode>
boost::asio::awaitable<response> run(call& c) {
  auto body = Decode(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& command = std::get<0>(body);
  if constexpr (requires { command.created_by; }) command.created_by = operator_name(c.in);
  operator_command wanted{std::move(command)};
  auto op = carry_out(c, std::move(wanted));
  co_return co_await std::move(op);
}

/// The platforms of the published snapshot, by their OAuth names.
boost::asio::awaitable<response> list_platforms(call& c) {
  std::vector<platform> list;
  c.here.shared.merchants.for_each_platform([&](const platform& one) { list.push_back(one); });
  std::ranges::sort(list, {}, &platform::slug);
  co_return answer_with(encode_platforms(list));
}

constexpr auto operator_table = std::to_array<endpoint>({
    {"POST", "/operator/merchants", run<decode_create_merchant>},
    {"POST", "/operator/merchants/list", list_merchants},
    {"POST", "/operator/merchants/show", show_merchant},
    {"POST", "/operator/merchants/branding", run<decode_set_branding>},
    {"POST", "/operator/keys/list", list_keys},
    {"POST", "/operator/routes/list", list_routes},
    {"POST", "/operator/connections/list", list_connections},
    {"POST", "/operator/users/list", list_users},
    {"POST", "/operator/search", search_by_operator},
    {"POST", "/operator/keys", run<decode_mint_key>},
    {"POST", "/operator/keys/revoke", run<decode_revoke_key>},
    {"POST", "/operator/users", run<decode_add_user>},
    {"POST", "/operator/users/invite", invite},
    {"POST", "/operator/users/reset-second-factor", reset_second_factor},
    {"POST", "/operator/operators/add", add_an_operator},
    {"POST", "/operator/operators/list", list_operators},
    {"POST", "/operator/operators/remove", remove_an_operator},
    {"POST", "/operator/operators/reset", reset_an_operator},
    {"POST", "/operator/connections", run<decode_set_connection>},
    {"POST", "/operator/routes", run<decode_set_route>},
    {"POST", "/operator/customers/list", list_customers},
    {"POST", "/operator/personal-data/export", export_personal_data},
    {"POST", "/operator/personal-data/erase", erase_personal_data},
    {"POST", "/operator/subscriptions/list", list_subscriptions},
    {"POST", "/operator/subscriptions/show", show_subscription_for_operator},
    {"POST", "/operator/payments/list", list_payments_for_operator},
    {"POST", "/operator/payments/show", show_payment_for_operator},
    {"POST", "/operator/payments/refresh", refresh_payment},
    {"POST", "/operator/payments/settle", settle_payment_outcome},
    {"POST", "/operator/payments/record-refund", record_outside_refund},
    {"POST", "/operator/sandbox/payment", act_on_sandbox_payment},
    {"POST", "/operator/sandbox/subscription", move_sandbox_subscription},
    {"POST", "/operator/grants/list", list_grants},
    {"POST", "/operator/grants/revoke", revoke_grant_for_operator},
    {"POST", "/operator/platforms", run<decode_create_platform>},
    {"POST", "/operator/platforms/set", run<decode_change_platform>},
    {"POST", "/operator/platforms/list", list_platforms},
    {"POST", "/operator/platforms/status", run<decode_set_platform_status>},
    {"POST", "/operator/platform-keys", run<decode_mint_platform_key>},
    {"POST", "/operator/providers", configure_a_provider},
    {"POST", "/operator/providers/remove", remove_provider_settings},
    {"POST", "/operator/providers/list", list_providers},
    {"POST", "/operator/providers/check", check_provider},
    {"POST", "/operator/providers/register-notifications", register_notifications},
    {"POST", "/operator/providers/backfill", backfill_provider_events},
    {"POST", "/operator/destinations", put_destination},
    {"POST", "/operator/destinations/list", list_destinations},
    {"POST", "/operator/destinations/enable", run<decode_enable_destination>},
    {"POST", "/operator/destinations/disable", run<decode_disable_destination>},
    {"POST", "/operator/destinations/change", change_destination_address},
    {"POST", "/operator/destinations/delete", run<decode_delete_destination>},
    {"POST", "/operator/destinations/rotate-secret", run<decode_rotate_destination_secret>},
    {"POST", "/operator/deliveries/list", list_deliveries},
    {"POST", "/operator/deliveries/show", show_delivery},
    {"POST", "/operator/deliveries/redeliver", deliver_again},
    {"POST", "/operator/events/list", list_events},
    {"POST", "/operator/notifications/list", list_notifications},
    {"POST", "/operator/notifications/replay", replay_a_notification},
    {"POST", "/operator/mail/list", list_mail},
    {"POST", "/operator/mail/retry", retry_a_mail},
    {"POST", "/operator/ledger/sums", sum_ledger},
    {"POST", "/operator/ledger/list", list_ledger},
    {"POST", "/operator/audit/list", list_audit},
    {"POST", "/operator/audit/verify", verify_audit},
    {"POST", "/operator/audit/compare", compare_audit_head},
    {"POST", "/operator/compliance", show_compliance_facts},
    {"POST", "/operator/backup", prepare_backup},
    {"POST", "/operator/backup/made", note_backup},
    {"POST", "/operator/recovery/begin", begin_recovery},
    {"POST", "/operator/recovery/payments", recover_payments},
    {"POST", "/operator/recovery/sandbox-ledger", compare_sandbox_ledger},
    {"POST", "/operator/recovery/finish", finish_recovery},
    {"POST", "/operator/nodes/list", show_nodes},
    {"POST", "/operator/nodes/drain", drain_a_node},
    {"POST", "/operator/master-keys/list", show_master_keys},
    {"POST", "/operator/master-keys/rotate", rotate_master_key},
    {"POST", "/operator/master-keys/retire", retire_a_master_key},
    {"POST", "/operator/address", show_address},
    {"GET", "/metrics", show_metrics},
    {"GET", "/healthz", show_health},
    {"GET", "/readyz", show_readiness},
});

}  // namespace

boost::asio::awaitable<response> handle_operator(worker& here, request& in) { return serve(here, in, operator_table); }

}  // namespace gateway::http
