// The actor that owns merchants, keys, users, connections, routes, destinations, platforms and the settings of
// providers. It publishes grants as they are stored when a merchant is first looked up; after that the grants' own
// actors publish them.
#pragma once

#include <prometheus/gauge.h>

#include "gateway/base/keyring.hpp"
#include "gateway/base/master_key_file.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/mail.hpp"
#include "process/runs_on.hpp"

namespace gateway::actors {

/// What the directory works with. Everything referred to must outlive it.
struct directory_context {
  store_handles store;
  password_hasher hasher;
  directory& published;
  crypto::keyring& keys;
  const wall_clock& clock;
  prometheus::Gauge& known_merchants;
  /// If there may be other nodes: answers when a change is published on all of them. Null if the gateway serves alone.
  node_keeper keeper{};
  /// The source of further master keys. Null: the keys do not change.
  const master_key_source* key_source = nullptr;
  /// Null if no mail is configured.
  const mail_sealer* mails = nullptr;
};

/// Detached, because it opens the secrets of the entries that it reads, and payments of other merchants must not wait
/// for that.
directory_actor spawn_directory(caf::actor_system& system, directory_context context,
                                runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
