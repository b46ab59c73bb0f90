// JazzCash's status inquiry: its request, the meaning of its answers as tables, and the comparison with a payment.
#include <catch2/catch.hpp>

#include <string>
#include <variant>

#include "gateway/domain/provider_truth.hpp"
#include "jazzcash_fixture.hpp"
#include "providers/jazzcash/jazzcash.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace gateway::actors::jazzcash_tests;

namespace {

http_outcome answered(const std::string& body, std::uint16_t status = 200) {
  http_answer a;
  a.status = status;
  a.body = body;
  return a;
}

http_outcome answered(pp_fields fields) {
  return answered(jazzcash::json_of(signed_by("salt1234", std::move(fields))));
}

provider_result inquire(const provider_inquiry& wanted, const http_outcome& received, time_point now) {
  const auto adapter = make_jazzcash_adapter(here);
  const auto asking = adapter->open(wanted, shop, now);
  REQUIRE(std::holds_alternative<http_request>(asking->next(nullptr)));
  auto step = asking->next(&received);
  REQUIRE(std::holds_alternative<provider_result>(step));
  return std::get<provider_result>(std::move(step));
}

provider_result inquire(const http_outcome& received, bool closes = false, time_point now = noon) {
  return inquire(provider_inquiry{waiting(), closes}, received, now);
}

/// The customer's browser has posted the form.
payment handed_over(time_point at) {
  auto p = waiting();
  p.handed_over_at = at;
  return p;
}

http_outcome answered_with_code(const char* code, const char* status = "") {
  return answered(pp_fields{{"pp_ResponseCode", "000"},
                            {"pp_PaymentResponseCode", code},
                            {"pp_Status", status},
                            {"pp_PaymentResponseMessage", "Sorry! Your transaction was not successful."}});
}

}  // namespace

TEST_CASE("an inquiry is posted as JSON under its hash") {
  const auto adapter = make_jazzcash_adapter(here);
  auto step = adapter->open(provider_inquiry{waiting(), false}, shop, noon)->next(nullptr);
  const auto& request = std::get<http_request>(step);
  CHECK(request.method == http_method::post);
  CHECK(request.url == "https://sandbox.jazzcash.com.pk/ApplicationAPI/API/PaymentInquiry/Inquire");
  CHECK(request.repeatable);
  const auto sent = jazzcash::read_json(request.body);
  REQUIRE(sent);
  CHECK(sent->size() == 4);
  CHECK(jazzcash::field(*sent, "pp_TxnRefNo") == waiting().provider_ref);
  CHECK(jazzcash::field(*sent, "pp_MerchantID") == "MC12345");
  CHECK(jazzcash::field(*sent, "pp_Password") == "pass12word");
  CHECK(jazzcash::is_genuine(*sent, "salt1234"));
}

TEST_CASE("each payment code has its meaning, and a failure that may still become a success waits") {
  using enum provider_status;
  struct row {
    const char* code;
    const char* status;
    provider_status young;   ///< a minute after the customer's post
    provider_status old;     ///< ten minutes after it
    provider_status unsent;  ///< no post is known, and the form has not ended
    provider_status ended;   ///< the form has ended, ten minutes after the last post
    const char* error;       ///< once the form has ended
  };
  for (const auto& r : {
           row{"000", "Completed", approved, approved, approved, approved, ""},
           row{"121", "Completed", approved, approved, approved, approved, ""},
           row{"121", "", approved, approved, approved, approved, ""},
           row{"124", "Pending", pending, pending, pending, pending, ""},
           row{"157", "Pending", pending, pending, pending, pending, ""},
           row{"210", "", pending, pending, pending, pending, ""},
           row{"003", "Failed", declined, declined, declined, declined, "payment_declined"},
           row{"060", "Failed", declined, declined, declined, declined, "payment_declined"},
           row{"103", "Failed", declined, declined, declined, declined, "payment_declined"},
           row{"112", "Failed", declined, declined, declined, declined, "customer_cancelled"},
           row{"122", "", declined, declined, declined, declined, "payment_returned"},
           row{"131", "Completed", declined, declined, declined, declined, "payment_returned"},
           row{"001", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"002", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"004", "Failed", pending, pending, pending, declined, "insufficient_funds"},
           row{"024", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"058", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"401", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"403", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"406", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"407", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"429", "Failed", pending, pending, pending, declined, "payment_declined"},
           row{"134", "Failed", pending, declined, pending, declined, "payment_declined"},
           row{"199", "Failed", pending, declined, pending, declined, "payment_declined"},
           row{"999", "Failed", pending, declined, pending, declined, "payment_declined"},
           row{"129", "Dropped", pending, declined, pending, declined, "checkout_expired"},
           row{"116", "Failed", declined, declined, declined, declined, "checkout_expired"},
           row{"109", "", pending, pending, pending, declined, "checkout_expired"},
           row{"777", "", unknown, unknown, unknown, unknown, "processing_error"},
           row{"", "", unknown, unknown, unknown, unknown, "processing_error"},
           row{"121", "Failed", unknown, unknown, unknown, unknown, "processing_error"},
           row{"199", "Completed", unknown, unknown, unknown, unknown, "processing_error"},
       }) {
    CAPTURE(r.code, r.status);
    const auto plain = answered_with_code(r.code, r.status);
    // The newer inquiry tells the form's own time, which may be hours before the customer's post.
    const auto newer = answered({{"pp_ResponseCode", "000"},
                                 {"pp_PaymentResponseCode", r.code},
                                 {"pp_Status", r.status},
                                 {"pp_TxnRefNo", waiting().provider_ref},
                                 {"pp_MerchantID", "MC12345"},
                                 {"pp_Amount", "420000"},
                                 {"pp_TxnDateTime", jazzcash::pakistan_time(noon)}});
    const auto posted = noon + hours{5};
    for (const auto& each : {plain, newer}) {
      const provider_inquiry sent{handed_over(posted)}, last{handed_over(noon + hours{23}), true};
      CHECK(inquire(sent, each, posted + minutes{1}).status == r.young);
      CHECK(inquire(sent, each, posted + minutes{10} - duration_ms{1}).status == r.young);
      CHECK(inquire(sent, each, posted + minutes{10}).status == r.old);
      CHECK(inquire(provider_inquiry{waiting()}, each, noon + hours{23}).status == r.unsent);
      const auto ended = inquire(last, each, noon + hours{24});
      CHECK(ended.status == r.ended);
      CHECK(code_of(ended) == r.error);
      CHECK(code_of(inquire(each, true, noon + hours{24})) == r.error);
    }
  }
}

