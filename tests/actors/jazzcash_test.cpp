// JazzCash's adapter: its hash against published examples, its form, its posts. Its inquiry: jazzcash_inquiry_test.cpp.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <variant>

#include "gateway/base/crypto.hpp"
#include "jazzcash_fixture.hpp"
#include "providers/jazzcash/jazzcash.hpp"
#include "providers/jazzcash/posts.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace gateway::actors::jazzcash_tests;

namespace {

provider_call call(operation what, flow how = flow::redirect) {
  provider_call c;
  c.provider_key = "pk_00112233445566778899aabbccddeeff";
  c.what = what;
  c.subject = waiting();
  c.subject.how = how;
  c.subject.provider_ref.clear();
  return c;
}

/// The result of a call that sends nothing.
provider_result at_once(const provider_call& c) {
  const auto adapter = make_jazzcash_adapter(here);
  auto step = adapter->open(c, shop, noon)->next(nullptr);
  REQUIRE(std::holds_alternative<provider_result>(step));
  return std::get<provider_result>(std::move(step));
}

std::string value_in(const hosted_form& form, std::string_view name) {
  const auto at = std::ranges::find(form.fields, name, [](const auto& each) -> std::string_view { return each.first; });
  return at == form.fields.end() ? "absent" : at->second;
}

using verified = std::variant<receive_notification, notification_fault>;

verified verify(const std::string& body, std::string_view type, const provider_settings& with = shop) {
  const auto adapter = make_jazzcash_adapter(here);
  const incoming_notification in{body, [](std::string_view) { return std::optional<std::string_view>{}; }, type};
  return adapter->verify(in, with, environment::test, noon);
}

constexpr std::string_view form_type = "application/x-www-form-urlencoded";

pp_fields returned() {
  return {{"pp_Version", "1.1"},
          {"pp_TxnType", "MWALLET"},
          {"pp_MerchantID", "MC12345"},
          {"pp_TxnRefNo", waiting().provider_ref},
          {"pp_Amount", "420000"},
          {"pp_ResponseCode", "000"},
          {"pp_ResponseMessage", "Thank you for Using JazzCash, your transaction was successful."},
          {"pp_RetreivalReferenceNo", "240418718258"},
          {"ppmpf_1", *jazzcash::payment_field(waiting().key)},
          {"ppmpf_2", ""}};
}

}  // namespace

TEST_CASE("the hash of a message is that of JazzCash's own examples") {
  // Sandbox documentation 4.2, features, hashing scheme.
  CHECK(jazzcash::secure_hash({{"pp_MerchantID", "MER123"}, {"pp_OrderInfo", "A48cvE28"}, {"pp_Amount", "2995"}},
                              "0F5DD14AE2") == "C7689CDA7474EB1ADCD343FD0C0B676BAD0BA66361CC46DB589BDB0DA4C1C867");
  // How is HMAC-SHA256 calculated, 2026.
  CHECK(jazzcash::secure_hash({{"pp_Amount", "25000"},
                               {"pp_MerchantID", "MC25041"},
                               {"pp_MerchantMPIN", "1234"},
                               {"pp_Password", "sz1v4agvyf"},
                               {"pp_TxnCurrency", "PKR"},
                               {"pp_TxnRefNo", "T20220518150213"}},
                              "3vv9wu3a18") == "2C595361C2DA0E502D18BFBAA92CF4740330215E5E8AD0CF4489A64E7400B117");
}

TEST_CASE("empty fields, the hash itself and fields whose names do not begin with pp are left out") {
  const pp_fields bare{{"pp_Amount", "100"}, {"ppmpf_1", "a"}};
  pp_fields more = bare;
  more["ppmpf_2"] = "";
  more["pp_SecureHash"] = "anything";
  more["utm_source"] = "mail";
  CHECK(jazzcash::secure_hash(more, "s") == jazzcash::secure_hash(bare, "s"));
  CHECK(jazzcash::secure_hash({{"pp_Amount", "100"}, {"ppmpf_1", "b"}}, "s") != jazzcash::secure_hash(bare, "s"));
  CHECK(jazzcash::is_genuine(signed_by("s", bare), "s"));
  CHECK_FALSE(jazzcash::is_genuine(signed_by("s", bare), "t"));
  CHECK_FALSE(jazzcash::is_genuine(bare, "s"));
  auto lower = signed_by("s", bare);
  for (auto& c : lower["pp_SecureHash"]) c = static_cast<char>(std::tolower(c));
  CHECK(jazzcash::is_genuine(lower, "s"));
}

