// One payment. Operations that move money go to the payment's actor as from the API. Their idempotency key is part of
// the form, so that a form sent twice moves money once. A form that is shown after an answer keeps its key, unless the
// key has a stored refusal: after any other answer the money may have moved, and under a new key the button would move
// it again.
#include <algorithm>
#include <memory>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "deliveries.hpp"
#include "destinations.hpp"
#include "disputes.hpp"
#include "form_key.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/shown_money.hpp"
#include "gateway/messages/customer_key.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/status.hpp"
#include "payment_history.hpp"
#include "payment_view.hpp"

namespace gateway::http {
namespace {

constexpr std::uint32_t most_deliveries_shown = 100;

struct payment_read {
  payment_ptr row;
  timeline_ptr timeline;
};

entity_key key_of_page(const call& c) {
  return payment_key(c.visit->who->id, c.visit->env, payment_id{std::string{c.path.id}});
}

/// The payment with its timeline, or the page to show.
boost::asio::awaitable<std::variant<payment_read, response>> read_payment(call& c) {
  if (!is_payment_id(c.path.id)) co_return error_page(page_error::nothing_here);
  payment_read read;
  entity_request view{key_of_page(c), std::nullopt, common_command{view_entity{}}};
  auto viewing = ask(c, std::move(view));
  const auto seen = co_await std::move(viewing);
  if (!seen || is_unread(*seen)) co_return error_page(page_error::busy);
  if (const auto* row = std::get_if<entity_row>(&seen->what))
    if (const auto* one = std::get_if<payment_ptr>(row)) read.row = *one;
  if (!read.row) co_return error_page(page_error::nothing_here);
  entity_request past{key_of_page(c), std::nullopt, common_command{view_timeline{}}};
  auto looking = ask(c, std::move(past));
  const auto looked_up = co_await std::move(looking);
  if (!looked_up) co_return error_page(page_error::busy);
  if (const auto* timeline = std::get_if<timeline_ptr>(&looked_up->what)) read.timeline = *timeline;
  if (!read.timeline) co_return error_page(page_error::busy);
  co_return read;
}

// ---- display ---------------------------------------------------------------------------------------

payment_envelope envelope_of(const call& c, const payment& subject) {
  payment_envelope of;
  const auto amount = [&](std::int64_t minor) { return amount_text({minor, subject.amount.unit}); };
  of.payment_id = subject.key.id;
  of.state = to_string(subject.state);
  of.amount = amount(subject.amount.minor);
  if (subject.captured > 0) of.captured = amount(subject.captured);
  if (subject.refunded > 0) of.refunded = amount(subject.refunded);
  if (machine::remaining(subject) > 0 && machine::disputed(subject) == 0)
    of.refundable = amount(machine::remaining(subject));
  if (machine::disputed(subject) > 0) of.disputed = amount(machine::disputed(subject));
  if (subject.records.void_reason == authorization_expired) of.ended_because = "The authorization expired.";
  if (subject.records.void_reason == cancelled_at_provider)
    of.ended_because = "The authorization was cancelled at the provider.";
  of.flow = to_string(subject.how);
  of.provider_status = to_string(subject.status);
  if (!subject.hides_provider) {
    of.provider = traits_of(subject.provider).display_name;
    of.provider_ref = subject.provider_ref;
    of.payment_method = subject.details.payment_method;
  }
  if (subject.error) {
    const auto error = subject.hides_provider ? neutral_error(*subject.error) : *subject.error;
    of.failure_code = error.code;
    of.failure_message = error.message;
  }
  of.customer = {
      subject.details.customer_name, subject.details.customer_email, subject.details.customer_mobile, {}, {}};
  if (subject.customer) {
    const auto platform = c.here.shared.merchants.find_platform(subject.customer->platform);
    of.platform = platform ? platform->name : subject.customer->platform.value;
    of.customer.reference = subject.customer->ref;
    of.customer.id =
        customer_key(subject.key.merchant, subject.key.env, subject.customer->platform, subject.customer->ref).id;
  }
  of.description = subject.details.description;
  of.metadata = subject.details.metadata;
  of.created_at = shown(c, subject.created_at);
  of.updated_at = shown(c, subject.updated_at);
  return of;
}

std::vector<dispute_row> disputes_of_page(const call& c, const payment& subject) {
  std::vector<dispute_row> rows;
  rows.reserve(subject.records.disputes.size());
  for (const auto& each : subject.records.disputes) rows.push_back(row_of_dispute(c, subject, each));
  std::ranges::reverse(rows);
  return rows;
}

/// Whether only an open dispute prevents a refund.
bool is_refund_blocked(const payment& subject) {
  return machine::disputed(subject) > 0 && machine::remaining(subject) > 0 && traits_of(subject.provider).refunds;
}

/// The forms with their initial values. A refused form shows what was typed instead.
struct payment_forms {
  std::optional<capture_form> capture;
  std::optional<refund_form> refund;
  std::optional<void_form> cancel;
  std::optional<void_form> checkout;  ///< `cancel`
};

payment_forms forms_of(const payment& subject) {
  payment_forms forms;
  const auto& row = traits_of(subject.provider);
  if (subject.open) return forms;
  const bool authorized = subject.state == payment_state::authorized;
  if (authorized && row.separate_capture)
    forms.capture =
        capture_form{key_of_form(subject.key.id, subject.version, "capture"), {decimal_text(subject.amount), {}}, {}};
  if (authorized && row.voids) forms.cancel = void_form{key_of_form(subject.key.id, subject.version, "void"), {}, {}};
  if (awaits_customer(subject))
    forms.checkout = void_form{key_of_form(subject.key.id, subject.version, "cancel"), {}, {}};
  const money left{machine::remaining(subject), subject.amount.unit};
  if (left.minor > 0 && row.refunds && !is_refund_blocked(subject))
    forms.refund = refund_form{
        key_of_form(subject.key.id, subject.version, "refund"), {decimal_text(left), {}}, {}, amount_text(left), {}};
  return forms;
}

void tell_decline(payment_view& view, last_decline what) {
  view.declined = std::move(what.operation);
  view.decline_code = std::move(what.code);
  view.decline_message = std::move(what.message);
}

boost::asio::awaitable<response> payment_screen(call& c, payment_read read, payment_forms forms, std::string fault) {
  find_deliveries query;
  query.subject = read.row->key;
  query.limit = most_deliveries_shown;
  auto asking = ask(c.here, std::move(query));
  const auto sent = co_await std::move(asking);
  if (!sent) co_return error_page(page_error::busy);
  std::vector<destination_health> health;
  if (has_pending(sent->jobs)) {
    auto looking = read_health(c);
    auto known = co_await std::move(looking);
    if (!known) co_return error_page(page_error::busy);
    health = *std::move(known);
  }
  auto naming = read_portal_acts(c, read.row->key, read.timeline);
  const auto acts = co_await std::move(naming);
  payment_view view;
  view.frame = frame_of(c, member_place::payments);
  view.frame.fault = std::move(fault);
  view.of = envelope_of(c, *read.row);
  view.currency = read.row->amount.unit.code();
  view.refunds = refund_rows(c, *read.row, acts);
  view.disputes = disputes_of_page(c, *read.row);
  view.blocks_refund = is_refund_blocked(*read.row);
  view.timeline = events_of(c, *read.row, *read.timeline, acts);
  tell_decline(view, decline_of(*read.row, *read.timeline));
  if (awaits_customer(*read.row)) view.checkout_url = read.row->hosted_url;
  view.is_waiting = awaits_customer(*read.row);
  view.deliveries = delivery_rows(c, sent->jobs, health);
  view.capture = std::move(forms.capture);
  view.refund = std::move(forms.refund);
  view.cancel = std::move(forms.cancel);
  view.checkout = std::move(forms.checkout);
  co_return payment_page(view);
}

// ---- actions ---------------------------------------------------------------------------------------

/// The text at this pointer in an answer's body; empty if absent.
std::string text_in(const boost::json::value& body, const char* pointer) {
  boost::system::error_code absent;
  const auto* found = body.find_pointer(pointer, absent);
  return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

/// The words for a refusal in an API answer: its message, the provider's message, or the error's name.
std::string words_of_refusal(const boost::json::value& body) {
  for (const auto* pointer : {"/message", "/error/message", "/provider/error/message"})
    if (auto text = text_in(body, pointer); !text.empty()) return text;
  if (auto text = text_in(body, "/error"); !text.empty()) return in_sentence_case(std::move(text)) + '.';
  return "This could not be done.";
}

/// What an answer proves about the request.
enum class proof : unsigned char {
  refused,    ///< nothing was done, and this is stored under the key, so another request needs another key
  not_begun,  ///< nothing was done by this request, and nothing new is stored under the key
  unknown,    ///< it may have been done
};

/// Why the request failed, as far as is known.
struct refusal {
  proof proves = proof::unknown;
  std::string words;
  bool exceeds = false;  ///< the amount exceeds the remaining amount
};

constexpr std::string_view safe_to_repeat =
    " Pressing the button again is safe: it repeats the same request, and moves the money once at most.";

refusal unknown_outcome(std::string_view words) {
  return {proof::unknown, std::string{words}.append(safe_to_repeat), false};
}

/// The refusal for a problem, which is never stored under the key. Overload and an unavailable store prove nothing:
/// they may follow a provider's answer that could not be stored.
refusal refusal_of(problem why) {
  switch (why) {
    case problem::request_in_progress:
      return unknown_outcome("This request is still being processed, so its outcome is not known yet.");
    case problem::overloaded:
    case problem::account_lookup_failed:
    case problem::store_unavailable:
    case problem::outcome_pending_timeout:
    case problem::provider_outcome_unknown: return unknown_outcome("It is not known whether this was done.");
    case problem::provider_unavailable:
      return {proof::not_begun, "The payment provider is not available. Nothing was done. Try again later.", false};
    case problem::idempotency_key_reused:
      return {proof::not_begun,
              "This form was sent before with other values, and only that request counts: nothing was done now. The "
              "timeline shows its outcome. For another request, open this page again from the list of payments.",
              false};
    default: break;
  }
  const auto& row = row_of(code_of(why));
  auto words = row.message.empty() ? in_sentence_case(std::string{row.text}) + '.' : std::string{row.message};
  return {proof::not_begun, std::move(words), why == problem::refund_exceeds_captured};
}

/// nullopt if it was done. A declined capture, refund or void is answered as a success with the provider's error, and
/// the payment is unchanged. A cancelled payment also has an error, which says that it was cancelled.
std::optional<refusal> why_not(const caf::expected<entity_reply>& reply, std::string_view action) {
  // The request may have reached its actor although no answer came.
  if (!reply) return unknown_outcome("It is not known whether this was done.");
  if (const auto* why = std::get_if<problem>(&reply->what)) return refusal_of(*why);
  const auto* done = std::get_if<finished>(&reply->what);
  if (!done) return unknown_outcome("It is not known whether this was done.");
  boost::system::error_code wrong;
  const auto body = boost::json::parse(done->result->body, wrong);
  boost::system::error_code absent;
  const bool declined = action != "cancel" && body.find_pointer("/provider/error", absent) != nullptr;
  if (status::is_success(done->result->status) && !declined) return std::nullopt;
  const auto error = text_in(body, "/error");
  if (error == row_of(error_code::provider_outcome_unknown).text)
    return unknown_outcome(
        "The provider did not say whether this was done. The timeline shows the outcome once it is known. If it shows "
        "that nothing was done, open this page again from the list of payments for a new attempt.");
  return refusal{proof::refused, words_of_refusal(body), error == row_of(error_code::refund_exceeds_captured).text};
}

/// Whether the provider has accepted the refund but will execute it later.
bool is_pending(const entity_reply& done) {
  boost::system::error_code wrong;
  const auto body = boost::json::parse(std::get<finished>(done.what).result->body, wrong);
  return text_in(body, "/provider/status") == to_string(provider_status::pending);
}

/// A form that is sent twice has the same key and fingerprint, and so gets the first result.
std::string fingerprint_of(const call& c, std::string_view action, std::int64_t amount, std::string_view reason) {
  std::string text{action};
  text.append(1, '\n')
      .append(c.visit->page)
      .append(1, '\n')
      .append(std::to_string(amount))
      .append(1, '\n')
      .append(reason);
  return crypto::hex(crypto::sha256(text));
}

boost::asio::awaitable<caf::expected<entity_reply>> move_money(call& c, std::string_view action, payment_command what,
                                                               std::string key, std::string fingerprint) {
  entity_request wanted{key_of_page(c), std::nullopt, std::move(what)};
  wanted.write = idempotency{{c.visit->who->id, c.visit->env, c.visit->person.who.user.value, std::move(key)},
                             std::move(fingerprint)};
  wanted.note = std::make_shared<const save_audit>(note_of(c, action, c.path.id));
  return ask(c, std::move(wanted));
}

/// The faults of a posted form, by field or in general.
struct payment_slips {
  std::string amount{};
  std::string reason{};
  std::string fault{};
  proof proves = proof::not_begun;
};

/// Shows each fault beside its field, if the form has it.
void place_slips(const form& sent, const payment_slips& slips, capture_form& to) {
  to.amount = {sent.text("amount"), slips.amount};
  to.fault = slips.reason.empty() ? slips.fault : slips.reason;
}
void place_slips(const form& sent, const payment_slips& slips, void_form& to) {
  to.reason = {sent.text("reason"), slips.reason};
  to.fault = slips.fault;
}
void place_slips(const form& sent, const payment_slips& slips, refund_form& to) {
  to.amount = {sent.text("amount"), slips.amount};
  to.reason = {sent.text("reason"), slips.reason};
  to.fault = slips.fault;
}

/// Sets the forms shown after an answer. If the outcome is unknown, the action's form is shown in every state of the
/// payment, because repeating the request leads to its outcome. Returns whether the action's form shows the faults.
bool place_slips(const form& sent, std::string_view action, const payment_slips& slips, payment_forms& forms) {
  const auto place = [&](auto& shown_form) {
    if (!shown_form && slips.proves == proof::unknown) shown_form.emplace();
    if (!shown_form) return false;
    place_slips(sent, slips, *shown_form);
    if (slips.proves != proof::refused) shown_form->key = sent.text("key");
    return true;
  };
  if (action == "capture") return place(forms.capture);
  if (action == "void") return place(forms.cancel);
  if (action == "cancel") return place(forms.checkout);
  return action == "refund" && place(forms.refund);
}

boost::asio::awaitable<response> refuse_payment(call& c, payment_read read, std::string_view action,
                                                payment_slips slips) {
  auto forms = forms_of(*read.row);
  const bool placed = place_slips(c.visit->sent, action, slips, forms);
  // If the payment's new state has no such form, the fault is shown at the top.
  std::string fault;
  for (auto* each : {&slips.fault, &slips.amount, &slips.reason})
    if (!placed && fault.empty()) fault = std::move(*each);
  auto showing = payment_screen(c, std::move(read), std::move(forms), std::move(fault));
  auto page = co_await std::move(showing);
  if (page.status == status::ok) co_return refused_form(std::move(page));
  co_return slips.proves == proof::unknown ? error_page(page_error::unknown_outcome) : std::move(page);
}

/// Shows the actor's refusal on the payment's page, in the payment's current state.
boost::asio::awaitable<response> refuse_moved(call& c, std::string_view action, refusal why) {
  auto reading = read_payment(c);
  auto now = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&now))
    co_return why.proves == proof::unknown ? error_page(page_error::unknown_outcome) : std::move(*page);
  auto& read = std::get<payment_read>(now);
  payment_slips slips;
  slips.proves = why.proves;
  const money left{machine::remaining(*read.row), read.row->amount.unit};
  if (why.exceeds && left.minor > 0)
    slips.amount = "At most " + amount_text(left) + " can be refunded.";
  else
    slips.fault = std::move(why.words);
  auto refusing = refuse_payment(c, std::move(read), action, std::move(slips));
  co_return co_await std::move(refusing);
}

}  // namespace

