// Answers of providers. The first byte names the request (see `kinds`), the second how it is made (see `drawn`); each
// further line is an answer: a letter for its status (see `outcome_of`), and its body. After the last line no answer
// comes.
//
// A dialogue throws nothing and ends. Whatever the answers, it calls only the provider, never sends one key with two
// bodies, and never repeats a request that the provider may have forgotten. Its result is approved only if the last
// answer is whole, has status 200 and confirms it by a second reading. A request that may have had an effect and got no
// clear answer leaves the result unknown. All texts are valid for the store and a terminal.
#include <algorithm>
#include <map>
#include <string>

#include <boost/json.hpp>
#include <boost/url/parse.hpp>

#include "actors/providers/jazzcash/fields.hpp"
#include "actors/providers/jazzcash/jazzcash.hpp"
#include "actors/providers/stripe/answers.hpp"
#include "actors/providers/stripe/errors.hpp"
#include "actors/providers/stripe/stripe.hpp"
#include "gateway/domain/provider_truth.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "gateway/domain/url.hpp"
#include "must.hpp"

namespace gateway::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace actors;
namespace bj = boost::json;

const time_point noon = *parse_seconds("2026-11-20T12:00:00Z");
const gateway_addresses here{"https://pay.example", "form key"};
const provider_settings stripe_keys{
    {{"secret_key", "sk_test_1"}, {"publishable_key", "pk_test_1"}, {"webhook_secret", "whsec_1"}}};
const provider_settings jazzcash_keys{{{"merchant_id", "MC1"}, {"password", "p"}, {"integrity_salt", "salt"}}};
constexpr std::string_view key = "pk_0123", intent_ref = "pi_1", session_ref = "cs_test_1", wallet_ref = "T1";
constexpr std::int64_t amount = 4200;

/// Payments: (a) server flow, (b) hosted, (c) from a saved method. Then d capture, e void, f refund, g refund of a
/// checkout; inquiries: h about a payment, i about a checkout, j about a wallet's payment; comparisons: k of a payment,
/// l of a checkout, m of a subscription's cycle.
constexpr std::string_view kinds = "abcdefghijklm";

struct asked {
  char kind = 'a';
  bool again = false, by_sdk = false, saves = false, knows_customer = false, closes = false;
  std::chrono::hours later{0};

  bool creates() const { return kind <= 'c'; }
  bool is_call() const { return kind <= 'g'; }
  bool of_wallet() const { return kind == 'j'; }
  bool compares() const { return kind >= 'k'; }
  bool key_may_be_forgotten() const { return is_call() && again && later >= 23h; }
};

asked drawn(char kind, unsigned bits) {
  const auto has = [&](unsigned bit) { return (bits & bit) != 0; };
  asked of{kind, has(1), has(2), has(4), has(8), has(16)};
  of.later = has(32) ? (has(64) ? 25h : 23h) : 0h;
  return of;
}

payment subject_of(const asked& of) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.amount = {amount, *currency::parse(of.of_wallet() ? "PKR" : "EUR")};
  p.how = std::string_view{"bgijlm"}.find(of.kind) == std::string_view::npos ? flow::server : flow::redirect;
  p.provider = of.of_wallet() ? provider_kind::jazzcash : provider_kind::stripe;
  p.account = "acct_1";
  if (!of.creates())
    p.provider_ref = of.of_wallet()                                                    ? wallet_ref
                     : of.kind == 'm'                                                  ? "in_1"
                     : std::string_view{"gil"}.find(of.kind) != std::string_view::npos ? session_ref
                                                                                       : intent_ref;
  if (of.compares() && of.again)
    p.captured = amount, p.records.refunds.emplace_back(), p.records.disputes.emplace_back();
  p.created_at = noon;
  p.details.payment_method = "pm_1";
  p.details.success_url = "https://shop.example/done";
  p.details.captures_at_once = of.closes;
  if (of.saves || of.kind == 'c') {
    auto& who = p.customer.emplace();
    who.platform = platform_id{"plat_1"};
    who.ref = "reader";
    who.provider_id = of.knows_customer ? "cus_1" : "";
    who.saves_method = of.saves;
    who.charges_saved = of.kind == 'c';
  }
  return p;
}

dialogue_ptr<provider_result> opened(const asked& of) {
  static const auto stripe = make_stripe_adapter(here), jazzcash = make_jazzcash_adapter(here);
  auto subject = subject_of(of);
  const auto now = noon + of.later;
  if (!of.is_call()) {
    const provider_inquiry inquiry{std::move(subject), of.closes && !of.compares(), of.compares()};
    return of.of_wallet() ? jazzcash->open(inquiry, jazzcash_keys, now) : stripe->open(inquiry, stripe_keys, now);
  }
  provider_call call;
  call.provider_key = key;
  constexpr operation what[] = {operation::create,       operation::create, operation::charge, operation::capture,
                                operation::void_payment, operation::refund, operation::refund};
  call.what = what[of.kind - 'a'];
  call.asked_again = of.again;
  call.amount = amount;
  if (of.creates() && subject.customer && subject.customer->provider_id.empty()) call.customer_key = "ck_1";
  call.subject = std::move(subject);
  call.by_sdk = of.by_sdk;
  call.begun_at = noon;
  return stripe->open(call, stripe_keys, now);
}

