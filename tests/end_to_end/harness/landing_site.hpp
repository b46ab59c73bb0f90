// The shop's web site to which customers return: a small HTTP server on localhost that records its visits.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::e2e {

class landing_site {
 public:
  landing_site();
  ~landing_site();
  landing_site(const landing_site&) = delete;
  landing_site& operator=(const landing_site&) = delete;

  /// `http://localhost:PORT` and this path.
  std::string url(std::string_view path) const;
  std::vector<std::string> visited() const;

 private:
  struct server;
  std::unique_ptr<server> server_;
};

}  // namespace gateway::e2e