boost::asio::awaitable<response> show_payment(call& c) {
  auto reading = read_payment(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& read = std::get<payment_read>(found);
  auto forms = forms_of(*read.row);
  auto showing = payment_screen(c, std::move(read), std::move(forms), {});
  co_return co_await std::move(showing);
}

boost::asio::awaitable<response> act_on_payment(call& c) {
  const auto& sent = c.visit->sent;
  const auto action = sent.text("action");
  auto reading = read_payment(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto& read = std::get<payment_read>(found);
  if (action == "redeliver") {
    auto again = redeliver_here(c, [](const call& at, const delivery& row) {
      return row.subject.kind == entity_kind::payment && row.subject.id == at.path.id;
    });
    co_return co_await std::move(again);
  }

  const auto key = decode_idempotency_key(sent.text("key"));
  const auto* key_text = std::get_if<std::string>(&key);
  if (!key_text) co_return error_page(page_error::malformed_form);
  const auto reason = sent.text("reason");
  if (count_characters(reason) > most_typed) {
    auto refusing = refuse_payment(c, std::move(read), action, {.reason = std::string{reason_too_long}});
    co_return co_await std::move(refusing);
  }
  std::int64_t amount = 0;  // 0 for a capture: the whole amount
  if (action == "refund" || (action == "capture" && !sent.text("amount").empty())) {
    const auto typed = read_amount(sent.text("amount"), read.row->amount.unit);
    if (const auto* fault = std::get_if<amount_fault>(&typed)) {
      auto refusing = refuse_payment(c, std::move(read), action, {.amount = fault->words});
      co_return co_await std::move(refusing);
    }
    amount = std::get<money>(typed).minor;
  }
  payment_command wanted;
  if (action == "capture") {
    wanted = capture_payment{amount};
  } else if (action == "void") {
    wanted = void_payment{reason};
  } else if (action == "cancel") {
    wanted = cancel_payment{reason};
  } else if (action == "refund") {
    wanted = refund_payment{amount, reason};
  } else {
    co_return error_page(page_error::malformed_form);
  }
  auto moving = move_money(c, action, std::move(wanted), *key_text, fingerprint_of(c, action, amount, reason));
  const auto reply = co_await std::move(moving);
  auto why = why_not(reply, action);
  if (!why) co_return redirect_after_success(c, is_pending(*reply) ? action + "-pending" : action);
  auto refusing = refuse_moved(c, action, *std::move(why));
  co_return co_await std::move(refusing);
}

}  // namespace gateway::http