TEST_CASE("times are Pakistan's, five hours ahead of UTC") {
  CHECK(jazzcash::pakistan_time(*parse_seconds("2026-12-31T20:30:05Z")) == "20270101013005");
  CHECK(jazzcash::read_pakistan_time("20270101013005") == *parse_seconds("2026-12-31T20:30:05Z"));
  for (const char* wrong : {"", "2027010101300", "20271301013005", "20270230013005", "20270101243005", "2027-1-1013005",
                            "20270101-00000", "2027010101300-"})
    CHECK_FALSE(jazzcash::read_pakistan_time(wrong));
}

TEST_CASE("a create sends nothing, has a reference of its own, and leads to a page that names no provider") {
  const auto first = at_once(call(operation::create));
  CHECK(first.status == provider_status::pending);
  CHECK(first.provider_ref.size() == 20);
  CHECK(first.provider_ref.starts_with("T"));
  CHECK(jazzcash::is_alphanumeric(first.provider_ref));
  auto again = call(operation::create);
  again.asked_again = true;
  CHECK(at_once(again).provider_ref == first.provider_ref);
  CHECK(at_once(again).hosted_url == first.hosted_url);
  auto other = call(operation::create);
  other.provider_key = "pk_00112233445566778899aabbccddeefe";
  CHECK(at_once(other).provider_ref != first.provider_ref);

  const std::string page = "https://pay.example/v1/public/pay/";
  REQUIRE(first.hosted_url.starts_with(page));
  CHECK(crypto::verify_token("form key", first.hosted_url.substr(page.size())) == "form\nmerch_1\ntest\npay_1");
}

TEST_CASE("the wallet's account is the operator's, and ready: no owner needs onboarding") {
  for (const bool onboards : {false, true}) {
    account_question question;
    question.provider = provider_kind::jazzcash;
    question.onboards = onboards;
    const auto adapter = make_jazzcash_adapter(here);
    const auto answer = std::get<account_answer>(adapter->open(question, shop, noon)->next(nullptr));
    CHECK(answer.standing == account_standing::ready);
    CHECK(answer.account == shop.find("merchant_id"));
    CHECK(answer.url.empty());
  }
}

TEST_CASE("operations that the wallet does not support are declined, and nothing is sent") {
  struct row {
    operation what;
    flow how;
    const char* code;
  };
  for (const auto& r : {row{operation::create, flow::server, "flow_not_supported"},
                        row{operation::charge, flow::server, "flow_not_supported"},
                        row{operation::capture, flow::redirect, "provider_operation_unsupported"},
                        row{operation::void_payment, flow::redirect, "provider_operation_unsupported"},
                        row{operation::refund, flow::redirect, "refund_not_supported"}}) {
    const auto result = at_once(call(r.what, r.how));
    CHECK(result.status == provider_status::declined);
    CHECK(code_of(result) == r.code);
  }
  auto dollars = call(operation::create);
  dollars.subject.amount.unit = *currency::parse("USD");
  CHECK(code_of(at_once(dollars)) == "currency_not_supported");
}

TEST_CASE("the form is the documented one, with its hash, and expires before the gateway's own time to pay") {
  const auto adapter = make_jazzcash_adapter(here);
  auto subject = waiting();
  subject.details.description = "Tea & <b>sugar</b>: 2'kg = \"good\" \xc3\xa9";
  const auto form = adapter->form_of(subject, shop, noon + hours{1});
  REQUIRE(form);
  CHECK(form->action == "https://sandbox.jazzcash.com.pk/CustomerPortal/transactionmanagement/merchantform/");
  CHECK(value_in(*form, "pp_Version") == "1.1");
  CHECK(value_in(*form, "pp_TxnType") == "MWALLET");
  CHECK(value_in(*form, "pp_Language") == "EN");
  CHECK(value_in(*form, "pp_MerchantID") == "MC12345");
  CHECK(value_in(*form, "pp_Password") == "pass12word");
  CHECK(value_in(*form, "pp_TxnRefNo") == subject.provider_ref);
  CHECK(value_in(*form, "pp_BillReference") == subject.provider_ref);
  CHECK(value_in(*form, "pp_Amount") == "420000");
  CHECK(value_in(*form, "pp_TxnCurrency") == "PKR");
  CHECK(value_in(*form, "pp_TxnDateTime") == "20261120180000");
  CHECK(value_in(*form, "pp_TxnExpiryDateTime") == "20261121165900");
  CHECK(value_in(*form, "pp_Description") == "Tea b sugar b 2 kg good");
  CHECK(value_in(*form, "pp_ReturnURL") == "https://pay.example/v1/public/providers/jazzcash/test/return");
  for (const char* empty : {"pp_SubMerchantID", "pp_BankID", "pp_ProductID", "ppmpf_2", "ppmpf_5"})
    CHECK(value_in(*form, empty).empty());
  CHECK(jazzcash::read_payment_field(value_in(*form, "ppmpf_1")) == subject.key);
  CHECK(jazzcash::is_genuine({form->fields.begin(), form->fields.end()}, "salt1234"));
  for (const auto& [name, value] : form->fields) CHECK(value.find("salt1234") == std::string::npos);

  CHECK(adapter->form_of(subject, shop, noon + hours{24} - minutes{1} - duration_ms{1}));
  CHECK_FALSE(adapter->form_of(subject, shop, noon + hours{24} - minutes{1}));
  auto live = subject;
  live.key.env = environment::live;
  CHECK(adapter->form_of(live, shop, noon)->action.starts_with("https://payments.jazzcash.com.pk/"));
  auto moved = shop;
  moved.values.emplace_back("api_base", "https://onlinepayments.jazzcash.com.pk/payment-orchestrator");
  CHECK(adapter->form_of(live, moved, noon)->action ==
        "https://onlinepayments.jazzcash.com.pk/payment-orchestrator/CustomerPortal/transactionmanagement/"
        "merchantform/");
  subject.details.description = "\xd8\xa7\xd9\x84";
  CHECK(value_in(*adapter->form_of(subject, shop, noon), "pp_Description") == "Payment");
}

