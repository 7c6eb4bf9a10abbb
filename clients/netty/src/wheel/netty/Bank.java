// SPDX-License-Identifier: MIT
package wheel.netty;

import io.netty.util.TimerTask;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A wheel with a fixed number of slots, and the timeouts in them.
 *
 * <p>All slots are kept timers of libwheel: their words lie in memory that the wheel shares,
 * and to arm or cancel one is an exchange there, without a call.
 *
 * <p>Who takes a slot has it alone: newTimeout() until the timeout is armed; afterwards
 * whoever changes the timeout's state, cancel() or the worker. If cancel() does, the slot is
 * given back by the side that wins the exchange of its word.
 *
 * <p>Pending are those timeouts that have a slot and are not dead: so they need no count of
 * their own, at which all threads would meet.
 */
final class Bank {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    /** Slots that are taken from the wheel at once. */
    private static final int CHUNK = 1024;
    /** Timers that are taken at once when they have fired. */
    private static final int BATCH = 256;

    private final long wheel;
    private final ByteBuffer words;
    private final ByteBuffer bells;
    private final ByteBuffer nextWake;
    private final AtomicReferenceArray<WheelTimeout> timeouts;
    private final FreeSlots free;
    /** For takeFired() alone. */
    private final int[] slots = new int[BATCH];
    /** How many slots the wheel has given us. */
    private volatile int kept;
    /** Timeouts that were cancelled after their timers had fired, and still have their slots. */
    private final AtomicInteger dead = new AtomicInteger();

    Bank(int size, long tickNanos) {
        wheel = Native.open(size, tickNanos);
        check("open a wheel", wheel);
        close(this, wheel);
        words = Native.words(wheel);
        bells = Native.bells(wheel);
        nextWake = Native.nextWake(wheel);
        timeouts = new AtomicReferenceArray<>(size);
        free = new FreeSlots(size);
    }

    /** As long as anybody has a timeout of this bank its words may be touched. */
    private static void close(Bank bank, long wheel) {
        CLEANER.register(bank, () -> Native.close(wheel));
    }

    private static void check(String what, long answer) {
        if (answer == -Native.ESHUTDOWN) {
            throw new IllegalStateException(WheelTimer.STOPPED);
        }
        if (answer < 0) {
            throw new RejectedExecutionException(
                    "cannot " + what + ": " + Native.message(answer));
        }
    }

    int size() {
        return timeouts.length();
    }

    long now() {
        return Native.now(wheel);
    }

    boolean inKernel() {
        return Native.inKernel(wheel);
    }

    void addTo(int set, int number) {
        check("wait for a wheel", Native.addToSet(set, wheel, number));
    }

    /** A timeout that has a slot and is not armed, or null: there is no slot. */
    WheelTimeout place(WheelTimer timer, TimerTask task, long deadline) {
        int slot = take();

        if (slot == FreeSlots.NONE) {
            return null;
        }
        try {
            return new WheelTimeout(timer, this, slot, task, deadline);
        } catch (OutOfMemoryError full) {
            free.push(slot);
            throw full;
        }
    }

    private int take() {
        int slot = free.popOwn();

        // Slots that lie side by side share cache lines: a thread rather has new ones.
        if (slot == FreeSlots.NONE) {
            int count = kept < size() ? takeNew() : 0;

            slot = free.pop();
            if (slot == FreeSlots.NONE) {
                check("take a slot", count);
            }
        }
        return slot;
    }

    private synchronized int takeNew() {
        int count = Native.keep(wheel, kept, Math.min(CHUNK, size() - kept));

        if (count > 0) {
            for (int slot = kept + count - 1; slot >= kept; slot--) {
                free.push(slot);
            }
            kept += count;
        }
        return count;
    }

    /** How many timeouts have neither begun to run nor been cancelled. */
    synchronized int pending() {
        return kept - free.count() - dead.get();
    }

    /** False: the wheel was stopped before, and nobody else knows this timeout. */
    boolean arm(WheelTimeout timeout) {
        int slot = timeout.slot();
        long deadline = timeout.deadline();

        timeouts.lazySet(slot, timeout);
        // A full barrier: stop() finds the timeout in the array, or we find the wheel stopped.
        LONG.compareAndSet(words, slot * Long.BYTES, Native.PARKED, deadline);
        // A timeout that is no longer in the array was handed back by stop().
        boolean known = isTold(slot, deadline)
                || Native.tell(wheel, slot, deadline) != -Native.ESHUTDOWN
                || !forget(timeout);
        if (!known) {
            dead.incrementAndGet();
        }
        Reference.reachabilityFence(this);
        return known;
    }

    /** Will the wheel look at this slot, and early enough? */
    private boolean isTold(int slot, long deadline) {
        long bits = (long) LONG.getVolatile(bells, slot / Long.SIZE * Long.BYTES);

        // Never is the largest number without a sign.
        return (bits >>> slot & 1) != 0
                && Long.compareUnsigned(deadline, (long) LONG.getVolatile(nextWake, 0)) >= 0;
    }

    /**
     * A timeout was cancelled. If its timer has fired the worker gives the slot back. It may
     * have done so already; but then the next timeout there has a later deadline.
     */
    void cancelled(WheelTimeout timeout) {
        int slot = timeout.slot();

        if (LONG.compareAndSet(words, slot * Long.BYTES, timeout.deadline(), Native.PARKED)) {
            timeouts.lazySet(slot, null);
            free.push(slot);
        } else {
            dead.incrementAndGet();
        }
        Reference.reachabilityFence(this);
    }

    /** The timeouts whose timers have fired, as many as there is room for. */
    void takeFired(Fired fired) {
        int count = BATCH;

        while (count == BATCH && fired.hasRoomFor(BATCH)) {
            count = Native.take(wheel, slots);
            for (int i = 0; i < count; i++) {
                WheelTimeout timeout = timeouts.get(slots[i]);

                // It is gone if it was armed while the wheel was stopped.
                if (timeout != null) {
                    fired.add(timeout);
                }
            }
        }
    }

    /** Of such a timeout. False: it is gone since. */
    boolean forget(WheelTimeout timeout) {
        return timeouts.compareAndSet(timeout.slot(), timeout, null);
    }

    /** The slot of such a timeout, which was forgotten. */
    void giveBack(WheelTimeout timeout, boolean wasPending) {
        int slot = timeout.slot();

        LONG.compareAndSet(words, slot * Long.BYTES, Native.IDLE, Native.PARKED);
        free.push(slot);
        if (!wasPending) {
            dead.decrementAndGet();
        }
    }

    void stop() {
        Native.stop(wheel);
    }

    /** After stop(): the timeouts that were not processed are cancelled. */
    void drainTo(Collection<? super WheelTimeout> unprocessed) {
        for (int slot = 0; slot < size(); slot++) {
            WheelTimeout timeout = timeouts.getAndSet(slot, null);

            if (timeout != null && timeout.drop()) {
                unprocessed.add(timeout);
            }
        }
    }
}
