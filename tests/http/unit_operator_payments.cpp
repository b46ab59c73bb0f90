// The operator socket's routes about payments: the requests to the actors and the store, and the JSON that gatewayctl
// prints.
#include "http/operator/decode_lists.hpp"
#include "http/operator/decode_payments.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

const std::string one_payment = R"({"payment_id":"pay_1","merchant_id":"merch_1","mode":"test")";

payment unknown_payment(std::string id, operation what, std::chrono::minutes ago) {
  auto p = *waiting_payment(payment_state::authorized);
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{std::move(id)});
  p.provider = provider_kind::stripe;
  p.provider_ref = "pi_1";
  p.created_at = noon - std::chrono::hours{48};
  p.open = open_operation{{}, what, 4200, true};
  p.open->begun_at = noon - ago;
  return p;
}

/// It was not paid before its time to pay was over, as far as is known.
payment outlived_payment(std::chrono::minutes ago) {
  auto p = *waiting_payment();
  p.created_at = noon - std::chrono::hours{24} - ago;
  p.error = provider_error{error_category::timeout, "checkout_outcome_unknown", "", false, true};
  return p;
}

payment_ptr shared_payment(payment p) { return std::make_shared<const payment>(std::move(p)); }

struct operator_payments : gateway_fixture {
  operator_payments() { answer_with(*waiting_payment(payment_state::captured)); }

  void answer_with(payment p) {
    scene.router = [row = shared_payment(std::move(p))](const entity_request&) {
      return entity_reply{entity_row{row}};
    };
  }
  void refuse_with(problem why) {
    scene.router = [why](const entity_request&) { return entity_reply{why}; };
  }
  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
  /// The ids of the list, in its order.
  std::string ids_of(std::string_view body) {
    const auto out = ask_operator("/operator/payments/list", body);
    std::string ids;
    const auto listed = boost::json::parse(std::string{out.sent_body()});
    for (const auto& each : listed.at("payments").as_array())
      ids.append(ids.empty() ? "" : " ").append(std::string{each.at("payment_id").as_string()});
    return ids;
  }
};

std::string brief_of(const response& out) { return std::to_string(out.sent_status()) + " " + code_in(out); }

}  // namespace

TEST_CASE_METHOD(operator_payments, "a listed payment has its merchant, its open operation and its provider") {
  scene.of<find_payments_of_merchants>() = [](const find_payments_of_merchants&) {
    auto known = *waiting_payment(payment_state::captured);
    known.hides_provider = true;
    return payments_of_merchants_lookup{
        {shared_payment(unknown_payment("pay_7", operation::capture, std::chrono::minutes{5})),
         shared_payment(std::move(known))},
        std::nullopt};
  };
  CHECK(ask_operator("/operator/payments/list", "{}").sent_body() ==
        R"({"payments":[{"payment_id":"pay_7","merchant_id":"merch_1","mode":"test","state":"authorized",)"
        R"("amount":4200,"currency":"HKD","open_operation":"capture","unknown_since":"2026-11-20T11:55:00.000Z",)"
        R"("provider":"stripe","provider_ref":"pi_1"},)"
        R"({"payment_id":"pay_1","merchant_id":"merch_1","mode":"test","state":"captured",)"
        R"("amount":4200,"currency":"HKD","open_operation":null,"unknown_since":null,)"
        R"("provider":"sandbox","provider_ref":"cs_1"}]})");
}

TEST_CASE_METHOD(operator_payments, "a list asks the store until its page is full, and says where it continues") {
  std::vector<find_payments_of_merchants> asked;
  const merchants_payment_position behind{merchant_id{"merch_7"}, environment::live, {noon, "pay/7"}};
  scene.of<find_payments_of_merchants>() = [&](const find_payments_of_merchants& what) {
    asked.push_back(what);
    payments_of_merchants_lookup found{{}, behind};
    if (asked.size() == 2) found.payments.assign(3, waiting_payment());
    return found;
  };
  const auto out =
      ask_operator("/operator/payments/list", R"({"mode":"live","state":"captured","older_than_ms":60000,"limit":3})");
  const auto at = std::to_string(to_unix_ms(noon));
  CHECK(out.sent_body().ends_with(R"(],"next":"merch_7/live/)" + at + R"(/pay/7"})"));
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].merchant.empty());
  CHECK(asked[0].env == environment::live);
  CHECK(asked[0].state == payment_state::captured);
  CHECK(asked[0].until == noon - std::chrono::minutes{1});
  CHECK_FALSE(asked[0].after);
  CHECK(asked[1].after == behind);

  asked.clear();
  ask_operator("/operator/payments/list", R"({"after":"merch_7/live/)" + at + R"(/pay/7"})");
  REQUIRE_FALSE(asked.empty());
  CHECK(asked[0].after == behind);
  // Many merchants have none that match: the answer comes in time, and tells where to go on.
  asked.clear();
  scene.of<find_payments_of_merchants>() = [&](const find_payments_of_merchants& what) {
    asked.push_back(what);
    return payments_of_merchants_lookup{{}, behind};
  };
  CHECK(ids_of("{}").empty());
  CHECK(asked.size() == 32);
}

