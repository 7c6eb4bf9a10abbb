// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Timeouts whose timers have fired, until the timer's thread runs them. If memory is short,
 * further expired timers remain in the wheel, and none is lost.
 */
final class Fired {
    private static final int LEAST = 1024;

    private static final Comparator<WheelTimeout> BY_DEADLINE =
            Comparator.comparingLong(WheelTimeout::deadline);

    private final WheelTimeout[] few = new WheelTimeout[LEAST];
    private WheelTimeout[] timeouts = few;
    private int count;

    boolean hasRoomFor(int more) {
        return timeouts.length - count >= more || grow();
    }

    private boolean grow() {
        try {
            WheelTimeout[] more = Arrays.copyOf(timeouts, 2 * timeouts.length);

            // The first array is kept and must not keep timeouts reachable.
            Arrays.fill(timeouts, null);
            timeouts = more;
            return true;
        } catch (OutOfMemoryError full) {
            return false;
        }
    }

    void add(WheelTimeout timeout) {
        timeouts[count++] = timeout;
    }

    int count() {
        return count;
    }

    /** Removes and returns a timeout, so that it can be collected while others run. */
    WheelTimeout take(int i) {
        WheelTimeout timeout = timeouts[i];

        timeouts[i] = null;
        return timeout;
    }

    /** Sorts by deadline, and thus timeouts of the same delay in the order of arming. */
    void sort() {
        try {
            Arrays.sort(timeouts, 0, count, BY_DEADLINE);
        } catch (OutOfMemoryError disorder) {
            // Without memory to sort them, the timeouts of each bank run in the order of their ticks.
            return;
        }
    }

    void clear() {
        timeouts = few;
        count = 0;
    }
}
