// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Burst Netty|WheelTimer: prints the largest delay of 100,000 timeouts of 125 ms, in ms. They are
 * the first ones of the JVM, and the tick is 200 ms, as in Netty's testExecutionOnTime().
 */
final class Burst {
    private static final int COUNT = 100_000;

    private Burst() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Timer timer = arguments[0].equals("Netty")
                ? new HashedWheelTimer(200, TimeUnit.MILLISECONDS)
                : new WheelTimer(200, TimeUnit.MILLISECONDS);
        AtomicLong largest = new AtomicLong();
        CountDownLatch left = new CountDownLatch(COUNT);

        for (int i = 0; i < COUNT; i++) {
            long start = System.nanoTime();

            timer.newTimeout(timeout -> {
                largest.accumulateAndGet(System.nanoTime() - start, Math::max);
                left.countDown();
            }, 125, TimeUnit.MILLISECONDS);
        }
        left.await();
        timer.stop();
        System.out.println(TimeUnit.NANOSECONDS.toMillis(largest.get()));
    }
}
