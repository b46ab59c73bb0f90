// The commands of gatewayctl, by their first word. The order of these functions is that of --help.
#pragma once

#include "call_command.hpp"

namespace gateway::ctl {

void add_search_command(const command_group& program);
void add_merchant_commands(const command_group& program);
void add_user_commands(const command_group& program);
void add_operator_commands(const command_group& program);
void add_platform_commands(const command_group& program);
void add_key_commands(const command_group& program);
void add_connection_commands(const command_group& program);
void add_route_commands(const command_group& program);
void add_provider_commands(const command_group& program);
void add_grant_commands(const command_group& program);
void add_payment_commands(const command_group& program);
void add_customer_commands(const command_group& program);
void add_personal_data_commands(const command_group& program);
void add_subscription_commands(const command_group& program);
void add_sandbox_commands(const command_group& program);
void add_audit_commands(const command_group& program);
void add_compliance_command(const command_group& program);
void add_node_commands(const command_group& program);
void add_master_key_commands(const command_group& program);
void add_destination_commands(const command_group& program);
void add_delivery_commands(const command_group& program);
void add_event_commands(const command_group& program);
void add_notification_commands(const command_group& program);
void add_mail_commands(const command_group& program);
/// `report` and `reconcile`, which take as many requests as necessary.
void add_ledger_commands(const command_group& program);
/// `backup`, `backup-verify` and `recover`.
void add_backup_commands(const command_group& program);

}  // namespace gateway::ctl
