// Stands in front of a writer and reports each unit at the moment when its entity sends it. The writer handles it only
// after the rest of its mailbox, when more may have happened.
#pragma once

#include <functional>
#include <utility>

#include <caf/all.hpp>

#include "gateway/messages/actors.hpp"

namespace gateway::simulation {

class writer_tap final : public caf::monitorable_actor {
 public:
  using composed_function = std::function<void(const unit_of_work&)>;

  writer_tap(caf::actor_config& config, store_writer to, composed_function composed)
      : monitorable_actor{config}, to_{std::move(to)}, composed_{std::move(composed)} {}

  const char* name() const override { return "writer_tap"; }

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) override {
    if (what->content().match_elements<unit_of_work>()) composed_(what->content().get_as<unit_of_work>(0));
    caf::actor_cast<caf::abstract_actor*>(to_)->enqueue(std::move(what), host);
  }

 private:
  store_writer to_;
  composed_function composed_;
};

inline store_writer tap(caf::actor_system& system, store_writer to, writer_tap::composed_function composed) {
  caf::actor_config config;
  const auto made = caf::make_actor<writer_tap, caf::actor>(system.next_actor_id(), system.node(), &system, config,
                                                            std::move(to), std::move(composed));
  return caf::actor_cast<store_writer>(made);
}

}  // namespace gateway::simulation
