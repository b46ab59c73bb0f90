#include "stripe_fixture.hpp"

#include <memory>

#include "gateway/domain/provider_truth.hpp"

using namespace gateway;
using namespace gateway::actors;

namespace {

payment payment_at(std::string ref, std::string_view unit = "EUR") {
  auto p = stripe_payment(ref.starts_with("pi_") ? flow::server : flow::redirect, unit);
  p.state = payment_state::authorized;
  p.provider_ref = std::move(ref);
  return p;
}

payment captured_at(std::string ref, std::string_view unit = "EUR") {
  auto p = payment_at(std::move(ref), unit);
  p.state = payment_state::captured;
  p.captured = p.amount.minor;
  return p;
}

/// `of`: members of the charge.
std::string captured_intent(std::string_view of = R"("amount_refunded":0,"disputed":false)",
                            std::string_view received = "4200") {
  return intent_json("succeeded", std::string{R"(,"amount_received":)"}
                                      .append(received)
                                      .append(R"(,"latest_charge":{"id":"ch_1","object":"charge","amount":4200,)")
                                      .append(R"("amount_captured":)")
                                      .append(received)
                                      .append(of.empty() ? "" : ",")
                                      .append(of)
                                      .append("}"));
}

constexpr std::string_view refunded_and_disputed = R"("amount_refunded":1000,"disputed":true)";
constexpr std::string_view refunded_only = R"("amount_refunded":1000,"disputed":false)";
constexpr std::string_view disputed_only = R"("amount_refunded":0,"disputed":true)";

std::string refund_row(std::string_view id, std::int64_t amount, std::string_view status = "succeeded",
                       std::string_view more = R"(,"balance_transaction":"txn_1")") {
  return std::string{R"({"object":"refund","id":")"}
      .append(id)
      .append(R"(","amount":)")
      .append(std::to_string(amount))
      .append(R"(,"status":")")
      .append(status)
      .append("\"")
      .append(more)
      .append("}");
}

std::string dispute_row(std::string_view status, std::string_view more = {}) {
  return std::string{R"({"object":"dispute","id":"dp_1","amount":4200,"currency":"eur","reason":"fraudulent",)"}
      .append(R"("created":1795176100,"evidence_details":{"due_by":1795780800},"status":")")
      .append(status)
      .append("\"")
      .append(more)
      .append("}");
}

const provider_truth& truth_of(const conversation& t) {
  REQUIRE(in_words(t) == "approved");
  REQUIRE(t.result->truth);
  return *t.result->truth;
}

/// The path of each request, without the host.
std::string requests_of(const conversation& t) {
  constexpr std::string_view host = "https://api.stripe.com/v1/";
  std::string all;
  for (std::size_t i = 0; i < t.sent.size(); ++i) {
    CHECK(t.sent[i].method == http_method::get);
    CHECK(t.header(i, "Stripe-Account") == "acct_1");
    REQUIRE(t.url(i).starts_with(host));
    auto path = t.url(i).substr(host.size());
    path = path.substr(0, path.find('?'));
    all.append(all.empty() ? "" : " ").append(path);
  }
  return all;
}

std::string in_words(charge_state state) {
  switch (state) {
    case charge_state::unknown: return "unknown";
    case charge_state::waiting: return "waiting";
    case charge_state::authorized: return "authorized";
    case charge_state::captured: return "captured";
    case charge_state::canceled: return "canceled";
    case charge_state::expired: return "expired";
    case charge_state::failed: return "failed";
  }
  return {};
}

/// `re_1 1000 succeeded, …`
std::string in_words(const std::vector<provider_refund>& refunds) {
  std::string all;
  for (const auto& each : refunds)
    all.append(all.empty() ? "" : ", ")
        .append(each.ref)
        .append(" ")
        .append(std::to_string(each.amount))
        .append(" ")
        .append(to_string(each.status));
  return all;
}

/// The truth of a captured payment of 4200 with these refunds, newest first.
std::string refunds_of(std::string_view rows, std::string_view received = "4200") {
  const auto t = compare_with_stripe(captured_at("pi_1"),
                                     {says(200, captured_intent(refunded_only, received)), says(200, list_json(rows))});
  CHECK(truth_of(t).lists_refunds);
  return in_words(truth_of(t).refunds);
}

}  // namespace

