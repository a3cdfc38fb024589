# What ./quickstart and ./test share: sourced, not run.

say() { printf '\n== %s\n' "$*"; }
die() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# The program, the library and the script that fetches a model.
build_packages=(cmake ninja-build g++ pkg-config git ca-certificates python3 python3-pip libfmt-dev
  nlohmann-json3-dev libutf8proc-dev libpcre2-dev libcli11-dev libcurl4-openssl-dev libssl-dev
  libedit-dev)

# need_packages NAME...: installs the Debian packages of the list that are missing.
need_packages() {
  command -v apt-get >/dev/null || {
    echo "No apt-get here; these Debian packages, or their like, must be installed: $*"
    return
  }
  local name missing=()
  for name in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || { echo "Nothing to install."; return; }
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "needs root or sudo for: apt-get install --no-install-recommends ${missing[*]}"
    root=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! "${root[@]}" apt-get update >"$log" 2>&1 ||
     ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
       apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    die "apt-get failed, its last lines are above"
  fi
  rm -f "$log"
}
