// SPDX-License-Identifier: MIT
import wheel.netty.WheelTimer;

/** A program that opens a timer. */
final class Opens {
    private Opens() {
    }

    public static void main(String[] arguments) {
        new WheelTimer().stop();
    }
}
