// Several nodes over one MariaDB, each with its own certificate.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway_process.hpp"
#include "link_proxy.hpp"

namespace gateway::e2e {

/// A link to the database that can be broken.
std::unique_ptr<link_proxy> proxy_of(const mysql_address& database);
/// The same database, reached through the proxy.
mysql_address behind(const link_proxy& proxy, mysql_address database);

/// An authority, and the certificates that it signs for nodes at 127.0.0.1, made with openssl.
class node_certificates {
 public:
  node_certificates();

  /// The certificate of this node, made on the first call. `extendedKeyUsage` is the given use (empty: the certificate
  /// has none); the DNS name is the given one, or the node's.
  std::filesystem::path certificate(const std::string& node, const std::string& use = "serverAuth,clientAuth",
                                    const std::string& name = {});
  std::filesystem::path key(const std::string& node) const { return folder_ / (node + ".key"); }
  std::filesystem::path authority() const { return folder_ / "ca.pem"; }

 private:
  std::filesystem::path folder_;
};

struct cluster_options {
  std::optional<mysql_address> database = {};  ///< empty: a new one in the shared MariaDB
  std::filesystem::path provider = {};  ///< the socket of a provider_process
  std::vector<std::string> arguments = {};  ///< further options of each gatewayd
  bool proxied = false;  ///< nodes reach each other, and the database, through proxies that can break these links
  bool linked = true;  ///< false: nodes cannot reach each other, and share the database alone
  bool own_key_files = false;  ///< each node has a master key file of its own, a copy of the first node's at its start
  std::filesystem::path gatewayd = {};  ///< the version of the program that all nodes start with; empty: this build's
};

class cluster {
 public:
  /// Starts `nodes` nodes: n1, n2, …
  explicit cluster(std::size_t nodes, cluster_options options = {});
  ~cluster();

  gateway_process& operator[](std::size_t at) { return *nodes_.at(at); }
  const gateway_process& operator[](std::size_t at) const { return *nodes_.at(at); }
  std::size_t size() const { return nodes_.size(); }
  /// Starts one more node. Its name is `name`, or the next number if that is empty.
  gateway_process& add(const std::string& name = {});
  /// Options of gatewayd for a node of this name.
  std::vector<std::string> arguments_of(const std::string& name) { return arguments_of(name, free_address(), {}); }
  /// With `proxied`: the proxy for other nodes' connections to this node. Of two nodes, the one whose name sorts first
  /// connects, so the first node's proxy has no connections.
  link_proxy& node_link(std::size_t at) { return *links_.at(at).to_node; }
  /// With `proxied`: the proxy for this node's connections to the database.
  link_proxy& database_link(std::size_t at) { return *links_.at(at).to_database; }
  /// What a gateway needs to use the same database with the same master key, without its cluster options.
  gateway_options beside() const;
  const mysql_address& database() const { return database_; }
  std::filesystem::path folder() const { return folder_; }
  /// A node's master key file.
  std::filesystem::path key_file(std::size_t at) const;
  node_certificates& certificates() { return certificates_; }
  /// The node's status as the node `reported_by` reports it: up, draining or gone; empty if the node is unknown.
  std::string status_of(const std::string& name, std::size_t reported_by = 0) const;
  /// Whether each node reports that all nodes are up.
  bool all_up() const;

 private:
  struct links {
    std::unique_ptr<link_proxy> to_node, to_database;
  };

  static endpoint free_address();
  std::vector<std::string> arguments_of(const std::string& name, const endpoint& listens_at,
                                        const std::optional<endpoint>& reached_at);

  cluster_options options_;
  std::filesystem::path folder_;
  mysql_address database_;
  node_certificates certificates_;
  std::vector<links> links_;
  std::vector<std::unique_ptr<gateway_process>> nodes_;
};

}  // namespace gateway::e2e
