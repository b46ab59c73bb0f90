// Checks the gateway's promises about events and their deliveries.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gateway/directory/directory.hpp"
#include "gateway/ports/webhook_client.hpp"
#include "gateway/settings.hpp"
#include "promises.hpp"

namespace gateway::simulation {

/// What one node has learnt between its start and its crash, and must act on.
struct node_memory {
  std::map<std::int64_t, std::int64_t> versions;  ///< by delivery: its row has this version or a later one
  std::map<std::int64_t, unsigned> deaths;        ///< by delivery: how many workers died during it
  std::map<std::string, std::size_t> under_way;   ///< attempts, by URL
};

class delivery_promises {
 public:
  /// `allowance`: how far a node's clock may have been set back.
  delivery_promises(const testing::memory_store& rows, const event_encoder& encoder, const directory& published,
                    const settings& config, const duration_ms& allowance, promises& all)
      : rows_{rows}, encoder_{encoder}, published_{published}, config_{config}, allowance_{allowance}, all_{all} {}

  /// A destination was published, with the secrets that sign its posts.
  void published(const webhook_endpoint& endpoint);
  /// The row was in the table before the first node started.
  void stored(const delivery& row) { history_[row.id] = {row}; }
  /// A unit has been committed.
  void committed(const testing::unit_parts& unit);
  /// An operator has made deliveries due again: their rows have changed.
  void redelivered();
  /// A node makes an attempt, at `now` of its own clock. `serves`: it has its lease.
  void posted(node_memory& node, const outgoing_post& post, time_point now, bool serves);
  /// The receiver has received the post and accepted it, whether or not the answer arrived.
  void received(std::int64_t number) { received_.insert(number); }
  void accepted(std::int64_t number) { accepted_.insert(number); }

  bool anything_pending() const;
  /// The checks after the faults have ended, all destinations answer, and failed deliveries have been redelivered.
  void at_rest();

  static std::int64_t number_of(const outgoing_post& post);

 private:
  void check_fresh(const delivery& row, const testing::unit_parts& unit);
  void check_attempt(const delivery& from, const delivery& to);
  void check_told(const entity_key& subject, const timeline_entry& event);
  void check_post(const delivery& row, const outgoing_post& post, time_point now);

  const testing::memory_store& rows_;
  const event_encoder& encoder_;
  const directory& published_;
  const settings& config_;
  const duration_ms& allowance_;
  promises& all_;
  std::map<std::string, webhook_endpoint> endpoints_;               ///< by destination: as published last
  std::map<std::int64_t, std::vector<delivery>> history_;           ///< by number: version 1 first
  std::map<std::int64_t, std::string> bodies_;                      ///< as first sent
  std::set<std::int64_t> received_, accepted_;
};

}  // namespace gateway::simulation
