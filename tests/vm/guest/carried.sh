# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Create links to the files that tests/vm/carry copied to the directory carried. Source this file.
ln -s "$PWD/carried/usr" /usr
ln -s usr/lib /lib
ln -s usr/lib64 /lib64
export PATH="$PATH:/usr/bin:/usr/sbin"
