// The dispatcher spawns a worker, sends it an order when it is idle, and replaces it if it dies; the order is then sent
// again. So an attempt that was made and not recorded is repeated, never lost. Receivers recognize the repeat by its
// number.
//
// While the store is unavailable the worker keeps the attempt that it has to record, and accepts no other order, so
// that no attempt is made that cannot be recorded.

#include "delivery_worker.hpp"

#include <exception>
#include <utility>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "destination_lane.hpp"
#include "gateway/base/log.hpp"
#include "gateway/directory/webhook_signature.hpp"
#include "gateway/messages/ask_store.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::milliseconds record_again_after{500};
constexpr std::chrono::milliseconds pause_for_directory{500};
constexpr std::chrono::seconds read_timeout{30};

class delivery_worker_state {
 public:
  static inline const char* name = "delivery_worker";

  void start(delivery_worker::pointer self, std::shared_ptr<const webhook_context> context, delivery_pool pool,
             std::size_t number) {
    self_ = self;
    context_ = std::move(context);
    pool_ = std::move(pool);
    number_ = number;
    // Ends when the pool ends, for any reason: its messages would have no receiver, and repeated attempts to record
    // would keep the process from ending.
    self_->set_down_handler([this](const caf::down_msg& down) { self_->quit(down.reason); });
    self_->monitor(pool_);
    self_->set_exception_handler([this](std::exception_ptr& thrown) {
      try {
        std::rethrow_exception(thrown);
      } catch (const std::exception& why) {
        log::error("delivery_attempt_broke", {{"delivery", order_.job.row.id}, {"why", why.what()}});
      } catch (...) {
        log::error("delivery_attempt_broke", {{"delivery", order_.job.row.id}});
      }
      return caf::error{caf::exit_reason::unhandled_exception};
    });
  }

  void take(delivery_order& order) {
    order_ = std::move(order);
    if (order_.job.left_out > 0) return read_event();
    find_merchant();
  }

  /// Large data stays in the store until it is sent.
  void read_event() {
    find_deliveries one;
    one.id = order_.job.row.id;
    ask_store(self_, context_->store.outbox, read_timeout, std::move(one))
        .then(
            [this](deliveries_lookup& found) {
              if (found.jobs.empty() || found.jobs.front().row.version != order_.job.row.version)
                return withhold(pause_for_directory, true);
              order_.job.event = std::move(found.jobs.front().event);
              find_merchant();
            },
            [this](const caf::error&) { withhold(pause_for_directory); });
  }

  void find_merchant() {
    // For a platform's destination, the merchant may not be loaded yet.
    if (context_->merchants.find_merchant(order_.job.event.subject.merchant)) return attempt();
    look_up wanted{{directory_name::kind::merchant, order_.job.event.subject.merchant.value}};
    self_->request(context_->operators, caf::infinite, std::move(wanted))
        .then([this](bool) { attempt(); }, [this](const caf::error&) { withhold(pause_for_directory); });
  }

  void attempt() {
    // While the order waited in the mailbox, the destination may have been disabled, its platform suspended, or its
    // secret or URL changed: the post must use the destination as it is now. A node without its lease posts nothing:
    // such changes are answered without waiting for this node, so its directory may be outdated.
    auto as_it_is = context_->merchants.find_destination(order_.to->what.id);
    if (!as_it_is || !may_be_sent(*as_it_is) || !context_->nodes.serves()) return withhold();
    order_.to = std::move(as_it_is);
    began_at_ = context_->clock.now();
    traced_from_ = context_->traces.begin(order_.job.trace);
    const auto& job = order_.job;
    const auto owner = context_->merchants.find_merchant(job.event.subject.merchant);
    outgoing_post post;
    post.url = order_.to->what.url;
    post.owner = order_.to->what.owner;
    post.body = context_->encoder.envelope(job.event, order_.to->what.kind, owner ? owner->entity : entity_id{},
                                           job.row.partial);
    order_.job.event.data = {};  // it is in the body now
    post.headers = {{"X-Service-Signature", webhook_signature(*order_.to, post.body, began_at_)},
                    {"X-Service-Delivery", std::to_string(job.row.id)}};
    for (auto& header : standard_webhook_headers(*order_.to, job.event.id, post.body, began_at_))
      post.headers.push_back(std::move(header));
    context_->client.post(
        std::move(post), [me = delivery_worker{self_}](delivery_attempt seen) { caf::anon_send(me, std::move(seen)); });
  }

