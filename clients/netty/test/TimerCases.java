// SPDX-License-Identifier: MIT
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import wheel.netty.WheelTimer;

/** What it promises of the timer itself: its arguments, its thread, and what it leaves behind. */
final class TimerCases extends Cases {
    private TimerCases() {
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
}
