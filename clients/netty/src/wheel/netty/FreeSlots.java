// SPDX-License-Identifier: MIT
package wheel.netty;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Slots of a bank that nobody uses: stacks, so that the next timeout gets a slot whose memory
 * is still in the cache. A thread has one of the stacks as its own, so that threads do not
 * wait for each other; it takes of the others when that is empty.
 */
final class FreeSlots {
    static final int NONE = -1;
    private static final long NUMBER = 0xffffffffL;
    private static final int STACKS = 16;
    /** Of a long, so that each has cache lines of its own. */
    private static final int DISTANCE = 16;

    /**
     * The number of the first one of each stack. The upper half counts the changes: a stack
     * with the same first one as before need not be the same stack.
     */
    private final AtomicLongArray heads = new AtomicLongArray((STACKS + 1) * DISTANCE);
    private final int[] next;

    FreeSlots(int count) {
        next = new int[count];
        for (int stack = 1; stack <= STACKS; stack++) {
            heads.set(stack * DISTANCE, NONE & NUMBER);
        }
    }

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
            // If another thread was faster this is wrong, and the exchange fails.
        } while (!heads.compareAndSet(head, old, changed(old, next[slot])));
        return slot;
    }

    void push(int slot) {
        int head = head(ours());
        long old;

        do {
            old = heads.get(head);
            next[slot] = (int) old;
        } while (!heads.compareAndSet(head, old, changed(old, slot)));
    }

    private static int ours() {
        return (int) Thread.currentThread().getId();
    }

    private static int head(int stack) {
        return ((stack & STACKS - 1) + 1) * DISTANCE;
    }

    private static long changed(long old, int first) {
        return (old >>> 32) + 1 << 32 | first & NUMBER;
    }
}
