// Posts events to the gateway, signed as https://docs.stripe.com/webhooks/signature says, with the repetitions, delays
// and order that the test sets. A post that is not answered by 2xx is repeated.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>

#include "store.hpp"

namespace gateway::stripe_stand_in {

struct notification_settings {
  std::string url;  ///< `{mode}` in it becomes test or live; empty: events wait
  std::string secret;
  std::int64_t copies = 1;  ///< posts of each event, besides the repetitions
  std::chrono::milliseconds delay{0};  ///< of each post
  std::chrono::milliseconds scatter{0};  ///< a random further delay up to this, so that events arrive out of order
  bool silent = false;  ///< nothing is posted, and what happens meanwhile never will be
  double lose = 0;  ///< the share of events that are never posted
  double forge = 0;  ///< the share of posts with a wrong signature; they are repeated
  std::chrono::milliseconds again{200};  ///< until the first repetition; it doubles, up to 5 s
};

class notifier {
 public:
  notifier(boost::asio::io_context& context, const store& all, std::filesystem::path delivered);

  notification_settings settings;

  void seed(unsigned number) { random_.seed(number); }
  /// Queues the new events.
  void look();
  /// Posts the event once more. False if there is no such event.
  bool send(std::string_view event_id);
  /// For each event: id, type, account, about (the id of its object), posts, status of the last answer, delivered.
  boost::json::array reported() const;

 private:
  struct progress {
    int posts = 0;
    int last_status = 0;
    bool delivered = false;
  };
  struct post;

  void later(const boost::json::object& event, std::chrono::milliseconds wait, int tries);
  void enqueue(const boost::json::object& event, int tries);
  void start_next();
  void ended(const post& one, int status);

  boost::asio::io_context& context_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
  const store& all_;
  std::filesystem::path file_;
  std::ofstream delivered_file_;
  std::set<std::string> delivered_before_;
  std::size_t taken_ = 0;
  std::map<std::string, progress> progress_;
  std::deque<std::pair<boost::json::object, int>> waiting_;
  int under_way_ = 0;
  std::mt19937 random_;
};

/// `t=…,v1=…`
std::string signature_header(std::string_view secret, std::int64_t at, std::string_view body);

}  // namespace gateway::stripe_stand_in
