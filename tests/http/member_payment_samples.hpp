// Values for the pages of the merchant portal that show payments: plausible ones, or a test's own.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "http/portal/member/disputes_view.hpp"
#include "http/portal/member/overview_view.hpp"
#include "http/portal/member/payment_view.hpp"
#include "http/portal/member/payments_view.hpp"

namespace gateway::http::testing {

class payment_samples {
 public:
  using replace = std::function<std::string(std::string)>;

  explicit payment_samples(member_role role = member_role::owner, environment env = environment::test,
                           replace text = {})
      : role_{role}, env_{env}, replace_{std::move(text)} {}

  member_frame frame(member_place at, bool of_merchant = true) const {
    member_frame f;
    f.portal = "https://pay.example/portal";
    if (of_merchant) {
      f.merchant_id = t("merch_lantern");
      f.merchant = t("Lantern Books & Maps");
    }
    f.env = env_;
    f.role = role_;
    f.at = at;
    f.user = {t("ada@lantern.example"), "https://pay.example/portal/sign-out", t("sign-out-token")};
    f.merchants = {{t("merch_lantern"), t("Lantern Books & Maps")},
                   {t("merch_tea"), t("Tea & Company (Hong Kong) Limited")}};
    f.csrf = t("page-token");
    f.zone = t("Asia/Hong_Kong");
    f.notice = t("Done: one thing that you asked for.");
    f.fault = t("One other could not be done.");
    return f;
  }
  shown_time at(const std::string& day) const {
    return {t(day + " November 2026, 17:05"), t("2026-11-" + day + "T09:05:00Z"), t(day + " November 2026, 09:05 UTC")};
  }
  field wrong(const std::string& value) const { return {t(value), t("This is not what belongs here.")}; }
  std::string t(std::string text) const { return replace_ ? replace_(std::move(text)) : text; }

