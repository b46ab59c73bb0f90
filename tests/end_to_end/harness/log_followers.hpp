// Followers of the log of events, which go on through crashes, and their audit: it compares what they read with the
// stored rows, and with the posts that a webhook receiver got.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "merchant.hpp"
#include "webhook_receiver.hpp"

namespace gateway::e2e {

/// One event, as it stood in a page.
struct followed_event {
  std::string id, type, payment;
  std::string body;
};

struct follower_habits {
  std::vector<std::string> types = {};  ///< empty: all
  int wait_seconds = 0;
  int limit = 100;

  bool reads(const std::string& type) const;
};

/// Follows `next` from the oldest event on, in a thread of its own. A page whose answer is lost is requested again,
/// from any of the nodes.
class log_follower {
 public:
  log_follower(std::vector<const gateway_process*> nodes, credentials key, follower_habits habits, unsigned seed);
  ~log_follower();
  log_follower(const log_follower&) = delete;
  log_follower& operator=(const log_follower&) = delete;

  /// Events so far.
  std::size_t count() const;
  /// Ends it after at least one more page.
  void stop();

  const follower_habits& habits() const { return habits_; }
  /// Call after stop().
  const std::vector<followed_event>& events() const { return events_; }
  /// Answers other than a page, and 503. Call after stop().
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void run(unsigned seed);
  bool read_page(api& from);
  void take(const std::string& page);

  const std::vector<const gateway_process*> nodes_;
  const credentials key_;
  const follower_habits habits_;
  std::string position_;  ///< `next` of the last page, as `after`
  std::atomic<bool> stopping_{false};
  mutable std::mutex guard_;
  std::vector<followed_event> events_;
  std::vector<std::string> faults_;
  std::thread thread_;
};

using log_followers = std::vector<std::unique_ptr<log_follower>>;

/// One that reads small pages, one that reads some types, and one that waits.
log_followers three_followers(const std::vector<const gateway_process*>& nodes, const credentials& key, unsigned seed);

struct log_audit {
  std::vector<std::string> broken;  ///< broken promises; empty is good
  std::size_t events = 0;           ///< rows
};

/// Audits one environment of one merchant, whose clients have finished. Waits until the followers have caught up, and
/// ends them. Each has read every event row of its types once, nothing else, those of one payment in their order, and
/// the same bytes as the others and as the posts to /hooks.
log_audit audit_followers(const gateway_process& gateway, const merchant_account& merchant, const std::string& mode,
                          const log_followers& followers, const webhook_receiver& sink);

}  // namespace gateway::e2e
