// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

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
 * A {@link Timer} on libwheel that replaces Netty's HashedWheelTimer. Its constructors take the
 * same arguments; {@code ticksPerWheel} is checked and otherwise ignored.
 *
 * <p>A timeout expires at the first tick at or after its deadline. Its task runs in the timer's
 * thread or in an executor. The thread sleeps while no timeout is due.
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
    /** Used by the timer's thread only. */
    private final Fired fired;
    /** Offset of the wheel's clock from System.nanoTime(). */
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
     * Opens a wheel. The first timeout starts the thread. The first timer of a JVM also loads and
     * compiles the code of timers, which takes about 50 ms of CPU time.
     *
     * @param threadFactory creates the timer's thread
     * @param tickDuration the tick length, which is the maximum lateness of an idle timer; at
     *     least 1 ms
     * @param unit the unit of tickDuration
     * @param ticksPerWheel a positive number, otherwise ignored
     * @param leakDetection true to report a timer that was not stopped in any case; false to
     *     report it only if its thread keeps the JVM alive
     * @param maxPendingTimeouts the limit on pending timeouts; 0 or less means unlimited
     * @param taskExecutor runs the tasks; the default is the timer's thread
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
        fired = new Fired();
        ahead = offset(banks);
        member = Instances.enter(this, leakDetection || !worker.isDaemon(), LOGGER);
        WarmUp.once();
    }

    /** Opens a started timer without a thread: the caller of turn() is its thread. */
    WheelTimer(long tick) {
        state.set(STARTED);
        limit = new Limit(0);
        executor = Runnable::run;
        worker = Thread.currentThread();
        banks = new Banks(tick);
        fired = new Fired();
        ahead = offset(banks);
        member = null;
    }

    /** Reads System.nanoTime() first, so that a deadline is never early. */
    private static long offset(Banks banks) {
        long before = System.nanoTime();

        return banks.now() - before;
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

    /** Starts the thread unless it has been started. */
    public void start() {
        if (state.get() == INIT && state.compareAndSet(INIT, STARTED)) {
            startThread();
        } else if (state.get() == SHUTDOWN) {
            throw new IllegalStateException(STOPPED);
        }
    }

    /** If the thread cannot be started, the next timeout tries again. */
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

    /**
     * Returns the number of timeouts that have neither begun to run nor been cancelled.
     *
     * @return the number of pending timeouts
     */
    public long pendingTimeouts() {
        return banks.pending();
    }

    /**
     * Checks whether the timers are in the kernel's /dev/wheel.
     *
     * @return false if they are in this process
     */
    public boolean isInKernel() {
        return banks.inKernel();
    }

    /** Returns the time of the wheel's clock. */
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

    /** Counts one pending timeout less. */
    void done() {
        limit.leave();
    }

    /** A deadline is in the future, so that it differs from those of the slot's old timeouts. */
    private long deadlineIn(long nanos) {
        long deadline = now() + Math.max(nanos, 1);

        return deadline < 0 ? Long.MAX_VALUE : deadline;
    }

    private void work() {
        while (state.get() == STARTED) {
            turn();
        }
    }

    /** Waits for expired timers and runs their timeouts. */
    void turn() {
        banks.await(fired);
        serve();
        fired.clear();
    }

    private void serve() {
        // A timeout that is not served before stop() keeps its slot, and stop() returns it.
        for (int i = 0; i < fired.count() && state.get() == STARTED; i++) {
            WheelTimeout timeout = fired.take(i);

            // A task that interrupts its thread must not interrupt the next task.
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

    /** Logs a warning. A lack of memory to do so must not end the timer's thread. */
    static void warn(String what, Throwable why) {
        try {
            LOGGER.warn(what, why);
        } catch (Throwable unlogged) {
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
        discard();
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

    /** Stops the wheels: no timer expires any longer. */
    void discard() {
        banks.stop();
    }

    /** Waits for the thread, and interrupts the task that it may be running. */
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
