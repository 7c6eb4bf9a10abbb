// SPDX-License-Identifier: MIT
package io.netty.util;

/** A task as Netty 4.2 declares it. */
public interface TimerTask {
    void run(Timeout timeout) throws Exception;

    default void cancelled(Timeout timeout) {
    }
}
