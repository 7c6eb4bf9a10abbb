// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Guarantees for timeouts: when they run, and how they are cancelled. */
final class TimeoutCases extends Cases {
    @Test
    void task_runs_and_never_early() throws Exception {
        int count = 1000;
        CountDownLatch ran = new CountDownLatch(count);
        AtomicInteger early = new AtomicInteger();

        for (int i = 0; i < count; i++) {
            long delay = i * 7919 % 300_000_000L;
            long due = System.nanoTime() + delay;

            timer.newTimeout(timeout -> {
                early.addAndGet(System.nanoTime() < due ? 1 : 0);
                check(timeout.isExpired() && !timeout.isCancelled() && !timeout.cancel(), timeout);
                ran.countDown();
            }, delay, TimeUnit.NANOSECONDS);
        }
        await(ran);
        check(early.get() == 0, early);
        check(timer.stop().isEmpty(), "all were processed");
    }

    @Test
    void past_and_endless_delays_are_right() throws Exception {
        CountDownLatch ran = new CountDownLatch(3);

        for (long delay : new long[] {0, -1, Long.MIN_VALUE}) {
            timer.newTimeout(timeout -> ran.countDown(), delay, TimeUnit.DAYS);
        }
        Timeout endless = timer.newTimeout(NOTHING, Long.MAX_VALUE, TimeUnit.DAYS);

        await(ran);
        check(timer.stop().equals(Set.of(endless)), "the endless one is left");
    }

    @Test
    void cancelled_task_never_runs() throws Exception {
        AtomicInteger wrong = new AtomicInteger();
        CountDownLatch last = new CountDownLatch(1);

        for (int i = 0; i < 1000; i++) {
            Timeout timeout =
                    timer.newTimeout(t -> wrong.incrementAndGet(), 20, TimeUnit.MILLISECONDS);

            check(timeout.cancel() && timeout.isCancelled() && !timeout.isExpired(), timeout);
            check(!timeout.cancel(), "cancelled twice");
        }
        timer.newTimeout(t -> last.countDown(), 60, TimeUnit.MILLISECONDS);
        await(last);
        check(wrong.get() == 0, wrong);
    }

    /** The next tick is an hour away. */
    @Test
    void cancelled_timeout_is_garbage_at_once() throws Exception {
        WheelTimer slow = new WheelTimer(1, TimeUnit.HOURS);
        WeakReference<TimerTask> task = cancelled(slow);

        until(() -> {
            System.gc();
            return task.get() == null;
        });
        slow.stop();
    }

    private static WeakReference<TimerTask> cancelled(Timer timer) {
        byte[] weight = new byte[1 << 20];
        TimerTask task = timeout -> check(weight.length == 0, "it ran");

        timer.newTimeout(task, 10, TimeUnit.HOURS).cancel();
        return new WeakReference<>(task);
    }

    /** Many timeouts are cancelled while they fire; each is either cancelled or run. */
    @Test
    void each_runs_once_or_was_cancelled() throws Exception {
        int threads = 4;
        int each = 50_000;
        AtomicLong ran = new AtomicLong();
        AtomicLong cancelled = new AtomicLong();
        CountDownLatch done = new CountDownLatch(threads);

        for (int i = 0; i < threads; i++) {
            new Thread(() -> {
                List<Timeout> mine = new ArrayList<>();

                for (int n = 0; n < each; n++) {
                    mine.add(timer.newTimeout(timeout -> ran.incrementAndGet(),
                             ThreadLocalRandom.current().nextInt(3000), TimeUnit.MICROSECONDS));
                    Timeout any = mine.get(ThreadLocalRandom.current().nextInt(mine.size()));

                    cancelled.addAndGet(any.cancel() ? 1 : 0);
                }
                done.countDown();
            }).start();
        }
        await(done);
        until(() -> timer.pendingTimeouts() == 0);
        check(timer.stop().isEmpty(), "none is left");
        check(ran.get() + cancelled.get() == threads * each, ran + " + " + cancelled);
    }

