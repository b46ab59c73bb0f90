// The bridge from coroutines to actors: an actor whose mailbox is one thread's io_context.
//
// Lifecycle: an I/O thread spawns one, asks through it, and closes it once its io_context has ended. Other actors may
// hold a reference longer (for a late reply); messages that arrive after close() are dropped.
//
// A CAF request with a timeout would leave an entry behind until the timeout, so requests are sent
// without one. The deadlines are held here instead, in a table of the asks that are open now.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/expected.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/sec.hpp>

#include "gateway/messages/local_scheduler.hpp"

namespace caf {
class actor_system;
}  // namespace caf

namespace gateway::http {

class asio_actor final : public caf::monitorable_actor {
 public:
  /// Made by spawn_asio_actor only.
  asio_actor(caf::actor_config& config, boost::asio::io_context& context);
  ~asio_actor() override;

  using caf::monitorable_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit*) override;
  const char* name() const override { return "asio_actor"; }

  /// Ends with the reply, with an error from the target or about it (it is dead), or after `timeout` with
  /// caf::sec::request_timeout. The target must answer `Message` with `Reply`. Not a coroutine: g++ 12 destroys
  /// temporaries inside a co_await expression twice.
  template <class Reply, class Handle, class Message>
  boost::asio::awaitable<caf::expected<Reply>> ask(Handle target, Message message, std::chrono::milliseconds timeout) {
    return boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(caf::expected<Reply>)>(
        [this](auto completion, caf::strong_actor_ptr to, Message what, std::chrono::milliseconds within) {
          using ask_type = typed_ask<Reply, decltype(completion)>;
          submit(std::make_unique<ask_type>(std::move(completion)), to, caf::make_message(std::move(what)), within);
        },
        boost::asio::use_awaitable, caf::actor_cast<caf::strong_actor_ptr>(target), std::move(message), timeout);
  }

  /// Asks something other than an actor. `begin` gets a function that takes the reply; it may be called once, on any
  /// thread, even after this thread has ended. Ends as ask() does. Reply must be allowed in a CAF message.
  template <class Reply, class Start>
  boost::asio::awaitable<caf::expected<Reply>> ask_by_callback(Start begin, std::chrono::milliseconds timeout) {
    return boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(caf::expected<Reply>)>(
        [this](auto completion, Start start, std::chrono::milliseconds within) {
          using ask_type = typed_ask<Reply, decltype(completion)>;
          const auto id = open(std::make_unique<ask_type>(std::move(completion)), within);
          if (id == 0) return;
          start([self = caf::strong_actor_ptr{ctrl()}, id](Reply reply) {
            self->enqueue(
                caf::make_mailbox_element(nullptr, caf::make_message_id(id).response_id(), {}, std::move(reply)),
                nullptr);
          });
        },
        boost::asio::use_awaitable, std::move(begin), timeout);
  }

  /// Ends every open and every later ask with actor_errc::stopping.
  void abandon();
  /// Stops using the io_context, which is about to be destroyed.
  void close();
  std::size_t open_asks() const noexcept { return open_.size(); }

 private:
  using clock = std::chrono::steady_clock;

  struct open_ask {
    virtual ~open_ask() = default;
    virtual void answer(const caf::type_erased_tuple& content) = 0;
    virtual void fail(caf::error why) = 0;
    clock::time_point deadline;
  };

  template <class Reply, class Completion>
  struct typed_ask final : open_ask {
    explicit typed_ask(Completion completion) : completion_(std::move(completion)) {}
    void answer(const caf::type_erased_tuple& content) override {
      if (content.match_elements<Reply>())
        completion_(caf::expected<Reply>{content.get_as<Reply>(0)});
      else if (content.match_elements<caf::error>())
        fail(content.get_as<caf::error>(0));
      else
        fail(caf::make_error(caf::sec::unexpected_response));
    }
    void fail(caf::error why) override { completion_(caf::expected<Reply>{std::move(why)}); }
    Completion completion_;
  };

  void submit(std::unique_ptr<open_ask> ask, const caf::strong_actor_ptr& target, caf::message what,
              std::chrono::milliseconds within);
  /// The ask's number; 0 if no more asks are accepted: the ask then ends with an error.
  std::uint64_t open(std::unique_ptr<open_ask> ask, std::chrono::milliseconds within);
  void fail_soon(std::unique_ptr<open_ask> ask, caf::error why);
  void work_off();
  void handle(caf::mailbox_element& element);
  void watch_deadlines();
  void end_overdue();

  std::mutex mutex_;  ///< guards the next three
  boost::asio::io_context* context_;
  std::vector<caf::mailbox_element_ptr> inbox_;
  bool posted_ = false;  ///< work_off() is posted: many replies share one post

  local_scheduler here_;
  std::vector<caf::mailbox_element_ptr> working_;
  std::unordered_map<std::uint64_t, std::unique_ptr<open_ask>> open_;
  std::uint64_t last_id_ = 0;
  std::optional<boost::asio::steady_timer> timer_;
  clock::duration period_{};  ///< how often deadlines are checked
  bool watching_ = false;
  bool stopping_ = false;
};

/// The actor lives at least as long as this handle.
struct asio_actor_handle {
  caf::strong_actor_ptr owner;
  asio_actor* operator->() const noexcept;
  asio_actor* get() const noexcept;
};

asio_actor_handle spawn_asio_actor(caf::actor_system& system, boost::asio::io_context& context);

}  // namespace gateway::http
