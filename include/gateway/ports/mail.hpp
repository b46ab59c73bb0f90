// Ports: the content of a mail, its sealing until it is sent, its composition and its sending. http/ implements the
// last two.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/base/keyring.hpp"
#include "gateway/ports/store/mail_rows.hpp"

namespace gateway {

/// The template's name is the kind. The values fill it; which ones a template has is in http/mail/mail_texts.cpp.
struct mail_content {
  mail_kind kind = mail_kind::invitation;
  std::string to;
  std::vector<std::pair<std::string, std::string>> values;

  /// Empty if there is no such value.
  std::string_view value(std::string_view name) const noexcept;

  bool operator==(const mail_content&) const = default;
};

/// Makes the rows of mails. Their content is sealed, because it may hold a link that gives access. Exists only if mail
/// is configured. Concurrency: any thread.
class mail_sealer {
 public:
  /// `keys`: of the purpose mail_purpose.
  explicit mail_sealer(crypto::derived_keys keys) : keys_{std::move(keys)} {}

  /// Makes a mail that is due at once. `id`: for a mail that must be queued only once; empty: a new id.
  save_mail seal(const mail_content& what, time_point now, time_point expires, std::string id = {}) const;
  /// For a notice.
  save_mail seal_notice(const mail_content& what, time_point now, std::string id = {}) const {
    return seal(what, now, now + notice_lifetime, std::move(id));
  }
  /// nullopt if the content is deleted, or was sealed under a key that is not held.
  std::optional<mail_content> open(const queued_mail& mail) const;

 private:
  crypto::derived_keys keys_;
};

/// A mail as it is given to the mail server.
struct outgoing_mail {
  std::string from;  ///< addresses alone
  std::string to;
  std::string message;  ///< headers and body, lines end in CRLF
};

/// Composes a mail: a text and an HTML part.
class mail_composer {
 public:
  virtual ~mail_composer() = default;
  virtual outgoing_mail compose(const mail_content& what, std::string_view id, time_point now) const = 0;
};

struct mail_attempt {
  enum class outcome : unsigned char {
    sent,
    refused,  ///< the server refuses the recipient or the mail permanently
    failed,   ///< temporarily
  };
  outcome what = outcome::failed;
  std::string error{};  ///< for operators, without credentials and addresses
};

class mail_client {
 public:
  virtual ~mail_client() = default;

  /// Calls `done` exactly once, on a thread of the client, within mail_lease; after stop() with a failure.
  virtual void send(outgoing_mail mail, std::function<void(mail_attempt)> done) = 0;
  /// Ends the mails that are under way or wait. Call it before the actors end.
  virtual void stop() = 0;
};

}  // namespace gateway
