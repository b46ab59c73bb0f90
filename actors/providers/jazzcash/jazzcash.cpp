#include "jazzcash.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "fields.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/url.hpp"
#include "inquiry.hpp"
#include "posts.hpp"

namespace gateway::actors {

namespace jazzcash {
namespace {

constexpr std::array setting_rows{
    provider_setting_row{"merchant_id", false, true, {}, "the merchant's id at JazzCash"},
    provider_setting_row{"password", true, true, {}, "the password that JazzCash has made for it"},
    provider_setting_row{"integrity_salt", true, true, {}, "the integrity salt, which signs every message"},
    provider_setting_row{"api_base", false, false, {}, "where JazzCash is reached, if not at its usual address"},
    provider_setting_row{"page_path", false, false, "/CustomerPortal/transactionmanagement/merchantform/",
                         "of the hosted page, after api_base"},
    provider_setting_row{"inquiry_path", false, false, "/ApplicationAPI/API/PaymentInquiry/Inquire",
                         "of the status inquiry, after api_base"},
};

constexpr std::string_view test_base = "https://sandbox.jazzcash.com.pk";
constexpr std::string_view live_base = "https://payments.jazzcash.com.pk";

// Documented lengths (Payment Gateway Integration Guide for Merchants 4.2).
constexpr std::size_t most_return_url_bytes = 200;
constexpr std::size_t most_description_bytes = 200;
constexpr std::size_t txn_ref_no_digits = 19;  // of 20 characters, after the first

constexpr std::size_t most_setting_bytes = 128;
constexpr std::size_t most_address_bytes = 512;

/// JazzCash's clock may be this much behind the gateway's. The time to pay ends earlier by this, so that no customer
/// can pay after the gateway's last inquiry.
constexpr std::chrono::minutes clock_difference{1};

std::string_view setting(const provider_settings& with, std::string_view name) {
  const auto set = with.find(name);
  return set.empty() ? std::ranges::find(setting_rows, name, &provider_setting_row::name)->otherwise : set;
}

std::string address(const provider_settings& with, environment env, std::string_view path_name) {
  const auto base = with.find("api_base");
  std::string url{!base.empty() ? base : env == environment::live ? live_base : test_base};
  return url.append(setting(with, path_name));
}

bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::optional<std::string> fault_of_base(std::string_view url, bool dev) {
  if (url.empty()) return std::nullopt;
  if (url.size() > most_address_bytes || url.ends_with('/') || url.find_first_of("?#") != url.npos)
    return "api_base: an address without a query and without a slash at its end, of at most 512 bytes";
  if (https_origin_of(url)) return std::nullopt;
  constexpr std::string_view plain = "http://";
  const auto at = dev && url.starts_with(plain) && has_only_url_characters(url) ? read_authority(url) : std::nullopt;
  if (at && is_this_machine(at->host) && is_port(at->port)) return std::nullopt;
  return dev ? "api_base: https, or http on this machine" : "api_base: https";
}

std::optional<std::string> fault_of_path(std::string_view name, std::string_view path) {
  if (path.starts_with('/') && path.size() <= most_address_bytes && has_only_url_characters(path) &&
      path.find_first_of("?#") == path.npos)
    return std::nullopt;
  return std::string{name} + ": a path that begins with a slash, of at most 512 bytes";
}

/// A reference that is unique to the provider key: 19 digits in base 36 hold 98 bits of the key's hash.
std::string txn_ref_no(std::string_view provider_key) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto hash = crypto::sha256("jazzcash\n" + std::string{provider_key});
  std::array<unsigned, 32> rest{};
  std::ranges::copy(hash, rest.begin());
  std::string ref{"T"};
  for (std::size_t i = 0; i < txn_ref_no_digits; ++i) {
    unsigned carry = 0;
    for (auto& byte : rest) {
      const auto value = carry * 256 + byte;
      byte = value / static_cast<unsigned>(digits.size());
      carry = value % static_cast<unsigned>(digits.size());
    }
    ref += digits[carry];
  }
  return ref;
}

/// Reduces the text to letters, digits and single blanks: JazzCash replaces other characters by blanks, and its hash
/// would then differ from the gateway's.
std::string description_of(const payment& subject) {
  std::string text;
  for (const char c : subject.details.description) {
    if (text.size() == most_description_bytes) break;
    if (is_alphanumeric({&c, 1}))
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (text.ends_with(' ')) text.pop_back();
  return text.empty() ? std::string{"Payment"} : text;
}

provider_result declined_at_once(const provider_call& call, error_category category, std::string_view code,
                                 std::string_view message) {
  provider_result result;
  result.status = provider_status::declined;
  result.provider_ref = call.subject.provider_ref;
  result.error = provider_error{category, std::string{code}, std::string{message}, false, false};
  return result;
}

/// Answers at once: nothing is sent.
template <class Result>
class answered final : public dialogue<Result> {
 public:
  explicit answered(Result result) : result_{std::move(result)} {}
  std::variant<http_request, Result> next(const http_outcome*) override { return std::move(result_); }

 private:
  Result result_;
};

class status_inquiry final : public dialogue<provider_result> {
 public:
  status_inquiry(provider_inquiry asked, std::string url, const provider_settings& with, time_point now)
      : asked_{std::move(asked)}, url_{std::move(url)}, with_{with}, now_{now} {}

  std::variant<http_request, provider_result> next(const http_outcome* outcome) override {
    const inquiry_access access{url_, with_.find("merchant_id"), with_.find("password"), with_.find("integrity_salt")};
    if (!outcome) return inquiry_request(asked_.subject.provider_ref, access);
    return read_inquiry(*outcome, asked_, access, now_);
  }

 private:
  provider_inquiry asked_;
  std::string url_;
  provider_settings with_;
  time_point now_;
};

class adapter final : public provider_adapter {
 public:
  explicit adapter(gateway_addresses where) : where_{std::move(where)} {}

  provider_kind kind() const noexcept override { return provider_kind::jazzcash; }
  std::span<const provider_setting_row> settings() const noexcept override { return setting_rows; }
  std::optional<std::string> fault_of(const provider_settings& values, environment env, bool dev) const override;

  dialogue_ptr<provider_result> open(const provider_call& call, const provider_settings& with,
                                     time_point now) const override;
  dialogue_ptr<provider_result> open(const provider_inquiry& inquiry, const provider_settings& with,
                                     time_point now) const override;
  dialogue_ptr<account_answer> open(const account_question& question, const provider_settings& with,
                                    time_point now) const override;
  dialogue_ptr<notification_subject> open(const notification_question& question, const provider_settings& with,
                                          time_point now) const override;

  std::variant<receive_notification, notification_fault> verify(const incoming_notification& in,
                                                                const provider_settings& with, environment env,
                                                                time_point now) const override;
  std::optional<hosted_form> form_of(const payment& subject, const provider_settings& with,
                                     time_point now) const override;

 private:
  std::string return_url(environment env) const {
    return where_.base_url + "/v1/public/providers/jazzcash/" + std::string{to_string(env)} + "/return";
  }
  /// The time until which a customer may pay.
  time_point end_of(const payment& subject) const {
    const std::chrono::milliseconds difference{clock_difference};
    return subject.created_at + where_.hosted_expiry - std::min(difference, where_.hosted_expiry / 4);
  }
  provider_result create(const provider_call& call) const;

  gateway_addresses where_;
};

std::optional<std::string> adapter::fault_of(const provider_settings& values, environment env, bool dev) const {
  const auto merchant = values.find("merchant_id");
  if (merchant.size() > most_setting_bytes || !is_alphanumeric(merchant))
    return "merchant_id: letters and digits, at most 128";
  for (const std::string_view name : {"password", "integrity_salt"})
    if (values.find(name).size() > most_setting_bytes || !is_visible_ascii(values.find(name)))
      return std::string{name} + ": visible ASCII characters, at most 128";
  if (auto fault = fault_of_base(values.find("api_base"), dev)) return fault;
  for (const std::string_view name : {"page_path", "inquiry_path"})
    if (auto fault = fault_of_path(name, setting(values, name))) return fault;
  if (return_url(env).size() > most_return_url_bytes)
    return "the gateway's own address is too long: JazzCash takes 200 bytes for where customers return to";
  return std::nullopt;
}

/// Nothing is sent: the customer's browser starts the transaction by posting the form.
provider_result adapter::create(const provider_call& call) const {
  const auto& subject = call.subject;
  if (subject.how == flow::server)
    return declined_at_once(call, error_category::validation, "flow_not_supported",
                            "The wallet is paid on its own page only.");
  if (subject.amount.unit.code() != "PKR")
    return declined_at_once(call, error_category::validation, "currency_not_supported", "The wallet takes PKR only.");
  provider_result result;
  result.status = provider_status::pending;
  result.provider_ref = txn_ref_no(call.provider_key);
  // The address and its payload do not name the provider, because merchants see it and must not learn the provider.
  std::string payload{"form\n"};
  payload.append(subject.key.merchant.value).append("\n").append(to_string(subject.key.env));
  payload.append("\n").append(subject.key.id);
  result.hosted_url = where_.base_url + "/v1/public/pay/" + where_.form_key.sign(payload);
  return result;
}

dialogue_ptr<provider_result> adapter::open(const provider_call& call, const provider_settings&, time_point) const {
  const auto result = [&]() -> provider_result {
    using enum operation;
    switch (call.what) {
      case create: return this->create(call);
      case charge:
        return declined_at_once(call, error_category::validation, "flow_not_supported",
                                "The wallet keeps no payment methods.");
      case capture:
      case cancel:
      case void_payment:
        return declined_at_once(call, error_category::validation, "provider_operation_unsupported",
                                "The wallet captures at once.");
      case refund: break;
    }
    // A refund at JazzCash has no idempotency key and no inquiry. A refund without an answer could not be settled
    // without the risk of a second refund.
    return declined_at_once(call, error_category::validation, "refund_not_supported", "The wallet has no refunds.");
  };
  return std::make_unique<answered<provider_result>>(result());
}

dialogue_ptr<provider_result> adapter::open(const provider_inquiry& inquiry, const provider_settings& with,
                                            time_point now) const {
  // JazzCash cannot close a form that the customer has received. A cancelled payment can be paid until its form ends,
  // so until then the inquiry does not close it.
  auto asked = inquiry;
  asked.closes = (inquiry.closes || inquiry.compares) && now >= end_of(inquiry.subject);
  return std::make_unique<status_inquiry>(asked, address(with, inquiry.subject.key.env, "inquiry_path"), with, now);
}

/// There is one account, the operator's, which is set up outside the gateway, so there is no onboarding.
dialogue_ptr<account_answer> adapter::open(const account_question&, const provider_settings& with, time_point) const {
  account_answer ready;
  ready.standing = account_standing::ready;
  ready.account = with.find("merchant_id");
  return std::make_unique<answered<account_answer>>(std::move(ready));
}

dialogue_ptr<notification_subject> adapter::open(const notification_question& question, const provider_settings&,
                                                 time_point) const {
  return std::make_unique<answered<notification_subject>>(subject_of(question.what));
}

std::variant<receive_notification, notification_fault> adapter::verify(const incoming_notification& in,
                                                                       const provider_settings& with, environment env,
                                                                       time_point) const {
  return read_post(in, with.find("merchant_id"), with.find("integrity_salt"), env);
}

/// The documented form. The merchant's password is among its fields, so the customer's browser sees it. The password
/// alone is useless, because every message is hashed with the salt, which is not sent.
std::optional<hosted_form> adapter::form_of(const payment& subject, const provider_settings& with,
                                            time_point now) const {
  const auto end = end_of(subject);
  auto reference = payment_field(subject.key);
  if (now >= end || !reference) return std::nullopt;
  const auto ref = subject.provider_ref;
  pp_fields fields{{"pp_Version", "1.1"},
                   {"pp_TxnType", "MWALLET"},
                   {"pp_Language", "EN"},
                   {"pp_MerchantID", std::string{with.find("merchant_id")}},
                   {"pp_SubMerchantID", {}},
                   {"pp_Password", std::string{with.find("password")}},
                   {"pp_BankID", {}},
                   {"pp_ProductID", {}},
                   {"pp_TxnRefNo", ref},
                   {"pp_Amount", std::to_string(subject.amount.minor)},
                   {"pp_TxnCurrency", "PKR"},
                   {"pp_TxnDateTime", pakistan_time(now)},
                   {"pp_BillReference", ref},
                   {"pp_Description", description_of(subject)},
                   {"pp_TxnExpiryDateTime", pakistan_time(end)},
                   {"pp_ReturnURL", return_url(subject.key.env)},
                   {"ppmpf_1", *std::move(reference)},
                   {"ppmpf_2", {}},
                   {"ppmpf_3", {}},
                   {"ppmpf_4", {}},
                   {"ppmpf_5", {}}};
  fields.emplace("pp_SecureHash", secure_hash(fields, with.find("integrity_salt")));
  return hosted_form{address(with, subject.key.env, "page_path"), {fields.begin(), fields.end()}};
}

}  // namespace
}  // namespace jazzcash

std::unique_ptr<const provider_adapter> make_jazzcash_adapter(gateway_addresses where) {
  return std::make_unique<jazzcash::adapter>(std::move(where));
}

}  // namespace gateway::actors
