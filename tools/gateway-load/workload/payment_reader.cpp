// Reads each payment and its timeline, and compares them with the answers to its operations.
//
// An operation is open if no answer contained its outcome; it may have succeeded or failed. All others are known
// exactly.
#include <algorithm>
#include <map>

#include "verifier.hpp"

namespace gateway::load {
namespace {

template <class Number>
std::string text_of(Number number) {
  return std::to_string(number);
}

/// How many attempts at one operation a timeline has, by status.
struct attempt_counts {
  std::uint64_t approved = 0, declined = 0, pending = 0, unknown = 0;

  void add(std::string_view status) {
    if (status == "approved")
      approved += 1;
    else if (status == "declined")
      declined += 1;
    else if (status == "unknown")
      unknown += 1;
    else
      pending += 1;
  }
  attempt_counts& operator+=(const attempt_counts& other) {
    approved += other.approved;
    declined += other.declined;
    pending += other.pending;
    unknown += other.unknown;
    return *this;
  }
  std::uint64_t known() const noexcept { return approved + declined + pending; }
  std::string text() const {
    return std::to_string(approved) + " approved, " + std::to_string(declined) + " declined, " +
           std::to_string(pending) + " pending, " + std::to_string(unknown) + " unknown";
  }
};

struct timeline_counts {
  attempt_counts authorize, charge, session, capture, refund, other;
  std::uint64_t captured = 0, failed = 0, partially_refunded = 0, refunded = 0, other_events = 0;

  void add(const timeline_entry& entry) {
    if (entry.is_event) {
      (entry.operation == "payment.captured"             ? captured
       : entry.operation == "payment.failed"             ? failed
       : entry.operation == "payment.partially_refunded" ? partially_refunded
       : entry.operation == "payment.refunded"           ? refunded
                                                         : other_events) += 1;
      return;
    }
    (entry.operation == "authorize"        ? authorize
     : entry.operation == "charge"         ? charge
     : entry.operation == "hosted_session" ? session
     : entry.operation == "capture"        ? capture
     : entry.operation == "refund"         ? refund
                                           : other)
        .add(entry.status);
  }
};

class payment_comparison {
 public:
  payment_comparison(model& of, std::uint64_t number, const answer& got)
      : model_{of}, number_{number}, payment_{of.payment(number)}, got_{got} {}

  void payment(const parsed_answer& parsed) {
    if (parsed.payment_id != model_.ids().payment(number_))
      wrong("its answer is of another payment, " + parsed.payment_id.substr(0, 100));
    if (parsed.amount != payment_.amount || parsed.currency != model_.currency())
      wrong("is of " + text_of(parsed.amount) + ' ' + parsed.currency.substr(0, 10) + " instead of " +
            text_of(payment_.amount) + ' ' + model_.currency());
    refunds(parsed.refunded_total);
    if (!state_fits(parsed.now, parsed.refunded_total))
      wrong("is '" + parsed.state_text.substr(0, 100) +
            "', which does not follow from what its operations were answered");
  }

  void timeline(const std::vector<timeline_entry>& entries) {
    timeline_counts seen;
    for (const auto& entry : entries) seen.add(entry);
    creation_attempts(seen);
    capture_attempts(seen.capture);
    refund_attempts(seen.refund);
    if (seen.other.known() + seen.other.unknown > 0) wrong("its timeline has attempts that no request caused");
    events(seen);
    payment_.captured_events = static_cast<std::uint8_t>(std::min<std::uint64_t>(seen.captured, 255));
    payment_.failed_events = static_cast<std::uint8_t>(std::min<std::uint64_t>(seen.failed, 255));
    payment_.refunded_events = static_cast<std::uint8_t>(std::min<std::uint64_t>(seen.refunded, 255));
    payment_.partial_refund_events = static_cast<std::uint32_t>(seen.partially_refunded);
  }

 private:
  void wrong(const std::string& what) {
    model_.found().add(model_.ids().payment(number_) + ": " + what, {got_.request_id});
  }

  bool creation_is_open() const {
    return payment_.created == creation::unanswered || payment_.created == creation::unknown;
  }
  bool capture_is_open() const {
    return payment_.captured == capture_outcome::unanswered || payment_.captured == capture_outcome::unknown;
  }

  void refunds(std::int64_t total) {
    const auto least = payment_.refunded, most = payment_.refunded + payment_.open_refunded;
    const auto left = payment_.amount - total;
    if (left < 0) wrong("more was refunded, " + text_of(total) + ", than captured, " + text_of(payment_.amount));
    if (total < least || total > most)
      wrong("refunded_total is " + text_of(total) + ", but the refunds that were approved are " + text_of(least) +
            (most > least ? " to " + text_of(most) : std::string{}));
    if (payment_.least_excessive_refund > 0 && payment_.least_excessive_refund <= left)
      wrong("a refund of " + text_of(payment_.least_excessive_refund) + " was refused as too much, and " +
            text_of(left) + " is left");
  }

