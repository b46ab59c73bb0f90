// Nodes of a world: start, crash, pause, clocks, and the network between them.

#include <algorithm>
#include <utility>

#include "world.hpp"

namespace gateway::simulation {

using namespace std::chrono_literals;

void world::start(unsigned which) {
  const auto name = "node " + std::to_string(which + 1);
  if (has_other_nodes_)
    if (const auto wait = table_.wait_for(name); wait > 0ms) return time_.in(wait, [this, which] { start(which); });
  log_.write(name, "starts");
  event_log_.started(name);
  if (has_own_directories_) load_directory(which);
  const auto process = has_other_nodes_ ? "process " + std::to_string(++processes_) : std::string{};
  if (has_other_nodes_) table_.take_name(name, process);
  nodes_[which] =
      std::make_unique<node>(node_environment{time_,
                                              random_,
                                              faults_,
                                              log_,
                                              rows_,
                                              provider_,
                                              receivers_,
                                              [this](const auto& wanted) { return disable(wanted); },
                                              plan_.config,
                                              published(which),
                                              [this, which](const unit_of_work& unit) { composed(which, unit); },
                                              encoder_,
                                              encoder_,
                                              meters_,
                                              has_platforms_ ? shelves_[which].published.get() : nullptr,
                                              encoder_,
                                              encoder_,
                                              process,
                                              wire_,
                                              table_,
                                              plan_.mixed_versions ? which % 2 : 0,
                                              clock_rates_[which],
                                              [this, which] { return publish_what_is_stored(which); }},
                             which + 1, clock_of(which), which % plan_.number_salts);
}

/// A node without its lease writes nothing that it composes.
void world::composed(unsigned which, const unit_of_work& unit) {
  if (nodes_[which] && is_away_for(*nodes_[which])) begins_without(which, unit);
  if (plan_.leases_hold() && nodes_[which] && nodes_[which]->among().serves()) grant_promises_.composed(unit);
}

/// While the node's breaker is open no operation begins at the provider.
void world::begins_without(unsigned which, const unit_of_work& unit) {
  if (unit.kind != unit_kind::begin) return;
  const testing::unit_parts parts{unit};
  const auto* row = parts.changed();
  if (row && row->provider == provider_kind::stripe)
    promises_.break_(nodes_[which]->name() + " begins " + row->key.id + " at a provider that it knows to be away");
  if (row && row->provider == provider_kind::sandbox && parts.insert_payment)
    log_.occurs("a provider that is away is passed over");
}

void world::crash(unsigned which) {
  if (!nodes_[which]) return;
  log_.write(nodes_[which]->name(), "crashes");
  nodes_[which].reset();
  ++result_.crashes;
  // The node may boot with a wrong clock.
  if (random_.chance(faults_.clock_jumps)) jump_a_clock(which);
  time_.in(duration_ms{random_.between(1, 20'000)}, [this, which] { start(which); });
}

void world::pause(unsigned which) {
  if (!nodes_[which] || nodes_[which]->paused()) return;
  auto& sleeper = *nodes_[which];
  log_.write(sleeper.name(), "pauses");
  log_.occurs("a node pauses");
  sleeper.pause();
  time_.in(duration_ms{random_.between(1, longest_node_pause.count())},
           [this, which, process = sleeper.among().incarnation()] {
             if (!nodes_[which] || nodes_[which]->among().incarnation() != process) return;
             log_.write(nodes_[which]->name(), "goes on");
             if (!nodes_[which]->among().serves()) log_.occurs("a pause outlasts a lease");
             nodes_[which]->resume();
             nodes_[which]->catch_up();
           });
}

/// Between two nodes, or between one and all others.
void world::cut_network() {
  time_.in(duration_ms{random_.between(500, 15'000)}, [this] {
    if (calm_ > 0) return;
    cut_network();
    if (!random_.chance(faults_.cuts)) return;
    const auto name = [](std::uint64_t which) { return "node " + std::to_string(which + 1); };
    const auto one = random_.below(nodes_.size());
    const auto other = (one + 1 + random_.below(nodes_.size() - 1)) % nodes_.size();
    const bool from_all = random_.chance(0.3);
    const duration_ms lasts{random_.between(1, 10'000)};
    for (std::uint64_t i = 0; i < nodes_.size(); ++i)
      if (i == other || (from_all && i != one)) wire_.cut(name(one), name(i), lasts);
  });
}

bool world::all_up() const {
  return std::ranges::all_of(nodes_, [](const auto& n) { return n && !n->paused() && n->among().serves(); });
}

std::vector<std::string> world::running_nodes() const {
  std::vector<std::string> names;
  for (const auto& n : nodes_)
    if (n && !n->paused()) names.push_back(n->name());
  return names;
}

void world::count_owners(const entity_key& key, const std::vector<node*>& up) {
  const auto think_so = std::ranges::count_if(
      up, [&](const node* n) { return !n->paused() && n->among().serves() && n->among().owns(key); });
  if (think_so > 1) log_.occurs("two nodes think that they own what is asked for");
  if (think_so == 0) log_.occurs("no node thinks that it owns what is asked for");
}

/// The directory that a node reads: the shared one if grants change; among other nodes, the one that it has published
/// itself.
const directory& world::published(unsigned which) const {
  return shelves_[which].published ? *shelves_[which].published : merchants_;
}

/// Loads the directory as at a start, and again once no commit of an earlier process can still be late.
void world::load_directory(unsigned which) {
  auto& mine = shelves_[which];
  mine = {std::make_unique<directory>(), nullptr, std::make_shared<bool>(true)};
  mine.published->publish(merchants_.find_merchant(shop().id));
  for (const auto& each : endpoints_) mine.published->publish(std::make_shared<const webhook_endpoint>(each));
  publish_providers(*mine.published);
  if (!has_platforms_) give_lasting_grants(*mine.published);
  publish_what_is_stored(which);
  time_.in(1min, [this, which, of = std::weak_ptr<bool>{mine.loaded}] {
    if (!of.expired()) publish_what_is_stored(which);
  });
  if (missing_ != guard::publish_before_answer || !has_platforms_) return;
  mine.seen = std::make_unique<directory>();
  see_grants_late(which);
}

/// How far the node's wall clock is off.
duration_ms world::clock_of(unsigned which) const { return skews_[which] + jumps_[which]; }

void world::set_a_clock() {
  const auto which = static_cast<unsigned>(random_.below(nodes_.size()));
  skews_[which] = duration_ms{random_.between(-plan_.faults.clock_skew.count(), plan_.faults.clock_skew.count())};
  log_.write("operator", "sets the clock of node ", which + 1, ": ", skews_[which].count(), " ms off");
  if (nodes_[which]) nodes_[which]->set_clock(clock_of(which));
}

/// A wrong hardware clock or time server. It is corrected before the gateway may trust it.
void world::jump_a_clock(unsigned which) {
  if (jumps_[which] != 0ms) return;
  const duration_ms size{random_.between(duration_ms{2h}.count(), longest_jump.count())};
  jump_to(which, random_.chance(0.7) ? size : -size);
  time_.in(duration_ms{random_.between(1'000, 9 * 60'000)}, [this, which] { jump_to(which, 0ms); });
}

void world::jump_to(unsigned which, duration_ms off) {
  if (jumps_[which] == off) return;
  jumps_[which] = off;
  log_.write("clock", "of node ", which + 1, " jumps: ", clock_of(which).count() / 1'000, " s off");
  if (nodes_[which]) nodes_[which]->set_clock(clock_of(which));
}

/// Rows stamped by a clock that was ahead become due when that time has come.
void world::sleep_through_jumps() {
  for (unsigned i = 0; i < plan_.nodes; ++i) jump_to(i, 0ms);
  sleep(longest_jump + 24h);
}

/// Time passes at once, while nothing is under way: no earlier read, call or commit takes so long.
void world::sleep(duration_ms how_long) {
  const auto landed = time_.now() + 2min;
  run_until([&] { return time_.now() > landed && all_up(); }, 3min, "a node does not start again");
  if (promises_.broken()) return;  // perhaps while a node is down
  time_.leap(how_long);
  for (const auto& n : nodes_) n->catch_up();
}

}  // namespace gateway::simulation
