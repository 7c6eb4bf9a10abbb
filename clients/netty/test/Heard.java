// SPDX-License-Identifier: MIT
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records the warnings and errors that Netty's loggers print. */
final class Heard extends Handler {
    private static final List<String> LINES = new CopyOnWriteArrayList<>();
    private static final Logger ROOT = Logger.getLogger("");

    static void begin() {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        for (Handler usual : ROOT.getHandlers()) {
            ROOT.removeHandler(usual);
        }
        ROOT.addHandler(new Heard());
    }

    /** Returns the number of messages that contain all parts. */
    static long count(String... parts) {
        return LINES.stream().filter(line -> List.of(parts).stream().allMatch(line::contains))
                .count();
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            LINES.add(record.getLoggerName() + ": " + record.getMessage() + ' '
                    + record.getThrown());
        }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
    }
}
