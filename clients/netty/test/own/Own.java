// SPDX-License-Identifier: MIT
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Own CLASS: the tests of a class for JUnit 4, as KTAP. */
final class Own extends RunListener {
    private int number;
    private Failure failure;

    private Own() {
    }

    public static void main(String[] arguments) throws ClassNotFoundException {
        Request request = Request.aClass(Class.forName(arguments[0]));
        JUnitCore core = new JUnitCore();

        System.out.println("KTAP version 1\n1.." + request.getRunner().testCount());
        core.addListener(new Own());
        Result result = core.run(request);
        System.out.println(result.getRunCount() - result.getFailureCount() + " passed, "
                + result.getFailureCount() + " failed, 0 skipped");
        System.exit(result.wasSuccessful() && result.getRunCount() > 0 ? 0 : 1);
    }

    @Override
    public void testStarted(Description test) {
        failure = null;
    }

    @Override
    public void testFailure(Failure what) {
        failure = what;
        what.getTrace().lines().forEach(line -> System.out.println("# " + line));
    }

    @Override
    public void testFinished(Description test) {
        number++;
        System.out.println((failure == null ? "ok " : "not ok ") + number + ' '
                + test.getMethodName());
    }
}
