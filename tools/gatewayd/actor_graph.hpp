// All actors of a gateway.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "actors/directory/key_use_writer.hpp"
#include "actors/directory/resealer.hpp"
#include "actors/entity/router.hpp"
#include "actors/mail/mailer.hpp"
#include "actors/nodes/node_links.hpp"
#include "actors/process/audit_witness.hpp"
#include "actors/process/database_witness.hpp"
#include "actors/process/supervisor.hpp"
#include "actors/tracing/span_exporter.hpp"
#include "foundations.hpp"
#include "http/call/services.hpp"
#include "http/operator/console/console.hpp"

/// One worker thread for every two cores: the I/O and store threads need the rest. Work stealing would burn a third of
/// a core.
struct actor_config : caf::actor_system_config {
  explicit actor_config(const gateway::settings& of);
};

/// Spawns the actors, users after the actors that they use, and ends them in the opposite order.
class actor_graph {
 public:
  /// Throws std::runtime_error with one line; all actors have then ended. `base` must outlive this object.
  explicit actor_graph(foundations& base);
  actor_graph(const actor_graph&) = delete;
  actor_graph& operator=(const actor_graph&) = delete;

  caf::actor_system& system() { return *system_; }
  gateway::http::services& services() { return *services_; }

  /// Waits until this node may serve: every live node has published its entry in the directory's log.
  void wait_for_the_others() const;
  /// Lets the other nodes take over what this one owns, and accepts no more of their requests.
  void leave_the_others();
  /// Waits until the requests that other nodes have passed to this one are answered.
  void drain_gate(std::chrono::milliseconds longest);
  /// Records the deliveries that have been sent, so that a restart does not send them again. Does not wait for
  /// destinations that do not answer.
  void drain_dispatcher();
  /// Stores the day of each key's last use.
  void drain_key_uses();
  /// Interrupts the mail that is being sent, and records it as due.
  void drain_mail();
  /// Increments the witness of the database after the last commits (actors/process/database_witness.hpp).
  void drain_witness();
  bool running() const noexcept { return system_ != nullptr; }
  void stop();
  /// Why an essential actor has ended; empty while none has. Any thread.
  std::string failure() const;

 private:
  void spawn();
  /// All kinds of entities share one context, so that an unknown commit outcome applies to all.
  void spawn_router();
  /// Publishes this node's links at its address, for the other nodes.
  void join_the_others();
  void load_directory();
  std::unique_ptr<gateway::http::services> make_services();
  gateway::actors::sandbox_settings sandbox_pages() const;
  /// The essential actors, users before the actors that they use. They are ended in this order, so that work in
  /// progress still reaches what it needs.
  std::vector<gateway::actors::core_actor> core_actors() const;
  void supervise();
  /// Ends the process; any thread.
  void fail(std::string why);
  /// Spans that the collector does not accept within this time are lost.
  void flush_traces();
  /// No handle may outlive the actor system of its actor.
  void release();
  /// Ends the process although an actor is stuck. This breaks no promise: everything acknowledged is durable, and the
  /// next start settles open operations.
  [[noreturn]] static void end_process_without(const std::vector<std::string>& left);

  foundations& base_;
  mutable std::mutex failure_access_;
  std::string failure_;

  gateway::actors::link_table links_;
  actor_config caf_config_;
  std::unique_ptr<caf::actor_system> system_;
  gateway::store_handles store_;
  gateway::node_keeper keeper_;
  gateway::password_hasher hasher_;
  gateway::directory_actor operators_;
  gateway::actors::span_exporter exporter_;
  gateway::dispatcher_actor dispatcher_;
  gateway::router_actor router_;
  caf::actor gate_;
  caf::actor node_links_;
  gateway::reconciler_actor reconciler_;
  gateway::event_reader_actor event_reader_;
  gateway::actors::key_use_writer key_use_writer_;
  gateway::actors::resealer resealer_;
  gateway::actors::mailer_actor mailer_;
  gateway::actors::audit_witness audit_witness_;
  gateway::database_witness_actor database_witness_;
  caf::actor supervisor_;
  std::optional<gateway::http::operator_console> console_;
  std::unique_ptr<gateway::http::services> services_;
};
