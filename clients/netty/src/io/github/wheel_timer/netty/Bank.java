// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

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
 * <p>All slots are timers of libwheel with a word. Their words are in memory that Java shares with the
 * wheel. Arming or cancelling one is an atomic exchange of its word.
 *
 * <p>A slot has one owner: newTimeout() until the timeout is armed, then the side that changes
 * the timeout's state, cancel() or the worker. After a cancel(), the side that wins the exchange
 * of the slot's word frees the slot.
 *
 * <p>A timeout is pending if it has a slot and is not dead. The number of pending timeouts is
 * computed on demand, because a shared counter would be contended.
 */
final class Bank {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    /** Slots that one call takes from the wheel. */
    private static final int CHUNK = 1024;
    /** Upper limit on the expired timers that one call takes from the wheel. */
    private static final int BATCH = 256;

    private final long wheel;
    private final ByteBuffer words;
    private final ByteBuffer bells;
    private final ByteBuffer nextWake;
    private final AtomicReferenceArray<WheelTimeout> timeouts;
    private final FreeSlots free;
    /** Used by takeFired() only. */
    private final int[] slots = new int[BATCH];
    /** Number of slots taken from the wheel. */
    private volatile int kept;
    /** Number of timeouts that were cancelled after they had fired and still have a slot. */
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

    /** The words may be accessed while any timeout of this bank is reachable. */
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

    /** Returns a timeout that has a slot and is not armed, or null if no slot is free. */
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

        // Adjacent slots share cache lines, so new slots are better than those of another thread.
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

    /** Returns the number of timeouts that have neither begun to run nor been cancelled. */
    synchronized int pending() {
        return kept - free.count() - dead.get();
    }

    /** Returns false if the wheel was stopped before and no other thread has this timeout. */
    boolean arm(WheelTimeout timeout) {
        int slot = timeout.slot();
        long deadline = timeout.deadline();

        timeouts.lazySet(slot, timeout);
        // A full barrier: either stop() finds the timeout in the array, or the wheel is stopped.
        LONG.compareAndSet(words, slot * Long.BYTES, Native.PARKED, deadline);
        // stop() has returned every timeout that is no longer in the array.
        boolean known = isTold(slot, deadline)
                || Native.tell(wheel, slot, deadline) != -Native.ESHUTDOWN
                || !forget(timeout);
        if (!known) {
            dead.incrementAndGet();
        }
        Reference.reachabilityFence(this);
        return known;
    }

    /** Checks whether the wheel scans this slot before the deadline. */
    private boolean isTold(int slot, long deadline) {
        long bits = (long) LONG.getVolatile(bells, slot / Long.SIZE * Long.BYTES);

        // "Never" is the largest unsigned number.
        return (bits >>> slot & 1) != 0
                && Long.compareUnsigned(deadline, (long) LONG.getVolatile(nextWake, 0)) >= 0;
    }

    /**
     * Frees the slot of a cancelled timeout, unless its timer has fired. Then the worker frees
     * it. If the worker has already freed it, the slot's next timeout has a later deadline.
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

    /** Adds the timeouts whose timers have fired, up to the capacity of the argument. */
    void takeFired(Fired fired) {
        int count = BATCH;

        while (count == BATCH && fired.hasRoomFor(BATCH)) {
            count = Native.take(wheel, slots);
            for (int i = 0; i < count; i++) {
                WheelTimeout timeout = timeouts.get(slots[i]);

                // It is null if it was armed while the wheel was being stopped.
                if (timeout != null) {
                    fired.add(timeout);
                }
            }
        }
    }

    /** Removes a timeout from the array. Returns false if it was removed before. */
    boolean forget(WheelTimeout timeout) {
        return timeouts.compareAndSet(timeout.slot(), timeout, null);
    }

    /** Frees the slot of a timeout that forget() has removed. */
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

    /** Cancels and adds the unprocessed timeouts, after stop(). */
    void drainTo(Collection<? super WheelTimeout> unprocessed) {
        for (int slot = 0; slot < size(); slot++) {
            WheelTimeout timeout = timeouts.getAndSet(slot, null);

            if (timeout != null && timeout.drop()) {
                unprocessed.add(timeout);
            }
        }
    }
}