  overview_view overview() const {
    overview_view v;
    v.frame = frame(member_place::overview);
    v.success_rate = t("97.3%");
    v.success_change = t("96.0% in the 14 days before");
    v.decided = 412;
    v.charges = v.has_keys = true;
    v.currencies = {t("HKD"), t("JPY")};
    v.is_zoned = true;
    v.chosen = {t("HKD"),
                {{0, 381, t("HKD 182,340.00")}, t("12.3% more than in the 14 days before")},
                {{0, 12, t("HKD 3,120.00")}, t("4.0% less than in the 14 days before")},
                {{0, 0, t("HKD 0.00")}, {}},
                {}};
    for (int day = 11; day <= 24; ++day)
      v.chosen.days.push_back({t(std::to_string(day) + " November"),
                               t(std::to_string(day)),
                               {(day * 7919 % 23) * 1000, day % 5 == 0 ? 0U : 27U, t("HKD 12,000.00")},
                               {(day * 31 % 5) * 700, 1, t("HKD 320.00")},
                               {(day * 17 % 3) * 900, day % 3 == 0 ? 0U : 2U, t("HKD 410.00")},
                               t("2026-11-" + std::to_string(day))});
    v.disputes = {{t("pay_1763689200"), t("HKD 42.00"), dispute_status::needs_response, t("3 Dec 2026")},
                  {t("pay_1763689201"), t("HKD 10.00"), dispute_status::under_review, {}},
                  {t("pay_1763689202"), t("HKD 7.00"), dispute_status::warning, {}}};
    v.open_disputes = 4;
    v.connections = {{t("Sandbox cards"), connection_status::unavailable}};
    v.destinations = {{t("dest_1"), t("https://hooks.lantern.example/a"), t("moving house"), true, 0},
                      {t("dest_2"), t("https://hooks.lantern.example/b"), {}, false, 3}};
    return v;
  }
  payments_view payments() const {
    payments_view v;
    v.frame = frame(member_place::payments);
    v.q = {t("pay_"), {}};
    v.state = t("captured");
    v.from = wrong("2026-13-40");
    v.until = {t("2026-11-24"), {}};
    v.currency = wrong("XX");
    for (const std::string state :
         {"created", "processing", "authorized", "captured", "partially_refunded", "refunded", "failed", "voided"})
      v.rows.push_back({t("pay_1763689200_" + state), t(state), t("HKD 1,042.00"), t("Ada Wong"),
                        t("Insufficient funds"), at("24")});
    v.tabs = {{"captured", t("12")}, {"failed", t("1000+")}};
    v.searched = t("Searched 1000 payments, back to 3 Nov 2026.");
    v.zone = t("UTC");
    v.cursor = t("bmV3ZXI=");
    v.at_newest = false;
    v.older = t("b2xkZXI=");
    return v;
  }
  delivery_row delivery(delivery_status status) const {
    return {t("9007199254740001"),
            t("payment.captured"),
            t("pay_1763689200"),
            t("dest_1"),
            t("https://hooks.lantern.example/a?shop=1"),
            status,
            status == delivery_status::pending ? 2U : 8U,
            t("503"),
            at("23"),
            at("25")};
  }
  std::vector<delivery_row> deliveries() const {
    return {delivery(delivery_status::pending), delivery(delivery_status::delivered),
            delivery(delivery_status::failed)};
  }
  std::vector<refund_row> refunds() const {
    return {{t("re_3"), t("HKD 5.00"), refund_status::pending, {}, t("by API"), at("24"), {}},
            {t("re_2"), t("HKD 7.00"), refund_status::failed, t("one was torn"), t("at the provider"), at("23"),
             t("lost_or_stolen_card")},
            {t("re_1"), t("HKD 10.00"), refund_status::succeeded, t("not wanted"), t("by the operator"), at("22"), {}}};
  }
  std::vector<dispute_row> disputes() const {
    std::vector<dispute_row> rows;
    for (const auto status : {dispute_status::warning, dispute_status::needs_response, dispute_status::under_review,
                              dispute_status::won, dispute_status::lost}) {
      dispute_row row{t("dp_" + std::string{to_string(status)}),
                      t("pay_1763689200"),
                      t("HKD 42.00"),
                      t("fraudulent"),
                      status,
                      at("30"),
                      at("23"),
                      {}};
      if (is_closed(status)) row.closed_at = at("24");
      rows.push_back(std::move(row));
    }
    return rows;
  }
  disputes_view all_disputes() const {
    disputes_view v;
    v.frame = frame(member_place::disputes);
    v.rows = disputes();
    v.at_newest = false;
    v.older = t("b2xkZXI=");
    return v;
  }
  payment_view payment() const {
    payment_view v;
    v.frame = frame(member_place::payments);
    v.of = {t("pay_1763689200"),
            t("captured"),
            t("HKD 42.00"),
            t("HKD 42.00"),
            t("HKD 10.00"),
            t("HKD 32.00"),
            t("HKD 12.00"),
            t("The authorization expired."),
            t("redirect"),
            t("card"),
            t("Sandbox cards"),
            t("sb_pi_0123456789abcdef"),
            t("approved"),
            t("card_declined"),
            t("The card was declined."),
            {t("Ada Wong"), t("ada@example.com"), t("03001234567"), t("cus_1"), t("0123abcd")},
            t("sub_1"),
            t("Shopfront"),
            t("Two maps of Lantau"),
            {{t("order"), t("1042")}, {t("service_channel"), t("counter 3")}},
            at("23"),
            at("24")};
    v.currency = t("HKD");
    v.timeline = {
        {at("23"), t("authorize"), t("succeeded"), blocks::tone::good, t("by API"), t("HKD 42.00"), {}, {}, {}},
        {at("23"),
         t("capture"),
         t("declined"),
         blocks::tone::bad,
         t("by a person on the portal"),
         t("HKD 42.00"),
         t("provider_down"),
         t("Nobody answered."),
         {}},
        {at("24"),
         t("refund"),
         t("succeeded"),
         blocks::tone::good,
         t("at the provider"),
         t("HKD 10.00"),
         {},
         {},
         t("one of three returned")},
        {at("24"), t("payment.partially_refunded"), t("published"), blocks::tone::neutral, {}, {}, {}, {}, {}}};
    v.refunds = refunds();
    v.disputes = disputes();
    v.blocks_refund = true;
    v.deliveries = deliveries();
    v.capture = capture_form{t("key-1"), wrong("100.00"), t("Nothing was captured.")};
    v.refund =
        refund_form{t("key-2"), wrong("99.999"), wrong("a long reason"), t("HKD 32.00"), t("Nothing was refunded.")};
    v.cancel = void_form{t("key-3"), {t("not wanted"), {}}, {}};
    v.checkout = void_form{t("key-4"), wrong("too late"), t("It was not cancelled.")};
    v.is_waiting = true;
    v.checkout_url = "https://pay.example/sandbox/checkout/0123";
    v.declined = t("capture");
    v.decline_code = t("card_declined");
    v.decline_message = t("The card was declined.");
    return v;
  }

 private:
  member_role role_;
  environment env_;
  replace replace_;
};

}  // namespace gateway::http::testing
