// SPDX-License-Identifier: MIT
package wheel.netty;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.internal.ObjectUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link Timer} on libwheel, to be used as Netty's HashedWheelTimer: the constructors take
 * the same arguments, of which {@code ticksPerWheel} means nothing here.
 *
 * <p>A timeout runs at the first tick that is not before its deadline, in the timer's one
 * thread, which sleeps while nothing is due, or in an executor.
 */
public final class WheelTimer implements Timer {
    static final String STOPPED = "cannot be started once stopped";

    private static final InternalLogger LOGGER =
            InternalLoggerFactory.getInstance(WheelTimer.class);
    private static final long MILLISECOND_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MAX_TICKS_PER_WHEEL = 1 << 30;

    private static final int INIT = 0;
    private static final int STARTED = 1;
    private static final int SHUTDOWN = 2;

    private final AtomicInteger state = new AtomicInteger(INIT);
    private final Limit limit;
    private final Executor executor;
    private final Banks banks;
    /** For the timer's thread alone. */
    private final Fired fired;
    /** The wheel's clock is so far ahead of System.nanoTime(). */
    private final long ahead;
    private final Thread worker;
    private final Instances.Member member;

    public WheelTimer() {
        this(Executors.defaultThreadFactory());
    }

    public WheelTimer(long tickDuration, TimeUnit unit) {
        this(Executors.defaultThreadFactory(), tickDuration, unit);
    }

    public WheelTimer(long tickDuration, TimeUnit unit, int ticksPerWheel) {
        this(Executors.defaultThreadFactory(), tickDuration, unit, ticksPerWheel);
    }

