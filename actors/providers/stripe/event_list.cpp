// A page of Stripe's list of events: docs.stripe.com/api/events/list. Stripe keeps events for 30 days, and lists the
// newest first. A connected account has a list of its own, which is read with the platform's key on its behalf.
//
// An event in a list is in the API version that its account had when it happened, not in that of the request. Types are
// filtered here: a request can name only 20, and the gateway handles more.

#include <algorithm>
#include <array>
#include <utility>

#include "dialogue.hpp"
#include "form.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "json.hpp"
#include "notifications.hpp"

namespace gateway::actors::stripe {

namespace {

/// Most bytes of a page, which is in memory as a whole. Events are a few kilobytes, but some are hundreds: if a page is
/// longer, fewer events are requested.
constexpr std::size_t most_page_bytes = 4 * 1024 * 1024;
constexpr std::array<std::int64_t, 3> page_sizes{100, 10, 1};

std::int64_t seconds_of(time_point at) {
  return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
}

class event_list_dialogue final : public stepwise_dialogue<event_list_page> {
 public:
  event_list_dialogue(event_list_question question, access as) : question_(std::move(question)), as_(std::move(as)) {}

 private:
  turn begin() override {
    const bool valid = question_.account.empty() || is_provider_id(question_.account);
    if (!valid) return refused();
    return list();
  }

  http_request list() const {
    form query;
    query.add("limit", page_sizes.at(size_));
    query.add("created%5Bgte%5D", seconds_of(question_.from));
    query.add("created%5Blt%5D", seconds_of(question_.until));
    query.add_unless_empty("starting_after", question_.after);
    auto request = read_request(as_, "/v1/events?" + query.text());
    request.most_body_bytes = most_page_bytes;
    return request;
  }

  turn on_reply(const reply& received) override {
    if (received.kind == reply_kind::success) return read(received.body);
    const bool cut = received.kind == reply_kind::unclear && !received.body.empty();
    if (cut && size_ + 1 < page_sizes.size()) {
      ++size_;
      return list();
    }
    if (is_refused(received)) return refused();
    event_list_page none;
    none.error = result_of_failure(received, false).error;
    return none;
  }

  /// The account is not, or no longer, connected to the platform. Or the event after which the page begins has left the
  /// list, which is then read again from its stored position.
  bool is_refused(const reply& received) const {
    if (!received.error) return false;
    const bool concerns_account = !question_.account.empty() || !question_.after.empty();
    return (received.kind == reply_kind::rejected && concerns_account) || received.error->code == "account_invalid";
  }

  static event_list_page refused() {
    event_list_page none;
    none.what = event_list_page::state::refused;
    return none;
  }

  turn read(std::string_view body) {
    const auto parsed = parse_object(body);
    const auto* object = parsed ? parsed->if_object() : nullptr;
    const auto* rows = word(object, "object") == "list" ? list_in(object) : nullptr;
    if (!rows) return nothing_known<event_list_page>();
    event_list_page page;
    page.what = event_list_page::state::listed;
    for (const auto& row : *rows)
      if (auto event = event_in(row)) page.events.push_back(*std::move(event));
    std::ranges::reverse(page.events);
    if (!flag(object, "has_more")) return page;
    const auto last = rows->empty() ? std::string_view{} : word(rows->back().if_object(), "id");
    // Without the next page's start, the rest of the list would be skipped unnoticed.
    if (!is_provider_id(last) || last == question_.after) return nothing_known<event_list_page>();
    page.next = last;
    return page;
  }

  static const json::array* list_in(const json::object* object) { return stripe::list(object, "data"); }

  /// The event as a notification. nullopt: the gateway does not handle it.
  std::optional<receive_notification> event_in(const json::value& row) const {
    const auto* object = row.if_object();
    if (!object) return std::nullopt;
    const auto account = word(object, "account");
    if (!std::ranges::binary_search(notification_types(), word(object, "type"))) return std::nullopt;
    if (!account.empty() && account != as_.account) return std::nullopt;
    auto whole = *object;
    if (!as_.account.empty()) whole["account"] = as_.account;
    auto body = json::serialize(whole);
    auto event_read = body.size() <= most_notification_bytes ? read_event(body) : std::nullopt;
    if (!event_read || event_read->live != (question_.env == environment::live)) return std::nullopt;
    return receive_notification{provider_kind::stripe, std::move(event_read->id), std::move(event_read->type),
                                as_.account, std::move(body)};
  }

  event_list_question question_;
  access as_;
  std::size_t size_ = 0;
};

}  // namespace

dialogue_ptr<event_list_page> open_event_list(event_list_question question, access as) {
  return std::make_unique<event_list_dialogue>(std::move(question), std::move(as));
}

}  // namespace gateway::actors::stripe
