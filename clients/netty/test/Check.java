// SPDX-License-Identifier: MIT
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Check [PART]: the tests of all cases, as KTAP; those whose name contains PART. */
final class Check {
    private static final List<Class<? extends Cases>> ALL =
            List.of(TimerCases.class, TimeoutCases.class, TaskCases.class, StopCases.class);

    private Check() {
    }

    public static void main(String[] parts) {
        Heard.begin();
        Method[] tests = ALL.stream()
                .flatMap(cases -> Arrays.stream(cases.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(Cases.Test.class))
                .filter(method -> Arrays.stream(parts).allMatch(method.getName()::contains))
                .sorted(Comparator.comparing(Method::getName)).toArray(Method[]::new);
        int failed = 0;

        System.out.println("KTAP version 1\n1.." + tests.length);
        for (int i = 0; i < tests.length; i++) {
            boolean passed = run(tests[i]);

            System.out.println((passed ? "ok " : "not ok ") + (i + 1) + " " + tests[i].getName());
            failed += passed ? 0 : 1;
        }
        System.out.println(tests.length - failed + " passed, " + failed + " failed, 0 skipped");
        System.exit(failed == 0 && tests.length > 0 ? 0 : 1);
    }

    private static boolean run(Method test) {
        try {
            Cases cases = (Cases) test.getDeclaringClass().getDeclaredConstructor().newInstance();

            try {
                test.invoke(cases);
            } finally {
                cases.timer.stop();
            }
            return true;
        } catch (InvocationTargetException failure) {
            StringWriter trace = new StringWriter();

            failure.getCause().printStackTrace(new PrintWriter(trace));
            trace.toString().lines().forEach(line -> System.out.println("# " + line));
        } catch (ReflectiveOperationException failure) {
            System.out.println("# " + failure);
        }
        return false;
    }
}
