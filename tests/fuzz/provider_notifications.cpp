// Posts to the addresses for providers' notifications. The first byte names the provider: `s` Stripe, `j` JazzCash by a
// form, `J` by JSON. Stripe's next line is the header Stripe-Signature, or `=` and an age in seconds: then the target
// makes the signature. JazzCash's next byte is `=` if the target makes the hash. The rest is the body.
//
// A correct signature is never refused, and one with a changed byte always is. A signature from the input is accepted
// only if OpenSSL's one-shot HMAC gives the same. An accepted notification can be stored; for a genuine one the adapter
// finds at once which object it is about, and that is a possible payment.
#include <algorithm>
#include <charconv>
#include <string>

#include <openssl/hmac.h>
#include <boost/json.hpp>

#include "actors/providers/jazzcash/fields.hpp"
#include "actors/providers/jazzcash/jazzcash.hpp"
#include "actors/providers/stripe/stripe.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

using namespace actors;
using verdict = std::variant<receive_notification, notification_fault>;

constexpr std::int64_t now_s = 1'795'176'000;
const time_point now = from_unix_ms(now_s * 1000);
constexpr std::string_view secret = "whsec_1", salt = "salt";
const gateway_addresses here{"https://pay.example", "form key"};
const provider_settings stripe_keys{
    {{"secret_key", "sk_test_1"}, {"publishable_key", "pk_test_1"}, {"webhook_secret", "whsec_0,whsec_1"}}};
const provider_settings jazzcash_keys{
    {{"merchant_id", "MC1"}, {"password", "p"}, {"integrity_salt", std::string{salt}}}};

std::string mac_of(std::string_view by, std::string_view text) {
  unsigned char mac[32];
  HMAC(EVP_sha256(), by.data(), static_cast<int>(by.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), mac, nullptr);
  std::string hex;
  for (const auto byte : mac) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    hex += two;
  }
  return hex;
}

bool is(const verdict& of, notification_fault fault) {
  const auto* found = std::get_if<notification_fault>(&of);
  return found && *found == fault;
}

// ---- accepted notifications ---------------------------------------------------------------------

