// SPDX-License-Identifier: MIT
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;

/**
 * Own CLASS: the tests of a class for JUnit 4, as KTAP. Some of them have time limits, which a
 * busy machine may miss. A failed test is therefore reported and run again.
 */
final class Own {
    private static final int RUNS = 3;

    private Own() {
    }

    public static void main(String[] arguments) throws ClassNotFoundException {
        Class<?> tests = Class.forName(arguments[0]);
        Description all = Request.aClass(tests).getRunner().getDescription();
        int number = 0;
        int failed = 0;

        System.out.println("KTAP version 1\n1.." + all.testCount());
        for (Description test : all.getChildren()) {
            boolean passed = passes(tests, test.getMethodName());

            System.out.println((passed ? "ok " : "not ok ") + ++number + ' '
                    + test.getMethodName());
            failed += passed ? 0 : 1;
        }
        System.out.println(number - failed + " passed, " + failed + " failed, 0 skipped");
        System.exit(failed == 0 && number > 0 ? 0 : 1);
    }

    private static boolean passes(Class<?> tests, String name) {
        for (int run = 0; run < RUNS; run++) {
            Result result = new JUnitCore().run(Request.method(tests, name));

            if (result.wasSuccessful() && result.getRunCount() == 1) {
                return true;
            }
            result.getFailures().forEach(failure -> failure.getTrace().lines()
                    .forEach(line -> System.out.println("# " + line)));
        }
        return false;
    }
}
