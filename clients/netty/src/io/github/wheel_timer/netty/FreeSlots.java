// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The free slots of a bank, in stacks, so that the next timeout gets a slot whose memory is
 * still in the cache. Each thread uses its own stack to avoid contention, and pops from the
 * other stacks only if all else is empty.
 */
final class FreeSlots {
    static final int NONE = -1;
    private static final long NUMBER = 0xffffffffL;
    private static final int STACKS = 16;
    /** Distance between two heads, so that they share no cache line. */
    private static final int DISTANCE = 16;

    /**
     * The number of the first slot of each stack. The upper half counts the changes, because a
     * stack with an unchanged first slot may have changed.
     */
    private final AtomicLongArray heads = new AtomicLongArray((STACKS + 1) * DISTANCE);
    /** The number of the slot below; the upper half is the number of slots below. */
    private final long[] below;

    FreeSlots(int count) {
        below = new long[count];
        for (int stack = 0; stack < STACKS; stack++) {
            heads.set(head(stack), NONE & NUMBER);
        }
    }

    /** Pops from this thread's own stack. */
    int popOwn() {
        return pop(ours());
    }

    /** Pops from any stack. */
    int pop() {
        int own = ours();
        int slot = pop(own);

        for (int i = 1; slot == NONE && i < STACKS; i++) {
            slot = pop(own + i);
        }
        return slot;
    }

    private int pop(int stack) {
        int head = head(stack);
        long old;
        int slot;

        do {
            old = heads.get(head);
            slot = (int) old;
            if (slot == NONE) {
                return NONE;
            }
            // If another thread was faster, this value is wrong and the exchange fails.
        } while (!heads.compareAndSet(head, old, pair(changes(old), (int) below[slot])));
        return slot;
    }

    void push(int slot) {
        int head = head(ours());
        long old;

        do {
            old = heads.get(head);
            below[slot] = pair(count(old), (int) old);
        } while (!heads.compareAndSet(head, old, pair(changes(old), slot)));
    }

    /** Returns the number of free slots; it may be stale if other threads push and pop. */
    int count() {
        int sum = 0;

        for (int stack = 0; stack < STACKS; stack++) {
            int head = head(stack);
            long old;
            int count;

            do {
                old = heads.get(head);
                count = count(old);
            } while (heads.get(head) != old);
            sum += count;
        }
        return sum;
    }

    /** Returns the size of the stack, valid only while its head is unchanged. */
    private int count(long first) {
        int slot = (int) first;

        return slot == NONE ? 0 : (int) (below[slot] >>> 32) + 1;
    }

    private static int ours() {
        return (int) Thread.currentThread().getId();
    }

    private static int head(int stack) {
        return ((stack & STACKS - 1) + 1) * DISTANCE;
    }

    private static int changes(long old) {
        return (int) (old >>> 32) + 1;
    }

    private static long pair(int upper, int lower) {
        return (long) upper << 32 | lower & NUMBER;
    }
}
