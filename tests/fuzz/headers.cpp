// Headers, query-like texts and tokens. The first byte names the kind of the rest (see the end of this file).
//
// OpenSSL's one-shot HMAC computes each signature a second time: a request is accepted if, and only if, its key is
// known and not revoked, its time is near and its signature is that one. A token is accepted only if signing its
// content gives the same token.
#include <algorithm>
#include <ctime>
#include <string>

#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <boost/json.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/trace_context.hpp"
#include "http/access/authentication.hpp"
#include "http/access/setup_link.hpp"
#include "http/checkout/hosted_page.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/web_address.hpp"
#include "http/html/forms.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

using namespace http;

const std::string key(32, 'k');
constexpr std::string_view secret = "3f9a1c0be47d52686b1e0c9d8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a";
const time_point now = *parse_seconds("2026-11-20T09:30:00Z");

// ---- a second opinion on signatures and times ------------------------------------------------------------

std::string hexadecimal(const unsigned char (&bytes)[32]) {
  std::string text;
  for (const auto byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

std::string right_signature(const request& in) {
  unsigned char hash[32], mac[32];
  SHA256(reinterpret_cast<const unsigned char*>(in.body.data()), in.body.size(), hash);
  const auto text = std::string{in.method} + '\n' + std::string{in.path} + '\n' + std::string{*in.timestamp} + '\n' +
                    hexadecimal(hash);
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac, nullptr);
  return hexadecimal(mac);
}

/// Within five minutes of `now`, by the C library's calendar.
bool is_near(std::string_view text) {
  std::tm fields{};
  const std::string terminated{text};
  const char* end = strptime(terminated.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  if (end == nullptr || *end != '\0' || terminated.size() != text.size() || fields.tm_sec > 59)
    return false;  // no leap seconds
  char again[32];
  if (std::strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &fields) == 0 || again != text) return false;
  const auto at = timegm(&fields), here = static_cast<std::time_t>(to_unix_ms(now) / 1000);
  return at - here <= 300 && here - at <= 300;
}

struct known_keys : directory {
  known_keys() {
    for (const auto& [id, revoked] : {std::pair{"mk_test_0123456789abcdef", false}, {"mk_test_revoked000000000", true}})
      publish(std::make_shared<const api_key>(api_key{key_id{id}, merchant_id{"merch_1"}, environment::test,
                                                      *parse_scopes("payments:write"), std::string{secret}, revoked}));
  }
};
const known_keys keys;

bool is_known(std::string_view id) { return id == "mk_test_0123456789abcdef"; }

void check_authentication(const request& in) {
  std::string body_sha256;
  const auto result = authenticate(in, keys, now, body_sha256);
  const bool complete = !in.repeated && in.key_id && in.timestamp && in.signature;
  const bool genuine =
      complete && is_known(*in.key_id) && is_near(*in.timestamp) && *in.signature == right_signature(in);
  must(std::holds_alternative<caller>(result) == genuine, "exactly the genuine requests are accepted");
  if (genuine) {
    const auto& who = std::get<merchant_key>(std::get<caller>(result));
    must(who.merchant.value == "merch_1" && who.env == environment::test && who.id.value == *in.key_id,
         "the key says who");
    must(body_sha256 == crypto::hex(crypto::sha256(in.body)), "the signature covers the body");
    return;
  }
  const auto& why = std::get<rejection>(result);
  const bool platform = in.key_id && in.key_id->starts_with("mk_platform_");
  must(why.code == error_code::unauthorized || (why.code == error_code::platform_key_invalid && platform),
       "a rejection has one of two codes");
  const auto answer = error_response(why);
  const auto shown = boost::json::parse(answer.body);
  must(answer.status == 401 && shown.at("error_description").is_string(), "it is a 401 with a description");
  must(answer.body.find(secret) == std::string::npos && answer.body.size() < 300, "it tells nothing else");
}

/// Lines: method, path, key, timestamp, signature; then the body. `-` leaves a header out, a signature of `=` is
/// replaced by the right one and `!` by one that differs in one digit.
void drive_signed_request(std::string_view text) {
  request in;
  in.method = cut(text, '\n');
  in.path = cut(text, '\n');
  for (auto* header : {&in.key_id, &in.timestamp, &in.signature}) {
    const auto value = cut(text, '\n');
    if (value != "-") *header = value;
  }
  in.body = text;
  check_authentication(in);
  in.repeated = true;
  check_authentication(in);
  in.repeated = false;
  if (!in.timestamp || !in.signature || (*in.signature != "=" && *in.signature != "!")) return;
  auto signature = right_signature(in);
  if (*in.signature == "!") signature[text.size() % signature.size()] ^= 1;
  in.signature = signature;
  check_authentication(in);
}

void drive_timestamp(std::string_view text) {
  const auto at = parse_seconds(text);
  if (!at) return;
  must(format_seconds(*at) == text, "a time that was read is written the same");
  must(format_millis(*at).starts_with(text.substr(0, 19)), "in both forms");
}

void drive_idempotency_key(std::string_view text) {
  const auto result = decode_idempotency_key(text);
  if (const auto* why = std::get_if<rejection>(&result)) {
    must(why->code == (text.empty() ? error_code::idempotency_key_required : error_code::idempotency_key_invalid),
         "the code says why");
    must(error_response(*why).status == 400, "it is a 400");
    return;
  }
  const auto& read = std::get<std::string>(result);
  must(read.size() == 36 && text.size() == 36, "a key is a whole UUID");
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    must(dash ? read[i] == '-' : std::string_view{"0123456789abcdef"}.find(read[i]) != std::string_view::npos,
         "in lower case");
    must(read[i] == text[i] || read[i] == text[i] + 32, "and is what was sent");
  }
  must(std::get<std::string>(decode_idempotency_key(read)) == read, "it reads the same again");
}

