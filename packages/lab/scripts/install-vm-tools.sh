#!/bin/sh
# Installs what the lab's VM needs beside Node: qemu, and the tools that unpack Debian packages. The guest's kernel and
# programs are never installed: they are fetched and unpacked into the cache when a VM is first started.
set -eu
if command -v qemu-system-x86_64 >/dev/null && command -v dpkg-deb >/dev/null; then
  echo "the VM's tools are installed" >&2
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "this needs apt-get; install qemu-system-x86_64 and dpkg by hand" >&2
  exit 69
fi
if [ "$(id -u)" != 0 ]; then
  echo "run it as root: apt-get installs qemu-system-x86 and dpkg" >&2
  exit 77
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends qemu-system-x86 dpkg
