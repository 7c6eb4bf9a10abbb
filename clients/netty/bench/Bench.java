// SPDX-License-Identifier: MIT
import com.sun.management.OperatingSystemMXBean;
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Compares WheelTimer with Netty's HashedWheelTimer in one JVM, both with ticks of 1 ms. The
 * runs are interleaved, and only one timer exists at a time.
 */
final class Bench {
    private static final int PENDING = 1_000_000;
    /** Long enough for the CPU clock of the process, whose resolution is 10 ms. */
    private static final int LIVES = 10_000_000;
    private static final int ROUNDS = 5;
    private static final int IDLE_S = 10;
    /** Number of concurrent requests, each with a timeout. */
    private static final int WINDOW = 1000;
    private static final String WORKER = "bench-worker";
    private static final TimerTask NOTHING = timeout -> { };
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The implementations. */
    private enum Kind {
        NETTY("Netty"), OURS("WheelTimer");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        Timer make() {
            ThreadFactory named = work -> new Thread(work, WORKER);

            return this == NETTY ? new HashedWheelTimer(named, 1, TimeUnit.MILLISECONDS)
                    : new WheelTimer(named, 1, TimeUnit.MILLISECONDS);
        }
    }

    private Bench() {
    }

    public static void main(String[] arguments) throws Exception {
        System.out.printf("""
                Netty's HashedWheelTimer and WheelTimer, in one JVM, with ticks of 1 ms.

                A life is an arm and, %d timeouts later, its cancel, in ns. Each value is the
                median of %d interleaved rounds. CPU is the CPU time of all threads of the JVM.
                A ratio below 1 means that WheelTimer takes less time.

                """, WINDOW, ROUNDS);
        System.out.printf("%-9s %8s %30s %30s%n", "", "", "elapsed time", "CPU");
        System.out.printf("%-9s %8s %10s %11s %7s %10s %11s %7s%n", "pending", "threads",
                          "Netty", "WheelTimer", "ratio", "Netty", "WheelTimer", "ratio");
        for (int pending : new int[] {0, PENDING}) {
            for (int threads : new int[] {1, 2}) {
                showLives(pending, threads);
            }
        }

        System.out.println("\nIdle for " + IDLE_S + " s, 1000 timeouts an hour away: the timer's thread\n");
        System.out.printf("%-10s %12s %12s%n", "", "wake-ups/s", "CPU us/s");
        for (Kind kind : Kind.values()) {
            showIdle(kind);
        }

        System.out.println("\nMemory, bytes for each of " + PENDING + " pending timeouts\n");
        System.out.printf("%-10s %12s %12s%n", "", "Java's heap", "outside");
        for (Kind kind : Kind.values()) {
            showMemory(kind);
        }
    }

    private static Timer filled(Kind kind, int pending) {
        Timer timer = kind.make();
        SplittableRandom random = new SplittableRandom(1);

        for (int i = 0; i < pending; i++) {
            timer.newTimeout(NOTHING, 600 + random.nextInt(3000), TimeUnit.SECONDS);
        }
        return timer;
    }

    private static void showLives(int pending, int threads) throws Exception {
        int kinds = Kind.values().length;
        double[][] wall = new double[kinds][ROUNDS];
        double[][] cpu = new double[kinds][ROUNDS];

        // The first round only warms up the compiler.
        for (int round = -1; round < ROUNDS; round++) {
            for (Kind kind : Kind.values()) {
                double[] figures = lives(kind, pending, threads);

                if (round >= 0) {
                    wall[kind.ordinal()][round] = figures[0];
                    cpu[kind.ordinal()][round] = figures[1];
                }
            }
        }
        System.out.printf("%-9d %8d %10.0f %11.0f %7.2f %10.0f %11.0f %7.2f%n", pending, threads,
                          median(wall[0]), median(wall[1]), ratio(wall), median(cpu[0]),
                          median(cpu[1]), ratio(cpu));
    }

    private static double median(double[] figures) {
        double[] sorted = figures.clone();

        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** The median of the rounds' ratios, because other load affects both runs of a round. */
    private static double ratio(double[][] figures) {
        double[] ratios = new double[ROUNDS];

        Arrays.setAll(ratios, round -> figures[1][round] / figures[0][round]);
        return median(ratios);
    }

    /** Returns the elapsed time and the CPU time per life. */
    private static double[] lives(Kind kind, int pending, int threads) throws Exception {
        Timer timer = filled(kind, pending);
        Thread[] all = new Thread[threads];

        // The timer and the collector process the new timeouts.
        System.gc();
        Thread.sleep(1000);
        long cpu = SYSTEM.getProcessCpuTime();
        long wall = System.nanoTime();

        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> live(timer, LIVES / threads));
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        wall = System.nanoTime() - wall;
        cpu = SYSTEM.getProcessCpuTime() - cpu;
        timer.stop();
        return new double[] {(double) wall / LIVES, (double) cpu / LIVES};
    }

    private static void live(Timer timer, int count) {
        Timeout[] window = new Timeout[WINDOW];

        for (int i = 0; i < count; i++) {
            Timeout answered = window[i % WINDOW];

            if (answered != null) {
                answered.cancel();
            }
            window[i % WINDOW] = timer.newTimeout(NOTHING, 30, TimeUnit.SECONDS);
        }
        for (Timeout left : window) {
            left.cancel();
        }
    }

    private static void showIdle(Kind kind) throws Exception {
        Timer timer = kind.make();

        for (int i = 0; i < 1000; i++) {
            timer.newTimeout(NOTHING, 1, TimeUnit.HOURS);
        }
        Thread.sleep(2000);
        KernelThread worker = KernelThread.named(WORKER);
        long sleeps = worker.sleeps();
        long cpu = worker.cpuNanos();

        Thread.sleep(IDLE_S * 1000);
        System.out.printf("%-10s %12.1f %12.1f%n", kind.title,
                          (double) (worker.sleeps() - sleeps) / IDLE_S,
                          (worker.cpuNanos() - cpu) / 1e3 / IDLE_S);
        timer.stop();
    }

    private static void showMemory(Kind kind) throws Exception {
        long java = used();
        long wheel = outside();
        Timer timer = filled(kind, PENDING);

        Thread.sleep(1000);
        System.out.printf("%-10s %12.1f %12.1f%n", kind.title, (double) (used() - java) / PENDING,
                          (double) (outside() - wheel) / PENDING);
        timer.stop();
    }

    private static long used() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Resident memory. Java's heap is a constant part of it. */
    private static long outside() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/status"));

        for (String line : lines) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS");
    }
}