TEST_CASE("the browser's return is accepted by its hash, and names its payment") {
  const auto body = jazzcash::form_of(signed_by("salt1234", returned()));
  const auto answer = verify(body, form_type);
  REQUIRE(std::holds_alternative<receive_notification>(answer));
  const auto& what = std::get<receive_notification>(answer);
  CHECK(what.provider == provider_kind::jazzcash);
  CHECK(what.event_id == "T0123456789ABCDEFGHI:000:240418718258");
  CHECK(what.type == "payment");
  CHECK(what.account.empty());

  notification row;
  row.provider = provider_kind::jazzcash;
  row.body = what.body;
  const auto adapter = make_jazzcash_adapter(here);
  auto step = adapter->open(notification_question{row}, shop, noon)->next(nullptr);
  const auto& subject = std::get<notification_subject>(step);
  REQUIRE(std::holds_alternative<about_payment>(subject));
  CHECK(std::get<about_payment>(subject).key == waiting().key);
}

TEST_CASE(
    "JazzCash's own notification is read as in its published example, names its transaction, and loses its password") {
  auto with = shop;
  with.values[2].second = "0123456789";
  const std::string sample = R"({"pp_Version":"2.0","pp_TxnType":"MWALLET","pp_BankID":"","pp_ProductID":null,)"
                             R"("pp_Password":"0123456789","pp_TxnRefNo":"T20240418145702",)"
                             R"("pp_TxnDateTime":"20240418145702","pp_ResponseCode":"121",)"
                             R"("pp_ResponseMessage":"Transaction has been marked confirmed by Merchant.",)"
                             R"("pp_AuthCode":"060935465981","pp_SettlementExpiry":null,)"
                             R"("pp_RetreivalReferenceNo":"240418718258","pp_SecureHash":)"
                             R"("2B47BCF7825FA27FC8B522292BC8D226213FCCDA685FC68A67EC20B10836E5B7"})";
  const auto answer = verify(sample, "application/json; charset=utf-8", with);
  REQUIRE(std::holds_alternative<receive_notification>(answer));
  const auto& what = std::get<receive_notification>(answer);
  CHECK(what.event_id == "T20240418145702:121:240418718258");
  CHECK(what.body.find("0123456789") == std::string::npos);
  notification row;
  row.body = what.body;
  const auto adapter = make_jazzcash_adapter(here);
  auto step = adapter->open(notification_question{row}, with, noon)->next(nullptr);
  const auto& subject = std::get<notification_subject>(step);
  REQUIRE(std::holds_alternative<about_reference>(subject));
  CHECK(std::get<about_reference>(subject).provider_ref == "T20240418145702");

  auto forged = sample;
  forged.replace(forged.find("121"), 3, "000");
  CHECK(std::get<notification_fault>(verify(forged, "application/json", with)) == notification_fault::unsigned_);
}

TEST_CASE("a notification names the transaction by the reference that its payment has") {
  const auto ref = at_once(call(operation::create)).provider_ref;
  const auto answer = verify(
      jazzcash::json_of(signed_by("salt1234", {{"pp_TxnRefNo", ref}, {"pp_ResponseCode", "121"}})), "application/json");
  REQUIRE(std::holds_alternative<receive_notification>(answer));
  notification row;
  row.body = std::get<receive_notification>(answer).body;
  const auto adapter = make_jazzcash_adapter(here);
  auto step = adapter->open(notification_question{row}, shop, noon)->next(nullptr);
  const auto& subject = std::get<notification_subject>(step);
  REQUIRE(std::holds_alternative<about_reference>(subject));
  CHECK(std::get<about_reference>(subject).provider_ref == ref);
}

