// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.Timeout;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Guarantees of stop(). */
final class StopCases extends Cases {
    @Test
    void stop_hands_back_the_unprocessed() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        Timeout waits = timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);
        Timeout cancelled = timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);

        timer.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
        await(ran);
        cancelled.cancel();
        Set<Timeout> unprocessed = timer.stop();

        check(unprocessed.equals(Set.of(waits)), unprocessed);
        check(!waits.isExpired() && waits.isCancelled() && timer.pendingTimeouts() == 0, waits);
        check(timer.stop().isEmpty(), "the second stop has nothing to hand back");
        throwsIt(IllegalStateException.class,
                 () -> timer.newTimeout(NOTHING, 1, TimeUnit.MILLISECONDS));
        check(!waits.cancel() && timer.pendingTimeouts() == 0, "it was cancelled already");
        check(unprocessed.remove(waits) && unprocessed.isEmpty(), "the set is the caller's");
    }

    @Test
    void stop_before_the_first_timeout_is_allowed() {
        check(timer.stop().isEmpty(), "there was nothing");
        throwsIt(IllegalStateException.class,
                 () -> timer.newTimeout(NOTHING, 1, TimeUnit.MILLISECONDS));
        check(timer.pendingTimeouts() == 0, timer.pendingTimeouts());
    }

    /** Every accepted timeout runs or is returned by a concurrent stop(). */
    @Test
    void stop_loses_nothing_of_threads_that_arm() throws Exception {
        for (int round = 0; round < 50; round++) {
            WheelTimer own = quick();
            AtomicLong ran = new AtomicLong();
            AtomicLong accepted = new AtomicLong();
            CountDownLatch begun = new CountDownLatch(2);
            CountDownLatch ended = new CountDownLatch(2);

            for (int i = 0; i < 2; i++) {
                new Thread(() -> {
                    try {
                        for (;;) {
                            own.newTimeout(timeout -> ran.incrementAndGet(),
                                    ThreadLocalRandom.current().nextInt(4), TimeUnit.MILLISECONDS);
                            accepted.incrementAndGet();
                            begun.countDown();
                        }
                    } catch (IllegalStateException stopped) {
                        ended.countDown();
                    }
                }).start();
            }
            await(begun);
            int unprocessed = own.stop().size();

            await(ended);
            check(accepted.get() == ran.get() + unprocessed,
                  accepted + " = " + ran + " + " + unprocessed);
            check(own.pendingTimeouts() == 0, own.pendingTimeouts());
        }
    }

    @Test
    void stop_from_a_task_is_refused() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);

        timer.newTimeout(timeout -> {
            try {
                timer.stop();
            } catch (IllegalStateException refused) {
                thrown.set(refused);
            }
            ran.countDown();
        }, 1, TimeUnit.MILLISECONDS);
        await(ran);
        check(thrown.get() != null, "it was not refused");
    }

    @Test
    void stop_ends_a_task_that_sleeps() throws Exception {
        CountDownLatch asleep = new CountDownLatch(1);

        timer.newTimeout(timeout -> {
            asleep.countDown();
            Thread.sleep(TimeUnit.HOURS.toMillis(1));
        }, 1, TimeUnit.MILLISECONDS);
        await(asleep);
        check(timer.stop().isEmpty(), "it was processed");
    }
}
