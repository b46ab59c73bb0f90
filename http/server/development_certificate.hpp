// A certificate for starting without a configured one: self-signed, for this machine's own names only.
#pragma once

#include "tls.hpp"

namespace gateway::http {

/// Keeps a valid pair; otherwise makes a new one (P-256; localhost, 127.0.0.1, ::1; the key's mode 0600). Throws
/// std::runtime_error with one line.
void keep_development_certificate(const tls_files& files);

}  // namespace gateway::http
