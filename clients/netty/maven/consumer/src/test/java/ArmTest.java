// SPDX-License-Identifier: MIT
import io.github.wheel_timer.netty.WheelTimer;
import io.netty.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.Assert;
import org.junit.Test;

/** Arms a timeout with the jars of the repository. */
public class ArmTest {
    @Test
    public void timeoutExpires() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        Timer timer = new WheelTimer(1, TimeUnit.MILLISECONDS);

        timer.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
        Assert.assertTrue(ran.await(60, TimeUnit.SECONDS));
        Assert.assertTrue(timer.stop().isEmpty());
    }
}
