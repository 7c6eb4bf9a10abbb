// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import io.netty.util.TimerTask;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * The slots of a timer, in banks. Each bank is twice as large as the one before, so that a few
 * timeouts use little memory and their number is not limited.
 */
final class Banks {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int SMALLEST = 1024;
    /** Number of times that the size doubles, up to that of the largest wheel. */
    private static final int DOUBLED = 14;
    /** An array of slots, including its header, fills whole pages and regions of memory. */
    private static final int HEADER = 4;
    /** Upper limit on the banks that one await() serves. */
    private static final int AT_ONCE = 64;

    private final long tickNanos;
    private final int set;
    /** Numbers of the banks with expired timers; used by await() only. */
    private final int[] numbers = new int[AT_ONCE];
    private volatile Bank[] all = {};
    private boolean stopped;

    Banks(long tickNanos) {
        this.tickNanos = tickNanos;
        set = Native.newSet();
        if (set < 0) {
            throw new RejectedExecutionException(
                    "cannot wait for wheels: " + Native.message(set));
        }
        close(this, set);
        grow(all);
    }

    private static void close(Banks banks, int set) {
        CLEANER.register(banks, () -> Native.closeSet(set));
    }

    long now() {
        return all[0].now();
    }

    boolean inKernel() {
        return all[0].inKernel();
    }

    long pending() {
        long sum = 0;

        for (Bank bank : all) {
            sum += bank.pending();
        }
        // A timeout that is armed and cancelled during the loop may be seen as cancelled only.
        return Math.max(sum, 0);
    }

    /** Returns a timeout that has a slot and is not armed. */
    WheelTimeout place(WheelTimer timer, TimerTask task, long deadline) {
        for (;;) {
            Bank[] banks = all;

            for (int i = banks.length - 1; i >= 0; i--) {
                WheelTimeout timeout = banks[i].place(timer, task, deadline);

                if (timeout != null) {
                    return timeout;
                }
            }
            grow(banks);
        }
    }

    private synchronized void grow(Bank[] full) {
        int count = full.length;

        if (stopped) {
            throw new IllegalStateException(WheelTimer.STOPPED);
        }
        if (all != full) {
            return;
        }
        Bank bank = new Bank((SMALLEST << Math.min(count, DOUBLED)) - HEADER, tickNanos);

        bank.addTo(set, count);
        Bank[] more = Arrays.copyOf(full, count + 1);
        more[count] = bank;
        all = more;
    }

    /** Waits for expired timers and adds their timeouts by deadline; a call may add none. */
    void await(Fired fired) {
        int count = Native.await(set, numbers);
        Bank[] banks = all;

        for (int i = 0; i < count; i++) {
            // A new bank may not be in the array yet.
            if (numbers[i] < banks.length) {
                banks[numbers[i]].takeFired(fired);
            }
        }
        fired.sort();
    }

    synchronized void stop() {
        stopped = true;
        for (Bank bank : all) {
            bank.stop();
        }
    }

    void drainTo(Set<? super WheelTimeout> unprocessed) {
        for (Bank bank : all) {
            bank.drainTo(unprocessed);
        }
    }
}
