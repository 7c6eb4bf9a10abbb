// SPDX-License-Identifier: MIT
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

/** A thread of this process, as the kernel sees it. */
final class KernelThread {
    private final Path directory;

    private KernelThread(Path directory) {
        this.directory = directory;
    }

    static KernelThread named(String name) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : (Iterable<Path>) threads::iterator) {
                if (Files.readString(thread.resolve("comm")).strip().equals(name)) {
                    return new KernelThread(thread);
                }
            }
        }
        throw new NoSuchElementException("no thread " + name);
    }

    /** Returns the number of times that the thread went to sleep. */
    long sleeps() throws IOException {
        for (String line : Files.readAllLines(directory.resolve("status"))) {
            if (line.startsWith("voluntary_ctxt_switches:")) {
                return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        throw new NoSuchElementException("no voluntary_ctxt_switches");
    }

    /** Returns the CPU time of the thread. */
    long cpuNanos() throws IOException {
        return Long.parseLong(Files.readString(directory.resolve("schedstat")).split(" ")[0]);
    }
}
