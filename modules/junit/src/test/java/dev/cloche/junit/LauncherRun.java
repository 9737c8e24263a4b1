package dev.cloche.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * What a run of tests told its listeners.
 *
 * @param failures by the name of the test or container
 * @param skipped the reasons
 */
record LauncherRun(
        List<String> succeeded,
        Map<String, Throwable> failures,
        List<String> skipped,
        List<Map<String, String>> reported) {
    static LauncherRun of(Path home, Class<?>... classes) {
        LauncherRun run = new LauncherRun(new ArrayList<>(), new HashMap<>(), new ArrayList<>(), new ArrayList<>());
        LauncherDiscoveryRequestBuilder request =
                LauncherDiscoveryRequestBuilder.request().configurationParameter("cloche.home", home.toString());
        for (Class<?> type : classes) {
            request.selectors(selectClass(type));
        }
        LauncherDiscoveryRequest tests = request.build();
        // Without HangWatch, which watches the test that runs these.
        LauncherConfig config = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        LauncherFactory.create(config).execute(tests, run.listener());
        return run;
    }

    /** Returns why a test or container failed, which it did. */
    Throwable failure(String name) {
        return Optional.ofNullable(failures.get(name)).orElseThrow();
    }

    private TestExecutionListener listener() {
        return new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                String name = test.getDisplayName().replaceFirst("\\(.*", "");
                result.getThrowable().ifPresent(thrown -> failures.put(name, thrown));
                if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                    succeeded.add(name);
                }
            }

            @Override
            public void executionSkipped(TestIdentifier test, String reason) {
                skipped.add(reason);
            }

            @Override
            public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
                reported.add(entry.getKeyValuePairs());
            }
        };
    }
}
