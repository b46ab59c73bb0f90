// The unit in which tools/bench build tells what a build costs: what this source takes to compile on the same machine.
#include <boost/asio/ssl.hpp>
#include <boost/beast.hpp>
#include <boost/beast/ssl.hpp>
#include <caf/all.hpp>
