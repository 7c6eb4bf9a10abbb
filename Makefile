# SPDX-License-Identifier: GPL-2.0
# The targets for users and developers. The scripts that they call do the work.

KDIR	?= /lib/modules/$(shell uname -r)/build
KERNEL	?= 6.1 6.12
PREFIX	?= /usr/local

vm	:= tests/vm
# on SUITE...: each suite on all kernels of KERNEL=.
on	= $(foreach suite,$(1),$(addprefix $(suite)-,$(KERNEL)))

# Test suites are scripts of tests/vm/suites. check-NAME runs the suites of this list, or the
# suite NAME if there is no list. A line with ## is the description in make help-all. Among
# suites that run side by side, the longest comes first.
# libwheel and wheelctl call the same device on all kernels, so one of them suffices. The suite
# shared runs them and consumer on it.
last := $(lastword $(KERNEL))
standard := lib owner $(patsubst selftests-6.1,selftests-6.1-64,$(call on,selftests)) \
	shared-$(last) host kunit-uml words $(filter-out %-$(last),$(call on,consumer)) misuse-uml
## check-long	more of the standard suites, the model, mutants
check-long := host-long owner-long selftests-6.1-all model trace_check contract-6.12 container-6.12 \
	faults-coverage machine-6.12 grown selftests-6.12-rt-64 selftests-6.12-arm64 litmus series \
	mutants host-longest
## check-ci	fresh, standard, pages, counts, loaded, interrupt and more suites until LIMIT=1200 s
check-ci := fresh-hour fresh-builds $(standard) $(filter-out %-$(last),$(call on,lib wheelctl)) pages counts \
	loaded-selftests-6.12-64 interrupt host-long
## check-selftests	/dev/wheel from user space, on KERNEL="6.1 6.12"
check-selftests := $(filter selftests-%,$(standard))
## check-consumer	modules that use the exported API, on KERNEL="6.1 6.12"
check-consumer := $(call on,consumer)
## check-lib	libwheel with both backends, its examples, and the code of the documentation
check-lib := lib $(call on,lib)
## check-tool	wheelctl on /dev/wheel, on KERNEL="6.1 6.12"
check-tool := $(call on,wheelctl)
## check-kunit	the module from inside, in User-Mode Linux
check-kunit := kunit-uml
## check-clients	Redis, Netty, tokio, Asio and a server with libwheel; the qdisc
check-clients := $(call on,pacing) clients-redis clients-redis-cluster clients-redis-6.12 clients-netty \
	clients-netty-6.12 clients-netty-jars clients-alone clients-rust clients-rust-6.12 \
	clients-asio clients-server
## check-pacing	the qdisc of clients/pacing, on KERNEL="6.1 6.12"
check-pacing := $(call on,pacing)
## check-queue	wheelq: guarantees, crashes, beanstalkd's protocol, /dev/wheel, failing disks
check-queue := queue queue-6.12 queue-power
## check-debug	all suites with KASAN, lockdep and kmemleak: slow
check-debug := injected-debug misuse-debug kunit-debug selftests-debug consumer-debug \
	lib-debug wheelctl-debug pacing-debug-net
## check-faults	each allocation and each copy of each entry point fails once
check-faults := faults-coverage faults-debug pacing-debug-net
## check-machine	the module is unloaded while in use, CPUs go offline and online: half an hour
check-machine := machine-6.12-long
## check-rt	/dev/wheel, the exported API and the qdisc with PREEMPT_RT
check-rt := selftests-6.12-rt-64 consumer-6.12-rt misuse-6.12-rt pacing-6.12-rt
## check-arm64	/dev/wheel and the exported API on arm64, emulated
check-arm64 := kunit-arm64 selftests-6.12-arm64 selftests-6.12-arm64-16k consumer-6.12-arm64 \
	consumer-6.12-arm64-16k misuse-6.12-arm64 misuse-6.12-arm64-16k
## check-kcsan	races under KCSAN, after it has detected an injected one
check-kcsan := injected-kcsan kcsan pacing-kcsan-net
## check-newest	the module on the newest kernel that Debian backports; builds that kernel
check-newest := kunit-uml-newest selftests-newest consumer-newest lib-newest wheelctl-newest \
	pacing-newest-net
