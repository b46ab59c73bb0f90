// A merchant's program, or a platform's. It creates, captures, refunds, voids and reads payments, and retries with the
// same key when it gets no answer. It sometimes gives up, sends a request twice, or reuses a key for another request. A
// platform's program also pays for customers, and charges their saved methods.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fault_rates.hpp"
#include "gateway/messages/actors.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "random_source.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

/// Sends a request to a node that the load balancer picks. The callback is not called if that node crashes.
using send_function = std::function<void(entity_request, std::function<void(entity_reply&)>)>;

/// A platform's customers, shared by all its programs.
struct customer_book {
  platform_id platform;
  std::vector<key_id> keys;  ///< its programs sign with them
  unsigned customers = 0;
  std::function<std::vector<std::string>(const std::string& ref)> saved;  ///< the methods, as stored
};

class client {
 public:
  /// `book`: a platform's; empty for the merchant's own program.
  client(std::string name, std::optional<customer_book> book, const world_plan& plan, virtual_time& time,
         random_source& random, const fault_rates& faults, promises& held, journal& log, send_function send);

  /// Whether it has sent all its requests and none waits for an answer.
  bool done() const { return left_ == 0 && !current_; }
  /// Repeats all its requests, each until it is answered.
  void ask_all_again();

 private:
  struct pending_request {
    entity_request request;
    unsigned tries = 0;
  };

  void next();
  void start(entity_request request);
  void send(unsigned copies);
  void on_reply(std::uint64_t attempt, const entity_request& request, const entity_reply& reply);
  void try_again();
  void finish();
  entity_request draw_request();
  create_payment draw_creation(std::string& content);
  charge_saved draw_charge(std::string& content);
  std::string any_ref();
  entity_key any_payment();

  std::string name_;
  std::optional<customer_book> book_;
  const world_plan& plan_;
  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  promises& promises_;
  journal& log_;
  send_function send_;
  unsigned left_;
  unsigned keys_ = 0;
  bool never_gives_up_ = false;
  std::uint64_t attempt_ = 0;  ///< answers to earlier attempts are ignored
  std::optional<pending_request> current_;
  std::vector<entity_request> past_;
  std::vector<entity_request> to_repeat_;
};

}  // namespace gateway::simulation