bool is_visible(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

void check_payment(const about_payment& of) {
  must(is_payment_id(of.key.id) && of.key.kind == entity_kind::payment, "a payment's id is one");
  must(is_provider_id(of.key.merchant.value), "a merchant's id is one");
}

void check_taken(const provider_adapter& adapter, const provider_settings& with, const receive_notification& taken,
                 environment env) {
  must(taken.provider == adapter.kind(), "it is the provider's");
  must(is_visible(taken.event_id, 200) && is_visible(taken.type, 100), "an event has a name and a type");
  must(taken.account.empty() || is_provider_id(taken.account), "an account is one");
  notification_question question;
  question.what.key = notification_key(taken.provider, env, taken.event_id);
  question.what.provider = taken.provider;
  question.what.event_id = taken.event_id;
  question.what.body = taken.body;
  const auto dialogue = adapter.open(question, with, now);
  auto said = dialogue->next(nullptr);
  if (const auto* request = std::get_if<http_request>(&said)) {
    must(request->method == http_method::get, "a question changes nothing");
    const http_outcome none = http_failure{http_fault::connect_failed, false};
    said = dialogue->next(&none);
    const auto* waits = std::get_if<notification_subject>(&said);
    must(waits && std::holds_alternative<not_understood>(*waits), "without an answer it waits");
    return;
  }
  const auto* subject = &std::get<notification_subject>(said);
  const bool contains_state = taken.type.starts_with("invoice.") || taken.type.starts_with("customer.");
  must(contains_state || !std::holds_alternative<not_understood>(*subject), "what was taken is understood");
  if (const auto* named = std::get_if<about_reference>(subject))
    must(is_visible(named->provider_ref, 255), "a reference is one");
  const auto* payment = std::get_if<about_payment>(subject);
  if (!payment) return;
  check_payment(*payment);
  must(payment->key.env == env, "test and live keep apart");
}

// ---- Stripe -------------------------------------------------------------------------------------

const provider_adapter& stripe_adapter() {
  static const auto made = make_stripe_adapter(here);
  return *made;
}

verdict verify_stripe(std::string_view body, std::string_view header, environment env) {
  const incoming_notification in{body,
                                 [&](std::string_view name) {
                                   return name == "Stripe-Signature" ? std::optional{header}
                                                                     : std::optional<std::string_view>{};
                                 },
                                 "application/json"};
  return stripe_adapter().verify(in, stripe_keys, env, now);
}

/// Whether the header has a time and a signature that sign this body.
bool is_signed_somewhere(std::string_view header, std::string_view body) {
  for (auto at = header.find("t="); at != header.npos; at = header.find("t=", at + 1)) {
    const auto stamp = header.substr(at + 2, header.substr(at + 2).find(','));
    for (const auto by : {secret, std::string_view{"whsec_0"}})
      if (header.find(mac_of(by, std::string{stamp}.append(".").append(body))) != header.npos) return true;
  }
  return false;
}

void check_raw(std::string_view body, std::string_view header) {
  const auto said = verify_stripe(body, header, environment::test);
  must(is(said, notification_fault::unsigned_) || is_signed_somewhere(header, body), "only what is signed is read");
}

void check_signed(std::string_view body, std::int64_t age) {
  const auto stamp = std::to_string(now_s - age);
  const auto header = "t=" + stamp + ",v1=" + mac_of(secret, stamp + '.' + std::string{body}) + ",v0=beef";
  for (const auto env : {environment::test, environment::live}) {
    const auto said = verify_stripe(body, header, env);
    must(!is(said, notification_fault::unsigned_), "what is signed is not refused for its signature");
    must(is(said, notification_fault::stale) == (age < -300 || age > 300), "what is old, and nothing else, is stale");
    const auto* taken = std::get_if<receive_notification>(&said);
    if (!taken) continue;
    must(taken->body == body, "it is stored as it came");
    check_taken(stripe_adapter(), stripe_keys, *taken, env);
  }
  auto changed = std::string{body} + ' ';
  must(is(verify_stripe(changed, header, environment::test), notification_fault::unsigned_),
       "one byte more is noticed");
  if (body.empty()) return;
  changed = body;
  changed[body.size() / 2] ^= 1;
  must(is(verify_stripe(changed, header, environment::test), notification_fault::unsigned_),
       "a changed byte is noticed");
}

void drive_stripe(std::string_view rest) {
  const auto header = cut(rest, '\n');
  if (!header.starts_with('=')) return check_raw(rest, header);
  std::int64_t age = 0;
  std::from_chars(header.data() + 1, header.data() + header.size(), age);
  check_signed(rest, std::clamp<std::int64_t>(age, -1'000'000, 1'000'000));
}

// ---- JazzCash -----------------------------------------------------------------------------------

const provider_adapter& jazzcash_adapter() {
  static const auto made = make_jazzcash_adapter(here);
  return *made;
}

verdict verify_jazzcash(std::string_view body, bool as_json, environment env) {
  const incoming_notification in{body, [](std::string_view) { return std::optional<std::string_view>{}; },
                                 as_json ? "application/json; charset=utf-8" : "application/x-www-form-urlencoded"};
  return jazzcash_adapter().verify(in, jazzcash_keys, env, now);
}

std::string written(const jazzcash::pp_fields& fields, bool as_json) {
  return as_json ? jazzcash::json_of(fields) : jazzcash::form_of(fields);
}

/// The scheme implemented independently of the adapter.
std::string hash_of(const jazzcash::pp_fields& fields) {
  std::string text{salt};
  for (const auto& [name, value] : fields) {
    const bool is_pp = name.size() > 2 && (name[0] | 0x20) == 'p' && (name[1] | 0x20) == 'p';
    if (is_pp && name != "pp_SecureHash" && !value.empty()) text += '&' + value;
  }
  auto hex = mac_of(salt, text);
  std::ranges::transform(hex, hex.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return hex;
}

void drive_jazzcash(std::string_view body, bool as_json) {
  const bool hashed = body.starts_with('=');
  if (hashed) body.remove_prefix(1);
  auto fields = as_json ? jazzcash::read_json(body) : jazzcash::read_form(body);
  if (!hashed || !fields) {
    const auto said = verify_jazzcash(body, as_json, environment::test);
    must(is(said, notification_fault::unsigned_) || fields, "only what can be read is signed");
    return;
  }
  if (fields->size() == jazzcash::most_fields) return;
  (*fields)["pp_SecureHash"] = hash_of(*fields);
  const auto whole = written(*fields, as_json);
  if (whole.size() > jazzcash::most_message_bytes) return;
  for (const auto env : {environment::test, environment::live}) {
    const auto said = verify_jazzcash(whole, as_json, env);
    must(!is(said, notification_fault::unsigned_), "what is hashed is not refused for its hash");
    const auto* taken = std::get_if<receive_notification>(&said);
    if (!taken) continue;
    const auto kept = jazzcash::read_form(taken->body);
    must(kept && !kept->contains("pp_Password"), "the password is not kept");
    check_taken(jazzcash_adapter(), jazzcash_keys, *taken, env);
  }
  auto& ref = (*fields)["pp_TxnRefNo"];
  ref += '0';
  must(is(verify_jazzcash(written(*fields, as_json), as_json, environment::test), notification_fault::unsigned_),
       "another transaction is noticed");
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  using namespace gateway::fuzz;
  if (size == 0) return -1;
  const std::string_view rest{reinterpret_cast<const char*>(bytes + 1), size - 1};
  switch (bytes[0]) {
    case 's': drive_stripe(rest); return 0;
    case 'j': drive_jazzcash(rest, false); return 0;
    case 'J': drive_jazzcash(rest, true); return 0;
    default: return -1;
  }
}
