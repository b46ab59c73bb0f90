-- Sends pre-signed requests from files, one file for each thread, as fast as wrk can. The files are read beforehand, so that a
-- request costs one table look-up during the measurement.
--
--   wrk -t2 -s replay.lua URL -- FILES once|again
--
-- once: each request is sent once. When they run out, requests of /healthz are sent and the run is marked as exhausted.
-- again: after the last request the first one is sent again.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

local requests, last, at = {}, 0, 0
local filler = "GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n"
exhausted = 0

function init(args)
  local file = assert(io.open(args[1] .. "." .. number, "rb"))
  local text = file:read("*a")
  file:close()
  local from = 1
  while true do
    local to = text:find("\0", from, true)
    if not to then break end
    last = last + 1
    requests[last] = text:sub(from, to - 1)
    from = to + 1
  end
  text = nil
  collectgarbage()
  repeats = args[2] == "again"
end

function request()
  at = at + 1
  if at > last then
    if not repeats then
      exhausted = 1
      return filler
    end
    at = 1
  end
  return requests[at]
end

-- One line for tools/bench: requests, microseconds, p50 and p99 in microseconds, bad statuses, broken connections, exhausted.
function done(summary, latency)
  local spent = 0
  for _, thread in ipairs(threads) do spent = spent + thread:get("exhausted") end
  local errors = summary.errors
  print(string.format("measured %d %d %d %d %d %d %d", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
                      errors.status, errors.connect + errors.read + errors.write + errors.timeout, spent))
end
