// The certificate of a gateway that has none configured, for this machine's own names only: an authority, which clients
// trust, and a leaf that it signs, which the server presents.
#pragma once

#include <filesystem>

#include "tls.hpp"

namespace gateway::http {

/// Keeps these files in the folder while they are valid, and makes what is missing or ends within 30 days:
/// `dev-certificate.pem`, the authority (10 years; localhost, 127.0.0.1 and ::1 only), with `dev-authority-key.pem`;
/// `dev-server.pem`, the leaf (365 days), with `dev-key.pem`. Keys are P-256, their files of mode 0600.
/// The authority stays as it is when the leaf is renewed. Returns the leaf's pair. Throws std::runtime_error with one
/// line.
tls_files keep_development_certificate(const std::filesystem::path& folder);

}  // namespace gateway::http
