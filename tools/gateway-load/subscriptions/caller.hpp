// Executes one subscription's steps at a time: as the platform over the API, as a customer in a browser, and as an
// operator. Several callers work at the same time. Each call waits for its answer and is counted.
#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "browser.hpp"
#include "engine/request.hpp"
#include "engine/signer.hpp"
#include "engine/tally.hpp"
#include "engine/waiting_connection.hpp"
#include "operator_client.hpp"

namespace gateway::load {

struct caller_options {
  std::filesystem::path data_dir;
  std::chrono::nanoseconds timeout;
  clock::time_point begin;  ///< of the measurement
};

/// A copy of an answer. Status 0: there was none.
struct kept_answer {
  int status = 0;
  std::string body, request_id, location;

  /// The members of the body; empty if it is no object.
  boost::json::object read() const;
  /// "409 subscription already exists", for a line that says what went wrong.
  std::string text() const;
};

class caller {
 public:
  caller(const target& to, const signer& sign, const caller_options& options);

  /// Repeats the request under its key, for up to a minute, until it gets a final answer.
  kept_answer ask(const request& what);
  /// The same without counting, to read back what is compared.
  kept_answer read(const std::string& path);
  kept_answer open_page(const std::string& url);
  kept_answer press(const std::string& button);
  /// Not repeated, because each operator's move has a further effect.
  kept_answer operate(const char* path, const boost::json::object& body);
  void forget_cookies() { browser_.forget(); }

  /// Closes the seconds that have passed; to be called last.
  void finish() {
    pass_seconds(clock::now());
    tally_.finish_second(0);
  }
  const tally& counted() const noexcept { return tally_; }

 private:
  void count(operation kind, clock::time_point sent, const answer& got);
  void pass_seconds(clock::time_point now);

  signer sign_;
  waiting_connection link_;
  browser browser_;
  ctl::operator_connection operator_;
  tally tally_;
  clock::time_point second_ends_;
  std::string wire_;
};

}  // namespace gateway::load
