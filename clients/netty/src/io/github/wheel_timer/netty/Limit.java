// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** Upper limit on the pending timeouts. Threads share a counter only if a limit is set. */
final class Limit {
    private final AtomicLong count = new AtomicLong();
    private final long most;

    /** Sets the limit; 0 or less means unlimited. */
    Limit(long most) {
        this.most = most;
    }

    /** Counts one more pending timeout, or throws an exception if the limit is reached. */
    void enter() {
        if (most <= 0) {
            return;
        }
        long now = count.incrementAndGet();

        if (now > most) {
            leave();
            throw new RejectedExecutionException("Number of pending timeouts (" + now
                    + ") is greater than the maximum of (" + most + ')');
        }
    }

    void leave() {
        if (most > 0) {
            count.decrementAndGet();
        }
    }
}