TEST_CASE("a try that failed, and that the customer can repeat, is an error of a payment that waits on") {
  for (const auto* code : {"001", "002", "004", "024", "058", "401", "403", "406", "407", "429"}) {
    CAPTURE(code);
    const auto result = inquire(provider_inquiry{handed_over(noon)}, answered_with_code(code), noon + hours{1});
    CHECK(result.status == provider_status::pending);
    REQUIRE(result.error);
    CHECK(result.error->retryable);
    CHECK_FALSE(result.error->outcome_unknown);
    CHECK(result.error->code == (std::string_view{code} == "004" ? "insufficient_funds" : "payment_declined"));
  }
  for (const auto* code : {"157", "199", "129", "109"})
    CHECK_FALSE(inquire(provider_inquiry{handed_over(noon)}, answered_with_code(code), noon + minutes{1}).error);
}

TEST_CASE("a failure at the very end of the time to pay waits, too, if the customer's post is young") {
  struct row {
    const char* code;
    provider_status young;
  };
  const provider_inquiry last{handed_over(noon + hours{23} + minutes{58}), true};
  for (const auto& r : {row{"199", provider_status::pending}, row{"129", provider_status::pending},
                        row{"058", provider_status::pending}, row{"024", provider_status::declined}}) {
    CAPTURE(r.code);
    CHECK(inquire(last, answered_with_code(r.code), noon + hours{24}).status == r.young);
    CHECK(inquire(last, answered_with_code(r.code), noon + hours{25}).status == provider_status::declined);
  }
}

