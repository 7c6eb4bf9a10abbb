// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Calls TimerTask.cancelled(), which Netty 4.2 has and 4.1 does not have. */
final class CancelNotice {
    private static final InternalLogger LOGGER =
            InternalLoggerFactory.getInstance(WheelTimer.class);
    /** Null with Netty 4.1. */
    private static final MethodHandle CANCELLED = find();

    private CancelNotice() {
    }

    private static MethodHandle find() {
        try {
            return MethodHandles.publicLookup().findVirtual(TimerTask.class, "cancelled",
                    MethodType.methodType(void.class, Timeout.class));
        } catch (ReflectiveOperationException older) {
            return null;
        }
    }

    /** Notifies the task of a timeout of its cancellation. */
    static void give(Timeout timeout) {
        if (CANCELLED == null) {
            return;
        }
        try {
            CANCELLED.invokeExact(timeout.task(), timeout);
        } catch (Throwable t) {
            LOGGER.warn("An exception was thrown by TimerTask.cancelled().", t);
        }
    }
}