TEST_CASE_METHOD(operator_payments, "unknown outcomes are listed from the oldest on") {
  using std::chrono::minutes;
  std::optional<find_unknown_payments> asked;
  scene.of<find_unknown_payments>() = [&](const find_unknown_payments& what) {
    asked = what;
    return payments_lookup{{shared_payment(unknown_payment("pay_a", operation::refund, minutes{5})),
                            shared_payment(outlived_payment(minutes{90})),
                            shared_payment(unknown_payment("pay_b", operation::capture, minutes{30}))}};
  };
  struct row {
    std::string filter, ids;
  };
  const row rows[] = {{"", "pay_1 pay_b pay_a"},
                      {R"(,"older_than_ms":600000)", "pay_1 pay_b"},
                      {R"(,"older_than_ms":5400000)", "pay_1"},
                      {R"(,"older_than_ms":6000000)", ""},
                      {R"(,"state":"processing")", "pay_1"},
                      {R"(,"state":"captured")", ""},
                      {R"(,"limit":2)", "pay_1 pay_b"}};
  for (const auto& [filter, ids] : rows) {
    INFO(filter);
    CHECK(ids_of(R"({"unknown":true,"merchant_id":"merch_1","mode":"test")" + filter + "}") == ids);
  }
  CHECK(asked->merchant == merchant_id{"merch_1"});
  CHECK(asked->env == environment::test);
  CHECK(ask_operator("/operator/payments/list", R"({"unknown":true,"limit":1})")
            .sent_body()
            .ends_with(R"(],"left_out":2})"));
}

