// SPDX-License-Identifier: MIT
package wheel.netty;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Timeouts whose timers have fired, until the timer's thread runs them. Where memory is short
 * they stay with the wheel, for want of room here, and none is lost.
 */
final class Fired {
    private static final int LEAST = 1024;

    private final Comparator<WheelTimeout> byTick;
    private final WheelTimeout[] few = new WheelTimeout[LEAST];
    private WheelTimeout[] timeouts = few;
    private int count;

    Fired(long tickNanos) {
        // The tick before the one at which it is due.
        byTick = Comparator.comparingLong(timeout -> (timeout.deadline() - 1) / tickNanos);
    }

    boolean hasRoomFor(int more) {
        return timeouts.length - count >= more || grow();
    }

    private boolean grow() {
        try {
            WheelTimeout[] more = Arrays.copyOf(timeouts, 2 * timeouts.length);

            // The first array stays, and keeps nothing alive.
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

    /** One that runs is garbage while others do. */
    WheelTimeout take(int i) {
        WheelTimeout timeout = timeouts[i];

        timeouts[i] = null;
        return timeout;
    }

    /** Those of the same tick stay in their order. */
    void sort() {
        try {
            Arrays.sort(timeouts, 0, count, byTick);
        } catch (OutOfMemoryError disorder) {
            // They are late, and run in any order rather than never.
            return;
        }
    }

    void clear() {
        timeouts = few;
        count = 0;
    }
}
