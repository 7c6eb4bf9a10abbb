// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import io.netty.util.internal.NativeLibraryLoader;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;

/**
 * The functions of libwheel. A wheel is passed by its address. A method returns a negative errno
 * on failure.
 */
final class Native {
    /** Values of a slot's word that are not deadlines. */
    static final long PARKED = 0;
    static final int IDLE_BIT = 63;
    static final long IDLE = 1L << IDLE_BIT;

    static final int ESHUTDOWN = 108;

    static {
        // There is one library per processor, each in the jar of its classifier.
        NativeLibraryLoader.load("wheel_netty_" + PlatformDependent.normalizedArch(),
                                 Native.class.getClassLoader());
    }

    private Native() {
    }

    static native long open(int slots, long tickNanos);

    static native void close(long wheel);

    /** Stops the wheel: no timer fires, and arming one fails with ESHUTDOWN. */
    static native int stop(long wheel);

    static native boolean inKernel(long wheel);

    /** Returns the time of the clock that all wheels share, in nanoseconds. */
    static native long now(long wheel);

    /** Returns the words, one per slot. */
    static native ByteBuffer words(long wheel);

    /** Returns the doorbells, one bit per slot. A set bit makes the wheel scan the slot. */
    static native ByteBuffer bells(long wheel);

    /** Returns the time of the wheel's next scan. */
    static native ByteBuffer nextWake(long wheel);

    /** Takes count slots from the first one on, and returns the number of slots it got. */
    static native int keep(long wheel, int first, int count);

    /** Notifies the wheel of an armed timer that its next scan may find too late. */
    static native int tell(long wheel, int slot, long deadline);

    /** Stores the slots whose timers have fired, and returns their number. */
    static native int take(long wheel, int[] slots);

    /** Opens a file descriptor that waits for several wheels. */
    static native int newSet();

    static native int addToSet(int set, long wheel, int number);

    /** Waits for wheels with expired timers. Stores their numbers and returns the count. */
    static native int await(int set, int[] numbers);

    static native void closeSet(int set);

    static native String message(long error);
}
