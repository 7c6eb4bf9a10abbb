# SPDX-License-Identifier: GPL-2.0
# The front door: what one may ask for. How it is done stands in the scripts.

KDIR	?= /lib/modules/$(shell uname -r)/build
KERNEL	?= 6.1 6.12
PREFIX	?= /usr/local

vm	:= tests/vm
suites	:= $(addprefix selftests-,$(KERNEL)) $(addprefix lib-,$(KERNEL)) \
	$(addprefix wheelctl-,$(KERNEL)) $(addprefix consumer-,$(KERNEL))
# Of what runs side by side the longest comes first.
rungs	:= $(suites:selftests-6.1=selftests-6.1-64) host kunit-uml misuse-uml payer lib kept
long	:= host-long selftests-6.1-all model witness contract-6.12 container-6.12 \
	faults-coverage machine-6.12 selftests-6.12-rt-64 selftests-6.12-arm64 litmus \
	mutants host-longest
# Of these, those that end soon after they began.
ci	:= host-long selftests-6.1-all model witness

all: tool module	## wheelctl, and the module for the running kernel or KDIR=

help:			## this list
	@sed -n 's/^\([a-z-]*\):.*## */\1	/p' Makefile | expand -t 18

module:			## the module alone
	@$(vm)/module-for "$(KDIR)"

tool: compiler		## wheelctl alone
	$(MAKE) -C tools/wheelctl

compiler:
	@$(vm)/compiler

run:			## see it work: a recorded trace replayed in a guest
	@$(vm)/run

run-queue:		## see wheelq work: delayed jobs that survive a crash
	@$(vm)/bring queue
	@$(MAKE) -s -C tools/wheelq demo

check:			## every test, in guests on 6.1 and 6.12 and in User-Mode Linux
	@$(vm)/check $(rungs)

check-long:		## what takes longer: more of the same, the model, planted bugs
	@$(vm)/check $(long)

check-ci:		## check, check-fresh, and some of check-long if it begins in time
	@LIMIT=1200 $(vm)/check fresh $(rungs) $(ci)

check-fresh:		## make run and each build on a Debian with nothing on it; as root
	@$(vm)/check fresh

check-host:		## the wheel's core, in user space
	@$(vm)/check host

check-kunit:		## the module from inside, in User-Mode Linux
	@$(vm)/check kunit-uml

check-selftests:	## /dev/wheel from user space, on KERNEL="6.1 6.12"
	@$(vm)/check $(filter selftests-%,$(suites))

check-consumer:		## another module on the exported API, on KERNEL="6.1 6.12"
	@$(vm)/check $(filter consumer-%,$(suites))

check-lib:		## libwheel, on both of its backends
	@$(vm)/check lib $(filter lib-%,$(suites))

check-kept:		## kept timers on a clock that is ours: tortured, and under load
	@$(vm)/check kept

check-payer:		## what others feel of timers, in counted instructions
	@$(vm)/check payer

check-tool:		## wheelctl on /dev/wheel, on KERNEL="6.1 6.12"
	@$(vm)/check $(filter wheelctl-%,$(suites))

check-clients:		## other programs on libwheel: Redis, Netty, libuv
	@$(vm)/check $(foreach client,redis netty,clients-$(client) clients-$(client)-6.12) clients-netty-jars clients-libuv

check-queue:		## wheelq: promises, crashes, beside beanstalkd, on /dev/wheel, bad disks
	@$(vm)/check queue queue-6.12 queue-power

check-debug:		## all of it under KASAN, lockdep and kmemleak: slow
	@$(vm)/check planted-debug misuse-debug kunit-debug selftests-debug consumer-debug \
		lib-debug wheelctl-debug

check-faults:		## each allocation and each copy of each entry point fails once
	@$(vm)/check faults-coverage faults-debug

check-machine:		## the module unloaded under its users, CPUs going and coming, for long
	@$(vm)/check machine-6.12-long

check-litmus:		## the races that comments draw, by the kernel's memory model; takes herd7
	@$(vm)/check litmus

check-rt:		## /dev/wheel and modules on the exported API, with PREEMPT_RT
	@$(vm)/check selftests-6.12-rt-64 consumer-6.12-rt misuse-6.12-rt

check-arm64:		## the same on arm64, emulated
	@$(vm)/check kunit-arm64 selftests-6.12-arm64 selftests-6.12-arm64-16k consumer-6.12-arm64 \
		consumer-6.12-arm64-16k misuse-6.12-arm64 misuse-6.12-arm64-16k

check-secureboot:	## signed shim, GRUB and kernel: a key is enrolled, the module loads
	@$(vm)/check secureboot

check-kcsan:		## tests that make races, under KCSAN; first it must see a planted one
	@$(vm)/check planted-kcsan kcsan