    public WheelTimer(ThreadFactory threadFactory) {
        this(threadFactory, 100, TimeUnit.MILLISECONDS);
    }

    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit) {
        this(threadFactory, tickDuration, unit, 512);
    }

    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit,
                      int ticksPerWheel) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, true);
    }

    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit,
                      int ticksPerWheel, boolean leakDetection) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, leakDetection, -1);
    }

    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit,
                      int ticksPerWheel, boolean leakDetection, long maxPendingTimeouts) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, leakDetection, maxPendingTimeouts,
             Runnable::run);
    }

    /**
     * Opens its wheel; the thread begins with the first timeout.
     *
     * @param threadFactory makes the timer's thread
     * @param tickDuration how late a task may run, at least a millisecond
     * @param unit of tickDuration
     * @param ticksPerWheel positive
     * @param leakDetection whether a timer that nobody stopped is always reported, or only if
     *     its thread keeps the JVM alive
     * @param maxPendingTimeouts more are rejected; 0 or less: there is no limit
     * @param taskExecutor runs the tasks, which others do in the timer's thread
     */
    public WheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit,
                      int ticksPerWheel, boolean leakDetection, long maxPendingTimeouts,
                      Executor taskExecutor) {
        ObjectUtil.checkNotNull(threadFactory, "threadFactory");
        executor = ObjectUtil.checkNotNull(taskExecutor, "taskExecutor");
        long tick = tickNanos(tickDuration, unit, ticksPerWheel);

        limit = new Limit(maxPendingTimeouts);
        worker = threadFactory.newThread(this::work);
        banks = new Banks(tick);
        fired = new Fired(tick);
        long before = System.nanoTime();
        ahead = banks.now() - before;
        member = Instances.enter(this, leakDetection || !worker.isDaemon(), LOGGER);
    }

    private static long tickNanos(long tickDuration, TimeUnit unit, int ticksPerWheel) {
        ObjectUtil.checkNotNull(unit, "unit");
        ObjectUtil.checkPositive(tickDuration, "tickDuration");
        ObjectUtil.checkPositive(ticksPerWheel, "ticksPerWheel");
        if (ticksPerWheel > MAX_TICKS_PER_WHEEL) {
            throw new IllegalArgumentException(
                    "ticksPerWheel may not be greater than 2^30: " + ticksPerWheel);
        }
        long tick = unit.toNanos(tickDuration);
        long limit = Long.MAX_VALUE / ticksPerWheel;

        if (tick >= limit) {
            throw new IllegalArgumentException("tickDuration: " + tickDuration
                    + " (expected: 0 < tickDuration in nanos < " + limit + ')');
        }
        if (tick < MILLISECOND_NANOS) {
            LOGGER.warn("Configured tickDuration {} {} is smaller than 1 ms, using 1 ms.",
                        tickDuration, unit);
            return MILLISECOND_NANOS;
        }
        return tick;
    }

    /** Starts the thread, if no timeout has started it yet. */
    public void start() {
        if (state.get() == INIT && state.compareAndSet(INIT, STARTED)) {
            startThread();
        } else if (state.get() == SHUTDOWN) {
            throw new IllegalStateException(STOPPED);
        }
    }

    /** If the system has no thread to give, the next timeout tries again. */
    private void startThread() {
        boolean started = false;

        try {
            worker.start();
            started = true;
        } finally {
            if (!started) {
                state.compareAndSet(STARTED, INIT);
            }
        }
    }

    /** How many timeouts have neither begun to run nor been cancelled. */
    public long pendingTimeouts() {
        return banks.pending();
    }

    /** Whether its timers are in the kernel's /dev/wheel. */
    public boolean isInKernel() {
        return banks.inKernel();
    }

    /** The wheel's clock. */
    long now() {
        return System.nanoTime() + ahead;
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        ObjectUtil.checkNotNull(task, "task");
        ObjectUtil.checkNotNull(unit, "unit");
        WheelTimeout timeout = null;

        limit.enter();
        try {
            start();
            timeout = banks.place(this, task, deadlineIn(unit.toNanos(delay)));
            if (!timeout.arm()) {
                timeout = null;
                throw new IllegalStateException(STOPPED);
            }
            return timeout;
        } finally {
            if (timeout == null) {
                done();
            }
        }
    }

    /** One is not pending any more. */
    void done() {
        limit.leave();
    }

    /** In the future, so that no timeout in a slot has the deadline of one that has fired. */
    private long deadlineIn(long nanos) {
        long deadline = now() + Math.max(nanos, 1);

        return deadline < 0 ? Long.MAX_VALUE : deadline;
    }

    private void work() {
        while (state.get() == STARTED) {
            banks.await(fired);
            serve();
            fired.clear();
        }
    }

    private void serve() {
        // A timeout that is left when it was stopped stays in its slot, to be handed back.
        for (int i = 0; i < fired.count() && state.get() == STARTED; i++) {
            WheelTimeout timeout = fired.take(i);

            // A task that interrupts its thread means itself, not those that come after it.
            Thread.interrupted();
            if (timeout.expire()) {
                done();
                hand(timeout);
            }
        }
    }

    private void hand(WheelTimeout timeout) {
        try {
            executor.execute(timeout);
        } catch (Throwable t) {
            warn("The executor did not take a TimerTask.", t);
        }
    }

    /** There may be no memory to say it with: that stops no timer. */
    static void warn(String what, Throwable why) {
        try {
            LOGGER.warn(what, why);
        } catch (Throwable unsaid) {
            return;
        }
    }

    @Override
    public Set<Timeout> stop() {
        Set<Timeout> unprocessed = new HashSet<>();

        if (Thread.currentThread() == worker) {
            throw new IllegalStateException("WheelTimer.stop() cannot be called from TimerTask");
        }
        int before = state.getAndSet(SHUTDOWN);

        if (before == SHUTDOWN) {
            return Collections.emptySet();
        }
        banks.stop();
        try {
            if (before == STARTED) {
                end(worker);
            }
        } finally {
            member.release(this);
        }
        banks.drainTo(unprocessed);
        return unprocessed;
    }

    /** A task may be running, and may be asleep. */
    private static void end(Thread worker) {
        boolean interrupted = false;

        while (worker.isAlive()) {
            worker.interrupt();
            try {
                worker.join(100);
            } catch (InterruptedException ignored) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
