# What tools/mariadb and tools/tidb share: one server in one folder, which callers start, find running, stop or kill. To be sourced.
#
# A tool sets `dir` (the folder), `pid_file`, `mark` (words of its command line that no other server has) and `server_command`.

usage() {
  sed -n "${usage_lines}s/^# *//p" "$0" >&2
  exit 2
}

fail() {
  echo "tools/$(basename "$0"): $*" >&2
  exit 1
}

running() {
  local pid
  # After a kill the file remains, and its process id may belong to another process: only a server of this folder counts.
  pid=$(cat "$pid_file" 2>/dev/null) && [ -n "$pid" ] && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$mark"
}

# Callers take the lock one at a time: a second caller waits and then finds the server running.
lock() {
  # A starting server removes all temporary tables from its tmpdir, even another server's, so each folder has its own.
  mkdir -p "$dir/tmp"
  chmod 700 "$dir"
  exec 9>"$dir/lock"
  flock 9
}

# launch READY [OPTION…]: starts the server that was prepared, and waits until READY succeeds.
launch() {
  local ready=$1
  shift
  setsid "${server_command[@]}" "$@" </dev/null >/dev/null 2>>"$dir/error.log" 9>&- &
  local server=$! deadline=$((SECONDS + 60))
  [ -z "$writes_pid" ] || echo "$server" >"$pid_file"
  until "$ready"; do
    kill -0 "$server" 2>/dev/null || fail "it did not start: $(tail -n 3 "$dir/error.log")"
    [ $SECONDS -lt $deadline ] || fail "it did not start within 60 s (see $dir/error.log)"
    sleep 0.05
  done
}

# The server in the foreground, in place of this script.
run() {
  lock
  ! running || fail "it runs already in $dir"
  prepare
  # No core file: it would fill a disk that is already full.
  ulimit -c 0
  [ -z "$writes_pid" ] || echo $$ >"$pid_file"
  exec "${server_command[@]}" </dev/null 9>&-
}

end_by() {
  running || return 0
  local pid deadline=$((SECONDS + 60))
  pid=$(cat "$pid_file")
  kill "$1" "$pid"
  while kill -0 "$pid" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "process $pid does not end"
    sleep 0.05
  done
  rm -f "$pid_file" "$socket"
}

program() {
  local name
  for name in "$@"; do
    command -v "$name" && return
    [ -x "/usr/sbin/$name" ] && echo "/usr/sbin/$name" && return
  done
  fail "no $1 found: install mariadb-server"
}

answers() {
  "$(program mariadb-admin mysqladmin)" --no-defaults --socket="$socket" --user=gateway --password=gateway ping >/dev/null 2>&1
}

start() {
  lock
  if ! running; then
    prepare
    # The databases and users are made before the first connection is accepted, so the first client finds them.
    launch answers
  fi
  url
}

url_of_socket() {
  local path
  path=$(sed 's/%/%25/g; s/ /%20/g; s/&/%26/g; s/+/%2B/g; s/#/%23/g' <<<"$socket")
  echo "mysql://gateway:gateway@localhost${port:+:$port}/gateway?socket=$path"
}

choose_socket() {
  socket=$dir/mysql.sock
  # The kernel limits the length of a socket's path, so a deeper folder gets its socket under /tmp.
  if [ ${#socket} -gt 100 ]; then socket=/tmp/gateway-$(sha256sum <<<"$dir" | cut -c1-16).sock; fi
}

# SQL that makes the user `gateway`, who owns the database `gateway` and every database named gateway_*.
user_and_database() {
  local host
  for host in localhost %; do
    echo "CREATE USER IF NOT EXISTS 'gateway'@'$host' IDENTIFIED BY 'gateway';"
    echo "GRANT ALL ON \`gateway\`.* TO 'gateway'@'$host';"
    echo "GRANT ALL ON \`gateway\\_%\`.* TO 'gateway'@'$host';"
  done
  echo "CREATE DATABASE IF NOT EXISTS gateway CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"
}