coverage:		## which lines and branches of the module the tests execute, by file
	@tests/coverage/run

fuzz:			## fuzzers of the core, of what wheelctl reads and of /dev/wheel, each for MINUTES=
	@tests/fuzz/run $(MINUTES)

check-newest:		## on the newest kernel that Debian backports; builds it
	@$(vm)/check kunit-uml-newest selftests-newest consumer-newest \
		lib-newest wheelctl-newest

check-mutants:		## does each planted bug turn its test red?
	@$(vm)/check mutants

check-deb:		## the packages: built twice, installed, used, purged; for CI, not in check
	@$(vm)/check deb keep-6.12

check-container:	## /dev/wheel in containers of Podman
	@$(vm)/check container-6.12

check-intree:		## as a driver of a kernel's own tree: kunit.py, clang, sparse
	@$(vm)/check intree

check-model:		## the touch protocol: a model of it, exhaustively
	@$(vm)/check model

bench:			## every benchmark, drawn: build/bench/index.html; QUICK=1: in 5 minutes
	@QUICK="$(QUICK)" tests/bench/run $(PARTS)

bench-compare:		## what a change costs: A= and B=, files of samples or commits
	@tests/bench/compare $(A) $(B)

bench-counted:		## the core's instructions, against where this branch left main
	@tests/bench/counted/run $(BASE)

bench-library:		## the instructions of a call of libwheel, on its own wheel
	@tests/bench/library/run

bench-loop:		## how late an event loop learns of its timers, and how often it wakes
	@tests/bench/loop/run

bench-here:		## on this machine's own kernel, as root; loads the module
	@tests/bench/here/run $(MAX)

bench-latency:		## how late a real-time task wakes up beside a busy wheel
	@tests/bench/latency/run

bench-load:		## a busy server with kept timers: what it costs, what its wheel hears
	@tests/bench/load/run
	@$(MAKE) -s -C tests/kept load

bench-kernel:		## in the kernel, beside the kernel's own timers
	@tests/bench/kernel/run

bench-core:		## the pure core on the host, beside other libraries
	@$(vm)/bring bench || true
	@$(MAKE) -s -C tests/bench/core run

bench-user:		## from user space, beside timerfd, POSIX timers, io_uring, a heap
	@tests/bench/user/run $(MAX)

bench-echo:		## an echo server with libwheel, timerfd and libevent, in a guest, too
	@$(vm)/bring lib bench || true
	@$(MAKE) -s -C tools/examples bench
	@tests/bench/echo/run

bench-clients:		## Redis, Netty, libuv and a libevent server, with and without libwheel
	@$(vm)/bring redis netty libuv bench bench-counted
	@$(MAKE) -s -C clients/redis bench
	@$(MAKE) -s -C clients/netty bench cold
	@$(MAKE) -s -C clients/libuv bench
	@$(MAKE) -s -C clients/server bench counted

bench-queue:		## wheelq beside beanstalkd, both durable, with JOBS=200000 delayed
	@$(vm)/bring queue queue-check
	@$(MAKE) -s -C tools/wheelq bench JOBS=$(JOBS)

docs:			## the manual, as HTML in build/docs
	@Documentation/build

lint:			## every checker, at zero
	@tests/lint/lint

install: all		## module, headers and tool, under DESTDIR= and PREFIX=
	@$(vm)/module-for "$(KDIR)" "$(DESTDIR)"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/include/linux" include/uapi/linux/wheel_timer.h
	$(MAKE) -C tools/wheelctl install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"

install-lib: compiler	## libwheel and its Python binding, under DESTDIR= and PREFIX=
	$(MAKE) -C tools/libwheel install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	$(MAKE) -C tools/examples install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	$(MAKE) -C tools/python install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"

install-dkms:		## the module into DKMS's care, for RELEASE= or the running kernel
	@deploy/dkms $(RELEASE)

deb:			## Debian's packages, in build/deb
	@deploy/deb

clean:			## what was built here; the kernels stay in their cache
	rm -rf build wheel_timer.ko
	$(MAKE) -C clients/libuv clean
	$(MAKE) -C clients/netty clean
	$(MAKE) -C clients/redis clean
	$(MAKE) -C clients/server clean
	$(MAKE) -C tests/host clean
	$(MAKE) -C tests/kept clean
	$(MAKE) -C tests/bench/core clean
	$(MAKE) -C tests/bench/loop clean
	$(MAKE) -C tests/bench/user clean
	$(MAKE) -C tools/examples clean
	$(MAKE) -C tools/libwheel clean
	$(MAKE) -C tools/replay clean
	$(MAKE) -C tools/wheelctl clean
	$(MAKE) -C tools/wheelq clean

# None of them is a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
