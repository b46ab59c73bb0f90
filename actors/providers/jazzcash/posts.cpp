#include "posts.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fields.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "gateway/domain/text.hpp"

namespace gateway::actors::jazzcash {

namespace {

constexpr std::string_view payment_name = "ppmpf_1";
constexpr std::size_t most_private_bytes = 255;  // of a ppmpf_ field
constexpr std::size_t most_reference_bytes = 20;
constexpr std::size_t most_code_bytes = 8;
constexpr std::size_t most_retrieval_bytes = 64;

/// The name is misspelt in JazzCash's posts, and spelt correctly in its answers.
std::string_view retrieval_number(const pp_fields& post) {
  const auto misspelt = field(post, "pp_RetreivalReferenceNo");
  return misspelt.empty() ? field(post, "pp_RetrievalReferenceNo") : misspelt;
}

bool is_word(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && is_alphanumeric(text);
}

bool is_json(std::string_view content_type) {
  constexpr std::string_view json = "application/json";
  return equal_ignoring_case(content_type.substr(0, json.size()), json);
}

}  // namespace

std::optional<std::string> payment_field(const entity_key& key) {
  std::string text = key.merchant.value;
  text.append("\n").append(to_string(key.env)).append("\n").append(key.id);
  auto hex = crypto::hex({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  if (hex.size() > most_private_bytes) return std::nullopt;
  return hex;
}

std::optional<entity_key> read_payment_field(std::string_view text) {
  if (text.size() > most_private_bytes || !std::ranges::all_of(text, is_lower_hex_digit)) return std::nullopt;
  const auto bytes = crypto::from_hex(text);
  if (!bytes) return std::nullopt;
  const std::string_view whole = *bytes;
  const auto first = whole.find('\n');
  const auto second = first == whole.npos ? first : whole.find('\n', first + 1);
  if (second == whole.npos) return std::nullopt;
  const auto env = parse_environment(whole.substr(first + 1, second - first - 1));
  const auto merchant = whole.substr(0, first), id = whole.substr(second + 1);
  if (!is_provider_id(merchant) || !env || !is_payment_id(id)) return std::nullopt;
  return payment_key(merchant_id{std::string{merchant}}, *env, payment_id{std::string{id}});
}

std::variant<receive_notification, notification_fault> read_post(const incoming_notification& in,
                                                                 std::string_view merchant_id, std::string_view salt,
                                                                 environment env) {
  auto post = is_json(in.content_type) ? read_json(in.body) : read_form(in.body);
  if (!post || !is_genuine(*post, salt)) return notification_fault::unsigned_;

  const auto ref = field(*post, "pp_TxnRefNo"), code = field(*post, "pp_ResponseCode");
  const auto number = retrieval_number(*post), merchant = field(*post, "pp_MerchantID");
  if (!is_word(ref, most_reference_bytes) || !is_word(code, most_code_bytes)) return notification_fault::unreadable;
  if (!number.empty() && !is_word(number, most_retrieval_bytes)) return notification_fault::unreadable;
  if (!merchant.empty() && merchant != merchant_id) return notification_fault::unreadable;
  if (const auto named = field(*post, payment_name); !named.empty()) {
    const auto key = read_payment_field(named);
    if (!key || key->env != env) return notification_fault::unreadable;
  }

  receive_notification received;
  received.provider = provider_kind::jazzcash;
  // Each outcome of a transaction is posted by the browser and by JazzCash itself, each perhaps several times.
  received.event_id = std::string{ref}.append(":").append(code);
  if (!number.empty()) received.event_id.append(":").append(number);
  received.type = "payment";
  post->erase("pp_Password");  // part of an IPN; not stored
  received.body = form_of(*post);
  return received;
}

notification_subject subject_of(const notification& what) {
  const auto post = read_form(what.body);
  if (!post) return no_subject{};
  if (const auto key = read_payment_field(field(*post, payment_name))) return about_payment{*key};
  const auto ref = field(*post, "pp_TxnRefNo");
  if (!is_word(ref, most_reference_bytes)) return no_subject{};
  return about_reference{std::string{ref}};
}

}  // namespace gateway::actors::jazzcash
