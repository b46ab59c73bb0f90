// The sandbox providers in another process: calls are sent over one connection as they come, and answers return in any
// order. The socket has its own thread, so that neither this actor nor a CAF worker waits for it.
//
// No fault here counts as a failed call. A connection that breaks leaves every call on it with an unknown outcome,
// which the reconciler settles by asking again; the next call reconnects.

#include <sys/un.h>

#include <map>
#include <stdexcept>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "line_stream.hpp"
#include "sandbox.hpp"
#include "subscriptions.hpp"
#include "wire.hpp"

namespace gateway::actors {

// From the socket's thread to the actor, in order of occurrence.
struct link_result {
  wire::numbered_result answer;
};
/// Calls up to this number will not be answered any more.
struct link_loss {
  std::uint64_t last = 0;
};

}  // namespace gateway::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::link_result)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::actors::link_loss)

namespace gateway::actors {

namespace {

using link_actor =
    sandbox_provider::extend<caf::reacts_to<link_result>, caf::reacts_to<link_loss>, caf::reacts_to<wake_atom>>;
using result_promise = caf::typed_response_promise<provider_result>;

/// The socket's thread. All private members run on it.
class link_thread {
 public:
  link_thread(std::string path, link_actor owner) : path_(std::move(path)), owner_(std::move(owner)) {}

  ~link_thread() {
    context_.stop();
    thread_.join();
  }

  void send(wire::numbered_call call) {
    boost::asio::post(context_, [this, id = call.id, line = wire::encode(call)] {
      last_ = id;
      if (!stream_) connect();
      stream_->send(line);
    });
  }

 private:
  void connect() {
    stream_ = std::make_shared<line_stream>(line_stream::protocol::socket{context_});
    stream_->connect(
        path_,
        [this](std::string_view line) {
          auto answer = wire::decode_result(line);
          if (answer) caf::anon_send(owner_, link_result{std::move(*answer)});
          return answer.has_value();
        },
        [this] {
          stream_.reset();
          caf::anon_send(owner_, link_loss{last_});
        });
  }

  std::string path_;
  link_actor owner_;
  std::uint64_t last_ = 0;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
  std::shared_ptr<line_stream> stream_;
  std::thread thread_{[this] { context_.run(); }};
};

class sandbox_link {
 public:
  static inline const char* name = "sandbox_link";

  void start(link_actor::pointer self, sandbox_settings config, std::string path, duration_ms patience) {
    self_ = self;
    config_ = std::move(config);
    patience_ = patience;
    thread_ = std::make_unique<link_thread>(std::move(path), self);
    forget_soon();
  }

  caf::result<provider_result> take(provider_call& call) {
    auto promise = self_->make_response_promise<provider_result>();
    open_.emplace_hint(open_.end(), ++last_, open_call{call.subject.key, call.by_sdk, promise});
    thread_->send({last_, std::move(call)});
    return promise;
  }

  void join(router_actor router) { router_ = std::move(router); }

  /// The gateway stores the sandbox's subscriptions itself, even if the sandbox's payments are another process's.
  caf::typed_response_promise<subscription_result> take(const subscription_call& call) {
    return ask_enrollment(self_, router_, call, config_);
  }

  void answered(wire::numbered_result& numbered) {
    const auto at = open_.find(numbered.id);
    if (at == open_.end()) return;
    auto& result = numbered.result;
    // The gateway serves the pages to which a sandbox sends its customers.
    add_customer_action(result, at->second.subject, at->second.by_sdk, config_);
    at->second.promise.deliver(std::move(result));
    open_.erase(at);
  }

  void lost(std::uint64_t last) {
    const auto end = open_.upper_bound(last);
    for (auto each = open_.begin(); each != end; ++each)
      each->second.promise.deliver(unknown_result("provider_unreachable", "The connection to the provider broke."));
    open_.erase(open_.begin(), end);
  }

  /// The gate has stopped waiting for these calls. They must be answered anyway, because the gate keeps a request until
  /// it is answered.
  void forget_old() {
    lost(old_);
    old_ = last_;
    forget_soon();
  }

 private:
  struct open_call {
    entity_key subject;
    bool by_sdk = false;
    result_promise promise;
  };

  void forget_soon() { self_->delayed_send(self_, patience_, wake_atom::value); }

  link_actor::pointer self_ = nullptr;
  sandbox_settings config_;
  router_actor router_;
  duration_ms patience_{0};
  std::uint64_t last_ = 0;
  std::uint64_t old_ = 0;  ///< calls up to this one were sent before the last wake-up
  std::map<std::uint64_t, open_call> open_;
  std::unique_ptr<link_thread> thread_;
};

link_actor::behavior_type sandbox_link_behavior(link_actor::stateful_pointer<sandbox_link> self,
                                                sandbox_settings config, std::string path, duration_ms patience) {
  self->state.start(self, std::move(config), std::move(path), patience);
  return {
      [self](provider_call& call) { return self->state.take(call); },
      [](const provider_inquiry& inquiry) { return answer_sandbox_inquiry(inquiry); },
      [self](const subscription_call& call) { return self->state.take(call); },
      [](const account_question& question) { return answer_sandbox_account(question); },
      [](const notification_question& question) { return answer_sandbox_question(question); },
      [](const event_list_question&) { return event_list_page{}; },  // the event reader reads them from the store
      [](const endpoint_question&) { return endpoint_answer{}; },
      [self](join_atom, router_actor& router) { self->state.join(std::move(router)); },
      [self](link_result& message) { self->state.answered(message.answer); },
      [self](const link_loss& message) { self->state.lost(message.last); },
      [self](wake_atom) { self->state.forget_old(); },
  };
}

}  // namespace

sandbox_provider spawn_sandbox_link(caf::actor_system& system, sandbox_settings config, std::string path,
                                    duration_ms provider_timeout) {
  // Checks the kernel's limit here, and not at the first payment.
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    throw std::runtime_error{"the path of the sandbox provider's socket is too long: " + path};
  return system.spawn(sandbox_link_behavior, std::move(config), std::move(path), provider_timeout);
}

}  // namespace gateway::actors
