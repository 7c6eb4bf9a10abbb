// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import io.netty.util.internal.PlatformDependent;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Guarantees of the timer: its arguments, its thread and its resources. */
final class TimerCases extends Cases {
    @Test
    void backend_is_the_requested_one() {
        String requested = System.getenv().getOrDefault("LIBWHEEL_BACKEND", "auto");
        String backend = timer.isInKernel() ? "kernel" : "user";

        check(requested.equals("auto") || requested.equals(backend), backend);
    }

    @Test
    void idle_timer_does_not_wake_up() throws Exception {
        ThreadFactory named = work -> new Thread(work, "idle-wheel");
        WheelTimer far = new WheelTimer(named, 1, TimeUnit.MILLISECONDS);
        CountDownLatch begun = new CountDownLatch(1);

        // The thread has its name in the kernel once it runs.
        far.newTimeout(timeout -> begun.countDown(), 1, TimeUnit.MILLISECONDS);
        await(begun);
        for (int i = 0; i < 1000; i++) {
            far.newTimeout(NOTHING, 1, TimeUnit.HOURS);
        }
        KernelThread idle = KernelThread.named("idle-wheel");
        AtomicLong before = new AtomicLong(-1);

        // The wheel scans a new timeout at most twice; then the thread sleeps for two seconds.
        until(() -> {
            CountDownLatch later = new CountDownLatch(1);

            before.set(idle.sleeps());
            timer.newTimeout(timeout -> later.countDown(), 2, TimeUnit.SECONDS);
            await(later);
            return idle.sleeps() == before.get();
        });
        check(far.stop().size() == 1000, "none has fired");
    }

    @Test
    void thread_that_did_not_start_is_tried_again() throws Exception {
        AtomicLong tries = new AtomicLong();
        ThreadFactory scarce = work -> new Thread(work) {
            @Override
            public synchronized void start() {
                if (tries.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("no thread for now");
                }
                super.start();
            }
        };
        WheelTimer own = new WheelTimer(scarce, 1, TimeUnit.MILLISECONDS);
        CountDownLatch ran = new CountDownLatch(1);

        throwsIt(OutOfMemoryError.class,
                 () -> own.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS));
        check(own.pendingTimeouts() == 0, "it was not accepted");
        own.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
        await(ran);
        check(own.stop().isEmpty(), "none is left");
    }

    /** A constructor of a timer. */
    interface Maker {
        Timer make(ThreadFactory factory, long tick, TimeUnit unit, int ticks);
    }

    @Test
    void bad_arguments_are_refused_as_by_netty() {
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
    void too_many_timers_are_reported_once() {
        List<WheelTimer> many = new ArrayList<>();

        for (int i = 0; i < 70; i++) {
            many.add(quick());
        }
        many.forEach(WheelTimer::stop);
        check(Heard.count("too many WheelTimer instances") == 1, "it was reported once");
    }

    @Test
    void forgotten_timer_is_reported() throws Exception {
        quick();
        until(() -> {
            System.gc();
            // Netty reports leaked objects when the next one is created.
            quick().stop();
            return Heard.count("LEAK: WheelTimer.release() was not called") > 0
                    || Heard.count("LEAK", "WheelTimer") > 0;
        });
    }

    @Test
    void stopped_timers_leave_no_descriptors() throws Exception {
        int before = descriptors();

        for (int i = 0; i < 200; i++) {
            WheelTimer one = quick();

            one.newTimeout(NOTHING, 1, TimeUnit.HOURS);
            one.stop();
        }
        until(() -> {
            System.gc();
            return descriptors() <= before + 10;
        });
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    @Test
    void wheel_that_cannot_be_opened_is_an_exception() throws Exception {
        ProcessBuilder again = again(".", "Opens");

        again.environment().put("LIBWHEEL_BACKEND", "none");
        fails(again, "RejectedExecutionException: cannot open a wheel: LIBWHEEL_BACKEND is not one of");
    }

    @Test
    void library_that_is_missing_is_named() throws Exception {
        ProcessBuilder again = again(".", "Opens");

        again.command().replaceAll(word -> word.replaceAll("[^:]*-linux-[^:]*\\.jar", ""));
        fails(again, "UnsatisfiedLinkError: could not load a native library: wheel_netty_"
                     + PlatformDependent.normalizedArch());
    }

    private static void fails(ProcessBuilder program, String why) throws Exception {
        Process process = program.start();
        String output = new String(process.getInputStream().readAllBytes());

        check(process.waitFor() == 1 && output.contains(why), output);
    }

    /** As in an application server whose applications have separate class loaders. */
    @Test
    void classes_of_several_loaders_have_a_library_each() throws Exception {
        String[] places = System.getProperty("java.class.path").split(":");
        URL[] urls = new URL[places.length];

        for (int i = 0; i < places.length; i++) {
            urls[i] = new File(places[i]).toURI().toURL();
        }
        for (int i = 0; i < 2; i++) {
            try (URLClassLoader loader =
                    new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
                Method main = loader.loadClass("Opens").getMethod("main", String[].class);

                main.setAccessible(true);
                main.invoke(null, (Object) new String[0]);
            }
        }
    }
}