  void answered(delivery_attempt& seen) {
    seen.at = began_at_;
    context_->meters.webhook_attempt_seconds.Observe(seen.took_ms / 1000.0);
    context_->meters.webhook_attempts(order_.to->what.id.value, to_string(seen.result)).Increment();
    self_->send(pool_, attempt_answered{number_, seen.result, seen.status, seen.took_ms});
    if (traced_from_ != 0) record_span(seen);
    const auto now = context_->clock.now();
    if (seen.result == attempt_result::delivered && order_.job.row.round_from == 0)
      context_->meters.webhook_commit_to_arrival_seconds.Observe(
          std::chrono::duration<double>(now - order_.job.row.created_at).count());
    result_ = after_attempt(order_.job.row, std::move(seen), order_.to->what.kind, context_->schedule(), now);
    if (result_.status == delivery_status::failed)
      log::warn("delivery_failed", {{"delivery", result_.id},
                                    {"destination", result_.to.value},
                                    {"attempts", result_.attempts},
                                    {"result", to_string(result_.last->result)},
                                    {"status", result_.last->status}});
    record();
  }

  void record() {
    unit_of_work unit;
    unit.kind = unit_kind::record;
    unit.claims.push_back(result_);
    self_->request(context_->store.recorder, caf::infinite, std::move(unit))
        .then(
            [this](commit_outcome outcome) {
              switch (outcome) {
                case commit_outcome::committed:
                  return self_->send(pool_, attempt_recorded{number_, std::move(result_)});
                case commit_outcome::unavailable:
                case commit_outcome::rejected:
                  // The commit may have taken effect after all: recording it once more then loses the claim, which does
                  // no harm.
                  return self_->delayed_send(self_, record_again_after, wake_atom::value);
                default: return self_->send(pool_, attempt_recorded{number_, std::nullopt});
              }
            },
            [this](const caf::error&) { self_->delayed_send(self_, record_again_after, wake_atom::value); });
  }

 private:
  /// Ends the order without an attempt. The dispatcher has the event, so an idle worker need not keep it in memory.
  void withhold(std::chrono::milliseconds after = {}, bool moved_on = false) {
    order_.job.event = {};
    const attempt_withheld report{number_, moved_on};
    after.count() == 0 ? self_->send(pool_, report) : self_->delayed_send(pool_, after, report);
  }

  /// The span belongs to the trace of the request that caused the event, although that request was answered long
  /// before.
  void record_span(const delivery_attempt& seen) const {
    const auto& row = order_.job.row;
    span one;
    one.where = context_->traces.within(order_.job.trace);
    one.parent = order_.job.trace.span;
    one.name = "delivery";
    one.kind = span_kind::client;
    one.begun = traced_from_;
    one.ended = trace_now();
    one.attributes = {{"gateway.merchant_id", row.subject.merchant.value},
                      {"gateway.destination_id", row.to.value},
                      {"gateway.delivery", row.id},
                      {"gateway.event_type", order_.job.event.type},
                      {"gateway.outcome", std::string{to_string(seen.result)}}};
    if (seen.status != 0) one.attributes.push_back({"http.response.status_code", std::int64_t{seen.status}});
    one.failed = seen.result != attempt_result::delivered;
    context_->traces.record(std::move(one));
  }

  delivery_worker::pointer self_ = nullptr;
  std::shared_ptr<const webhook_context> context_;
  delivery_pool pool_;
  std::size_t number_ = 0;
  delivery_order order_;
  time_point began_at_{};
  trace_time traced_from_ = 0;
  delivery result_;
};

delivery_worker::behavior_type worker_behavior(delivery_worker::stateful_pointer<delivery_worker_state> self,
                                               std::shared_ptr<const webhook_context> context, delivery_pool pool,
                                               std::size_t number) {
  self->state.start(self, std::move(context), std::move(pool), number);
  return {
      [self](delivery_order& order) { self->state.take(order); },
      [self](delivery_attempt& seen) { self->state.answered(seen); },
      [self](wake_atom) { self->state.record(); },
  };
}

}  // namespace

delivery_worker spawn_delivery_worker(caf::actor_system& system, std::shared_ptr<const webhook_context> context,
                                      delivery_pool pool, std::size_t number) {
  return system.spawn(worker_behavior, std::move(context), std::move(pool), number);
}

}  // namespace gateway::actors