TEST_CASE("a post that is not JazzCash's, or is malformed, is ignored") {
  const auto fault = [](const std::string& body, std::string_view type = form_type) {
    const auto answer = verify(body, type);
    REQUIRE(std::holds_alternative<notification_fault>(answer));
    return std::get<notification_fault>(answer);
  };
  const auto changed = [](const char* name, const char* value) {
    auto post = returned();
    post[name] = value;
    return jazzcash::form_of(signed_by("salt1234", post));
  };
  const auto genuine = jazzcash::form_of(signed_by("salt1234", returned()));
  using enum notification_fault;
  CHECK(fault("") == unsigned_);
  CHECK(fault(jazzcash::form_of(returned())) == unsigned_);
  CHECK(fault(jazzcash::form_of(signed_by("guess", returned()))) == unsigned_);
  CHECK(fault(genuine + "&pp_ResponseCode=121") == unsigned_);
  CHECK(fault(genuine + "&pp_Extra=1") == unsigned_);
  CHECK(fault(genuine + "&x=" + std::string(20'000, 'x')) == unsigned_);
  CHECK(fault(genuine, "application/json") == unsigned_);
  CHECK(fault(changed("pp_TxnRefNo", "")) == unreadable);
  CHECK(fault(changed("pp_TxnRefNo", "T0123456789ABCDEFGHIJ")) == unreadable);
  CHECK(fault(changed("pp_TxnRefNo", "T:1")) == unreadable);
  CHECK(fault(changed("pp_ResponseCode", "")) == unreadable);
  CHECK(fault(changed("pp_MerchantID", "MC54321")) == unreadable);
  CHECK(fault(changed("ppmpf_1", "xyz")) == unreadable);
  const auto live = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"});
  CHECK(fault(changed("ppmpf_1", jazzcash::payment_field(live)->c_str())) == unreadable);
  auto other_merchants = waiting().key;
  other_merchants.merchant.value = "m\xff 1";
  CHECK(fault(changed("ppmpf_1", jazzcash::payment_field(other_merchants)->c_str())) == unreadable);
}

TEST_CASE("settings are checked before they are kept") {
  const auto adapter = make_jazzcash_adapter(here);
  const auto fault = [&](std::string_view name, const std::string& value, bool dev = false) {
    auto with = shop;
    const auto at =
        std::ranges::find(with.values, name, [](const auto& each) -> std::string_view { return each.first; });
    if (at == with.values.end())
      with.values.emplace_back(name, value);
    else
      at->second = value;
    return adapter->fault_of(with, environment::test, dev).value_or("");
  };
  CHECK_FALSE(adapter->fault_of(shop, environment::test, false));
  struct row {
    const char* name;
    std::string value;
    bool dev;
    bool good;
  };
  for (const auto& r :
       {row{"merchant_id", "MC 1", false, false}, row{"merchant_id", std::string(129, 'a'), false, false},
        row{"password", "a\nb", false, false}, row{"integrity_salt", "a b", false, false},
        row{"api_base", "https://pgw.jazzcash.com.pk", false, true},
        row{"api_base", "https://pgw.jazzcash.com.pk/", false, false},
        row{"api_base", "https://pgw.jazzcash.com.pk?x", false, false},
        row{"api_base", "http://127.0.0.1:8080", false, false}, row{"api_base", "http://127.0.0.1:8080", true, true},
        row{"api_base", "http://127.0.0.1.evil.example", true, false},
        row{"api_base", "https://user@jazzcash.com.pk", false, false},
        row{"inquiry_path", "/payment-orchestrator/api/v2/rest/payments/status/inquiry", false, true},
        row{"inquiry_path", "api", false, false}, row{"page_path", "/a?b", false, false}}) {
    CAPTURE(r.name, r.value, r.dev);
    const auto words = fault(r.name, r.value, r.dev);
    CHECK(words.empty() == r.good);
    if (!r.good) CHECK(words.starts_with(r.name));
  }
  const auto far = make_jazzcash_adapter({"https://" + std::string(190, 'a') + ".example", "k"});
  CHECK(far->fault_of(shop, environment::test, false));
  for (const auto& each : adapter->settings())
    CHECK(each.secret == (each.name == "password" || each.name == "integrity_salt"));
}
