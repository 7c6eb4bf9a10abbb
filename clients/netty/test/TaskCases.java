// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** Guarantees for tasks: where they run, what they may do, and the effect of a failure. */
final class TaskCases extends Cases {
    @Test
    void task_that_fails_is_logged_and_harmless() throws Exception {
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
        check(timer.stop().isEmpty(), "none is left");
        check(Heard.count("WheelTimer", "mishap one") == 1, "the first one was logged");
        check(Heard.count("WheelTimer", "mishap two") == 1, "the second one was logged");
    }

    @Test
    void tasks_run_in_the_executor_which_may_refuse() throws Exception {
        AtomicReference<Runnable> refused = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(2);
        WheelTimer own = new WheelTimer(Executors.defaultThreadFactory(), 1,
                TimeUnit.MILLISECONDS, 512, true, -1, task -> {
            if (refused.compareAndSet(null, task)) {
                throw new RejectedExecutionException("not this one");
            }
            new Thread(task, "our-executor").start();
        });

        for (int i = 0; i < 3; i++) {
            own.newTimeout(timeout -> {
                check(Thread.currentThread().getName().equals("our-executor"), "elsewhere");
                ran.countDown();
            }, i, TimeUnit.MILLISECONDS);
        }
        await(ran);
        check(own.stop().isEmpty() && own.pendingTimeouts() == 0, "none is left");
        check(Heard.count("WheelTimer", "not this one") == 1, "it was logged");
        check(Heard.count("elsewhere") == 0, "each ran in the executor");
    }

    @Test
    void task_that_interrupts_itself_harms_no_other() throws Exception {
        CountDownLatch slept = new CountDownLatch(3);
        TimerTask sleeper = timeout -> {
            Thread.sleep(1);
            slept.countDown();
            Thread.currentThread().interrupt();
        };

        whileBusy(() -> {
            timer.newTimeout(sleeper, 1, TimeUnit.MILLISECONDS);
            timer.newTimeout(sleeper, 1, TimeUnit.MILLISECONDS);
        });
        until(() -> slept.getCount() == 1);
        timer.newTimeout(sleeper, 1, TimeUnit.MILLISECONDS);
        await(slept);
    }

    /** Keeps the timer's thread busy until the timeouts that arms has armed are due. */
    private void whileBusy(Runnable arms) throws InterruptedException {
        WheelTimer other = quick();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch due = new CountDownLatch(1);

        timer.newTimeout(timeout -> {
            busy.countDown();
            await(due);
        }, 1, TimeUnit.MILLISECONDS);
        await(busy);
        arms.run();
        other.newTimeout(timeout -> due.countDown(), 100, TimeUnit.MILLISECONDS);
        await(due);
        other.stop();
    }

    /** The timeouts need one wheel, then more. Their slots are reused in random order. */
    @Test
    void tasks_that_are_late_run_in_the_order_of_their_deadlines() throws Exception {
        // The kernel may report the timeouts of one tick in several parts.
        int together = timer.isInKernel() ? 100 : 1;

        for (int count : new int[] {1000, 3000}) {
            List<Timeout> used = new ArrayList<>();
            List<Integer> ran = new ArrayList<>();
            CountDownLatch all = new CountDownLatch(count);

            for (int i = 0; i < count; i++) {
                used.add(timer.newTimeout(NOTHING, 1, TimeUnit.HOURS));
            }
            Collections.shuffle(used);
            used.forEach(Timeout::cancel);
            whileBusy(() -> IntStream.range(0, count).forEach(i -> timer.newTimeout(timeout -> {
                ran.add(i);
                all.countDown();
            }, 2 * (i / 100), TimeUnit.MILLISECONDS)));
            await(all);
            check(IntStream.range(1, count).allMatch(i ->
                    ran.get(i - 1) / together <= ran.get(i) / together), ran);
        }
    }

    /** As with Netty's timer, running a task needs no memory. */
    @Test
    void tasks_run_when_there_is_no_memory_left() throws Exception {
        Process process = again(".", "Starves", "-Xmx32m", "-XX:+UseSerialGC").start();
        String output = new String(process.getInputStream().readAllBytes());

        check(process.waitFor() == 0, output);
        check(output.contains("full, wrongly pending 0, left 0, alive true, lost 0"), output);
    }

    @Test
    void task_of_newer_netty_is_notified_of_its_cancellation() throws Exception {
        Process process = again("newer", "Tells").start();
        String output = new String(process.getInputStream().readAllBytes());

        check(process.waitFor() == 0, output);
        check(output.contains("cancelled: one true") && output.contains("mishap of one")
              && output.contains("returned: true false"), output);
        check(output.contains("handed back: 1") && !output.contains("two"), output);
    }

    @Test
    void task_may_arm_and_cancel() throws Exception {
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
        check(Heard.count("it was pending") == 0, "each was cancelled");
    }
}
