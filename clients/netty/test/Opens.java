// SPDX-License-Identifier: MIT
import invalid.wheel_timer.netty.WheelTimer;

/** A program that opens a timer. */
final class Opens {
    private Opens() {
    }

    public static void main(String[] arguments) {
        new WheelTimer().stop();
    }
}
