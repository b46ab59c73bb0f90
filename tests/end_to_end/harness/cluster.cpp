#include "cluster.hpp"

#include <algorithm>
#include <stdexcept>

#include "paths.hpp"

namespace gateway::e2e {

namespace {

void openssl(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"openssl"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (const auto made = run_command(words); made.code != 0) throw std::runtime_error("openssl: " + made.err);
}

}  // namespace

std::unique_ptr<link_proxy> proxy_of(const mysql_address& database) {
  if (!database.socket.empty()) return std::make_unique<link_proxy>(std::filesystem::path{database.socket});
  constexpr std::uint16_t usual_port = 3306;
  return std::make_unique<link_proxy>(endpoint{database.host, database.port == 0 ? usual_port : database.port});
}

mysql_address behind(const link_proxy& proxy, mysql_address database) {
  database.host = proxy.address().host;
  database.port = proxy.address().port;
  database.socket.clear();
  return database;
}

node_certificates::node_certificates() : folder_{new_folder("certificates")} {
  openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
           "/CN=nodes", "-keyout", (folder_ / "ca.key").string(), "-out", authority().string()});
}

std::filesystem::path node_certificates::certificate(const std::string& node, const std::string& use,
                                                     const std::string& name) {
  const auto made = folder_ / (node + ".pem");
  if (std::filesystem::exists(made)) return made;
  const auto request = (folder_ / (node + ".csr")).string();
  std::vector<std::string> words{"req",
                                 "-newkey",
                                 "ec",
                                 "-pkeyopt",
                                 "ec_paramgen_curve:prime256v1",
                                 "-nodes",
                                 "-subj",
                                 "/CN=" + node,
                                 "-addext",
                                 "subjectAltName=IP:127.0.0.1,DNS:" + (name.empty() ? node : name),
                                 "-keyout",
                                 key(node).string(),
                                 "-out",
                                 request};
  if (!use.empty()) words.insert(words.end(), {"-addext", "extendedKeyUsage=" + use});
  openssl(words);
  openssl({"x509", "-req", "-in", request, "-CA", authority().string(), "-CAkey", (folder_ / "ca.key").string(),
           "-CAcreateserial", "-days", "2", "-copy_extensions", "copy", "-out", made.string()});
  return made;
}

cluster::cluster(std::size_t nodes, cluster_options options)
    : options_{std::move(options)},
      folder_{new_folder("cluster")},
      database_{options_.database ? *options_.database : new_shared_database()} {
  while (nodes_.size() < nodes) add();
}

cluster::~cluster() {
  nodes_.clear();
  // A link that swallows everything keeps the node's connection open, and with it the locks of its transaction.
  links_.clear();
  if (!options_.database) drop_database(database_);
}

endpoint cluster::free_address() { return {"127.0.0.1", free_port()}; }

std::vector<std::string> cluster::arguments_of(const std::string& name, const endpoint& listens_at,
                                               const std::optional<endpoint>& reached_at) {
  const auto reported = options_.linked ? reached_at.value_or(listens_at) : free_address();
  std::vector<std::string> words{"--node=" + name,
                                 "--cluster-listen=" + listens_at.authority(),
                                 "--cluster-address=" + reported.authority(),
                                 "--cluster-certificate=" + certificates_.certificate(name).string(),
                                 "--cluster-key=" + certificates_.key(name).string(),
                                 "--cluster-ca=" + certificates_.authority().string()};
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  return words;
}

gateway_options cluster::beside() const {
  gateway_options options;
  options.store = store_kind::mysql;
  options.database = database_;
  options.provider = options_.provider;
  options.gatewayd = options_.gatewayd;
  options.arguments = {"--master-key=" + (folder_ / "master.key").string()};
  return options;
}

std::filesystem::path cluster::key_file(std::size_t at) const {
  return folder_ / (options_.own_key_files && at > 0 ? "master-" + std::to_string(at + 1) + ".key" : "master.key");
}

gateway_process& cluster::add(const std::string& name) {
  auto options = beside();
  if (const auto own = key_file(nodes_.size()); own != key_file(0)) {
    std::filesystem::copy_file(key_file(0), own);
    options.arguments = {"--master-key=" + own.string()};
  }
  // Each node prefers another member of a database that has several.
  options.database = database_.rotated(nodes_.size());
  const auto listens_at = free_address();
  std::optional<endpoint> reached_at;
  if (options_.proxied) {
    const auto& made = links_.emplace_back(links{std::make_unique<link_proxy>(listens_at), proxy_of(database_)});
    reached_at = made.to_node->address();
    options.database_link = behind(*made.to_database, database_);
  }
  const auto words =
      arguments_of(name.empty() ? "n" + std::to_string(nodes_.size() + 1) : name, listens_at, reached_at);
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  return *nodes_.emplace_back(std::make_unique<gateway_process>(std::move(options)));
}

std::string cluster::status_of(const std::string& name, std::size_t reported_by) const {
  const auto reported = nodes_.at(reported_by)->ctl({"node", "list"});
  for (const auto& row : reported["nodes"].items())
    if (row["node"] == name) return row["status"].text();
  return {};
}

bool cluster::all_up() const {
  return std::ranges::all_of(nodes_, [](const auto& node) {
    const auto reported = node->run_ctl({"node", "list"});
    if (reported.code != 0) return false;
    const auto rows = json::parse(reported.out)["nodes"].items();
    return std::ranges::all_of(rows, [](const auto& row) { return row["status"] == "up"; });
  });
}

}  // namespace gateway::e2e
