// SPDX-License-Identifier: MIT
package wheel.netty;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Slots of a bank that nobody uses: a stack, so that the next timeout gets a slot whose
 * memory is still in the cache.
 */
final class FreeSlots {
    static final int NONE = -1;
    private static final long NUMBER = 0xffffffffL;

    /**
     * The number of the first one. The upper half counts the changes: a stack with the same
     * first one as before need not be the same stack.
     */
    private final AtomicLong head = new AtomicLong(NONE & NUMBER);
    private final int[] next;

    FreeSlots(int count) {
        next = new int[count];
    }

    int pop() {
        long old;
        int slot;

        do {
            old = head.get();
            slot = (int) old;
            if (slot == NONE) {
                return NONE;
            }
            // If another thread was faster this is wrong, and the exchange fails.
        } while (!head.compareAndSet(old, changed(old, next[slot])));
        return slot;
    }

    void push(int slot) {
        long old;

        do {
            old = head.get();
            next[slot] = (int) old;
        } while (!head.compareAndSet(old, changed(old, slot)));
    }

    private static long changed(long old, int first) {
        return (old >>> 32) + 1 << 32 | first & NUMBER;
    }
}
