// Rows about the lists of events that providers keep.
#pragma once

#include <string>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/payment_records.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// The events of one account that happened before `read_to` have been read, and are durable. Replaces the position of
/// the same list.
struct save_event_position {
  provider_kind provider = provider_kind::sandbox;
  environment env = environment::test;
  std::string account;  ///< empty: the operator's own
  time_point read_to{};

  bool operator==(const save_event_position&) const = default;
};

/// An entry in the sandbox's list of events, written in the commit of the act.
struct sandbox_event {
  merchant_id merchant;
  environment env = environment::test;
  std::string event_id;
  provider_kind provider = provider_kind::sandbox;
  std::string payment_id;
  sandbox_act_kind what = sandbox_act_kind::dispute_open;
  time_point at{};

  bool operator==(const sandbox_event&) const = default;
};

}  // namespace gateway
