# Deliveries to nginx. Sourced by tools/bench. What must arrive, and in what time, is in tests/end_to_end/webhook_speed.cpp.

tools/install mariadb-server
tools/build end_to_end_webhook_speed

# Unpacked, not installed: an installed nginx would start and take port 80 of this machine.
if [ -z "${GATEWAY_NGINX-}" ]; then
  GATEWAY_NGINX=$root/build/deps/nginx/usr/sbin/nginx
  if [ ! -x "$GATEWAY_NGINX" ]; then
    mkdir -p build/deps/nginx
    (cd build/deps/nginx && apt-get download nginx >/dev/null && dpkg-deb -x nginx_*.deb . && rm nginx_*.deb) ||
      { echo "tools/bench: cannot get nginx from Debian's archive" >&2; exit 1; }
  fi
  export GATEWAY_NGINX
fi
# A database as large as one that has such backlogs: with a redo log of 64 MiB it stops everyone every few seconds to catch up.
make_stand
GATEWAY_TEST_MYSQL_URL=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G --redo-log=1G)
export GATEWAY_TEST_MYSQL_URL
GATEWAY_WEBHOOK_SPEED=whole build/end_to_end_webhook_speed
