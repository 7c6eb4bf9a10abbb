// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.TimeUnit;

/** A program whose tasks report their cancellation and then throw an exception. */
final class Tells implements TimerTask {
    private final String name;

    private Tells(String name) {
        this.name = name;
    }

    @Override
    public void run(Timeout timeout) {
        System.out.println("ran: " + name);
    }

    @Override
    public void cancelled(Timeout timeout) {
        System.out.println("cancelled: " + name + ' ' + timeout.isCancelled());
        throw new IllegalStateException("mishap of " + name);
    }

    public static void main(String[] arguments) {
        WheelTimer timer = new WheelTimer();
        Timeout one = timer.newTimeout(new Tells("one"), 1, TimeUnit.HOURS);

        timer.newTimeout(new Tells("two"), 1, TimeUnit.HOURS);
        System.out.println("returned: " + one.cancel() + ' ' + one.cancel());
        System.out.println("handed back: " + timer.stop().size());
    }
}
