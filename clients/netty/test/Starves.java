// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.TimerTask;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program whose timeouts expire while no memory is available. */
final class Starves {
    private static final int COUNT = 10_000;
    private static final int MORE = 100;
    private static final Error FAILURE = new Error("a task fails");
    private static Object[] ballast;

    private Starves() {
    }

    public static void main(String[] arguments) throws Exception {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        Thread[] worker = new Thread[1];
        WheelTimer timer = new WheelTimer(work -> worker[0] = new Thread(work), 1,
                                          TimeUnit.MILLISECONDS);
        CountDownLatch ran = new CountDownLatch(COUNT);
        TimerTask task = timeout -> {
            ran.countDown();
            if (ran.getCount() == COUNT - 1) {
                throw FAILURE;
            }
        };
        CountDownLatch[] steps = {new CountDownLatch(1), new CountDownLatch(1)};

        // The timer's thread is busy and has run each of its code paths once.
        timer.newTimeout(timeout -> {
            throw FAILURE;
        }, 1, TimeUnit.MILLISECONDS);
        timer.newTimeout(timeout -> {
            steps[0].countDown();
            steps[1].await();
        }, 2, TimeUnit.MILLISECONDS);
        steps[0].await();
        for (int i = 0; i < COUNT; i++) {
            timer.newTimeout(task, 1, TimeUnit.MILLISECONDS);
        }
        fill();
        int accepted = 0;

        for (int i = 0; i < MORE; i++) {
            try {
                timer.newTimeout(task, 1, TimeUnit.HOURS);
                accepted++;
            } catch (OutOfMemoryError expected) {
                continue;
            }
        }
        long wrong = timer.pendingTimeouts() - COUNT - accepted;

        steps[1].countDown();
        // Waiting for the latch would allocate memory.
        while (ran.getCount() > 0 && worker[0].isAlive()) {
            Thread.sleep(1);
        }
        ballast = null;
        System.out.println((accepted < MORE ? "full" : "room") + ", wrongly pending " + wrong
                           + ", left " + ran.getCount() + ", alive " + worker[0].isAlive()
                           + ", lost " + (accepted - timer.stop().size()));
    }

    private static void fill() {
        for (int size = 1 << 16; size > 0; size /= 2) {
            try {
                for (;;) {
                    Object[] more = new Object[size];

                    more[0] = ballast;
                    ballast = more;
                }
            } catch (OutOfMemoryError full) {
                continue;
            }
        }
    }
}
