// SPDX-License-Identifier: MIT
package wheel.netty;

import io.netty.util.internal.NativeLibraryLoader;
import java.nio.ByteBuffer;

/**
 * libwheel. A wheel is the address of one; what fails answers a negative errno.
 */
final class Native {
    /** A slot's word when it is no deadline. */
    static final long PARKED = 0;
    static final int IDLE_BIT = 63;
    static final long IDLE = 1L << IDLE_BIT;

    static final int ESHUTDOWN = 108;

    static {
        // A jar may hold one for each processor.
        NativeLibraryLoader.load("wheel_netty_" + System.getProperty("os.arch"),
                                 Native.class.getClassLoader());
    }

    private Native() {
    }

    static native long open(int slots, long tickNanos);

    static native void close(long wheel);

    /** Nothing fires any more, and who arms a timer learns of it. */
    static native int stop(long wheel);

    static native boolean inKernel(long wheel);

    /** The clock of all wheels, in nanoseconds. */
    static native long now(long wheel);

    /** A word for each slot. */
    static native ByteBuffer words(long wheel);

    /** A bit for each slot: the wheel will look at it. */
    static native ByteBuffer bells(long wheel);

    /** When it does. */
    static native ByteBuffer nextWake(long wheel);

    /** Take so many slots from this one on; how many it got. */
    static native int keep(long wheel, int first, int count);

    /** The slot's timer is armed for this deadline, and the wheel may not see it in time. */
    static native int tell(long wheel, int slot, long deadline);

    /** The slots whose timers have fired: how many. */
    static native int take(long wheel, int[] slots);

    /** A set of wheels, to wait for all of them; it is closed as a file is. */
    static native int newSet();

    static native int addToSet(int set, long wheel, int number);

    /** Sleep until wheels have something to say: how many, and their numbers. */
    static native int await(int set, int[] numbers);

    static native void closeSet(int set);

    static native String message(long error);
}
