// Options that the commands of several sources have.
#pragma once

#include <string>
#include <string_view>

#include "call_command.hpp"

namespace gateway::ctl {

/// The kinds of providers, with `between` between them.
std::string provider_names(std::string_view between);
std::string provider_help();

void add_mode(const call_command& to);
void add_optional_mode(const call_command& to);
void add_merchant(const call_command& to);
void add_merchant_and_mode(const call_command& to);
void add_provider(const call_command& to);
void add_platform(const call_command& to);
void add_user_address(const call_command& to);
/// The name of a new key.
void add_key_name(const call_command& to);
/// A subscription is named by its id, and by its merchant if other merchants have one with that id.
void add_subscription(const call_command& to);
/// A payment is named by its id, its merchant and its mode.
void add_payment(const call_command& to);
/// In minor units, above 0; the field `amount`.
options::option add_amount(const call_command& to, const char* name, const std::string& help, std::int64_t least = 1);
/// For lists that show 100 rows by default.
void add_page_limit(const call_command& to);
/// For lists that show 1,000 rows by default.
void add_list_limit(const call_command& to);

}  // namespace gateway::ctl