TEST_CASE("the charge of a payment for each of its states at Stripe") {
  struct row {
    std::string_view status, more, charge;
  };
  const row rows[] = {
      {"requires_capture", "", "authorized"},
      {"processing", "", "waiting"},
      {"requires_action", "", "waiting"},
      {"requires_confirmation", "", "waiting"},
      {"requires_payment_method", "", "waiting"},
      {"requires_payment_method", failed_attempt, "failed"},
      {"canceled", "", "canceled"},
      {"canceled", R"(,"cancellation_reason":"requested_by_customer")", "canceled"},
      {"canceled", R"(,"cancellation_reason":"abandoned")", "canceled"},
      {"canceled", R"(,"cancellation_reason":"automatic")", "expired"},
      {"canceled", R"(,"cancellation_reason":"expired")", "expired"},
  };
  for (const auto& [status, more, charge] : rows) {
    INFO(status << more);
    const auto t = compare_with_stripe(payment_at("pi_1"), {says(200, intent_json(status, more))});
    const auto& truth = truth_of(t);
    CHECK(in_words(truth.charge) == charge);
    CHECK(truth.captured == 0);
    CHECK_FALSE(truth.lists_refunds);
    CHECK(requests_of(t) == "payment_intents/pi_1");
  }
}

TEST_CASE("a payment without a reference is searched for by the gateway's own id, and read by its reference") {
  auto lost = payment_at("pi_1");
  lost.provider_ref.clear();
  const auto marked = [](std::string_view id, std::string_view merchant, std::string_view payment = "pay_7") {
    return std::string{R"({"id":")"}
        .append(id)
        .append(R"(","object":"payment_intent","status":"requires_capture","metadata":{"gateway_merchant":")")
        .append(merchant)
        .append(R"(","gateway_payment":")")
        .append(payment)
        .append("\"}}");
  };
  const auto found = [](std::initializer_list<std::string> all, std::string_view more = "false") {
    std::string rows;
    for (const auto& each : all) rows.append(rows.empty() ? "" : ",").append(each);
    return says(200, std::string{R"({"object":"search_result","has_more":)"}
                         .append(more)
                         .append(R"(,"data":[)")
                         .append(rows)
                         .append("]}"));
  };
  const auto ours = marked("pi_1", "merch_a1");
  const auto t = compare_with_stripe(lost, {found({marked("pi_9", "merch_b2"), ours}), says(200, ours)});
  CHECK(truth_of(t).provider_ref == "pi_1");
  CHECK(in_words(truth_of(t).charge) == "authorized");
  CHECK(requests_of(t) == "payment_intents/search payment_intents/pi_1");
  CHECK(t.url(0).find("gateway_payment") != std::string_view::npos);

  for (const auto& answer :
       {found({}), found({marked("pi_9", "merch_b2")}), found({marked("pi_9", "merch_a1", "PAY_7")}),
        found({ours, marked("pi_2", "merch_a1")}), found({ours}, "true"), says(500, "")})
    CHECK_FALSE(compare_with_stripe(lost, {answer}).result->truth);
  CHECK_FALSE(compare_with_stripe(lost, {found({ours}), says(200, marked("pi_1", "merch_b2"))}).result->truth);
}

TEST_CASE("a payment that saves its method says which was charged") {
  auto p = payment_at("pi_1");
  const auto charged = says(200, intent_json("requires_capture", R"(,"customer":"cus_1","payment_method":"pm_9")"));
  CHECK(truth_of(compare_with_stripe(p, {charged})).saved_method.empty());
  p.customer.emplace().saves_method = true;
  const auto t = compare_with_stripe(p, {charged});
  CHECK(truth_of(t).saved_method == "pm_9");
  CHECK(truth_of(t).customer_id == "cus_1");
}

TEST_CASE("an authorized payment takes one request, which tells when the authorization ends") {
  struct row {
    std::string_view details;
    std::optional<time_point> until;
  };
  const auto at = from_unix_ms(1'795'780'800'000);
  const row rows[] = {
      {R"({"type":"card","card":{"capture_before":1795780800}})", at},
      {R"({"type":"card_present","card_present":{"capture_before":1795780800}})", at},
      {R"({"type":"card","card":{"capture_before":null}})", std::nullopt},
      {R"({"type":"klarna","klarna":{}})", std::nullopt},
      {"null", std::nullopt},
  };
  for (const auto& [details, until] : rows) {
    INFO(details);
    const auto charge = std::string{R"(,"latest_charge":{"id":"ch_1","payment_method_details":)"}.append(details);
    const auto t = compare_with_stripe(payment_at("pi_1"), {says(200, intent_json("requires_capture", charge + "}"))});
    CHECK(truth_of(t).authorized_until == until);
    CHECK(truth_of(t).charge_ref == "ch_1");
    REQUIRE(t.sent.size() == 1);
    CHECK(t.url(0) == "https://api.stripe.com/v1/payment_intents/pi_1?expand%5B%5D=latest_charge");
  }
}

TEST_CASE("refunds and disputes are read where the charge, or the row, has some") {
  struct row {
    std::string_view charge;
    bool refund_here, dispute_here;
    std::string_view asked;
  };
  const row rows[] = {
      {R"("amount_refunded":0,"disputed":false)", false, false, ""},
      {refunded_only, false, false, "refunds"},
      {disputed_only, false, false, "disputes"},
      {refunded_and_disputed, false, false, "refunds disputes"},
      {R"("amount_refunded":0,"disputed":false)", true, false, "refunds"},
      {R"("amount_refunded":0,"disputed":false)", false, true, "disputes"},
      // What Stripe does not state is read.
      {"", false, false, "refunds disputes"},
      {R"("amount_refunded":null,"disputed":"no")", false, false, "refunds disputes"},
  };
  for (const auto& [charge, refund_here, dispute_here, asked] : rows) {
    INFO(charge << " " << refund_here << dispute_here);
    auto subject = captured_at("pi_1");
    if (refund_here) subject.records.refunds.emplace_back();
    if (dispute_here) subject.records.disputes.emplace_back();
    const auto none = says(200, list_json(""));
    const auto t = compare_with_stripe(subject, {says(200, captured_intent(charge)), none, none});
    CHECK(requests_of(t) == std::string{"payment_intents/pi_1"}.append(asked.empty() ? "" : " ").append(asked));
    const auto& truth = truth_of(t);
    CHECK(truth.charge == charge_state::captured);
    CHECK(truth.captured == 4200);
    CHECK(truth.charge_ref == "ch_1");
    CHECK(truth.lists_refunds);
    CHECK(truth.refunds.empty());
    CHECK(truth.disputes.empty());
  }
  const auto only_id = intent_json("succeeded", R"(,"amount_received":4200,"latest_charge":"ch_1")");
  CHECK(requests_of(compare_with_stripe(captured_at("pi_1"), {says(200, only_id), says(200, list_json(""))})) ==
        "payment_intents/pi_1 refunds disputes");
}

TEST_CASE("a refund for each of its states at Stripe, the oldest first") {
  struct row {
    std::string_view status, here;
  };
  const row rows[] = {{"succeeded", "succeeded"}, {"pending", "pending"}, {"requires_action", "pending"},
                      {"failed", "failed"},       {"canceled", "failed"}, {"of_tomorrow", "pending"}};
  for (const auto& [status, here] : rows) {
    INFO(status);
    CHECK(refunds_of(refund_row("re_1", 1000, status)) == std::string{"re_1 1000 "}.append(here));
  }
  CHECK(refunds_of(refund_row("re_2", 200) + "," + refund_row("re_1", 100)) ==
        "re_1 100 succeeded, re_2 200 succeeded");
  CHECK(refunds_of(refund_row("re_1", 100, "succeeded", R"(,"created":1795176100,"balance_transaction":"txn_1")") +
                   "," + refund_row("re_2", 200, "succeeded", R"(,"created":1795176200,"balance_transaction":"t")")) ==
        "re_1 100 succeeded, re_2 200 succeeded");
  const auto failed = R"(,"failure_reason":"expired_or_canceled_card","created":1795176100)";
  const auto t = compare_with_stripe(
      captured_at("pi_1"),
      {says(200, captured_intent(refunded_only)), says(200, list_json(refund_row("re_1", 1000, "failed", failed)))});
  CHECK(truth_of(t).refunds.at(0) == provider_refund{"re_1", 1000, refund_status::failed, "expired_or_canceled_card",
                                                     from_unix_ms(1'795'176'100'000)});
  const auto own = refund_row("re_1", 1000, "succeeded", R"(,"metadata":{"gateway_key":"pk_1"})");
  const auto named =
      compare_with_stripe(captured_at("pi_1"), {says(200, captured_intent(refunded_only)), says(200, list_json(own))});
  CHECK(truth_of(named).refunds.at(0).provider_key == "pk_1");
}

TEST_CASE("what a partial capture releases is listed as a refund at Stripe, and is none") {
  const auto release = refund_row("re_1", 1000, "succeeded", R"(,"balance_transaction":null)");
  CHECK(refunds_of(release, "3200").empty());
  CHECK(refunds_of(refund_row("re_2", 500) + "," + release, "3200") == "re_2 500 succeeded");
  // Only one is: the oldest.
  CHECK(refunds_of(refund_row("re_2", 1000, "succeeded", "") + "," + release, "3200") == "re_2 1000 succeeded");
  CHECK(refunds_of(refund_row("re_1", 1000, "succeeded", R"(,"reason":"expired_uncaptured_charge")")).empty());
  // A refund moves money, may have another amount or state, and may be the gateway's own.
  CHECK(refunds_of(refund_row("re_1", 1000), "3200") == "re_1 1000 succeeded");
  CHECK(refunds_of(refund_row("re_1", 999, "succeeded", ""), "3200") == "re_1 999 succeeded");
  CHECK(refunds_of(refund_row("re_1", 1000, "pending", ""), "3200") == "re_1 1000 pending");
  CHECK(refunds_of(refund_row("re_1", 1000, "succeeded", R"(,"metadata":{"gateway_key":"pk_1"})"), "3200") ==
        "re_1 1000 succeeded");
  CHECK(refunds_of(refund_row("re_1", 1000, "succeeded", "")) == "re_1 1000 succeeded");
}

TEST_CASE("all pages of refunds are read, up to ten") {
  const auto charge = says(200, captured_intent(refunded_only));
  const auto t = compare_with_stripe(captured_at("pi_1"), {charge, says(200, list_json(refund_row("re_2", 200), true)),
                                                           says(200, list_json(refund_row("re_1", 100)))});
  CHECK(in_words(truth_of(t).refunds) == "re_1 100 succeeded, re_2 200 succeeded");
  CHECK(t.url(1) == "https://api.stripe.com/v1/refunds?limit=100&payment_intent=pi_1");
  CHECK(t.url(2) == "https://api.stripe.com/v1/refunds?limit=100&payment_intent=pi_1&starting_after=re_2");
  const auto more = says(200, list_json(refund_row("re_2", 200), true));
  const auto endless = compare_with_stripe(
      captured_at("pi_1"), {charge, more, more, more, more, more, more, more, more, more, more, more, more});
  CHECK(endless.sent.size() == 11);
  CHECK(in_words(endless) == "unknown");
  CHECK_FALSE(endless.result->truth);
}

TEST_CASE("a dispute for each of its states at Stripe") {
  struct row {
    std::string_view status, more;
    std::optional<dispute_status> here;
  };
  using enum dispute_status;
  const row rows[] = {
      {"warning_needs_response", "", warning},
      {"warning_under_review", "", warning},
      {"warning_closed", "", won},
      {"needs_response", "", needs_response},
      {"under_review", "", under_review},
      {"won", "", won},
      {"lost", "", lost},
      {"prevented", "", won},
      {"prevented", R"(,"balance_transactions":[{"amount":-4200}])", lost},
      {"prevented", R"(,"balance_transactions":[{"amount":-4200},{"amount":4200}])", won},
      {"of_tomorrow", "", std::nullopt},
      {"", "", std::nullopt},
  };
  for (const auto& [status, more, here] : rows) {
    INFO(status << more);
    const auto t = compare_with_stripe(captured_at("pi_1"), {says(200, captured_intent(disputed_only)),
                                                             says(200, list_json(dispute_row(status, more)))});
    const auto& disputes = truth_of(t).disputes;
    CHECK(t.url(1) == "https://api.stripe.com/v1/disputes?limit=100&payment_intent=pi_1");
    REQUIRE(disputes.size() == (here ? 1U : 0U));
    if (!here) continue;
    const bool is_inquiry = status.starts_with("warning_") || (status == "prevented" && *here == won);
    CHECK(disputes[0] == provider_dispute{"dp_1", 4200, "fraudulent", *here, from_unix_ms(1'795'780'800'000),
                                          from_unix_ms(1'795'176'100'000), std::nullopt, is_inquiry});
  }
}

TEST_CASE("a dispute in another currency is one of all that was captured") {
  const auto row = R"({"object":"dispute","id":"dp_1","amount":5100,"currency":"usd","status":"needs_response"})";
  const auto t = compare_with_stripe(captured_at("pi_1"),
                                     {says(200, captured_intent(disputed_only, "3200")), says(200, list_json(row))});
  CHECK(truth_of(t).disputes.at(0).amount == 3200);
  CHECK_FALSE(truth_of(t).disputes.at(0).evidence_due_by);
}

TEST_CASE("amounts are in the gateway's unit") {
  struct row {
    std::string_view unit, at_stripe;
    std::int64_t here;
  };
  const row rows[] = {{"EUR", "4200", 4200}, {"JPY", "4200", 4200}, {"ISK", "420000", 4200}, {"MGA", "42", 4200}};
  for (const auto& [unit, at_stripe, here] : rows) {
    INFO(unit);
    const auto amount = std::stoll(std::string{at_stripe});
    const auto dispute = std::string{R"({"object":"dispute","id":"dp_1","status":"lost","amount":)"}.append(at_stripe);
    const auto t =
        compare_with_stripe(captured_at("pi_1", unit),
                            {says(200, captured_intent(refunded_and_disputed, at_stripe)),
                             says(200, list_json(refund_row("re_1", amount))), says(200, list_json(dispute + "}"))});
    CHECK(truth_of(t).captured == here);
    CHECK(truth_of(t).refunds.at(0).amount == here);
    CHECK(truth_of(t).disputes.at(0).amount == here);
  }
}

TEST_CASE("a checkout is compared by the payment that its customer made") {
  struct row {
    std::string_view session, charge, asked;
  };
  const row rows[] = {
      {R"("status":"open","payment_status":"unpaid","payment_intent":null)", "waiting", ""},
      {R"("status":"expired","payment_status":"unpaid")", "failed", ""},
      {R"("status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"processing"})",
       "waiting", ""},
      {R"("status":"complete","payment_status":"paid","payment_intent":{"id":"pi_1","status":"succeeded",)"
       R"("amount_received":4200,"latest_charge":{"id":"ch_1","amount_refunded":100,"disputed":false}})",
       "captured", " refunds"},
  };
  for (const auto& [session, charge, asked] : rows) {
    INFO(session);
    const auto body = std::string{R"({"id":"cs_test_1","object":"checkout.session",)"}.append(session).append("}");
    const auto t =
        compare_with_stripe(captured_at("cs_test_1"), {says(200, body), says(200, list_json(refund_row("re_1", 100)))});
    CHECK(in_words(truth_of(t).charge) == charge);
    CHECK(truth_of(t).refunds.size() == (asked.empty() ? 0U : 1U));
    CHECK(requests_of(t) == std::string{"checkout/sessions/cs_test_1"}.append(asked));
    CHECK(t.url(0) ==
          "https://api.stripe.com/v1/checkout/sessions/cs_test_1?expand%5B%5D=payment_intent.latest_charge");
    CHECK(t.result->provider_ref == "cs_test_1");
  }
}

