#include "network.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "gateway/messages/actors.hpp"

namespace gateway::simulation {

namespace {

using gate_answer = caf::expected<std::string>;

/// An error as it arrives: without the sender's own data.
caf::error carried(const caf::error& why) { return {why.code(), why.category(), caf::message{}}; }

/// Represents the gate of the node at the far end.
class gate_ahead {
 public:
  static inline const char* name = "gate_ahead";

  void start(caf::event_based_actor* self, network* by, network::connection_id which, std::string here) {
    self_ = self;
    by_ = by;
    which_ = which;
    here_ = std::move(here);
    there_ = by->far_from(which, here_);
  }

  /// A reachable process answers at once. No actor handles the pings, because there are so many.
  caf::result<bool> ping() {
    if (by_->passes(which_, here_)) return true;
    return self_->make_response_promise<bool>();
  }

  caf::result<std::string> pass(const std::string& bytes) {
    auto promise = self_->make_response_promise<std::string>();
    const auto number = ++last_;
    waiting_.emplace(number, promise);
    const auto answer = [this, lives = std::weak_ptr<bool>{lives_}, by = by_, which = which_, there = there_,
                         number](const gate_answer& what) {
      by->carry(which, there, "an answer between nodes", [this, lives, number, what](node_side&) {
        if (lives.expired()) return;
        arrived_.emplace_back(number, what);
        caf::anon_send(caf::actor{self_}, work_atom::value);
      });
    };
    by_->carry(which_, here_, "a request between nodes", [bytes, answer](node_side& far) {
      far.act([&](caf::event_based_actor& asks) {
        asks.request(far.gate, caf::infinite, work_atom::value, bytes)
            .then([answer](const std::string& reported) { answer(reported); },
                  [answer](const caf::error& why) { answer(carried(why)); });
      });
    });
    return promise;
  }

  void answer_first() {
    auto [number, what] = std::move(arrived_.front());
    arrived_.pop_front();
    const auto at = waiting_.find(number);
    if (at == waiting_.end()) return;  // the second answer to one request
    if (what)
      at->second.deliver(std::move(*what));
    else
      at->second.deliver(std::move(what.error()));
    waiting_.erase(at);
  }

 private:
  caf::event_based_actor* self_ = nullptr;
  network* by_ = nullptr;
  network::connection_id which_ = 0;
  std::string here_, there_;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, caf::typed_response_promise<std::string>> waiting_;
  std::deque<std::pair<std::uint64_t, gate_answer>> arrived_;
};

caf::behavior gate_ahead_behavior(caf::stateful_actor<gate_ahead>* self, network* by, network::connection_id which,
                                  std::string here) {
  self->state.start(self, by, which, std::move(here));
  return {[self](keep_atom) { return self->state.ping(); },
          [self](work_atom, const std::string& bytes) { return self->state.pass(bytes); },
          [self](work_atom) { self->state.answer_first(); }};
}

/// Represents the links of the node at the far end, to which a connecting node introduces itself.
class links_ahead {
 public:
  static inline const char* name = "links_ahead";

  void start(caf::event_based_actor* self, network* by, network::connection_id which, std::string here) {
    self_ = self;
    by_ = by;
    which_ = which;
    here_ = std::move(here);
    there_ = by->far_from(which, here_);
  }

  using introduction = caf::result<std::string, std::uint64_t, caf::actor>;

  introduction introduce(const std::string& node, const std::string& incarnation, std::uint64_t version) {
    promise_ = self_->make_response_promise<std::string, std::uint64_t, caf::actor>();
    const auto spoken = version + (by_->speak_alike(which_) ? 0 : 1);
    const auto answer = [this, lives = std::weak_ptr<bool>{lives_}, by = by_, which = which_, there = there_](
                            const std::string& process, std::uint64_t theirs) {
      const auto received = theirs + (by->speak_alike(which) ? 0 : 1);
      by->carry(which, there, "an introduction", [this, lives, process, received](node_side&) {
        if (lives.expired()) return;
        delivered_.emplace(process, received);
        caf::anon_send(caf::actor{self_}, work_atom::value);
      });
    };
    by_->carry(which_, here_, "an introduction",
               [by = by_, which = which_, there = there_, node, incarnation, spoken, answer](node_side& far) {
                 const auto gate = by->far_gate(which, there);
                 far.act([&](caf::event_based_actor& asks) {
                   asks.request(far.links, caf::infinite, join_atom::value, node, incarnation, spoken, gate)
                       .then([answer](const std::string& process, std::uint64_t theirs,
                                      const caf::actor&) { answer(process, theirs); },
                             [](const caf::error&) {});
                 });
               });
    return promise_;
  }

  void answer() {
    if (!delivered_ || !promise_.pending()) return;
    const auto gate = by_->far_gate(which_, here_);
    if (gate) promise_.deliver(delivered_->first, delivered_->second, gate);
  }

