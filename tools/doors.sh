# What the front doors ./marey and ./test share: install what is missing, configure, build. Sourced by bash, not run.
# Everything is said on standard error: standard output belongs to the program.

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build_log=$root/build/log.txt

say() { printf '%s: %s\n' "$door" "$*" >&2; }
die() { say "$@"; exit 1; }

# The packages of the groups named, one per line.
packages_of() {
  local line group='' wanted=" $* "
  while IFS= read -r line; do
    line=${line%%#*}
    line=${line//[[:space:]]/}
    case $line in
      '') ;;
      '['*) group=${line//[][]/} ;;
      *) [[ $wanted == *" $group "* ]] && printf '%s\n' "$line" ;;
    esac
  done <"$root/packages.txt"
  return 0
}

missing_packages() {
  local -A installed=()
  local package
  while IFS= read -r package; do installed[$package]=1; done < <(
    packages_of "$@" | xargs dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  for package in $(packages_of "$@"); do
    [[ ${installed[$package]:-} ]] || printf '%s\n' "$package"
  done
}

# Installs what is missing of the groups named. Returns 1, with a reason, where that cannot be done.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian: taking for granted that the packages named in packages.txt are here in some form"
    return 0
  fi
  local missing as_root=()
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [[ $missing ]] || return 0
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
      as_root=(sudo)
    else
      say "these packages are missing, and only root can install them: $missing"
      say "install them with: sudo apt-get install --no-install-recommends $missing"
      return 1
    fi
  fi
  say "installing ${missing% }…"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  mkdir -p "$root/build"
  # Old package lists may still do when the network does not, so a failed update alone ends nothing.
  "${apt[@]}" update >"$build_log" 2>&1 || true
  # shellcheck disable=SC2086
  if ! "${apt[@]}" install --no-install-recommends $missing >>"$build_log" 2>&1; then
    tail -n 5 "$build_log" >&2
    say "could not install: $missing(is there a network? the log is $build_log)"
    return 1
  fi
}

# One build at a time in this tree. The lock is let go by closing it, before the program starts.
lock_build() {
  mkdir -p "$root/build" 2>/dev/null && { : >>"$root/build/.lock"; } 2>/dev/null ||
    die "something has changed since the last build, and $root/build cannot be written to"
  exec 9>>"$root/build/.lock"
  if ! flock -n 9; then
    say "waiting for another build in this folder…"
    flock 9
  fi
}
unlock_build() { exec 9>&-; }

# What a build depends on beside the sources: the processor the code is made for, and the place the tree is in.
circumstances() { { grep -m1 -E '^(flags|Features)' /proc/cpuinfo; printf '%s' "$root"; } | cksum; }

# stamp_is_fresh STAMP PATH…: the stamp was made here, and nothing under the paths has changed since. A folder's own time
# tells of files added and removed.
stamp_is_fresh() {
  local stamp=$1
  shift
  [[ -f $stamp && $(<"$stamp") == "$(circumstances)" ]] || return 1
  [[ -z $(find "$@" -newer "$stamp" -print -quit 2>/dev/null) ]]
}

configure() {
  local preset=$1 folder=$root/build/$1
  # A build folder that was copied here from elsewhere speaks of the other place.
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  (cd "$root" && cmake --preset "$preset")
}

# build PRESET TARGET…: configures and builds, quietly unless it fails. The caller holds the lock.
build() {
  local preset=$1
  shift
  mkdir -p "$root/build"
  if ! { configure "$preset" && cmake --build "$root/build/$preset" --target "$@"; } >"$build_log" 2>&1 9>&-; then
    { grep -q '^FAILED:' "$build_log" && sed -n '/^FAILED:/,$p' "$build_log" || tail -n 40 "$build_log"; } |
      head -n 40 | cut -c 1-300 >&2
    say "the build failed; the whole log is $build_log"
    return 1
  fi
}
