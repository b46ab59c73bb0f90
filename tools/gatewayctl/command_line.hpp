// The command line of gatewayctl, as one request to the gateway.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include <boost/json/object.hpp>

#include "audit_calls.hpp"
#include "backup_calls.hpp"
#include "ledger_calls.hpp"
#include "recover_calls.hpp"

namespace gateway::ctl {

struct operator_call {
  std::string path;  ///< /operator/…
  boost::json::object body;
};

enum class action {
  call,         ///< carry out `call`
  report,       ///< write `report`, in as many requests as necessary
  reconcile,    ///< write `reconcile` in the same way; exit 1 unless all agree
  export_audit,  ///< write `audit_export` in the same way
  verify_audit,  ///< write `audit_verify` in the same way; exit 1 if it found a problem
  compliance,   ///< verify the audit log, ask for the installation's facts, and write what is met
  make_backup,  ///< copy the store as `backup` says
  record_backup,  ///< enter the backup that `backup` names in the audit log
  verify_backup,  ///< check the copy that `backup` names; exit 1 unless it is as it was made
  recover,  ///< carry out `recover`; exit 1 unless the database was accepted
  information,  ///< help or version: print `text` on standard output, exit 0
  usage_error,  ///< print `text` on standard error, exit 2
};

struct command_line {
  action what = action::call;
  std::filesystem::path data_dir = "data";
  bool json = false;
  operator_call call;
  report_request report;
  reconcile_request reconcile;
  audit_export_request audit_export;
  audit_verify_request audit_verify;
  backup_request backup;
  recover_request recover;
  std::string text;
};

/// `input` is standard input. --password-stdin reads a line of it, and --settings-stdin all of it.
command_line parse_command_line(int argc, const char* const* argv, std::istream& input);

}  // namespace gateway::ctl
