# The files that `cmake --install` installs, and the Debian package that CPack makes of them. tools/package calls both; it first writes
# the manual pages and the changelog to build/package/share.
include(GNUInstallDirs)

set(package payments-gateway)
set(package_docs ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package})

# GNU strip removes the read-only relocations (GNU_RELRO) of programs that lld has linked; the strip of elfutils keeps them.
set(CMAKE_STRIP eu-strip)
install(TARGETS gatewayd gatewayctl gateway-load gateway-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES README.md DESTINATION ${package_docs})
install(DIRECTORY docs DESTINATION ${package_docs})
install(FILES config/gateway.example.toml DESTINATION ${package_docs}/examples)
install(FILES config/package/copyright DESTINATION ${package_docs})
install(FILES config/package/gateway-cli.bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions RENAME gateway-cli)
install(FILES config/grafana-dashboard.json config/prometheus-alerts.yml DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${package})
install(DIRECTORY ${CMAKE_BINARY_DIR}/package/share/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} OPTIONAL)

# The unit contains the program's path, which is known only now. Its head comment is removed: it is for manual installation.
install(CODE "set(source \"${CMAKE_CURRENT_SOURCE_DIR}\")")
install(CODE [[
  file(READ "${source}/config/gatewayd.service" unit)
  string(FIND "${unit}" "[Unit]" begin)
  string(SUBSTRING "${unit}" ${begin} -1 unit)
  string(REPLACE "/usr/local/" "${CMAKE_INSTALL_PREFIX}/" unit "${unit}")
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/systemd/system/gatewayd.service" "${unit}")
]])

# The settings belong to the operator: an installation without the package keeps existing ones.
install(CODE [[
  set(settings "$ENV{DESTDIR}/etc/gateway/gateway.toml")
  if(NOT EXISTS "${settings}")
    file(READ "${source}/config/gateway.example.toml" text)
    set(unset "\n#data-dir = \"data\"\n")
    string(FIND "${text}" "${unset}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "config/gateway.example.toml has no line for data-dir that could be replaced")
    endif()
    string(REPLACE "${unset}" "\ndata-dir = \"/var/lib/gateway\"\n" text "${text}")
    string(REPLACE "--config-file=FILE" "--config-file=/etc/gateway/gateway.toml" text "${text}")
    file(WRITE "${settings}" "${text}")
  endif()
]])

# ---- the package -----------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ${package})
set(CPACK_PACKAGE_VENDOR "Payments gateway")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION}) # tools/package adds the commit
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "server that takes payments, each exactly once")
set(CPACK_PACKAGE_DESCRIPTION
"Takes card and wallet payments over HTTPS and JSON, for merchants that
sign their requests and for platforms that act for them. What a client
was told is on disk, nothing is charged twice, and every event reaches
its webhooks, whatever fails in the middle.
.
Beside the server gatewayd there are gatewayctl, which tells a running
gateway what to do, gateway-load, which loads one and checks what it
did, gateway-cli, with which integrators call one, and a dashboard for
Grafana. Data is kept in an embedded store, or
in a MariaDB or MySQL that several gateways share.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(GATEWAY_PACKAGE_MAINTAINER "Payments gateway <maintainers@payments-gateway.invalid>" CACHE STRING "Who answers for the Debian package")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${GATEWAY_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Providers' certificates are checked against the system's authorities.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, ca-certificates, tzdata")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "mariadb-server, prometheus, sqlite3")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/postinst;${CMAKE_CURRENT_LIST_DIR}/prerm;${CMAKE_CURRENT_LIST_DIR}/postrm;${CMAKE_CURRENT_LIST_DIR}/conffiles")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Files outside of the prefix, under /etc, are staged too.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
include(CPack)
