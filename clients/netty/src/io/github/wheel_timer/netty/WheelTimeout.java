// SPDX-License-Identifier: MIT
package io.github.wheel_timer.netty;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** A task with a deadline, in a slot of a bank until it runs or is cancelled. */
final class WheelTimeout implements Timeout, Runnable {
    private static final int WAITING = 0;
    private static final int CANCELLED = 1;
    private static final int EXPIRED = 2;
    private static final AtomicIntegerFieldUpdater<WheelTimeout> STATE =
            AtomicIntegerFieldUpdater.newUpdater(WheelTimeout.class, "state");

    private final WheelTimer timer;
    private final Bank bank;
    private final int slot;
    private final TimerTask task;
    private final long deadline;
    private volatile int state;

    WheelTimeout(WheelTimer timer, Bank bank, int slot, TimerTask task, long deadline) {
        this.timer = timer;
        this.bank = bank;
        this.slot = slot;
        this.task = task;
        this.deadline = deadline;
    }

    boolean arm() {
        return bank.arm(this);
    }

    int slot() {
        return slot;
    }

    /** The deadline on the wheel's clock, in nanoseconds. */
    long deadline() {
        return deadline;
    }

    @Override
    public Timer timer() {
        return timer;
    }

    @Override
    public TimerTask task() {
        return task;
    }

    @Override
    public boolean isExpired() {
        return state == EXPIRED;
    }

    @Override
    public boolean isCancelled() {
        return state == CANCELLED;
    }

    @Override
    public boolean cancel() {
        if (!drop()) {
            return false;
        }
        CancelNotice.give(this);
        return true;
    }

    /** Cancels the timeout without notifying its task. */
    boolean drop() {
        if (!STATE.compareAndSet(this, WAITING, CANCELLED)) {
            return false;
        }
        timer.done();
        bank.cancelled(this);
        return true;
    }

    /** Marks a timeout whose timer has fired as expired. Returns false if it was cancelled. */
    boolean expire() {
        if (!bank.forget(this)) {
            return false;
        }
        boolean runs = STATE.compareAndSet(this, WAITING, EXPIRED);

        bank.giveBack(this, runs);
        return runs;
    }

    /** Called by the executor after the timeout has expired. */
    @Override
    public void run() {
        try {
            task.run(this);
        } catch (Throwable t) {
            WheelTimer.warn("An exception was thrown by TimerTask.", t);
        }
    }

    @Override
    public String toString() {
        long left = deadline - timer.now();

        return "WheelTimeout(deadline: "
                + (left > 0 ? left + " ns later" : left < 0 ? -left + " ns ago" : "now")
                + (isCancelled() ? ", cancelled" : "") + ", task: " + task + ')';
    }
}