TEST_CASE("a payment that does not wait is compared with its transaction") {
  using enum charge_state;
  struct row {
    const char* code;
    const char* failed;    ///< the truth about a payment that has failed here, while its form has not ended
    const char* ended;     ///< the same once the form has ended
    const char* captured;  ///< about one that is captured here
  };
  const auto truth = [](const payment& p, const char* code, time_point now) -> std::string {
    const auto result = inquire(provider_inquiry{p, false, true}, answered_with_code(code), now);
    if (!result.truth) {
      CHECK(result.status != provider_status::approved);
      return "none";
    }
    CHECK(result.status == provider_status::approved);
    const auto& said = *result.truth;
    CHECK(said.disputes.empty());
    CHECK(said.lists_refunds == !said.refunds.empty());
    CHECK(said.captured == (said.charge == captured ? 420'000 : 0));
    std::string words = said.charge == captured ? "captured" : said.charge == failed ? "failed" : "other";
    for (const auto& each : said.refunds)
      words += (each.status == refund_status::succeeded ? " returned " : " odd ") + std::to_string(each.amount);
    return words;
  };
  for (const auto& r : {
           row{"121", "captured", "captured", "captured"},
           row{"000", "captured", "captured", "captured"},
           row{"122", "failed", "failed", "captured returned 420000"},
           row{"131", "failed", "failed", "captured returned 420000"},
           row{"112", "failed", "failed", "failed"},
           row{"060", "failed", "failed", "failed"},
           row{"116", "failed", "failed", "failed"},
           row{"004", "none", "failed", "none"},
           row{"403", "none", "failed", "none"},
           row{"109", "none", "failed", "none"},
           row{"157", "none", "none", "none"},
           row{"777", "none", "none", "none"},
       }) {
    CAPTURE(r.code);
    auto given_up = handed_over(noon);
    given_up.state = payment_state::failed;
    auto paid = handed_over(noon);
    paid.state = payment_state::captured;
    paid.captured = paid.amount.minor;
    CHECK(truth(given_up, r.code, noon + hours{2}) == r.failed);
    CHECK(truth(given_up, r.code, noon + hours{25}) == r.ended);
    CHECK(truth(paid, r.code, noon + hours{2}) == r.captured);
  }
  auto young = handed_over(noon);
  young.state = payment_state::failed;
  CHECK(truth(young, "199", noon + minutes{1}) == "none");
  CHECK(truth(young, "199", noon + minutes{10}) == "failed");
}

TEST_CASE("a payment that JazzCash has returned is refunded once, whatever was refunded before") {
  auto paid = handed_over(noon);
  paid.state = payment_state::captured;
  paid.captured = paid.amount.minor;
  const bool has_refund = GENERATE(false, true);
  if (has_refund) {
    paid.state = payment_state::partially_refunded;
    paid.refunded = 20'000;
    paid.records.refunds = {
        {"re_1", 20'000, refund_status::succeeded, entry_origin::operator_, noon, "by hand", {}, "bank 17"}};
  }
  for (int times = 0; times < 3; ++times) {
    const auto said = inquire(provider_inquiry{paid, false, true}, answered_with_code("122"), noon + hours{2});
    REQUIRE(said.truth);
    const auto steps = differences(paid, *said.truth, noon + hours{2});
    REQUIRE(steps.size() == (times == 0 ? 1U : 0U));
    if (!steps.empty()) paid = steps.back().next;
    CHECK(paid.state == payment_state::refunded);
    CHECK(paid.refunded == 420'000);
    CHECK(paid.records.refunds.size() == (has_refund ? 2U : 1U));
    CHECK(paid.records.refunds.back().by == entry_origin::provider);
    CHECK(contradiction_of(paid, *said.truth).empty());
  }
}

TEST_CASE("an inquiry without an answer is no truth about a payment") {
  const provider_inquiry asked{handed_over(noon), false, true};
  for (const auto& outcome : {answered("<html>Request Rejected</html>"), answered(std::string{"{}"}, 500),
                              http_outcome{http_failure{http_fault::answer_timeout, true}}}) {
    const auto result = inquire(asked, outcome, noon + hours{2});
    CHECK(result.status == provider_status::unknown);
    CHECK_FALSE(result.truth);
  }
}

TEST_CASE("a transaction that does not exist waits until the time to pay is over") {
  const auto none = answered(R"({"pp_ResponseCode":"109","pp_ResponseMessage":"Transaction does not exist"})");
  CHECK(inquire(none).status == provider_status::pending);
  // A cancel does not end it either: the customer may have the form, which cannot be taken back.
  CHECK(inquire(none, true).status == provider_status::pending);
  const auto closed = inquire(none, true, noon + hours{24});
  CHECK(closed.status == provider_status::declined);
  CHECK(code_of(closed) == "checkout_expired");
  CHECK(closed.error->category == error_category::timeout);
}

TEST_CASE("an answer that is no valid statement about this payment leaves the outcome unknown") {
  const pp_fields paid{{"pp_ResponseCode", "000"},
                       {"pp_PaymentResponseCode", "121"},
                       {"pp_Status", "Completed"},
                       {"pp_Amount", "420000"}};
  const auto with = [&](const char* name, const char* value) {
    auto other = paid;
    other[name] = value;
    return answered(other);
  };
  REQUIRE(inquire(answered(paid)).status == provider_status::approved);
  auto cut = answered(jazzcash::json_of(signed_by("salt1234", paid)));
  std::get<http_answer>(cut).cut = true;
  const http_outcome outcomes[] = {
      answered(jazzcash::json_of(signed_by("another", paid))),
      answered(jazzcash::json_of(paid)),
      answered(R"({"pp_ResponseCode":"000","pp_PaymentResponseCode":"999"})"),
      with("pp_Amount", "100"),
      with("pp_TxnRefNo", "T9999999999999999999"),
      with("pp_MerchantID", "MC54321"),
      with("pp_ResponseCode", "115"),
      with("pp_ResponseCode", "101"),
      with("pp_ResponseCode", ""),
      answered("<html>Request Rejected</html>"),
      answered("[]"),
      answered(""),
      answered(R"({"pp_ResponseCode":["000"]})"),
      answered(std::string(200'000, ' ')),
      answered(jazzcash::json_of(signed_by("salt1234", paid)), 500),
      cut,
      http_failure{http_fault::connect_failed, false},
      http_failure{http_fault::answer_timeout, true},
  };
  for (const auto& outcome : outcomes)
    for (const bool closes : {false, true}) {
      const auto result = inquire(outcome, closes);
      CHECK(result.status == provider_status::unknown);
      REQUIRE(result.error);
      CHECK(result.error->outcome_unknown);
    }
}
