# Sourced by ./deepperf, ./test and the scripts of bench/ and fuzz/, after they have set `root` to the project's folder:
# installs what is missing and builds. Everything it says goes to standard error; standard output is the program's.
# shellcheck shell=bash disable=SC2034,SC2154

# The only place that names packages (Debian 12). PACKAGE:COMMAND is not needed where the command is there all the same.
build_packages=(g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev libsimdjson-dev libicu-dev
  libsqlite3-dev libarchive-dev zlib1g-dev libtomlplusplus-dev liblinear-dev libgit2-dev pkgconf libmimalloc-dev npm:npm)
test_packages=(libgtest-dev python3 strace clang-format clang-tidy git chromium:chromium neovim:nvim python3-venv python3-yaml python3-torch fish:fish zsh:zsh)
# For tools/package: what the static program is linked with, and libraries that are compiled from Debian's sources.
package_packages=(libzstd-dev liblz4-dev libacl1-dev libssh2-1-dev libssl-dev libmbedtls-dev libhttp-parser-dev
  libpcre2-dev nettle-dev libxml2-dev liblzma-dev libbz2-dev zlib1g-dev libblas-dev python3 dpkg xz-utils)
static_sources=(fmtlib simdjson mimalloc)
bench_packages=(libtree-sitter-dev ripgrep hyperfine npm:npm python3)
fuzz_packages=(clang libclang-rt-14-dev python3-torch python3-torchvision)
assess_packages=(pylint npm:npm)
# What the pairs of the benchmark run with. Debian's default BLAS is the slow reference implementation.
record_packages=(python3-torch python3-torchvision python3-pandas python3-pil python3-matplotlib python3-faiss python3-fastapi python3-httpx
  libopenblas0 python3)

say() { printf 'deepperf: %s\n' "$*" >&2; }

fail() { # EXIT_CODE MESSAGE…
  local code=$1
  shift
  say "$@"
  exit "$code"
}

show_log() { # LOG WHAT
  say "$2 failed; the last lines of $1:"
  tail -n 40 "$1" >&2
}

# Prints those of the given packages that are not installed.
missing_packages() {
  local -A installed=()
  local state name wanted=()
  for name in "$@"; do
    [[ $name == *:* ]] && command -v "${name#*:}" >/dev/null || wanted+=("${name%:*}")
  done
  while read -r state name; do
    [[ $state == installed ]] && installed[$name]=1
  done < <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null)
  for name in "${wanted[@]}"; do
    [[ -n ${installed[$name]:-} ]] || printf '%s\n' "$name"
  done
}

# Elsewhere than on Debian we install nothing: the compiler, cmake and ninja must be there, and cmake names the rest.
require_tools() {
  local tool missing=()
  for tool in cmake ninja pkg-config; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
    missing+=("a C++20 compiler")
  ((${#missing[@]} == 0)) && return
  say "this is no Debian, so please install by hand: ${missing[*]}"
  fail 2 "and the libraries fmt, CLI11, nlohmann-json, simdjson, ICU, SQLite, libarchive, toml++, liblinear, libgit2 and, to be faster, mimalloc; npm for the HTML report; for tests also GoogleTest"
}

install_packages() { # PACKAGE…
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    require_tools
    return
  fi
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) && return
  local by_hand="apt-get install --no-install-recommends ${missing[*]}"
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || fail 2 "some packages are missing, and there is no sudo to install them with. As root, run: $by_hand"
    as_root=(sudo)
    if [[ ! -t 0 || ! -t 2 ]]; then # no terminal to type a password
      as_root=(sudo -n)
      sudo -n true 2>/dev/null || fail 2 "some packages are missing, and sudo asks for a password. Please run: sudo $by_hand"
    fi
  fi
  local log=$root/build/packages.log
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600)
  say "installing ${missing[*]}"
  # A source that cannot be reached need not be the one that has the packages: only the second step decides.
  "${apt[@]}" update >"$log" 2>&1 </dev/null || say "apt-get update had problems, trying all the same"
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    show_log "$log" "installing packages"
    fail 2 "please run: $by_hand"
  fi
}

# Runs a command with its output in a log, which is shown if it fails.
logged() { # LOG WHAT COMMAND…
  local log=$1 what=$2
  shift 2
  if ! "$@" >"$log" 2>&1 </dev/null; then
    show_log "$log" "$what"
    exit 2
  fi
}

# Configures if need be. Only the tests need more packages than the program, so they are off until ./test enables them,
# and then stay on: both scripts share one folder per preset, and none makes the other one's work undone.
configure() { # PRESET [CMAKE_ARGUMENT…]
  local folder=$root/build/$1
  local here
  here=$(cd "$root" && pwd -P)
  if [[ -e $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$here" "$folder/CMakeCache.txt"; then
    rm -rf "$folder" # the project was moved, and CMake does not take that
  fi
  local options=("${@:2}")
  [[ -e $folder/CMakeCache.txt ]] || ((${#options[@]} > 0)) || options=(-DDEEPPERF_TESTS=OFF)
  # A configuration that was broken off leaves a cache but no build.ninja.
  if ((${#options[@]} > 0)) || [[ ! -e $folder/build.ninja ]]; then
    (cd "$here" && logged "$here/build/$1-configure.log" "configuring" cmake --preset "$1" "${options[@]}") || exit
  fi
}

# One build at a time in a folder: the rest of the script holds the lock until unlock.
lock() { # NAME
  mkdir -p "$root/build" || fail 2 "cannot write to $root/build"
  exec 9>"$root/build/.lock-$1"
  command -v flock >/dev/null || return 0
  flock -n 9 && return
  say "waiting for another build of this folder"
  flock 9
}
unlock() { exec 9>&-; }
