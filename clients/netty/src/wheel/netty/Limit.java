// SPDX-License-Identifier: MIT
package wheel.netty;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** How many timeouts may be pending. Only where there is a limit do threads share a count. */
final class Limit {
    private final AtomicLong count = new AtomicLong();
    private final long most;

    /** 0 or less: any number. */
    Limit(long most) {
        this.most = most;
    }

    /** One more is pending. */
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
