// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;

/** A program that opens a timer. */
final class Opens {
    private Opens() {
    }

    public static void main(String[] arguments) {
        new WheelTimer().stop();
    }
}