TEST_CASE_METHOD(operator_payments, "a payment is shown with the fields of GET and of the list") {
  auto p = unknown_payment("pay_1", operation::capture, std::chrono::minutes{5});
  p.hides_provider = true;
  p.customer = payment_customer{platform_id{"plat_1"}, "reader-17", {}, false, false, {}};
  answer_with(p);
  const auto shown =
      boost::json::parse(std::string{ask_operator("/operator/payments/show", one_payment + "}").sent_body()});
  CHECK(shown.at("state").as_string() == "authorized");
  CHECK(shown.at("provider").at("provider").as_string() == "stripe");
  CHECK(shown.at("refunds").as_array().empty());
  CHECK(shown.at("disputes").as_array().empty());
  CHECK(shown.at("captured_amount").as_int64() == 0);
  CHECK(shown.at("customer_ref").as_string() == "reader-17");
  CHECK(shown.at("merchant_id").as_string() == "merch_1");
  CHECK(shown.at("mode").as_string() == "test");
  CHECK(shown.at("open_operation").as_string() == "capture");
  CHECK(shown.at("unknown_since").as_string() == "2026-11-20T11:55:00.000Z");
  CHECK(shown.at("provider_ref").as_string() == "pi_1");
  REQUIRE(scene.seen.size() == 1);
  CHECK(scene.seen[0].key == payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"}));
  CHECK((command_if<view_entity>(scene.seen[0].what) != nullptr));
  CHECK_FALSE(scene.seen[0].note);
}

TEST_CASE_METHOD(operator_payments, "each command is on the audit log, and is answered with the payment") {
  struct row {
    std::string path, rest, action, subject;
  };
  const row rows[] = {
      {"payments/settle", R"(,"as":"approved","reason":"seen there"})", "settle payment as approved",
       "pay_1: seen there"},
      {"payments/settle", R"(,"as":"declined","reason":"not there"})", "settle payment as declined",
       "pay_1: not there"},
      {"payments/record-refund", R"(,"amount":1200,"reference":"bank 7","reason":"by bank"})", "record refund",
       "pay_1: 1200 bank 7: by bank"},
      {"sandbox/payment", R"(,"act":"dispute_open","amount":70})", "act in sandbox", "pay_1: dispute_open"}};
  for (const auto& [path, rest, action, subject] : rows) {
    INFO(path << rest);
    scene.seen.clear();
    const auto out = ask_operator("/operator/" + path, one_payment + rest);
    CHECK(out.sent_status() == 200);
    CHECK(boost::json::parse(std::string{out.sent_body()}).at("payment_id").as_string() == "pay_1");
    REQUIRE(scene.seen.size() == 1);
    CHECK_FALSE(scene.seen[0].write);
    REQUIRE(scene.seen[0].note);
    const auto& note = *scene.seen[0].note;
    CHECK(note.user == user_id{"operator:operator"});  // no Unix user is at the other end
    CHECK(note.at == noon);
    CHECK(note.action == action);
    CHECK(note.subject == subject);
    CHECK(note.merchant == merchant_id{"merch_1"});
    CHECK(note.env == environment::test);
  }
}

TEST_CASE_METHOD(operator_payments, "a refresh is written on the audit log before the provider is asked") {
  std::vector<save_audit> noted;
  std::size_t asked_before_note = 0;
  scene.commits = [&](const unit_of_work& unit) {
    asked_before_note = scene.seen.size();
    for (const auto& each : unit.inserts)
      if (const auto* note = std::get_if<save_audit>(&each)) noted.push_back(*note);
    return commit_outcome::committed;
  };
  CHECK(ask_operator("/operator/payments/refresh", one_payment + "}").sent_status() == 200);
  REQUIRE(noted.size() == 1);
  CHECK(noted[0].action == "refresh payment");
  CHECK(noted[0].subject == "pay_1");
  CHECK(asked_before_note == 1);  // it was read
  REQUIRE(scene.seen.size() == 2);
  CHECK((command_if<ask_provider>(scene.seen[1].what) != nullptr));

  scene.seen.clear();
  scene.commits = [](const unit_of_work&) { return commit_outcome::unavailable; };
  CHECK(brief_of(ask_operator("/operator/payments/refresh", one_payment + "}")) == "503 store_unavailable");
  CHECK(scene.seen.size() == 1);
}

TEST_CASE_METHOD(operator_payments, "the commands carry what the operator gave") {
  ask_operator("/operator/payments/settle", one_payment + R"(,"as":"declined","reason":"not there"})");
  const auto* settle = command_if<settle_payment>(scene.seen.at(0).what);
  REQUIRE(settle);
  CHECK_FALSE(settle->approved);
  CHECK(settle->reason == "not there");
  ask_operator("/operator/payments/record-refund",
               one_payment + R"(,"amount":1200,"reference":"bank 7","reason":"by bank"})");
  const auto* refund = command_if<record_refund>(scene.seen.at(1).what);
  REQUIRE(refund);
  CHECK(refund->amount == 1200);
  CHECK(refund->reference == "bank 7");
  CHECK(refund->reason == "by bank");
  for (std::size_t i = 0; i < enum_count<sandbox_act_kind>; ++i) {
    const auto kind = static_cast<sandbox_act_kind>(i);
    using enum sandbox_act_kind;
    const bool names_refund = kind == refund_settle || kind == refund_fail;
    const bool has_amount = kind == refund_outside || kind == capture_outside;
    INFO(to_string(kind));
    scene.seen.clear();
    std::string rest = R"(,"act":")" + std::string{to_string(kind)} + "\"";
    if (names_refund) rest += R"(,"refund_id":"re_1")";
    if (has_amount) rest += R"(,"amount":70)";
    CHECK(ask_operator("/operator/sandbox/payment", one_payment + rest + "}").sent_status() == 200);
    REQUIRE(scene.seen.size() == 1);
    const auto* act = command_if<act_in_sandbox>(scene.seen[0].what);
    REQUIRE(act);
    CHECK(act->what == sandbox_act{kind, has_amount ? 70 : 0, names_refund ? "re_1" : "", {}});
  }
}