/// `h` is an answer of the wallet's with a correct hash.
http_outcome outcome_of(std::string_view line) {
  const char letter = line.empty() ? 'l' : line.front();
  if (letter == 'l') return http_failure{http_fault::broken, true};
  if (letter == 'f') return http_failure{http_fault::connect_failed, false};
  constexpr std::pair<char, std::uint16_t> statuses[] = {
      {'k', 200}, {'h', 200}, {'x', 200}, {'o', 201}, {'r', 302}, {'b', 400}, {'u', 401}, {'d', 402},
      {'p', 403}, {'n', 404}, {'c', 409}, {'e', 424}, {'t', 429}, {'y', 429}, {'z', 402}, {'s', 503}};
  const auto* at = std::ranges::find(statuses, letter, &std::pair<char, std::uint16_t>::first);
  http_answer answer;
  answer.status = at == std::end(statuses) ? static_cast<unsigned char>(letter) : at->second;
  answer.body = line.substr(1);
  answer.cut = letter == 'x';
  answer.resent = letter == 'y' || letter == 'z';
  if (auto fields = letter == 'h' ? jazzcash::read_json(answer.body) : std::nullopt) {
    (*fields)["pp_SecureHash"] = jazzcash::secure_hash(*fields, "salt");
    answer.body = jazzcash::json_of(*fields);
  }
  return answer;
}

// ---- a second reading ---------------------------------------------------------------------------