  bool state_fits(state now, std::int64_t refunded) const {
    if (creation_is_open())
      return now == state::processing || now == state::authorized || now == state::captured || now == state::failed;
    if (payment_.created == creation::failed) return now == state::failed;
    // The hosted pages are never opened, so a payment on one stays there until it expires.
    if (payment_.created == creation::processing) return now == state::processing || now == state::failed;
    if (refunded > 0) return now == (refunded == payment_.amount ? state::refunded : state::partially_refunded);
    if (payment_.created == creation::captured || payment_.captured == capture_outcome::captured)
      return now == state::captured;
    return now == state::authorized || (capture_is_open() && now == state::captured);
  }

  void creation_attempts(const timeline_counts& seen) {
    // A creation is an authorization, a charge or a hosted session: at most one of them took place.
    attempt_counts all = seen.authorize;
    all += seen.charge;
    all += seen.session;
    const bool once = all.known() == 1 && all.unknown == 0;
    bool fits = false;
    switch (payment_.created) {
      case creation::authorized: fits = once && seen.authorize.approved == 1; break;
      case creation::captured: fits = once && seen.charge.approved == 1; break;
      case creation::failed: fits = once && all.declined == 1; break;
      // A hosted session, or a challenge in the server flow. It may have been declined or abandoned since.
      case creation::processing:
        fits = all.pending == 1 && all.approved == 0 && all.declined <= 1 && all.unknown == 0;
        break;
      case creation::unknown: fits = all.unknown == 1 && all.known() <= 1; break;
      case creation::unanswered: fits = all.unknown <= 1 && all.known() <= 1; break;
    }
    if (!fits)
      wrong("its creation was not executed once: authorize " + seen.authorize.text() + "; charge " +
            seen.charge.text() + "; session " + seen.session.text());
  }

  void capture_attempts(const attempt_counts& seen) {
    bool fits = false;
    switch (payment_.captured) {
      case capture_outcome::none:
      case capture_outcome::problem: fits = seen.known() + seen.unknown == 0; break;
      case capture_outcome::captured: fits = seen.approved == 1 && seen.known() == 1 && seen.unknown == 0; break;
      case capture_outcome::declined: fits = seen.declined == 1 && seen.known() == 1 && seen.unknown == 0; break;
      case capture_outcome::unknown: fits = seen.unknown == 1 && seen.known() <= 1; break;
      case capture_outcome::unanswered: fits = seen.unknown <= 1 && seen.known() <= 1; break;
    }
    if (!fits) wrong("its capture does not stand in the timeline as it was answered: " + seen.text());
  }

  void refund_attempts(const attempt_counts& seen) {
    const std::uint64_t approved = payment_.refunds, declined = payment_.declined_refunds, open = payment_.open_refunds;
    const bool fits = seen.approved >= approved && seen.declined >= declined && seen.pending == 0 &&
                      seen.known() <= approved + declined + open && seen.unknown >= payment_.unknown_refunds &&
                      seen.unknown <= open;
    if (!fits)
      wrong("its refunds do not stand in the timeline as they were answered: " + seen.text() + ", but " +
            text_of(approved) + " were approved, " + text_of(declined) + " rejected, and " + text_of(open) +
            " may have been either");
  }

  void events(const timeline_counts& seen) {
    const auto declined = seen.authorize.declined + seen.charge.declined + seen.session.declined;
    const bool fits = seen.captured == seen.capture.approved + seen.charge.approved &&
                      seen.partially_refunded + seen.refunded == seen.refund.approved && seen.refunded <= 1 &&
                      seen.failed == (declined > 0 ? 1 : 0) && seen.other_events == 0;
    if (!fits)
      wrong("the events in its timeline do not follow from the attempts: " + text_of(seen.captured) + " captured, " +
            text_of(seen.failed) + " failed, " + text_of(seen.partially_refunded) + " partially refunded, " +
            text_of(seen.refunded) + " refunded, " + text_of(seen.other_events) + " other");
  }

  model& model_;
  std::uint64_t number_;
  payment_record& payment_;
  const answer& got_;
};

/// The reads of a payment, in this order. The last one reads the id that was only used under another payment's key. The
/// customers are read after all payments.
enum read_step : std::uint32_t { read_payment, read_its_timeline, read_wrong_payment, read_its_customer };

class payment_reader : public scenario {
 public:
  payment_reader(model& of, progress_of_verification& to, retry_limits limits)
      : model_{of}, progress_{to}, requests_{limits, [this] { return next_first_request(); }} {
    progress_.read_back = true;
  }

