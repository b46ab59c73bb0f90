// The guards of the gateway, each of which a simulation can take out.
#pragma once

namespace gateway::simulation {

/// A guard that can be removed, to test that the simulation detects it.
enum class guard {
  none,
  begin_commit,
  version_claim,
  provider_key,
  delivery_commit,
  delivery_claim,
  clock_guard,
  grant_version,  ///< a binding's row is overwritten without a check of its version
  publish_before_answer,  ///< changes of grants are published some seconds after the answer
  code_spend,  ///< an exchange does not consume the code
  customer_key,  ///< each payment makes its customer under a key of its own
  customer_first,  ///< a payment continues before its customer's row is stored
  count_once,  ///< each copy of a notification counts
  cycle_outbox,  ///< what a subscription owes to its payments is not stored with the notification
  judge_at_begin,  ///< a payment does not check at its begin whether the key that asked is still valid
  lease,  ///< a node's writers do not check its lease
  close_first,  ///< a checkout expires without being closed at its provider
  await_others,  ///< a change of the directory is answered before the other nodes have published it
  comparison,  ///< what the provider says of a payment is not compared with it
  log_bound,  ///< followers read the log of events to its furthest event, complete or not
  lane_check,  ///< a transaction commits although another node has ended its lane
  meet_others,  ///< an event's position may stand before that of an earlier event, from a node whose clock is ahead
};

}  // namespace gateway::simulation
