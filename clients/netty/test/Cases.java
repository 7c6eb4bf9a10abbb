// SPDX-License-Identifier: MIT
import io.netty.util.TimerTask;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import wheel.netty.WheelTimer;

/** The tests have this in common. Each runs in an instance of its own. */
abstract class Cases {
    /** A method that is a test. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Test {
    }

    /** A test that waits so long has failed. */
    private static final int PATIENCE_S = 60;
    static final TimerTask NOTHING = timeout -> { };

    /** It is stopped when the test is over, if not before. */
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
        check(latch.await(PATIENCE_S, TimeUnit.SECONDS), "it never came: " + latch);
    }

    /** Until it is true: what never is true has to end, too. */
    static void until(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);

        while (!condition.call()) {
            check(System.nanoTime() < end, "it never came true");
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

    /** A program of ours in a JVM of its own, which finds classes in that folder first. */
    static ProcessBuilder again(String program, String folder) throws Exception {
        Path ours = Path.of(Cases.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = ours.resolve(folder) + ":" + System.getProperty("java.class.path");

        return new ProcessBuilder(java, "-cp", classes, program).redirectErrorStream(true);
    }
}
