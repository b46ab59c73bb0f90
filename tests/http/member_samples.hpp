// Every page of the merchant portal, filled with plausible values or a test's own.
#pragma once

#include <string>
#include <vector>

#include "http/portal/member/audit_view.hpp"
#include "http/portal/member/branding_view.hpp"
#include "http/portal/member/connections_view.hpp"
#include "http/portal/member/customers_view.hpp"
#include "http/portal/member/delivery_view.hpp"
#include "http/portal/member/destination_view.hpp"
#include "http/portal/member/keys_view.hpp"
#include "http/portal/member/platforms_view.hpp"
#include "http/portal/member/subscriptions_view.hpp"
#include "http/portal/member/team_view.hpp"
#include "http/portal/person/account_view.hpp"
#include "member_payment_samples.hpp"

namespace gateway::http::testing {

struct sample_page {
  std::string name;
  response page;
};

class samples : public payment_samples {
 public:
  using payment_samples::payment_samples;

  subscription_row subscription_line(subscription_status status) const {
    return {t("box-" + std::string{to_string(status)}),
            t("EUR 19.00 each month"),
            t("reader-17"),
            status,
            at("30"),
            at("23")};
  }
  subscriptions_view subscriptions() const {
    subscriptions_view v;
    v.frame = frame(member_place::subscriptions);
    for (std::size_t i = 0; i < enum_count<subscription_status>; ++i)
      v.rows.push_back(subscription_line(static_cast<subscription_status>(i)));
    v.at_first = false;
    v.further = t("b2xkZXI=");
    return v;
  }
  subscription_view subscription() const {
    subscription_view v;
    v.frame = frame(member_place::subscriptions);
    v.of = subscription_line(subscription_status::active);
    v.event_id = t("sub_merch_lantern_sub_1");
    v.description = t("The monthly box");
    v.customer_id = t("0123abcd");
    v.platform = t("Shopfront");
    v.provider = t("Sandbox cards");
    v.provider_id = t("sub_1");
    v.trial = t("14 days");
    v.period_start = v.cancel_at = v.canceled_at = at("24");
    v.checkout_url = "https://pay.example/sandbox/subscription/0123";
    v.failure = t("The provider opened no checkout.");
    v.metadata = {{t("schedule"), t("s-7")}};
    v.cycles = {{at("24"), true, t("EUR 19.00"), at("24"), at("30"), t("pay_in_1_2")},
                {at("23"), false, t("EUR 19.00"), {}, {}}};
    v.timeline = {{at("23"), t("open_checkout"), t("approved"), t("card_declined"), t("The card was declined.")}};
    v.cancel = cancel_form{t("key-5"), t("It was not cancelled.")};
    return v;
  }
  customer_row customer_line(const std::string& name) const {
    return {t("0123abcd"), t(name), t("Shopfront"), t("Sandbox cards"), t("2"), at("23")};
  }
  customers_view customers() const {
    customers_view v;
    v.frame = frame(member_place::customers);
    v.rows = {customer_line("reader-17"), customer_line("reader-18")};
    v.at_first = false;
    v.further = t("b2xkZXI=");
    return v;
  }
  customer_view customer() const {
    customer_view v;
    v.frame = frame(member_place::customers);
    v.of = customer_line("reader-17");
    v.names = {{t("Sandbox cards"), t("cus_1"), {t("pm_2"), t("pm_1")}}, {t("Acquirer"), t("cus_2"), {}}};
    return v;
  }
  keys_view keys() const {
    keys_view v;
    v.frame = frame(member_place::keys);
    v.rows = {{t("mk_test_0123456789abcdef"), *parse_scopes("payments:write payments:read mcp:read"), at("20"),
               t("the operator"), false, t("The till"), at("24")},
              {t("mk_test_fedcba9876543210"), *parse_scopes("*"), at("11"), t("ada@lantern.example"), true}};
    v.mint.fault = t("Choose at least one.");
    v.mint.name = wrong("A long name");
    return v;
  }
  minted_key_view minted_key() const {
    return {frame(member_place::keys), t("mk_test_0123456789abcdef"),
            t("0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"), *parse_scopes(default_portal_scopes),
            t("The till")};
  }
  destinations_view destinations() const {
    destinations_view v;
    v.frame = frame(member_place::destinations);
    v.rows = {{t("dest_1"), t("https://hooks.lantern.example/a"), {}, destination_status::enabled, {}, 0},
              {t("dest_2"),
               t("https://hooks.lantern.example/b"),
               {t("payment.captured"), t("payment.voided")},
               destination_status::disabled,
               t("moving house"),
               3,
               t("Till"),
               destination_condition::disabled,
               12,
               3,
               "4 events, the oldest for 3 hours"}};
    v.add = {wrong("http:/hooks"), {"payment.voided"}, t("Unknown event."), wrong("Till")};
    return v;
  }
  destination_secret_view destination_secret() const {
    return {frame(member_place::destinations),           t("dest_1"), t("https://hooks.lantern.example/a"),
            t("whsec_0f1e2d3c4b5a69788796a5b4c3d2e1f0"), true,        at("25")};
  }
  destination_view destination(destination_status status = destination_status::enabled) const {
    using enum destination_status;
    const auto condition = status == enabled    ? destination_condition::paused
                           : status == disabled ? destination_condition::disabled
                                                : destination_condition::deleted;
    destination_view v;
    v.frame = frame(member_place::destinations);
    v.of = {t("dest_1"),
            t("https://hooks.lantern.example/a"),
            {t("payment.captured")},
            status,
            status == destination_status::disabled ? t("moving house") : "",
            3,
            t("Till"),
            condition,
            7,
            3,
            "4 events, the oldest for 3 hours"};
    v.url = wrong("http:/hooks");
    v.name = wrong("Till");
    v.failing_since = at("11");
    v.paused_until = at("12");
    v.last_success = at("10");
    v.hours = {{t("28 Nov 2026, 13:00:00"), "13:00", 4, 0}, {t("28 Nov 2026, 14:00:00"), {}, 0, 3}};
    v.status = "failed";
    v.created_at = at("11");
    v.old_secret_until = at("25");
    v.events = {"payment.captured"};
    v.events_fault = t("Unknown event.");
    v.reason = wrong("moving");
    v.deliveries = deliveries();
    for (auto& row : v.deliveries) row.to = status;
    v.older = t("b2xkZXI=");
    v.at_newest = false;
    return v;
  }
  delivery_view delivery_seen() const {
    delivery_view v;
    v.frame = frame(member_place::destinations);
    v.of = deliveries().front();
    v.of.status = delivery_status::failed;
    v.of.attempts = 12;
    v.event_id = t("evt_1");
    v.created_at = at("11");
    v.attempts = {{at("12"), t("Answered 503"), false, 120, t("out of paper")},
                  {at("11"), t("No answer in time"), false, 10'000, {}}};
    v.url = t("https://hooks.lantern.example/a");
    v.headers = {t("Content-Type: application/json"), t("X-Service-Delivery: 7")};
    v.body = t("{}");
    v.curl = t("curl -X POST 'https://hooks.lantern.example/a'");
    v.is_signed = true;
    return v;
  }
  connections_view connections(bool back = false) const {
    connections_view v;
    v.frame = frame(member_place::connections, !back);
    v.rows = {{t("sandbox"), t("Sandbox cards"), connection_status::connected, t("acct_1"), true},
              {t("sandbox_hosted"), t("Sandbox hosted cards"), connection_status::unavailable, t("acct_2"), true},
              {t("sandbox_wallet"), t("Sandbox wallet"), connection_status::in_progress, {}, true},
              {t("acquirer"), t("Acquirer"), connection_status::not_connected, {}, true},
              {t("elsewhere"), t("Elsewhere"), connection_status::not_connected, {}, false}};
    if (back) {
      v.choice = merchant_choice{v.frame.merchants,
                                 v.frame.merchants.front().id,
                                 environment::live,
                                 {{"from", t("shopfront")},
                                  {"action", "stripe_reconnect"},
                                  {"return_url", t("https://shopfront.example/back?x=1")}}};
      v.back = way_back{t("Shopfront"), t("https://shopfront.example"), true};
      v.hidden = {{"merchant_id", v.choice->chosen}, {"mode", "live"}};
    }
    return v;
  }
  platforms_view platforms() const {
    platforms_view v;
    v.frame = frame(member_place::platforms);
    v.rows = {{t("grant_1"),
               t("Shopfront"),
               *parse_scopes("payments:write payments:read customers:read"),
               t("ada@lantern.example"),
               at("11"),
               {},
               {},
               {},
               wrong("not needed")},
              {t("grant_2"),
               t("Old Till"),
               *parse_scopes("payments:read"),
               t("ada@lantern.example"),
               at("11"),
               at("20"),
               t("the platform"),
               t("closing down"),
               {}}};
    return v;
  }
  team_view team() const {
    team_view v;
    v.frame = frame(member_place::team);
    v.rows = {{t("user_1"), t("ada@lantern.example"), member_role::owner, true, false, false, true, at("24")},
              {t("user_2"), t("vic@lantern.example"), member_role::viewer, false, false, false, false, at("23")},
              {t("user_3"), t("new@lantern.example"), member_role::viewer, false, true, true, false, at("25")}};
    v.invite = {wrong("nobody"), wrong("owner"), t("Nobody was invited.")};
    return v;
  }
  member_audit_view audit() const {
    member_audit_view v;
    v.frame = frame(member_place::audit);
    v.person = t("user_9");
    v.people = {{t("user_1"), t("ada@lantern.example"), {}, false}, {t("user_9"), t("user_9"), {}, false}};
    v.kinds = {{"keys", "Keys", {}, false}, {"team", "Team", {}, false}};
    v.from = wrong("2026-13-40");
    v.until = wrong("never");
    v.searched = t("Searched the newest 2000 changes of this list.");
    v.rows = {{at("25"), t("ada@lantern.example"), t("revoke key"), t("mk_test_1"), t("test"), t("192.0.2.17")},
              {at("24"), t("user_9"), t("invite owner"), t("new@lantern.example"), {}, t("2001:db8::17")}};
    v.older = "b2xkZXI=";
    return v;
  }
  branding_view branding() const {
    branding_view v;
    v.frame = frame(member_place::branding);
    v.shop_name = wrong("Lantern Books");
    v.colour = wrong("#eeeeee");
    v.support = wrong("by pigeon");
    v.logo_url = "https://pay.example/checkout/logo/merch_lantern?v=0123";
    v.logo_fault = t("The file must be a PNG picture.");
    return v;
  }
  invited_view invited() const {
    return {frame(member_place::team), t("new@lantern.example"), member_role::viewer,
            t("https://pay.example/portal/invitation?token=eyJhbGciOi0123456789"), at("25")};
  }
  account_view account(bool second_factor = true) const {
    account_view v;
    v.frame = frame(member_place::account, false);
    v.password = {t("This is not your password."), t("It is too short.")};
    v.second_factor = second_factor;
    v.recovery_codes_left = 7;
    v.enable_fault = t("It is wrong.");
    v.invitations = {{t("merch_9"), t("Paper & Ink"), t("Viewer"), at("25")},
                     {t("merch_8"), t("Old Mill"), t("Owner"), at("25"), true}};
    v.disable_fault = t("This is not your password.");
    v.recovery_codes_fault = t("Nor is this.");
    v.zones = {t("Asia/Hong_Kong"), t("Europe/Berlin"), t("UTC")};
    v.zone = {t("Asia/Hong_Kong"), t("There is no such zone.")};
    v.sessions = {{t("sess_1"), at("24"), at("24"), true, t("2001:db8::17"), t("Firefox on Linux")},
                  {t("sess_2"), at("23"), at("24"), false}};
    v.audit = {
        {at("24"), t("Refunded HKD 10.00"), t("pay_1763689200"), t("Lantern Books & Maps, test"), t("192.0.2.1")},
        {at("23"), t("Signed in"), {}, {}, t("2001:db8::1")}};
    v.older = t("b2xkZXI=");
    v.at_newest = false;
    return v;
  }
  second_factor_view second_factor() const {
    return {frame(member_place::account, false),
            "<svg viewBox=\"0 0 29 29\" role=\"img\" aria-label=\"QR code\"><path d=\"M4 4h7v7h-7zM18 4h7v7h-7zM4 "
            "18h7v7h-7z\"/></svg>",
            t("JBSW Y3DP EHPK 3PXP JBSW Y3DP"),
            {{"pending", t("opaque")}},
            wrong("12345")};
  }
  recovery_codes_view recovery_codes() const {
    return {frame(member_place::account, false),
            {t("4f7a-91c2"), t("b83d-02ee"), t("77ac-5d10"), t("c0de-1a2b"), t("9921-fe04"), t("13b7-8c5d"),
             t("e6f0-42a9"), t("5d5d-0b1c")}};
  }

  std::vector<sample_page> all() const {
    return {{"overview", overview_page(overview())},
            {"payments", payments_page(payments())},
            {"payment", payment_page(payment())},
            {"disputes", disputes_page(all_disputes())},
            {"subscriptions", subscription_list_page(subscriptions())},
            {"subscription", subscription_page(subscription())},
            {"customers", customer_list_page(customers())},
            {"customer", customer_page(customer())},
            {"keys", keys_page(keys())},
            {"key-minted", minted_key_page(minted_key())},
            {"destinations", destinations_page(destinations())},
            {"destination", destination_page(destination())},
            {"destination-disabled", destination_page(destination(destination_status::disabled))},
            {"destination-deleted", destination_page(destination(destination_status::deleted))},
            {"delivery", delivery_page(delivery_seen())},
            {"destination-secret", destination_secret_page(destination_secret())},
            {"connections", connections_page(connections())},
            {"connections-back", connections_page(connections(true))},
            {"platforms", platforms_page(platforms())},
            {"team", team_page(team())},
            {"branding", branding_page(branding())},
            {"audit", member_audit_page(audit())},
            {"invited", invited_page(invited())},
            {"account", account_page(account())},
            {"account-one-factor", account_page(account(false))},
            {"second-factor", second_factor_page(second_factor())},
            {"recovery-codes", recovery_codes_page(recovery_codes())}};
  }
  /// The pages of a merchant without any data.
  std::vector<sample_page> empty() const {
    const auto calm = [&](member_place at) {
      auto f = frame(at);
      f.notice.clear();
      f.fault.clear();
      return f;
    };
    overview_view first_day;
    first_day.frame = calm(member_place::overview);
    payments_view unpaid;
    unpaid.frame = calm(member_place::payments);
    return {{"overview-empty", overview_page(first_day)},
            {"payments-empty", payments_page(unpaid)},
            {"subscriptions-empty", subscription_list_page({calm(member_place::subscriptions), {}, true, {}})},
            {"customers-empty", customer_list_page({calm(member_place::customers), {}, true, {}})},
            {"disputes-empty", disputes_page({calm(member_place::disputes), {}, {}, true, {}})},
            {"keys-empty", keys_page({calm(member_place::keys), {}, {}})},
            {"destinations-empty", destinations_page({calm(member_place::destinations), {}, {}})},
            {"connections-empty", connections_page({calm(member_place::connections), {}, {}, {}, {}, "'self'"})},
            {"platforms-empty", platforms_page({calm(member_place::platforms), {}})}};
  }
};

}  // namespace gateway::http::testing
