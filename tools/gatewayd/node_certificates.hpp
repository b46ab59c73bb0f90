// The certificates with which nodes authenticate each other.
#pragma once

#include <functional>
#include <vector>

#include "gateway/domain/node.hpp"
#include "gateway/settings.hpp"

/// Throws std::runtime_error with one line if one of the files cannot be used: a certificate that cannot be read, a key
/// that does not match it, an authority that has not signed it, or a use that does not cover both ends of a connection.
/// The check matters because CAF accepts every peer if it has no certificate. Warns if the certificate does not name
/// the node or does not state its use. From then on connections between nodes use TLS 1.3 only.
void require_node_certificates(const gateway::settings& config);

/// Throws std::runtime_error with one line if a live node does not trust this node's certificate, or this node does not
/// trust a live node's: without trust in both directions both would serve, without a link between them. Connects to
/// each node that may serve, and skips those that it cannot reach. `read_nodes` reads the rows of all nodes.
void require_trust_among_nodes(const gateway::settings& config,
                               const std::function<std::vector<gateway::node_row>()>& read_nodes);