  void next(std::vector<request>& out) override { requests_.next(out); }

  void on_answer(const request& sent, const answer& got) override {
    const bool answered = got.status == 200 || got.status == 404;
    if (!requests_.on_answer(sent, answered) || !answered) return;
    switch (sent.step) {
      case read_its_customer: return on_customer(sent, got);
      case read_payment: return on_payment(sent.subject, got);
      case read_its_timeline: return on_timeline(sent.subject, got);
      default: break;
    }
    if (got.status != 200) return;
    const auto id = model_.ids().wrong_payment(sent.subject);
    model_.found().add(id + ": exists, although it was only requested under the key of another payment",
                       {got.request_id});
  }

 private:
  std::optional<request> next_first_request() {
    if (payment_ == model_.payments()) return next_customer();
    const auto number = payment_;
    const auto step = step_;
    const bool last = step == (model_.payment(number).wrong_requests_sent ? read_wrong_payment : read_its_timeline);
    step_ = last ? read_payment : static_cast<read_step>(step + 1);
    if (last) payment_ += 1;
    request made;
    made.kind = step == read_its_timeline ? operation::timeline : operation::read;
    made.path = "/v1/payment_intents/" +
                (step == read_wrong_payment ? model_.ids().wrong_payment(number) : model_.ids().payment(number));
    if (step == read_its_timeline) made.path += "/timeline";
    made.subject = number;
    made.caller = model_.caller_of(number);
    made.step = step;
    return made;
  }

  std::optional<request> next_customer() {
    if (customer_ == model_.customers()) return std::nullopt;
    auto made = model_.find_customer(customer_++);
    made.step = read_its_customer;
    return made;
  }

  void on_customer(const request& sent, const answer& got) {
    model_.take_customer(sent, got);
    progress_.customers += 1;
  }

  /// A payment whose creation was never answered need not exist.
  bool must_exist(std::uint64_t number) const { return model_.payment(number).created != creation::unanswered; }

  void add_missing(std::uint64_t number, const answer& got) {
    model_.found().add(model_.ids().payment(number) + ": is not there (404), although it was created",
                       {got.request_id});
  }

  void on_payment(std::uint64_t number, const answer& got) {
    auto& payment = model_.payment(number);
    if (got.status == 404 && must_exist(number)) add_missing(number, got);
    if (got.status == 200) compare_payment(model_, number, parse(got), got);
    payment.payment_read = true;
    if (payment.timeline_read) progress_.payments += 1;
  }

  void on_timeline(std::uint64_t number, const answer& got) {
    auto& payment = model_.payment(number);
    if (got.status == 404 && must_exist(number)) add_missing(number, got);
    if (got.status == 200) {
      std::string id;
      std::vector<timeline_entry> entries;
      if (read_timeline(got.body, id, entries) && id == model_.ids().payment(number))
        compare_timeline(model_, number, entries, got);
      else
        model_.found().add(model_.ids().payment(number) + ": its timeline is none, or another payment's",
                           {got.request_id});
    }
    progress_.events +=
        payment.captured_events + payment.failed_events + payment.refunded_events + payment.partial_refund_events;
    payment.timeline_read = true;
    if (payment.payment_read) progress_.payments += 1;
  }

  model& model_;
  progress_of_verification& progress_;
  std::uint64_t payment_ = 0;
  std::uint32_t customer_ = 0;
  read_step step_ = read_payment;
  retry_queue requests_;
};

}  // namespace

void compare_payment(model& of, std::uint64_t number, const parsed_answer& parsed, const answer& got) {
  payment_comparison{of, number, got}.payment(parsed);
}

void compare_timeline(model& of, std::uint64_t number, const std::vector<timeline_entry>& entries, const answer& got) {
  payment_comparison{of, number, got}.timeline(entries);
}

void compare_customers(model& of) {
  std::map<hash128, std::uint64_t> seen;
  for (std::uint64_t number = 0; number < of.customers(); ++number) {
    const auto& one = of.customer(number);
    if (one.provider_id == hash128{}) continue;
    const auto [first, fresh] = seen.emplace(one.provider_id, number);
    if (fresh) continue;
    of.found().add(
        of.ids().customer(number) + ": is the same customer of the provider as " + of.ids().customer(first->second),
        {request_id_of(of.customer(first->second).request_id), request_id_of(one.request_id)});
  }
}

std::unique_ptr<scenario> read_payments(model& of, progress_of_verification& to, retry_limits limits) {
  return std::make_unique<payment_reader>(of, to, limits);
}

}  // namespace gateway::load
