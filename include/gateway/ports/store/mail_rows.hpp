// Mails that wait to be sent, and the links by which a forgotten password is replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/mail.hpp"

namespace gateway {

/// A mail. It is inserted in the commit of the change that causes it.
struct queued_mail {
  std::string id;  ///< mail_<hex>, also in its Message-ID
  mail_kind kind = mail_kind::invitation;
  std::string to;
  std::string sealed;  ///< its content (gateway/ports/mail.hpp) under the master key; empty once it is not needed
  mail_status status = mail_status::pending;
  std::int64_t attempts = 0;
  time_point created_at{};
  time_point due_at{};
  time_point expires_at{};  ///< no attempt is made later
  std::optional<time_point> leased_until{};  ///< a node is sending it
  std::optional<time_point> ended_at{};      ///< sent or failed
  std::string last_error{};                  ///< of the last attempt, at most 255 bytes

  bool operator==(const queued_mail&) const = default;
};

/// Inserts the mail. The same id again is a duplicate record.
struct save_mail {
  queued_mail what;
};

/// Leases a pending mail to the node that sends it, and counts the attempt. The claim is lost if the mail is not
/// pending, or if another attempt was counted since it was read.
struct lease_mail {
  std::string id;
  std::int64_t attempts = 0;  ///< as read
  time_point until{};
};

/// The outcome of a leased attempt. The claim is lost if another attempt was counted meanwhile.
struct finish_mail {
  std::string id;
  std::int64_t attempts = 0;  ///< with this one
  mail_status status = mail_status::sent;
  time_point due_at{};                   ///< of the next attempt, while it is pending
  std::optional<time_point> ended_at{};  ///< unless it is pending
  std::string error{};
  bool keeps_content = false;  ///< otherwise the sealed content is deleted
};

/// Makes a mail due at once that has failed or waits for its next attempt. The claim is lost if it was sent, or if its
/// content is deleted.
struct retry_mail {
  std::string id;
  time_point at{};
  time_point expires{};
};

/// Deletes some of the mails that ended by then, and the contents of failed mails whose links have expired.
struct purge_mail {
  time_point ended_by{};
  time_point now{};
};

/// A link by which a person sets a new password, once. It replaces the person's earlier one. The link itself is only in
/// the mail.
struct save_password_link {
  user_id user;
  std::string hash;  ///< lower-case hex SHA-256 of the link's token
  time_point created_at{};
  time_point expires{};
};

/// The link was used. The claim is lost if it was used before, replaced, or has expired.
struct spend_password_link {
  user_id user;
  std::string hash;
  time_point at{};
};

/// Sets the first password of a person by a link that was sent by mail, so that no owner has seen it. The claim is lost
/// if the person has a password.
struct set_mailed_password {
  user_id user;
  std::string password_hash;
  time_point set_at{};
};

}  // namespace gateway
