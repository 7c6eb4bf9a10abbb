// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import io.netty.util.internal.logging.InternalLogger;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The number of timers in this JVM. A program should share one and stop it. */
final class Instances {
    private static final int LIMIT = 64;
    private static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final ResourceLeakDetector<WheelTimer> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(WheelTimer.class, 1);

    private Instances() {
    }

    /** Counts a timer until its member is released or the timer is collected. */
    static Member enter(WheelTimer timer, boolean detectLeak, InternalLogger logger) {
        Cleaner.Cleanable counted = CLEANER.register(timer, COUNT::decrementAndGet);

        if (COUNT.incrementAndGet() > LIMIT && WARNED.compareAndSet(false, true)) {
            logger.error("You are creating too many WheelTimer instances: it is a shared resource "
                    + "that must be reused across the JVM, so that only a few are created.");
        }
        return new Member(counted, detectLeak ? LEAKS.track(timer) : null);
    }

    /** A counted timer. */
    static final class Member {
        private final Cleaner.Cleanable counted;
        private final ResourceLeakTracker<WheelTimer> leak;

        private Member(Cleaner.Cleanable counted, ResourceLeakTracker<WheelTimer> leak) {
            this.counted = counted;
            this.leak = leak;
        }

        void release(WheelTimer timer) {
            counted.clean();
            if (leak != null) {
                leak.close(timer);
            }
        }
    }
}
