// SPDX-License-Identifier: MIT
package wheel.netty;

import io.netty.util.TimerTask;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * All slots of a timer, in banks of which each is twice as large as the one before: few
 * timeouts cost little memory, and any number has room.
 */
final class Banks {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int SMALLEST = 1024;
    /** So often: then it is the largest wheel. */
    private static final int DOUBLED = 14;
    /** With its header an array of slots shall fill pages and regions of memory, no more. */
    private static final int HEADER = 4;
    /** Banks that are looked at together. */
    private static final int AT_ONCE = 64;

    private final long tickNanos;
    private final int set;
    /** Those that have something to say; for await() alone. */
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
        // Of one that is armed and cancelled meanwhile the cancel alone may be seen.
        return Math.max(sum, 0);
    }

    /** A timeout that has a slot and is not armed. */
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

    /** Sleep until timers have fired: their timeouts, by tick, or none: look again. */
    void await(Fired fired) {
        int count = Native.await(set, numbers);
        Bank[] banks = all;

        for (int i = 0; i < count; i++) {
            // The bank may be so new that it is not in the array yet.
            if (numbers[i] < banks.length) {
                banks[numbers[i]].takeFired(fired);
            }
        }
        // Those of one bank are in order already.
        if (count > 1) {
            fired.sort();
        }
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
