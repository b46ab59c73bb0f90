// The audit after the crash tests: it compares the answers that clients got with the gateway's answers now, the stored
// rows and the provider's ledger, row by row.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "load.hpp"

namespace gateway::e2e {

/// The merchant's operations and commands that are still open after that time.
std::vector<std::string> left_open(const gateway_process& gateway, const merchant_account& merchant,
                                   std::chrono::seconds within = hang_timeout);

/// What is wrong with the gateway's ledger of a merchant, by payment: entries that do not add up, duplicate entries,
/// and payments whose row contradicts their entries.
std::vector<std::pair<std::string, std::string>> faults_of_ledger(const gateway_process& gateway,
                                                                  const std::string& merchant);

/// Every broken promise; empty is good. `records` are all requests that were made with the merchant's keys.
std::vector<std::string> audit(const gateway_process& gateway, const std::filesystem::path& ledger,
                               const merchant_account& merchant, const std::vector<payment_record>& records);

}  // namespace gateway::e2e