 private:
  caf::event_based_actor* self_ = nullptr;
  network* by_ = nullptr;
  network::connection_id which_ = 0;
  std::string here_, there_;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);
  std::optional<std::pair<std::string, std::uint64_t>> delivered_;
  caf::typed_response_promise<std::string, std::uint64_t, caf::actor> promise_;
};

caf::behavior links_ahead_behavior(caf::stateful_actor<links_ahead>* self, network* by, network::connection_id which,
                                   std::string here) {
  self->state.start(self, by, which, std::move(here));
  return {[self](join_atom, const std::string& node, const std::string& incarnation, std::uint64_t version,
                 const caf::actor&) { return self->state.introduce(node, incarnation, version); },
          [self](work_atom) { self->state.answer(); }};
}

caf::behavior connector_behavior(caf::event_based_actor* self, network* by, const std::string& node) {
  return {[self, by, node](caf::connect_atom, const std::string& host,
                           std::uint16_t) -> caf::result<caf::node_id, caf::strong_actor_ptr, std::set<std::string>> {
    const auto which = by->connect(node, host);
    if (which == 0) return caf::make_error(caf::sec::cannot_connect_to_node);
    const auto ahead = self->system().spawn(links_ahead_behavior, by, which, node);
    by->add(which, node, ahead);
    return {caf::node_id{}, caf::actor_cast<caf::strong_actor_ptr>(ahead), std::set<std::string>{}};
  }};
}

}  // namespace

void network::leave(const std::string& name) {
  std::vector<connection_id> broken;
  for (const auto& [which, c] : connections_)
    if (c.one == name || c.other == name) broken.push_back(which);
  for (const auto which : broken) break_(which);
  nodes_.erase(name);
}

void network::cut(const std::string& one, const std::string& other, duration_ms lasts) {
  log_.write("network", "is cut between ", one, " and ", other);
  log_.occurs("the network is cut between two nodes");
  cut_until_[std::minmax(one, other)] = time_.now() + lasts;
  if (const auto which = between(one, other)) stall(which);
}

network::connection_id network::connect(const std::string& from, const std::string& to) {
  // A node that ends still runs its actors to their end: their messages reach no node.
  if (!nodes_.contains(from) || !nodes_.contains(to) || !nodes_.at(to).runs() || is_cut(from, to)) return 0;
  if (const auto known = between(from, to)) return known;
  connections_.emplace(++last_, connection{from, to, {}, {}});
  return last_;
}

network::connection_id network::between(const std::string& one, const std::string& other) const {
  for (const auto& [which, c] : connections_)
    if (std::minmax(c.one, c.other) == std::minmax(one, other)) return which;
  return 0;
}

bool network::passes(connection_id which, const std::string& from) {
  const auto at = connections_.find(which);
  if (at == connections_.end() || at->second.stalled) return false;
  const auto far = nodes_.find(far_from(which, from));
  return far != nodes_.end() && far->second.runs();
}

bool network::speak_alike(connection_id which) const {
  const auto at = connections_.find(which);
  if (at == connections_.end()) return true;
  return nodes_.at(at->second.one).version == nodes_.at(at->second.other).version;
}

std::string network::far_from(connection_id which, const std::string& here) const {
  const auto at = connections_.find(which);
  if (at == connections_.end()) return {};  // it broke before the asking actor was started
  return here == at->second.one ? at->second.other : at->second.one;
}

void network::carry(connection_id which, const std::string& from, std::string_view what,
                    const std::function<void(node_side&)>& arrives) {
  const auto at = connections_.find(which);
  if (at == connections_.end()) return;
  const auto named = [&](std::string_view end) { return std::string{what}.append(end); };
  log_.occurs(named(" is sent"));
  if (random_.chance(faults_.connection_breaks)) {
    log_.occurs("a connection between nodes breaks");
    return break_(which);
  }
  if (random_.chance(faults_.message_lost)) stall(which);
  if (at->second.stalled) return log_.occurs(named(" is lost"));
  const auto once = [&](duration_ms delay) {
    time_.in(delay, [this, which, to = far_from(which, from), arrives] {
      if (!connections_.contains(which)) return;
      if (const auto node = nodes_.find(to); node != nodes_.end()) arrives(node->second);
    });
  };
  const bool late = random_.chance(faults_.message_late);
  if (late) log_.occurs(named(" is late"));
  once(duration_ms{random_.between(0, late ? 5'000 : 2)});
  if (!random_.chance(faults_.message_twice)) return;
  log_.occurs(named(" arrives twice"));
  once(duration_ms{random_.between(0, 5'000)});
}

caf::actor network::far_gate(connection_id which, const std::string& here) {
  const auto at = connections_.find(which);
  if (at == connections_.end()) return {};
  auto& gate = at->second.gates[here];
  if (!gate) gate = nodes_.at(here).system->spawn(gate_ahead_behavior, this, which, here);
  return gate;
}

void network::stall(connection_id which) {
  connections_.at(which).stalled = true;
  time_.in(duration_ms{random_.between(100, 6'000)}, [this, which] { break_(which); });
}

void network::break_(connection_id which) {
  const auto broken = connections_.extract(which);
  if (broken.empty()) return;
  const auto end = [](const caf::actor& at) { caf::anon_send_exit(at, caf::exit_reason::remote_link_unreachable); };
  for (const auto& [here, gate] : broken.mapped().gates) end(gate);
  for (const auto& [here, each] : broken.mapped().others) end(each);
}

bool network::is_cut(const std::string& one, const std::string& other) const {
  const auto until = cut_until_.find(std::minmax(one, other));
  return until != cut_until_.end() && time_.now() < until->second;
}

caf::actor spawn_connector(caf::actor_system& system, network& by, std::string node) {
  return system.spawn(connector_behavior, &by, std::move(node));
}

}  // namespace gateway::simulation