std::string word(const bj::value& in, std::string_view name) {
  const auto* object = in.if_object();
  const auto* found = object ? object->if_contains({name.data(), name.size()}) : nullptr;
  return found && found->is_string() ? std::string{found->get_string().c_str()} : std::string{};
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_refund_made(const bj::value& refund) { return word(refund, "status") == "succeeded"; }

bool lists_refund_made(const bj::value& answer) {
  const auto* data = answer.is_object() ? answer.get_object().if_contains("data") : nullptr;
  if (!data || !data->is_array()) return false;
  return std::ranges::any_of(data->get_array(), [](const bj::value& each) {
    const auto* marks = each.is_object() ? each.get_object().if_contains("metadata") : nullptr;
    return marks && word(*marks, "gateway_key") == key && is_refund_made(each);
  });
}

/// Whether this answer says that the operation was executed.
bool says_done(const asked& of, const std::string& body) {
  bj::error_code failed;
  const auto said = bj::parse(body, failed);
  if (failed) return false;
  const auto status = word(said, "status"), id = word(said, "id");
  switch (of.kind) {
    case 'a':
    case 'b':
    case 'c': return status == "succeeded" || (status == "requires_capture" && !of.closes);
    case 'd': return id == intent_ref && status == "succeeded";
    case 'e': return id == intent_ref && status == "canceled";
    case 'f':
    case 'g': return is_refund_made(said) || lists_refund_made(said);
    case 'h': return id == intent_ref && is_one_of(status, {"succeeded", "requires_capture"});
    case 'i': return id == session_ref && word(said, "payment_status") == "paid";
    default:
      return word(said, "pp_ResponseCode") == "000" && is_one_of(word(said, "pp_PaymentResponseCode"), {"000", "121"});
  }
}

bool is_utf8(std::string_view text) {
  bj::error_code failed;
  std::string quoted{"\""};
  for (const char c : text) quoted += static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' ? '.' : c;
  bj::parse(quoted + '"', failed);
  return !failed;
}

bool is_plain(std::string_view text) {
  return is_utf8(text) &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool may_have_done_something(const http_outcome& received) {
  const auto* answer = std::get_if<http_answer>(&received);
  if (!answer) return std::get<http_failure>(received).sent;
  return answer->cut || answer->status >= 500 || answer->status == 409 || answer->status == 424;
}

// ---- the rules ----------------------------------------------------------------------------------

/// What was sent so far, and the last answer.
struct talk {
  asked of;
  std::map<std::string, std::string> bodies;  ///< by idempotency key
  std::optional<http_outcome> received;
  bool last_was_read = false;

  void check(const http_request& request) {
    const auto url = boost::urls::parse_uri(request.url);
    must(url.has_value(), "the client sends only to what is a URL");
    const std::string_view host = of.of_wallet() ? "sandbox.jazzcash.com.pk" : "api.stripe.com";
    must(url->encoded_host() == host && url->scheme() == "https", "the provider alone is asked");
    must(request.url.find("..") == request.url.npos, "a path stays what it is");
    for (const auto& [name, value] : request.headers)
      must(is_plain(name) && is_plain(value), "a header ends where it should");
    last_was_read = request.method == http_method::get || of.of_wallet();
    if (last_was_read) return;
    must(!of.key_may_be_forgotten(), "what may be forgotten is not sent again");
    const auto header =
        std::ranges::find(request.headers, "Idempotency-Key", &std::pair<std::string, std::string>::first);
    must(header != request.headers.end() && !header->second.empty(), "what changes something has a key");
    const auto [at, added] = bodies.emplace(header->second, request.url + '\n' + request.body);
    must(added || at->second == request.url + '\n' + request.body, "a key stands for one request");
  }

  void check(const provider_result& result) const {
    using enum provider_status;
    must(result.status != none, "it comes to something");
    // A customer whose try has failed may try again.
    const bool may_repeat = result.status == pending && result.error && result.error->retryable;
    must(may_repeat || result.error.has_value() == (result.status == declined || result.status == unknown),
         "what went wrong is stated, and nothing else");
    must(result.provider_ref.empty() || is_provider_id(result.provider_ref), "a reference can be stored");
    must(result.customer_id.empty() || is_provider_id(result.customer_id), "a customer's id can be stored");
    must(result.saved_method.empty() || is_provider_id(result.saved_method), "a method's id can be stored");
    must(result.hosted_url.empty() || (result.hosted_url.starts_with("https://") && result.hosted_url.size() <= 8192 &&
                                       has_only_url_characters(result.hosted_url)),
         "a customer is sent to a page");
    if (result.error) check(*result.error);
    must((result.truth != nullptr) == (of.compares() && result.status == approved), "a comparison is told the truth");
    if (result.truth) check(*result.truth);
    if (!received) return;
    const auto* answer = std::get_if<http_answer>(&*received);
    if (result.status == approved || result.status == pending)
      must(answer && answer->status == 200 && !answer->cut, "only a whole answer of status 200 says that it went well");
    if (result.status == approved && !of.compares())
      must(says_done(of, answer->body), "it is approved where the provider says so");
    if (!last_was_read && may_have_done_something(*received))
      must(result.status == unknown, "what may have happened is unknown");
    if (of.key_may_be_forgotten() && may_have_done_something(*received))
      must(result.status == unknown, "what could not be asked is unknown");
  }

  static void check(const provider_truth& truth) {
    must((truth.captured > 0) == (truth.charge == charge_state::captured), "what was captured is known");
    must(truth.lists_refunds || (truth.refunds.empty() && truth.disputes.empty()), "only money taken comes back");
    for (const auto& each : truth.refunds) {
      must(is_provider_id(each.ref) && each.amount >= 0, "a refund can be stored");
      must(each.failure_code.size() <= 64 && is_plain(each.failure_code), "why it failed can be stored");
    }
    for (const auto& each : truth.disputes) {
      must(is_provider_id(each.ref) && each.amount >= 0, "a dispute can be stored");
      must(each.reason.size() <= 64 && is_plain(each.reason), "a dispute's reason can be stored");
    }
  }

  static void check(const provider_error& error) {
    must(!error.code.empty() && error.code.size() <= 64 && is_plain(error.code), "an error's code is a word");
    must(error.message.size() <= 600 && is_plain(error.message), "an error's message can be stored and shown");
  }
};

void converse(const asked& of, std::string_view answers) {
  constexpr unsigned most_requests = 20;
  talk so_far;
  so_far.of = of;
  const auto dialogue = opened(of);
  for (unsigned i = 0; i <= most_requests; ++i) {
    const auto said = dialogue->next(so_far.received ? &*so_far.received : nullptr);
    if (const auto* result = std::get_if<provider_result>(&said)) return so_far.check(*result);
    so_far.check(std::get<http_request>(said));
    so_far.received = outcome_of(cut(answers, '\n'));
  }
  must(false, "a dialogue ends");
}

/// The readers by themselves, on texts that no dialogue passes to them.
void read(std::string_view text) {
  stripe::read_intent(text), stripe::read_checkout(text), stripe::read_refund(text), stripe::read_id(text);
  stripe::read_intents(text), stripe::read_refunds(text), stripe::read_disputes(text);
  if (const auto error = stripe::read_error(text)) talk::check(stripe::error_of(*error));
  if (const auto form = jazzcash::read_form(text)) {
    const auto again = jazzcash::form_of(*form);
    must(again.size() > jazzcash::most_message_bytes || jazzcash::read_form(again) == form, "a form reads the same");
  }
  if (const auto fields = jazzcash::read_json(text)) {
    const auto again = jazzcash::json_of(*fields);
    must(again.size() > jazzcash::most_message_bytes || jazzcash::read_json(again) == fields, "JSON reads the same");
  }
  if (const auto time = jazzcash::read_pakistan_time(text))
    must(jazzcash::pakistan_time(*time) == text, "a time reads the same");
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  using namespace gateway::fuzz;
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  if (size > 0 && text[0] == 'r') return read(text.substr(1)), 0;
  if (size < 2 || kinds.find(text[0]) == kinds.npos) return -1;
  converse(drawn(text[0], bytes[1]), text.substr(2));
  return 0;
}