TEST_CASE("of a subscription's cycle, the refunds and disputes of all its payments are compared, and nothing else") {
  const auto paid_by = [](std::string_view intent, std::string_view status) {
    return std::string{R"({"object":"invoice_payment","status":")"}
        .append(status)
        .append(R"(","amount_paid":100,"payment":{"type":"payment_intent","payment_intent":")")
        .append(intent)
        .append("\"}}");
  };
  const auto payments =
      says(200, list_json(paid_by("pi_1", "paid") + "," + paid_by("pi_2", "canceled") + "," + paid_by("pi_3", "paid")));
  const auto none = says(200, list_json(""));
  const auto t = compare_with_stripe(
      captured_at("in_1"), {payments, says(200, list_json(refund_row("re_1", 100))), none,
                            says(200, list_json(refund_row("re_3", 300))), says(200, list_json(dispute_row("lost")))});
  CHECK(requests_of(t) == "invoice_payments refunds disputes refunds disputes");
  CHECK(t.url(4) == "https://api.stripe.com/v1/disputes?limit=100&payment_intent=pi_3");
  const auto& truth = truth_of(t);
  CHECK(truth.charge == charge_state::unknown);
  CHECK(truth.captured == 0);
  CHECK(truth.lists_refunds);
  CHECK(truth.refunds.size() == 2);
  CHECK(truth.disputes.size() == 1);
  const auto unpaid = compare_with_stripe(captured_at("in_1"), {says(200, list_json(paid_by("pi_1", "open")))});
  CHECK_FALSE(truth_of(unpaid).lists_refunds);
  CHECK(unpaid.sent.size() == 1);
}

TEST_CASE("where Stripe does not answer clearly there is no truth") {
  const auto charge = says(200, captured_intent(refunded_and_disputed));
  const auto list = says(200, list_json(""));
  const http_outcome unclear[] = {fails(http_fault::connect_failed, false),
                                  fails(http_fault::answer_timeout, true),
                                  says(500, ""),
                                  says(429, ""),
                                  says(200, ""),
                                  says(200, "<html>"),
                                  says(200, "[]"),
                                  says_in_part(200, captured_intent()),
                                  says(403, error_json("invalid_request_error", "account_invalid")),
                                  says(404, error_json("invalid_request_error", "resource_missing"))};
  for (const auto& answer : unclear)
    for (const auto& t :
         {compare_with_stripe(captured_at("pi_1"), {answer}), compare_with_stripe(captured_at("cs_test_1"), {answer}),
          compare_with_stripe(captured_at("in_1"), {answer}),
          compare_with_stripe(captured_at("pi_1"), {charge, answer}),
          compare_with_stripe(captured_at("pi_1"), {charge, list, answer})}) {
      CHECK(in_words(t) == "unknown");
      CHECK_FALSE(t.result->truth);
    }
  for (const auto& body :
       {intent_json("of_tomorrow"), intent_json("succeeded"), intent_json("succeeded", R"(,"amount_received":-1)"),
        std::string{R"({"id":"pi_2","object":"payment_intent","status":"requires_capture"})"},
        std::string{R"({"id":"ch_1","object":"charge","status":"succeeded"})"}}) {
    INFO(body);
    CHECK(in_words(compare_with_stripe(captured_at("pi_1"), {says(200, body)})) == "unknown");
  }
  const auto nameless = says(200, list_json(R"({"object":"refund","amount":1,"status":"succeeded"})"));
  CHECK(in_words(compare_with_stripe(captured_at("pi_1"), {charge, nameless})) == "unknown");
  for (const auto ref : {"ch_1", "pi_1/../x", "sub_1"}) {
    INFO(ref);
    const auto t = compare_with_stripe(captured_at(ref), {});
    CHECK(in_words(t) == "unknown");
    CHECK(t.sent.empty());
  }
}
