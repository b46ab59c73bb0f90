// A stand-in for the operator's mail server: it speaks SMTP (RFC 5321) on 127.0.0.1, keeps the mails that it accepts,
// and refuses by a script.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../base/hang_timeout.hpp"

namespace gateway::e2e {

/// A mail that was accepted.
struct received_mail {
  std::string from;
  std::string to;
  std::string raw;   ///< headers and body, lines end in LF
  std::string text;  ///< the decoded text/plain part
  std::string html;  ///< the decoded text/html part

  /// The value of a header, unfolded; empty if there is none.
  std::string header(std::string_view name) const;
  /// The first link in the text that begins with this; throws if there is none.
  std::string link(std::string_view beginning) const;
};

class mail_server {
 public:
  /// With a user, a client must sign in with AUTH before it sends.
  explicit mail_server(std::string user = {}, std::string password = {});
  ~mail_server();
  mail_server(const mail_server&) = delete;
  mail_server& operator=(const mail_server&) = delete;

  /// `smtp://127.0.0.1:PORT`, with user and password if there are any.
  std::string url() const;
  /// The reply to RCPT TO for this address, such as `550 5.1.1 no such user`; an empty reply accepts it. Called on the
  /// server's thread.
  void answers(std::function<std::string(const std::string& to)> reply_to_recipient);

  /// In order of arrival.
  std::vector<received_mail> mails() const;
  /// To this address, with this in the subject.
  std::vector<received_mail> mails(std::string_view to, std::string_view subject) const;
  /// Waits for the n-th (from 1) such mail; throws if it does not arrive in time.
  received_mail wait_for(std::string_view to, std::string_view subject, std::size_t number = 1,
                         std::chrono::milliseconds within = tests::hang_timeout) const;
  /// How many recipients have been offered, accepted or not.
  std::size_t offered() const;

 private:
  struct memory;
  struct server;

  std::string user_, password_;
  std::shared_ptr<memory> memory_;
  std::unique_ptr<server> server_;
};

}  // namespace gateway::e2e