TEST_CASE_METHOD(operator_payments, "a command that is refused says why") {
  struct row {
    problem why;
    std::string code, words;
  };
  const row rows[] = {
      {problem::payment_not_found, "404 not_found", "no payment pay_1"},
      {problem::nothing_to_settle, "409 conflict", "nothing to settle"},
      {problem::refund_already_recorded, "409 conflict", "a refund of this reference already"},
      {problem::impossible_at_provider, "409 conflict", "No provider could do this"},
      {problem::payment_outcome_pending, "409 payment outcome pending", "Refresh the payment"},
      {problem::refund_exceeds_captured, "409 conflict", "more than what remains"},
      {problem::not_refundable, "409 payment not refundable in current state", "Nothing of this payment"},
      {problem::provider_unavailable, "503 provider_unavailable", "did not say"},
      {problem::store_unavailable, "503 store_unavailable", "may or may not"},
      {problem::overloaded, "503 overloaded", "nothing was changed"}};
  for (const auto& [why, code, words] : rows) {
    INFO(code);
    refuse_with(why);
    const auto out = ask_operator("/operator/payments/settle", one_payment + R"(,"as":"approved","reason":"r"})");
    CHECK(brief_of(out) == code);
    CHECK(out.sent_body().find(words) != std::string_view::npos);
  }
  scene.router = [](const entity_request&) -> caf::result<entity_reply> {
    return make_error(actor_errc::store_unavailable);
  };
  const auto out = ask_operator("/operator/payments/show", one_payment + "}");
  CHECK(brief_of(out) == "503 store_unavailable");
}

TEST_CASE_METHOD(operator_payments, "a body that cannot be read is refused before a payment is asked") {
  const std::pair<std::string, std::string> rows[] = {
      {"payments/list", R"({"mode":"prod"})"},
      {"payments/list", R"({"state":"lost"})"},
      {"payments/list", R"({"limit":0})"},
      {"payments/list", R"({"limit":10001})"},
      {"payments/list", R"({"older_than_ms":-1})"},
      {"payments/list", R"({"after":"merch_1/live"})"},
      {"payments/list", R"({"after":"merch_1/live/1/pay","unknown":true})"},
      {"payments/list", R"({"after":"merch_1/live/1/pay","merchant_id":"merch_2"})"},
      {"payments/show", R"({"payment_id":"pay_1","merchant_id":"merch_1"})"},
      {"payments/show", R"({"payment_id":"pay_1","mode":"test"})"},
      {"payments/refresh", R"({"merchant_id":"merch_1","mode":"test"})"},
      {"payments/settle", one_payment + R"(,"as":"unknown","reason":"r"})"},
      {"payments/settle", one_payment + R"(,"as":"approved"})"},
      {"payments/record-refund", one_payment + R"(,"amount":0,"reference":"r","reason":"r"})"},
      {"payments/record-refund", one_payment + R"(,"reference":"r","reason":"r"})"},
      {"payments/record-refund", one_payment + R"(,"amount":5,"reason":"r"})"},
      {"sandbox/payment", one_payment + R"(,"act":"explode"})"},
      {"sandbox/payment", one_payment + R"(,"act":"refund_outside"})"},
      {"sandbox/payment", one_payment + R"(,"act":"capture_outside"})"},
      {"sandbox/payment", one_payment + R"(,"act":"refund_fail"})"},
      {"sandbox/payment", one_payment + R"(,"act":"dispute_win","amount":5})"},
      {"sandbox/payment", one_payment + R"(,"act":"dispute_open","refund_id":"re_1"})"}};
  for (const auto& [path, body] : rows) {
    INFO(path << ' ' << body);
    CHECK(brief_of(ask_operator("/operator/" + path, body)) == "400 invalid_request");
  }
  CHECK(scene.seen.empty());
  CHECK(brief_of(ask_operator("/operator/payments/list", R"({"merchant_id":"merch_x"})")) == "404 not_found");
}

TEST_CASE("only a cycle that is paid may have another amount than the price") {
  const auto amount_of = [](const std::string& rest) -> std::string {
    const auto read = decode_move_subscription(R"({"subscription_id":"box-17","move":)" + rest + "}", 32);
    const auto* moved = std::get_if<moved_subscription>(&read);
    if (!moved) return "refused";
    return moved->what.amount ? std::to_string(*moved->what.amount) : "the price";
  };
  CHECK(amount_of(R"("paid","amount":950)") == "950");
  CHECK(amount_of(R"("paid","amount":0)") == "0");
  CHECK(amount_of(R"("paid","amount":-1)") == "refused");
  CHECK(amount_of(R"("paid")") == "the price");
  CHECK(amount_of(R"("action")") == "the price");
  for (const std::string move : {"failed", "action", "exhausted", "update", "expire", "delete"})
    CHECK(amount_of('"' + move + R"(","amount":950)") == "refused");
}