## check-deb	the packages: build, install, upgrade, use, purge
check-deb := deb keep-6.12
## check-container	/dev/wheel in containers of Podman
check-container := container-6.12
## check-loaded	/dev/wheel while four busy loops load this machine
check-loaded := loaded-selftests-6.12-64

all: tool module	## wheelctl, and the module for the running kernel or KDIR=

help:
	@sed -n 's/^\([a-z-]*\):.*## */\1	/p' Makefile | expand -t 18

help-all: help		## this list, and all test suites (check-%) and benchmarks (bench-%)
	@$(vm)/targets | expand -t 18

module:			## the module alone
	@$(vm)/module-for "$(KDIR)"

tool: compiler		## wheelctl alone
	$(MAKE) -C tools/wheelctl

compiler:
	@$(vm)/compiler

run:			## a demonstration: replay a recorded trace in a guest
	@$(vm)/run

check:			## the standard tests, in guests with 6.1 and 6.12 and User-Mode Linux
	@$(vm)/check $(standard)

check-ci: export LIMIT ?= 1200
check-%:
	@$(if $($@),,$(vm)/targets $@)
	@$(vm)/check $(or $($@),$*)

coverage:		## the lines and branches of the module that the tests execute
	@tests/coverage/run

fuzz:			## fuzzers of wheelctl's input and of /dev/wheel, for MINUTES= each
	@tests/fuzz/run $(MINUTES)

bench:			## the main benchmarks, with plots: build/bench/index.html; QUICK=1: 5 minutes
	@QUICK="$(QUICK)" tests/bench/run $(PARTS)

bench-compare:		## compare A= and B=, files of samples or commits
	@tests/bench/compare $(A) $(B)

# The arguments of a benchmark: those that the user has set.
bench-%:
	@$(vm)/targets $@
	@tests/bench/$*/run $(BASE) $(MAX) $(JOBS)

docs:			## the manual, as HTML in build/docs
	@Documentation/build

lint:			## all static checkers
	@tests/lint/lint

## english	wording that is not standard technical English; a hint, no test
english:
	@tests/lint/english || :

size:			## the size of each part and its soft limit
	@tests/lint/size

# Nothing is built if it cannot be installed.
writable:
	@deploy/writable "$(DESTDIR)$(PREFIX)"

install: writable all	## module, header and wheelctl, with DESTDIR= and PREFIX=; as root
	@$(vm)/module-for "$(KDIR)" "$(DESTDIR)"
	install -D -m 644 -t "$(DESTDIR)$(PREFIX)/include/linux" include/uapi/linux/wheel_timer.h
	$(MAKE) -C tools/wheelctl install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"

install-lib: writable compiler	## libwheel and its Python binding, with DESTDIR= and PREFIX=; as root
	$(MAKE) -C lib install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	$(MAKE) -C lib/examples install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"
	$(MAKE) -C lib/python install DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)"

install-dkms:		## the module with DKMS, for RELEASE= or the running kernel; as root
	@deploy/dkms $(RELEASE)

uninstall:		## remove what install and install-lib have installed; as root
	@deploy/uninstall "$(PREFIX)" "$(DESTDIR)"

## series	patches for a submission to Linux, in build/series: built, with checkpatch and KUnit
series:
	@deploy/series/run

deb:			## Debian's packages, in build/deb
	@deploy/deb

clean:			## remove all build output; kernels stay in the cache
	rm -rf build wheel_timer.ko
	$(MAKE) -C clients/asio clean
	$(MAKE) -C clients/netty clean
	$(MAKE) -C clients/pacing clean
	$(MAKE) -C clients/redis clean
	$(MAKE) -C clients/rust clean
	$(MAKE) -C clients/server clean
	$(MAKE) -C tests/host clean
	$(MAKE) -C tests/words clean
	$(MAKE) -C tests/bench/core clean
	$(MAKE) -C lib/examples clean
	$(MAKE) -C lib clean
	$(MAKE) -C tools/replay clean
	$(MAKE) -C tools/wheelctl clean
	$(MAKE) -C queue clean

# Targets are no files. A pattern rule does not apply to a .PHONY target.
.PHONY: $(filter-out check-%,$(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile))
