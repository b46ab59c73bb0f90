// A merchant's program: it creates, captures, refunds, voids and looks, tries again with the same key when it is not
// answered, gives up, sends twice, and sometimes uses a key for something else.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agenda.hpp"
#include "dice.hpp"
#include "gateway/actors.hpp"
#include "journal.hpp"
#include "promises.hpp"
#include "weather.hpp"

namespace gateway::simulation {

/// How a client reaches a gateway: whichever node the balancer picks. Nothing is told if that node dies.
using send_function = std::function<void(entity_request, std::function<void(entity_reply&)>)>;

class client {
 public:
  client(unsigned number, const world_plan& plan, agenda& time, dice& random, const weather& faults, promises& held,
         journal& log, send_function send);

  /// Its script is at its end, and nothing that it still wants to know is open.
  bool done() const { return left_ == 0 && !current_; }
  /// Ask once more for everything that was ever asked for, until it is answered.
  void ask_all_again();

 private:
  struct errand {
    entity_request request;
    unsigned tries = 0;
  };

  void next();
  void start(entity_request request);
  void send(unsigned copies);
  void hear(std::uint64_t attempt, const entity_request& request, const entity_reply& reply);
  void try_again();
  void finish();
  entity_request make_up();
  entity_key any_payment();

  std::string name_;
  const world_plan& plan_;
  agenda& time_;
  dice& random_;
  const weather& faults_;
  promises& held_;
  journal& log_;
  send_function send_;
  unsigned left_;
  unsigned keys_ = 0;
  bool stubborn_ = false;
  std::uint64_t attempt_ = 0;  ///< a later one makes the answers to earlier ones no news
  std::optional<errand> current_;
  std::vector<entity_request> past_;
  std::vector<entity_request> to_repeat_;
};

}  // namespace gateway::simulation