void drive_content_type(std::string_view text) {
  const bool json = is_json_request("{}", text), form = is_form_request(text);
  must(!(json && form), "a body is one thing");
  must(!json || text.size() >= 16, "JSON says its name");
  must(is_json_request("", text), "no body needs no type");
}

void drive_cookie(std::string_view text) {
  const auto found = find_checkout_cookie(text);
  if (!found) return;
  must(found->size() == 32 && found->find_first_not_of("0123456789abcdef") == std::string::npos,
       "a cookie is of our making");
  const auto pair = "__Host-checkout=" + *found;
  must(text.find(pair) != text.npos, "a cookie was sent");
  must(find_checkout_cookie(pair) == found, "and reads the same alone");
}

void drive_form(std::string_view text) {
  const auto sent = form::read(text);
  if (!sent) return;
  must(text.size() <= most_form_bytes, "a form is bounded");
  for (const std::string name : {"action", "csrf"}) {
    const auto value = sent->text(name);
    const auto again = form::read(name + '=' + percent_encoded(value));
    must(!again || again->one(name) == value, "a field reads the same again");
    const auto twice = form::read(std::string{text} + '&' + name + "=pay");
    must(!twice || !sent->has(name) || !twice->one(name), "a field that stands twice has no value");
  }
}

/// Signed text in which one bit is different is never accepted.
template <class Read>
void check_forgeries(const std::string& token, std::size_t salt, Read read) {
  auto forged = token;
  forged[salt % forged.size()] ^= static_cast<char>(1 << salt % 7);
  must(!read(forged), "a forged token is refused");
  must(!read(token + "A") && !read(token.substr(0, token.size() - 1)), "so is a longer or shorter one");
}

void check_hosted_link(std::string_view token) {
  const auto link = read_hosted_link(token, key);
  if (!link) return;
  must(!link->key.merchant.empty() && is_payment_id(link->key.id), "a link names a payment");
  const auto payload = link->key.merchant.value + '\n' + std::string{to_string(link->key.env)} + '\n' + link->key.id +
                       '\n' + link->provider_ref;
  const auto signed_again = crypto::sign_token(key, payload);
  const auto trailing = crypto::sign_token(key, payload + '\n');
  const auto unnamed = crypto::sign_token(key, payload.substr(0, payload.size() - 1));
  must(token == signed_again || token == trailing || (link->provider_ref.empty() && token == unnamed),
       "a link is of our making");
  must(!read_hosted_link(token, std::string(32, 'x')), "under this key only");
  check_forgeries(std::string{token}, payload.size(),
                  [](std::string_view t) { return read_hosted_link(t, key).has_value(); });
}

void check_setup_token(std::string_view token) {
  const auto read = read_setup_token(token, key, now);
  if (!read) return;
  must(!read->merchant.empty() && !read->id.empty() && read->expires > now, "a setup token names a merchant and lasts");
  must(!read_setup_token(token, key, read->expires), "and ends");
  must(!read_setup_token(token, std::string(32, 'x'), now), "under this key only");
  check_forgeries(std::string{token}, read->id.size(),
                  [](std::string_view t) { return read_setup_token(t, key, now).has_value(); });
}

void drive_return_url(std::string_view text) {
  const bool live = is_return_url(text, environment::live), test = is_return_url(text, environment::test);
  must(!live || test, "what may be used in live may be used in test");
  must(!test || text.find_first_of(std::string_view{"\r\n\0 \"<>", 7}) == text.npos,
       "an address cannot break out of a header");
  must(!live || ((text[0] | 32) == 'h' && (text[4] | 32) == 's'), "live needs https");
  const auto origin = origin_of(text);
  must(!test || !origin.empty(), "an address has an origin");
  must(origin.find_first_of(" ;,'\"<>\r\n\\*@") == origin.npos, "an origin cannot break out of a policy");
  must(origin.empty() || origin_of(origin) == origin, "an origin is its own");
}

void drive_base64(std::string_view text) {
  must(crypto::from_base64url(crypto::base64url(text)) == std::string{text}, "what is written is read");
  const auto read = crypto::from_base64url(text);
  must(!read || crypto::base64url(*read) == text, "what is read is written: one text for the same bytes");
}

void drive_traceparent(std::string_view text) {
  const auto read = parse_traceparent(text);
  if (!read) return;
  must(read->present() && read->span != 0 && !read->recorded, "a trace has a parent, and nobody records it yet");
  const auto reported = traceparent_of(*read);
  const std::string_view again{reported.data(), reported.size()};
  must(parse_traceparent(again) == read, "what is told on says the same");
  must(again.substr(3, 49) == text.substr(3, 49), "ids are told on as they came");
  must(!text.starts_with("00-") || text.size() == again.size(), "version 00 has nothing behind its flags");
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  using namespace gateway::fuzz;
  if (size == 0) return -1;
  const std::string_view text{reinterpret_cast<const char*>(bytes + 1), size - 1};
  switch (bytes[0]) {
    case 'a': drive_signed_request(text); break;
    case 't': drive_timestamp(text); break;
    case 'i': drive_idempotency_key(text); break;
    case 'y': drive_content_type(text); break;
    case 'c': drive_cookie(text); break;
    case 'f': drive_form(text); break;
    case 'h': check_hosted_link(text); break;
    case 'H': check_hosted_link(gateway::crypto::sign_token(key, text)); break;  // genuine, with any content
    case 's': check_setup_token(text); break;
    case 'S': check_setup_token(gateway::crypto::sign_token(key, text)); break;
    case 'u': drive_return_url(text); break;
    case 'b': drive_base64(text); break;
    case 'T': drive_traceparent(text); break;
    default: return -1;
  }
  return 0;
}
