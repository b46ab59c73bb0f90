// Sends the mails that units of work have queued (gateway/ports/store/mail_rows.hpp).
//
// Each node has one if mail is configured. Once a second it looks for due mails. It leases each mail in the database,
// so that only one node sends it, and records the outcome. A node that dies during an attempt leaves the lease, which
// ends after five minutes; the mail is then sent by another node, possibly a second time, under the same Message-ID.
#pragma once

#include <string>

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>

#include "gateway/messages/actors.hpp"
#include "gateway/ports/mail.hpp"
#include "process/clock_watch.hpp"

namespace gateway::actors {

/// Everything referred to must outlive the actor.
struct mailer_context {
  store_reader reader;
  store_writer recorder;
  clock_watch& watch;
  const mail_sealer& sealer;
  const mail_composer& composer;
  mail_client& client;
};

/// wake_atom: looks for due mails. work_atom: the client has results. drain_atom: it leases no more mails, and answers
/// when the outcomes of its attempts are recorded.
using mailer_actor =
    caf::typed_actor<caf::reacts_to<wake_atom>, caf::reacts_to<work_atom>, caf::replies_to<drain_atom>::with<bool>>;

mailer_actor spawn_mailer(caf::actor_system& system, const mailer_context& context);

}  // namespace gateway::actors
