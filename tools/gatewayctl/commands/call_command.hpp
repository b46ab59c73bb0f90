// Commands of gatewayctl that are one request to the gateway each. An option is declared together with the field of the
// request's body that its value fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "command_line.hpp"
#include "config/option_parser.hpp"

namespace gateway::ctl {

/// A usage error that can be found only when all options are known.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The options return what they add, so that the caller can describe and restrict it.
class call_command {
 public:
  call_command(const options::command& added, const char* path, std::istream& input, command_line& result);

  /// A required option or positional argument. An empty value is sent, too.
  options::option text(const char* name, const char* field, const std::string& help) const;
  /// Not sent if its value is empty. `initial` is sent if the option is omitted; the gateway has all other defaults.
  options::option optional_text(const char* name, const char* field, const std::string& help,
                                const std::string& initial = {}) const;
  /// One option for each value. The empty value adds no item, so that a list can be emptied.
  options::option repeated_text(const char* name, const char* field, const std::string& help) const;
  /// Values with commas between. Required.
  options::option list(const char* name, const char* field, const std::string& help) const;
  options::option optional_list(const char* name, const char* field, const std::string& help) const;
  /// A whole number; not sent if it is omitted.
  options::option optional_id(const char* name, const char* field, const std::string& help) const;
  /// Always sent, after all other fields.
  options::option number(const char* name, const char* field, const std::string& help, std::uint32_t initial) const;
  /// A required flag. Its field is what `read` makes of standard input.
  void from_input(const char* flag, const char* field, const std::string& help,
                  boost::json::value (*read)(std::istream& input)) const;
  /// A field without an option.
  void constant(const char* field, const char* value) const;

  /// Options of this command under their own heading. At least `least` and at most `most` of them must be given.
  call_command group(const char* heading, const char* help, std::size_t least, std::size_t most) const;

  using filler = std::function<void(boost::json::object& body)>;
  /// `fill` is called with the fields of the options before it. It may throw bad_input.
  void then(filler fill) const;

  /// For options that are no field of the body.
  const options::command& command() const noexcept { return added_; }

 private:
  struct request {
    std::vector<filler> fields, last_fields;
  };

  call_command(const options::command& added, std::shared_ptr<request> of, std::istream& input)
      : added_(added), request_(std::move(of)), input_(input) {}

  options::command added_;
  std::shared_ptr<request> request_;  ///< shared with the parser, which fills the body when it has parsed the command
  std::istream& input_;
};

/// A command that only groups other commands, such as `merchant`, or the program itself.
class command_group {
 public:
  command_group(const options::command& command, std::istream& input, command_line& result)
      : command_(command), input_(input), result_(result) {
    command_.require_command();
  }

  command_group group(const char* name, const char* help) const;
  /// A command that is one POST to `path`.
  call_command call(const char* name, const char* help, const char* path) const;

  const options::command& command() const noexcept { return command_; }
  command_line& result() const noexcept { return result_; }

 private:
  options::command command_;
  std::istream& input_;
  command_line& result_;
};

}  // namespace gateway::ctl