    @Test
    void pending_is_exact() throws Exception {
        List<Timeout> far = new ArrayList<>();
        CountDownLatch ran = new CountDownLatch(1);

        for (int i = 0; i < 5000; i++) {
            far.add(timer.newTimeout(NOTHING, 1, TimeUnit.HOURS));
            check(timer.pendingTimeouts() == i + 1, i);
        }
        timer.newTimeout(timeout -> {
            check(timer.pendingTimeouts() == 5000, "it counts itself");
            ran.countDown();
        }, 5, TimeUnit.MILLISECONDS);
        await(ran);
        for (int i = 5000; i > 0; i--) {
            check(far.get(i - 1).cancel() && timer.pendingTimeouts() == i - 1, i);
        }
    }

    /** All fire in one tick, and the first task cancels the others before they run. */
    @Test
    void cancelled_is_not_pending_even_if_it_has_fired() throws Exception {
        List<Timeout> all = new CopyOnWriteArrayList<>();
        CountDownLatch armed = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(1);
        List<Long> counts = new CopyOnWriteArrayList<>();
        WheelTimer own = new WheelTimer(100, TimeUnit.MILLISECONDS);

        for (int i = 0; i < 100; i++) {
            all.add(own.newTimeout(timeout -> {
                await(armed);
                counts.add(own.pendingTimeouts());
                counts.add(all.stream().filter(Timeout::cancel).count());
                counts.add(own.pendingTimeouts());
                ran.countDown();
            }, 1, TimeUnit.MILLISECONDS));
        }
        armed.countDown();
        await(ran);
        check(counts.get(1).equals(counts.get(0)) && counts.get(2) == 0, counts);
        // Their slots are free when the thread runs a later timeout.
        CountDownLatch last = new CountDownLatch(1);

        own.newTimeout(timeout -> last.countDown(), 1, TimeUnit.MILLISECONDS);
        await(last);
        check(own.pendingTimeouts() == 0 && own.stop().isEmpty(), own.pendingTimeouts());
    }

    @Test
    void limit_of_pending_refuses_and_forgets() {
        WheelTimer own = new WheelTimer(Executors.defaultThreadFactory(), 1,
                TimeUnit.MILLISECONDS, 512, true, 10);
        List<Timeout> all = new ArrayList<>();

        for (int i = 0; i < 10; i++) {
            all.add(own.newTimeout(NOTHING, 1, TimeUnit.HOURS));
        }
        for (int i = 0; i < 100; i++) {
            throwsIt(RejectedExecutionException.class,
                     () -> own.newTimeout(NOTHING, 1, TimeUnit.HOURS));
        }
        check(own.pendingTimeouts() == 10, own.pendingTimeouts());
        check(all.get(3).cancel(), "it was pending");
        own.newTimeout(NOTHING, 1, TimeUnit.HOURS);
        check(own.stop().size() == 10, "ten are left");
    }

    /** Netty's timer queues at most 100,000 new timeouts per tick. */
    @Test
    void any_number_has_room_and_runs_in_its_tick() throws Exception {
        int count = 400_000;
        WheelTimer own = new WheelTimer(2, TimeUnit.SECONDS);
        CountDownLatch ran = new CountDownLatch(count);
        // All are armed within a tick, which begins when this timeout runs.
        CountDownLatch boundary = new CountDownLatch(1);

        own.newTimeout(timeout -> boundary.countDown(), 1, TimeUnit.MILLISECONDS);
        await(boundary);
        for (int i = 0; i < count; i++) {
            own.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
        }
        await(ran);
        check(own.pendingTimeouts() == 0, own.pendingTimeouts());
        own.stop();
    }

    @Test
    void timeout_as_text_is_as_by_netty() {
        Timer[] timers = {new HashedWheelTimer(), new WheelTimer()};

        for (Timer timer : timers) {
            Timeout timeout = timer.newTimeout(new TimerTask() {
                @Override
                public void run(Timeout ignored) {
                }

                @Override
                public String toString() {
                    return "wash";
                }
            }, 1, TimeUnit.HOURS);

            check(timeout.toString().matches(".*Timeout\\(deadline: \\d+ ns later, task: wash\\)"),
                  timeout);
            timeout.cancel();
            check(timeout.toString().matches(
                  ".*Timeout\\(deadline: \\d+ ns later, cancelled, task: wash\\)"), timeout);
            timer.stop();
        }
    }
}
