// One batch is in progress at a time. New spans wait in the queue of `tracing`, which is bounded, so this actor's
// memory is bounded, too.

#include "span_exporter.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/log.hpp"
#include "gateway/base/retry_after.hpp"

namespace gateway::actors {

/// From the client's thread: the outcome of a post.
struct batch_answered {
  std::shared_ptr<const http_outcome> outcome;
};

}  // namespace gateway::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::batch_answered)

namespace gateway::actors {

namespace {

using posting_exporter = span_exporter::extend<caf::reacts_to<batch_answered>,
                                               // the pause before a batch is sent again has ended
                                               caf::reacts_to<work_atom>,
                                               // check regularly whether something is queued
                                               caf::reacts_to<settle_atom>>;

constexpr std::chrono::milliseconds connect_timeout{3'000};
constexpr std::chrono::milliseconds answer_timeout{10'000};
/// A request contains at most this many batches: after a pause more than one may be queued.
constexpr std::size_t most_batches_at_once = 2;

bool is_taken(std::uint16_t status) noexcept { return status >= 200 && status < 300; }

/// The statuses that OTLP calls retryable.
bool may_be_repeated(std::uint16_t status) noexcept {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

std::optional<std::chrono::milliseconds> wanted_pause(const http_answer& answer) {
  const auto retry_after = answer.headers.find("Retry-After");
  return retry_after ? read_retry_after(*retry_after, system_wall_clock{}.now()) : std::nullopt;
}

class exporter_state {
 public:
  static inline const char* name = "span_exporter";

  void start(posting_exporter::pointer self, tracing& traces, http_client& client, exporter_settings settings) {
    self_ = self;
    traces_ = &traces;
    client_ = &client;
    settings_ = std::move(settings);
    traces_->when_a_batch_is_there(
        [to = span_exporter{posting_exporter{self_}}] { caf::anon_send(to, wake_atom::value); });
    // The callback holds a handle, which must not outlive the actor system.
    self_->attach_functor([traces = traces_] { traces->when_a_batch_is_there({}); });
    check_regularly();
  }

  /// A batch is ready.
  void wake() {
    if (!busy_) send_next();
  }

  void check_regularly() {
    wake();
    self_->delayed_send(self_, settings_.interval, settle_atom::value);
  }

  void answered(const http_outcome& outcome) {
    const auto* answer = std::get_if<http_answer>(&outcome);
    if (answer != nullptr && is_taken(answer->status)) {
      const auto rejected = std::min<std::size_t>(rejected_spans(answer->body), batch_.size());
      traces_->count_exported(batch_.size() - rejected);
      traces_->count_dropped(rejected);
      if (rejected > 0 && !std::exchange(has_rejected_, true)) log::warn("spans_rejected", {{"spans", rejected}});
      if (std::exchange(is_away_, false)) log::info("trace_collector_is_back", {});
      return go_on();
    }
    const bool repeats = answer == nullptr || may_be_repeated(answer->status);
    attempts_ += 1;
    if (!repeats || attempts_ >= settings_.attempts || drain_) {
      if (answer != nullptr)
        lose_batch("status", answer->status);
      else
        lose_batch("fault", static_cast<int>(std::get<http_failure>(outcome).what));
      // The queued spans cannot be sent now either, so the drain does not wait for them.
      if (drain_ && repeats) drop_queued();
      return go_on();
    }
    auto pause = doubled(settings_.first_pause, attempts_ - 1, settings_.longest_pause);
    if (answer != nullptr)
      if (const auto wanted = wanted_pause(*answer)) pause = std::max(pause, *wanted);
    pauses_ = true;
    self_->delayed_send(self_, std::min<std::chrono::milliseconds>(pause, settings_.longest_pause), work_atom::value);
  }

  void send_again() {
    if (std::exchange(pauses_, false)) post();
  }

  caf::result<bool> drain() {
    drain_ = self_->make_response_promise<bool>();
    auto promise = *drain_;
    if (!busy_) send_next();
    send_again();  // without waiting for the pause to end
    return promise;
  }

 private:
  /// Sends queued spans; ends the drain if there are none.
  void send_next() {
    batch_ = traces_->take(traces_->options().batch * most_batches_at_once);
    if (batch_.empty()) {
      if (drain_) std::exchange(drain_, std::nullopt)->deliver(true);
      return;
    }
    busy_ = true;
    attempts_ = 0;
    post();
  }

  void go_on() {
    busy_ = false;
    batch_.clear();
    if (drain_ || traces_->queued() >= traces_->options().batch) send_next();
  }

  /// Encodes the batch again for each repeat, which is rare: a body that is kept for repeats would be copied for every
  /// post.
  void post() {
    http_request request;
    request.method = http_method::post;
    request.url = settings_.url;
    request.headers = {{"Content-Type", "application/json"}};
    request.body = otlp_json(settings_.source, batch_);
    request.connect_timeout = connect_timeout;
    request.answer_timeout = answer_timeout;
    request.repeatable = true;  // a span that arrives twice has the same id
    client_->send(std::move(request), [to = posting_exporter{self_}](http_outcome outcome) {
      caf::anon_send(to, batch_answered{std::make_shared<const http_outcome>(std::move(outcome))});
    });
  }

  void drop_queued() {
    for (auto left = traces_->take(traces_->options().most_queued); !left.empty();
         left = traces_->take(traces_->options().most_queued))
      traces_->count_dropped(left.size());
  }

  /// Logs once each time the collector becomes unreachable; the metric counts the spans.
  void lose_batch(std::string_view detail, int number) {
    traces_->count_dropped(batch_.size());
    if (!std::exchange(is_away_, true)) log::warn("spans_dropped", {{"spans", batch_.size()}, {detail, number}});
  }

  posting_exporter::pointer self_ = nullptr;
  tracing* traces_ = nullptr;
  http_client* client_ = nullptr;
  exporter_settings settings_;
  bool busy_ = false;  ///< a batch is in progress, or waits to be sent again
  bool pauses_ = false;  ///< the batch waits to be sent again
  bool is_away_ = false;
  bool has_rejected_ = false;  ///< logged once; the metric counts them
  unsigned attempts_ = 0;
  std::vector<span> batch_;
  std::optional<caf::typed_response_promise<bool>> drain_;
};

posting_exporter::behavior_type exporter_behavior(posting_exporter::stateful_pointer<exporter_state> self,
                                                  tracing* traces, http_client* client,
                                                  const exporter_settings& settings) {
  self->state.start(self, *traces, *client, settings);
  return {
      [self](wake_atom) { self->state.wake(); },
      [self](drain_atom) { return self->state.drain(); },
      [self](const batch_answered& ended) { self->state.answered(*ended.outcome); },
      [self](work_atom) { self->state.send_again(); },
      [self](settle_atom) { self->state.check_regularly(); },
  };
}

}  // namespace

span_exporter spawn_span_exporter(caf::actor_system& system, tracing& traces, http_client& client,
                                  exporter_settings settings, runs_on where) {
  return spawn_on(where, system, exporter_behavior, &traces, &client, std::move(settings));
}

}  // namespace gateway::actors
