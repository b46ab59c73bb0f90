#include "shared_options.hpp"

#include "gateway/domain/money.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::ctl {

std::string provider_names(std::string_view between) {
  std::string names;
  for (const auto& row : provider_catalogue) names.append(names.empty() ? "" : between).append(row.name);
  return names;
}

std::string provider_help() { return "One of " + provider_names(", "); }

void add_mode(const call_command& to) {
  to.text("--mode", "mode", "test or live").one_of("test,live").type_name("MODE");
}

void add_optional_mode(const call_command& to) {
  to.optional_text("--mode", "mode", "test or live [both]").one_of("test,live").type_name("MODE");
}

void add_merchant(const call_command& to) { to.text("--merchant", "merchant_id", "merch_…").type_name("MERCHANT"); }

void add_merchant_and_mode(const call_command& to) {
  to.text("--merchant", "merchant_id", "merch_… as `merchant create` printed it").type_name("MERCHANT");
  add_mode(to);
}

void add_provider(const call_command& to) {
  to.text("--provider", "provider", provider_help()).one_of(provider_names(",")).type_name("KIND");
}

void add_platform(const call_command& to) { to.text("--platform", "platform_id", "plat_…").type_name("PLATFORM"); }

void add_user_address(const call_command& to) { to.text("--email", "email", "The user's address").type_name("EMAIL"); }

void add_key_name(const call_command& to) {
  to.optional_text("--name", "name", "What the key is for, shown in lists; at most 100 characters").type_name("NAME");
}

void add_subscription(const call_command& to) {
  to.text("ID", "subscription_id", "The id in its events, or the caller's where only one merchant has it")
      .type_name("");
  to.optional_text("--merchant", "merchant_id", "Whose it is, where several have one of that id").type_name("MERCHANT");
}

void add_payment(const call_command& to) {
  to.text("ID", "payment_id", "Its payment_id").type_name("");
  to.text("--merchant", "merchant_id", "Whose payment it is").type_name("MERCHANT");
  add_mode(to);
}

options::option add_amount(const call_command& to, const char* name, const std::string& help, std::int64_t least) {
  const auto fault = [least](const std::string& text) -> std::string {
    if (parse_whole(text, least, max_amount)) return {};
    return least > 0 ? "must be an amount in minor units, above 0" : "must be an amount in minor units";
  };
  return to.optional_id(name, "amount", help).check(fault).type_name("AMOUNT");
}

void add_page_limit(const call_command& to) {
  to.number("--limit", "limit", "At most so many, newest first [100]", 100).within(1, 1000).type_name("N");
}

void add_list_limit(const call_command& to) {
  to.number("--limit", "limit", "At most so many [1000]", 1'000).within(1, 10'000).type_name("NUMBER");
}

}  // namespace gateway::ctl
