# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The files that tests/vm/carry brought into the folder carried are where they were. Source it.
ln -s "$PWD/carried/usr" /usr
ln -s usr/lib /lib
ln -s usr/lib64 /lib64
export PATH="$PATH:/usr/bin:/usr/sbin"
