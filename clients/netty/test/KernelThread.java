// SPDX-License-Identifier: MIT
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

/** A thread of this process, as the kernel sees it. */
final class KernelThread {
    private final Path folder;

    private KernelThread(Path folder) {
        this.folder = folder;
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

    /** How often it has gone to sleep. */
    long sleeps() throws IOException {
        for (String line : Files.readAllLines(folder.resolve("status"))) {
            if (line.startsWith("voluntary_ctxt_switches:")) {
                return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        throw new NoSuchElementException("no voluntary_ctxt_switches");
    }

    /** How long it has run. */
    long cpuNanos() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve("schedstat")).split(" ")[0]);
    }
}
