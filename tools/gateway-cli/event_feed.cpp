#include "event_feed.hpp"

#include <chrono>
#include <utility>

#include "gateway/domain/time.hpp"
#include "interruption.hpp"
#include "output.hpp"

namespace gateway::cli {

namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds asked_wait{30};  ///< the longest that the gateway waits for an event
constexpr milliseconds feed_answer_timeout{45'000};
constexpr milliseconds first_try_again{200}, longest_try_again{5'000};
constexpr milliseconds least_between_empty_pages{1'000};

/// A gateway that restarts also breaks connections and handshakes, so only its own refusals are final.
bool may_pass(const api_outcome& seen) {
  const auto* answer = std::get_if<api_answer>(&seen);
  return !answer || answer->status >= 500 || answer->status == 429 || answer->status == 408;
}

std::string describe_outcome(const api_outcome& seen, const std::string& url) {
  if (const auto* failed = std::get_if<http_failure>(&seen)) return describe(*failed, url);
  return url + " answered " + std::to_string(std::get<api_answer>(seen).status);
}

api_answer require_events(api_answer answer) {
  if (answer.status == 410)
    throw refused{answer, "the events after this point are no longer kept; begin again with --from or without it"};
  return require_success(std::move(answer));
}

}  // namespace

event_feed::event_feed(api_client& client, feed_options options, std::function<void(std::string_view)> notice)
    : client_(client), options_(std::move(options)), notice_(std::move(notice)) {}

void event_feed::begin() {
  std::string target = "/v1/events?limit=1";
  add_parameter(target, "types", options_.types);
  if (options_.from.empty())
    add_parameter(target, "after", "end");
  else
    add_parameter(target, "from", options_.from);
  const auto answer = client_.send({http_method::get, target});
  auto page = read_event_page(require_events(answer).body);
  // With --from this only tests the options, because its page may hold an event already.
  if (options_.from.empty()) cursor_ = std::move(page.next);
}

api_request event_feed::request() const {
  std::string target = "/v1/events?limit=100&wait=" + std::to_string(asked_wait.count());
  add_parameter(target, "types", options_.types);
  if (cursor_.empty())
    add_parameter(target, "from", options_.from);
  else
    add_parameter(target, "after", cursor_);
  return {http_method::get, target};
}

api_answer event_feed::answer_of_a_running_gateway() {
  for (unsigned tries = 0;; ++tries) {
    auto seen = client_.try_once(request(), feed_answer_timeout);
    if (!may_pass(seen)) {
      if (tries > 0) notice_("the gateway answers again");
      return std::get<api_answer>(std::move(seen));
    }
    if (tries == 0) notice_(describe_outcome(seen, client_.who().url) + "; trying again until it does");
    if (!pause_for(doubled(first_try_again, tries, longest_try_again))) throw was_stopped{};
  }
}

std::vector<received_event> event_feed::next() {
  for (;;) {
    const auto asked = clock::now();
    const auto answer = answer_of_a_running_gateway();
    auto page = read_event_page(require_events(answer).body);
    cursor_ = std::move(page.next);
    if (!page.events.empty()) return std::move(page.events);
    const auto took = std::chrono::duration_cast<milliseconds>(clock::now() - asked);
    if (took < least_between_empty_pages && !pause_for(least_between_empty_pages - took)) throw was_stopped{};
  }
}

}  // namespace gateway::cli
