// SPDX-License-Identifier: MIT
package wheel.netty;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Slots of a bank that nobody uses: stacks, so that the next timeout gets a slot whose memory
 * is still in the cache. A thread has one of the stacks as its own, so that threads do not
 * wait for each other; it takes of the others when nothing else is left.
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
    /** The number of the one below, and in the upper half how many those below are. */
    private final long[] below;

    FreeSlots(int count) {
        below = new long[count];
        for (int stack = 0; stack < STACKS; stack++) {
            heads.set(head(stack), NONE & NUMBER);
        }
    }

    /** From this thread's own stack. */
    int popOwn() {
        return pop(ours());
    }

    /** From any stack. */
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

    /** How many there are, or were a moment ago if others push and pop. */
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

    /** How many are in the stack, as long as it is the same one. */
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
