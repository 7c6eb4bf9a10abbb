// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.TimerTask;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The base class of the tests. Each test runs in a separate instance. */
abstract class Cases {
    /** Marks a method as a test. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Test {
    }

    /** Upper limit on the time that a test waits, in seconds. */
    private static final int PATIENCE_S = 60;
    static final TimerTask NOTHING = timeout -> { };

    /** Check stops it after the test. */
    final WheelTimer timer = quick();

    static WheelTimer quick() {
        return new WheelTimer(1, TimeUnit.MILLISECONDS);
    }

    static void check(boolean right, Object why) {
        if (!right) {
            throw new AssertionError(why);
        }
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        check(latch.await(PATIENCE_S, TimeUnit.SECONDS), "timed out: " + latch);
    }

    /** Waits until the condition is true; fails if it never is. */
    static void until(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);

        while (!condition.call()) {
            check(System.nanoTime() < end, "the condition never became true");
            Thread.sleep(1);
        }
    }

    static void throwsIt(Class<? extends Throwable> what, Callable<?> action) {
        try {
            action.call();
        } catch (Throwable thrown) {
            check(what == thrown.getClass(), thrown);
            return;
        }
        throw new AssertionError("nothing was thrown");
    }

    /**
     * A program of the tests in a separate JVM, which searches that directory first. The property
     * "launcher" has the command that runs Java, if any.
     */
    static ProcessBuilder again(String directory, String program, String... options)
            throws Exception {
        Path tests = Path.of(Cases.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = tests.resolve(directory) + ":" + System.getProperty("java.class.path");
        List<String> command = new ArrayList<>(List.of(System.getProperty("launcher", "").split(" ")));

        command.remove("");
        command.addAll(List.of(java, "-cp", classes));
        command.addAll(List.of(options));
        command.add(program);
        return new ProcessBuilder(command).redirectErrorStream(true);
    }
}
