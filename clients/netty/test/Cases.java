// SPDX-License-Identifier: MIT
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import wheel.netty.WheelTimer;

/** What WheelTimer promises. */
final class Cases {
    /** A method that is a test. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Test {
    }

    /** A test that waits so long has failed. */
    private static final int PATIENCE_S = 60;
    private static final TimerTask NOTHING = timeout -> { };

    private Cases() {
    }

    private static WheelTimer quick() {
        return new WheelTimer(1, TimeUnit.MILLISECONDS);
    }

    private static void check(boolean right, Object why) {
        if (!right) {
            throw new AssertionError(why);
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        check(latch.await(PATIENCE_S, TimeUnit.SECONDS), "it never came: " + latch);
    }

    /** Until it is true: what never is true has to end, too. */
    private static void until(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);

        while (!condition.call()) {
            check(System.nanoTime() < end, "it never came true");
            Thread.sleep(1);
        }
    }

    private static void throwsIt(Class<? extends Throwable> what, Callable<?> action) {
        try {
            action.call();
        } catch (Throwable thrown) {
            check(what == thrown.getClass(), thrown);
            return;
        }
        throw new AssertionError("nothing was thrown");
    }

    @Test
    static void backend_is_the_one_asked_for() {
        String asked = System.getenv().getOrDefault("LIBWHEEL_BACKEND", "auto");
        WheelTimer timer = quick();
        String backend = timer.isInKernel() ? "kernel" : "user";

        check(asked.equals("auto") || asked.equals(backend), backend);
        timer.stop();
    }

