#!/usr/bin/env bash
# Fetches Intel's current GPU compiler and current SPIR-V tools, which an older Debian does not have, into a folder of their own:
# Debian sid's packages with the libraries they need, unpacked beside the system, which stays as it is.  Needs no root.
#
#   tools/fetch_gpu_compiler.sh FOLDER      then put FOLDER/bin on PATH
#
# Makes FOLDER/bin/{ocloc,iga64,spirv-val,spirv-dis,spirv-as,spirv-opt} and FOLDER/VERSIONS, the packages they came from (sid moves);
# beside them FOLDER/bin/ocloc-12504, Debian 12's compiler, which stands for older drivers.
# Takes about 20 s, 450 MB of disk; needs the package source of the Debian it runs on.
set -euo pipefail
[ $# = 1 ] && [ "${1#-}" = "$1" ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }

PACKAGES=(intel-ocloc libigc2 libigdfcl2 libigc2-tools spirv-tools libc6 libstdc++6 libgcc-s1 zlib1g libzstd1)
# Of Debian 12 (bookworm): IGC 1.0.12504 with the libraries that it loads.
OLDER=(intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libllvm14 libllvmspirvlib14)
TOOLS=(ocloc iga64 spirv-val spirv-dis spirv-as spirv-opt)

mkdir -p "$1"
folder=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The archive that this system's own packages come from.
archive() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | awk '/\/debian\/*$/ { print; exit }'; }

# apt-get with lists, cache and sources of its own, so that the system's stay untouched.
private_apt() {
  apt-get -q -o Dir::Etc::sourcelist="$scratch/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$scratch/lists" \
    -o Dir::Cache="$scratch/cache" -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User= \
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false "$@"
}

download() {
  local uri
  uri=$(archive)
  [ -n "$uri" ] || { echo "$0: this system has no Debian package source" >&2; exit 1; }
  mkdir -p "$scratch"/{lists,cache/archives}/partial "$scratch"/{debs,older}
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$uri" sid "$uri" bookworm >"$scratch/sources.list"
  private_apt update >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
  (cd "$scratch/debs" && private_apt download "${PACKAGES[@]/%//sid}" >"$scratch/log" 2>&1) || { cat "$scratch/log" >&2; exit 1; }
  (cd "$scratch/older" && private_apt download "${OLDER[@]/%//bookworm}" >"$scratch/log" 2>&1) || { cat "$scratch/log" >&2; exit 1; }
}

unpack() {
  local deb
  for deb in "$scratch"/debs/*.deb; do dpkg -x "$deb" "$folder"; done
  for deb in "$scratch"/older/*.deb; do dpkg -x "$deb" "$folder/older"; done
  (cd "$scratch/debs" && printf '%s\n' *.deb ../older/*.deb) >"$folder/VERSIONS"
}

# sid's libraries are newer than the system's C library: each tool runs under the loader that came with them.
write_wrapper() {
  local libraries=$folder/usr/lib/x86_64-linux-gnu program=$folder/usr/bin/$1
  # Debian's link from ocloc to the versioned program is absolute, so it leads out of the folder.
  [ "$1" != ocloc ] || program=$(printf '%s\n' "$folder"/usr/bin/ocloc-[0-9]* | sort -V | tail -1)
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$libraries/ld-linux-x86-64.so.2" "$libraries" "$program" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}

# Its own system's: this one's loader and C library serve it.
write_older_wrapper() {
  local libraries=$folder/older/usr/lib/x86_64-linux-gnu
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@" --format zebin\n' "$libraries" "$folder/older/usr/bin/ocloc" >"$folder/bin/ocloc-12504"
  chmod +x "$folder/bin/ocloc-12504"
}

download
unpack
mkdir -p "$folder/bin"
for tool in "${TOOLS[@]}"; do write_wrapper "$tool"; done
write_older_wrapper
"$folder/bin/spirv-val" --version >/dev/null
cat "$folder/VERSIONS"
