// The certificates by which nodes know each other.
#pragma once

#include "gateway/settings.hpp"

/// Throws std::runtime_error, with one line, if one of the files cannot be used: a certificate that cannot be read, a
/// key of another one, an authority that has not signed it, a use that does not cover both ends of a connection:
/// without a certificate CAF would let everybody in. Warns of a certificate that does not name the node, or says
/// nothing of its use. From then on connections between nodes are made with TLS 1.3 only.
void require_node_certificates(const gateway::settings& config);