    @Test
    static void task_runs_and_never_early() throws Exception {
        int count = 1000;
        WheelTimer timer = quick();
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
    static void past_and_endless_delays_are_right() throws Exception {
        WheelTimer timer = quick();
        CountDownLatch ran = new CountDownLatch(3);

        for (long delay : new long[] {0, -1, Long.MIN_VALUE}) {
            timer.newTimeout(timeout -> ran.countDown(), delay, TimeUnit.DAYS);
        }
        Timeout endless = timer.newTimeout(NOTHING, Long.MAX_VALUE, TimeUnit.DAYS);

        await(ran);
        check(timer.stop().equals(Set.of(endless)), "the endless one is left");
    }

    @Test
    static void cancelled_task_never_runs() throws Exception {
        WheelTimer timer = quick();
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
        timer.stop();
    }

    /** The next tick is an hour away. */
    @Test
    static void cancelled_timeout_is_garbage_at_once() throws Exception {
        WheelTimer timer = new WheelTimer(1, TimeUnit.HOURS);
        WeakReference<TimerTask> task = cancelled(timer);

        until(() -> {
            System.gc();
            return task.get() == null;
        });
        timer.stop();
    }

    private static WeakReference<TimerTask> cancelled(Timer timer) {
        byte[] weight = new byte[1 << 20];
        TimerTask task = timeout -> check(weight.length == 0, "it ran");

        timer.newTimeout(task, 10, TimeUnit.HOURS).cancel();
        return new WeakReference<>(task);
    }

    /** Of each timeout, many of them cancelled while they fire, one thing is true. */
    @Test
    static void each_runs_once_or_was_cancelled() throws Exception {
        int threads = 4;
        int each = 50_000;
        WheelTimer timer = quick();
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
    static void pending_is_exact() throws Exception {
        WheelTimer timer = quick();
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
        timer.stop();
    }

    @Test
    static void limit_of_pending_refuses_and_forgets() {
        WheelTimer timer = new WheelTimer(Executors.defaultThreadFactory(), 1,
                TimeUnit.MILLISECONDS, 512, true, 10);
        List<Timeout> all = new ArrayList<>();

        for (int i = 0; i < 10; i++) {
            all.add(timer.newTimeout(NOTHING, 1, TimeUnit.HOURS));
        }
        for (int i = 0; i < 100; i++) {
            throwsIt(RejectedExecutionException.class,
                     () -> timer.newTimeout(NOTHING, 1, TimeUnit.HOURS));
        }
        check(timer.pendingTimeouts() == 10, timer.pendingTimeouts());
        check(all.get(3).cancel(), "it was pending");
        timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);
        check(timer.stop().size() == 10, "ten are left");
    }

    /** Netty takes 100,000 new timeouts a tick. */
    @Test
    static void any_number_has_room_and_runs_in_its_tick() throws Exception {
        int count = 400_000;
        WheelTimer timer = new WheelTimer(2, TimeUnit.SECONDS);
        CountDownLatch ran = new CountDownLatch(count);
        // All are armed within a tick: behind the next boundary there is time.
        CountDownLatch boundary = new CountDownLatch(1);

        timer.newTimeout(timeout -> boundary.countDown(), 1, TimeUnit.MILLISECONDS);
        await(boundary);
        for (int i = 0; i < count; i++) {
            timer.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
        }
        await(ran);
        check(timer.pendingTimeouts() == 0, timer.pendingTimeouts());
        timer.stop();
    }

    @Test
    static void stop_hands_back_the_unprocessed() throws Exception {
        WheelTimer timer = quick();
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
    }

    @Test
    static void stop_before_the_first_timeout_is_allowed() {
        WheelTimer timer = quick();

        check(timer.stop().isEmpty(), "there was nothing");
        throwsIt(IllegalStateException.class,
                 () -> timer.newTimeout(NOTHING, 1, TimeUnit.MILLISECONDS));
        check(timer.pendingTimeouts() == 0, timer.pendingTimeouts());
    }

    /** What newTimeout() accepted runs or is handed back, however close the stop is. */
    @Test
    static void stop_loses_nothing_of_threads_that_arm() throws Exception {
        for (int round = 0; round < 50; round++) {
            WheelTimer timer = quick();
            AtomicLong ran = new AtomicLong();
            AtomicLong accepted = new AtomicLong();
            CountDownLatch begun = new CountDownLatch(2);
            CountDownLatch ended = new CountDownLatch(2);

            for (int i = 0; i < 2; i++) {
                new Thread(() -> {
                    try {
                        for (;;) {
                            timer.newTimeout(timeout -> ran.incrementAndGet(),
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
            int unprocessed = timer.stop().size();

            await(ended);
            check(accepted.get() == ran.get() + unprocessed,
                  accepted + " = " + ran + " + " + unprocessed);
            check(timer.pendingTimeouts() == 0, timer.pendingTimeouts());
        }
    }

    @Test
    static void stop_from_a_task_is_refused() throws Exception {
        WheelTimer timer = quick();
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
        timer.stop();
    }

    @Test
    static void stop_ends_a_task_that_sleeps() throws Exception {
        WheelTimer timer = quick();
        CountDownLatch asleep = new CountDownLatch(1);

        timer.newTimeout(timeout -> {
            asleep.countDown();
            Thread.sleep(TimeUnit.HOURS.toMillis(1));
        }, 1, TimeUnit.MILLISECONDS);
        await(asleep);
        check(timer.stop().isEmpty(), "it was processed");
    }

    @Test
    static void task_that_fails_is_logged_and_harmless() throws Exception {
        WheelTimer timer = quick();
        CountDownLatch ran = new CountDownLatch(2);

        timer.newTimeout(timeout -> {
            throw new IOException("mishap one");
        }, 1, TimeUnit.MILLISECONDS);
        timer.newTimeout(timeout -> {
            ran.countDown();
            throw new AssertionError("mishap two");
        }, 2, TimeUnit.MILLISECONDS);
        timer.newTimeout(timeout -> ran.countDown(), 3, TimeUnit.MILLISECONDS);
        await(ran);
        timer.stop();
        check(Heard.count("WheelTimer", "mishap one") == 1, "the first one was logged");
        check(Heard.count("WheelTimer", "mishap two") == 1, "the second one was logged");
    }

    @Test
    static void tasks_run_in_the_executor_which_may_refuse() throws Exception {
        AtomicReference<Runnable> refused = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(2);
        WheelTimer timer = new WheelTimer(Executors.defaultThreadFactory(), 1,
                TimeUnit.MILLISECONDS, 512, true, -1, task -> {
            if (refused.compareAndSet(null, task)) {
                throw new RejectedExecutionException("not this one");
            }
            new Thread(task, "our-executor").start();
        });

        for (int i = 0; i < 3; i++) {
            timer.newTimeout(timeout -> {
                check(Thread.currentThread().getName().equals("our-executor"), "elsewhere");
                ran.countDown();
            }, i, TimeUnit.MILLISECONDS);
        }
        await(ran);
        check(timer.stop().isEmpty() && timer.pendingTimeouts() == 0, "none is left");
        check(Heard.count("WheelTimer", "not this one") == 1, "it was logged");
        check(Heard.count("elsewhere") == 0, "each ran in the executor");
    }

    @Test
    static void task_that_interrupts_itself_harms_no_other() throws Exception {
        WheelTimer timer = quick();
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch slept = new CountDownLatch(1);

        timer.newTimeout(timeout -> {
            Thread.currentThread().interrupt();
            interrupted.countDown();
        }, 1, TimeUnit.MILLISECONDS);
        await(interrupted);
        timer.newTimeout(timeout -> {
            Thread.sleep(1);
            slept.countDown();
        }, 1, TimeUnit.MILLISECONDS);
        await(slept);
        timer.stop();
    }

    @Test
    static void task_of_newer_netty_is_told_that_it_was_cancelled() throws Exception {
        Process process = again("Tells", "newer").start();
        String said = new String(process.getInputStream().readAllBytes());

        check(process.waitFor() == 0, said);
        check(said.contains("cancelled: one true") && said.contains("mishap of one")
              && said.contains("answers: true false"), said);
        check(said.contains("handed back: 1") && !said.contains("two"), said);
    }

    @Test
    static void timeout_as_text_is_as_by_netty() {
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

    @Test
    static void task_may_arm_and_cancel() throws Exception {
        WheelTimer timer = quick();
        CountDownLatch rounds = new CountDownLatch(100);
        Timeout[] other = {timer.newTimeout(NOTHING, 1, TimeUnit.HOURS)};

        timer.newTimeout(new TimerTask() {
            @Override
            public void run(Timeout timeout) {
                check(other[0].cancel(), "it was pending");
                other[0] = timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);
                rounds.countDown();
                timer.newTimeout(this, 1, TimeUnit.MILLISECONDS);
            }
        }, 1, TimeUnit.MILLISECONDS);
        await(rounds);
        timer.stop();
        check(Heard.count("it was pending") == 0, "each was cancelled");
    }

    @Test
    static void idle_timer_does_not_wake_up() throws Exception {
        ThreadFactory named = work -> new Thread(work, "idle-wheel");
        WheelTimer timer = new WheelTimer(named, 1, TimeUnit.MILLISECONDS);
        WheelTimer other = quick();

        for (int i = 0; i < 1000; i++) {
            timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);
        }
        Path idle = thread("idle-wheel");
        AtomicLong before = new AtomicLong(-1);

        // A new timeout is looked at once or twice; then nothing comes for two seconds.
        until(() -> {
            CountDownLatch later = new CountDownLatch(1);

            before.set(switches(idle));
            other.newTimeout(timeout -> later.countDown(), 2, TimeUnit.SECONDS);
            await(later);
            return switches(idle) == before.get();
        });
        check(timer.stop().size() == 1000 && other.stop().isEmpty(), "none has fired");
    }

    private static Path thread(String name) throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : (Iterable<Path>) tasks::iterator) {
                if (Files.readString(task.resolve("comm")).strip().equals(name)) {
                    return task;
                }
            }
        }
        throw new AssertionError("no thread " + name);
    }

    /** How often it has gone to sleep. */
    private static long switches(Path thread) throws IOException {
        for (String line : Files.readAllLines(thread.resolve("status"))) {
            if (line.startsWith("voluntary_ctxt_switches:")) {
                return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        throw new AssertionError("no voluntary_ctxt_switches");
    }

    /** A constructor of a timer. */
    interface Maker {
        Timer make(ThreadFactory factory, long tick, TimeUnit unit, int ticks);
    }

    @Test
    static void bad_arguments_are_refused_as_by_netty() {
        Maker[] makers = {HashedWheelTimer::new, WheelTimer::new};
        ThreadFactory threads = Executors.defaultThreadFactory();
        TimeUnit ms = TimeUnit.MILLISECONDS;

        for (Maker maker : makers) {
            throwsIt(NullPointerException.class, () -> maker.make(null, 1, ms, 1));
            throwsIt(NullPointerException.class, () -> maker.make(threads, 1, null, 1));
            throwsIt(IllegalArgumentException.class, () -> maker.make(threads, 0, ms, 1));
            throwsIt(IllegalArgumentException.class, () -> maker.make(threads, -1, ms, 1));
            throwsIt(IllegalArgumentException.class, () -> maker.make(threads, 1, ms, 0));
            throwsIt(IllegalArgumentException.class,
                     () -> maker.make(threads, 1, ms, (1 << 30) + 1));
            throwsIt(IllegalArgumentException.class,
                     () -> maker.make(threads, Long.MAX_VALUE, ms, 1));
            Timer timer = maker.make(threads, 1, TimeUnit.MICROSECONDS, 1);

            throwsIt(NullPointerException.class, () -> timer.newTimeout(null, 1, ms));
            throwsIt(NullPointerException.class, () -> timer.newTimeout(NOTHING, 1, null));
            timer.stop();
        }
        check(Heard.count("WheelTimer", "using 1 ms") == 1, "a tick of 1 us was made one of 1 ms");
    }

    @Test
    static void too_many_timers_are_reported_once() {
        List<WheelTimer> many = new ArrayList<>();

        for (int i = 0; i < 70; i++) {
            many.add(quick());
        }
        many.forEach(WheelTimer::stop);
        check(Heard.count("too many WheelTimer instances") == 1, "it was said once");
    }

    @Test
    static void forgotten_timer_is_reported() throws Exception {
        quick();
        until(() -> {
            System.gc();
            // Netty reports what has leaked when the next one is made.
            quick().stop();
            return Heard.count("LEAK: WheelTimer.release() was not called") > 0
                    || Heard.count("LEAK", "WheelTimer") > 0;
        });
    }

    @Test
    static void stopped_timers_leave_no_descriptors() throws Exception {
        int before = descriptors();

        for (int i = 0; i < 200; i++) {
            WheelTimer timer = quick();

            timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);
            timer.stop();
        }
        until(() -> {
            System.gc();
            return descriptors() <= before + 10;
        });
    }

    private static int descriptors() {
        return new java.io.File("/proc/self/fd").list().length;
    }

    @Test
    static void wheel_that_cannot_be_opened_is_an_exception() throws Exception {
        ProcessBuilder again = again("Opens", ".");

        again.environment().put("LIBWHEEL_BACKEND", "none");
        Process process = again.start();
        String said = new String(process.getInputStream().readAllBytes());

        check(process.waitFor() == 1, said);
        check(said.contains("RejectedExecutionException: cannot open a wheel: Invalid argument"),
              said);
    }

    /** A program of ours in a JVM of its own, which finds classes in that folder first. */
    private static ProcessBuilder again(String program, String folder) throws Exception {
        Path ours = Path.of(Cases.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = ours.resolve(folder) + ":" + System.getProperty("java.class.path");

        return new ProcessBuilder(java, "-cp", classes, program).redirectErrorStream(true);
    }
}
