# Deliveries to nginx. Sourced by tools/bench. What must arrive, and in what time, is in tests/end_to_end/webhook_speed.cpp.

tools/install mariadb-server
tools/build end_to_end_webhook_speed

GATEWAY_NGINX=${GATEWAY_NGINX-$(tools/nginx)}
export GATEWAY_NGINX
# A database as large as one that has such backlogs: with a redo log of 64 MiB it stops everyone every few seconds to catch up.
make_stand
GATEWAY_TEST_MYSQL_URL=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G --redo-log=1G)
export GATEWAY_TEST_MYSQL_URL
GATEWAY_WEBHOOK_SPEED=whole build/end_to_end_webhook_speed
