// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Arms and expires timeouts once per JVM. Java then has loaded, linked and compiled the code of
 * a timer before the first burst of timeouts.
 */
final class WarmUp implements TimerTask {
    private static final int ROUNDS = 2;
    /** More than the smallest bank has slots, so that timeouts of several banks are sorted. */
    private static final int TIMEOUTS = 3000;

    private int pending;

    static {
        boolean interrupted = Thread.interrupted();

        try {
            new WarmUp().run();
        } catch (RejectedExecutionException | OutOfMemoryError full) {
            WheelTimer.warn("The first timeouts may be late: no wheel for the warm-up.", full);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private WarmUp() {
    }

    /** Initializes this class. */
    static void once() {
    }

    private void run() {
        WheelTimer timer = new WheelTimer(TimeUnit.MILLISECONDS.toNanos(1));

        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < TIMEOUTS; i++) {
                timer.newTimeout(this, 1, TimeUnit.MILLISECONDS);
                pending++;
            }
            while (pending > 0) {
                timer.turn();
            }
        }
        timer.discard();
    }

    @Override
    public void run(Timeout timeout) {
        pending--;
    }
}
