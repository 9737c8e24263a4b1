package dev.cloche.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.Cloche;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** What an application loads of Cloche in which no bean needs it. */
class UnusedStarterTest {
    private static final Pattern LOADED = Pattern.compile("\\] (dev\\.cloche\\.[\\w.$]+) source: ");

    @Test
    void noClassIsLoadedThatStandsInASignatureAlone() throws Exception {
        Process application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:stdout",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName())
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .start();
        String output = new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(application.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(application.exitValue()).as(output).isZero();

        List<String> loaded =
                LOADED.matcher(output).results().map(found -> found.group(1)).toList();
        assertThat(loaded).contains(Cloche.class.getName(), ClocheOpening.class.getName());
        assertThat(loaded)
                .filteredOn(name -> !name.startsWith("dev.cloche.spring."))
                .containsExactlyInAnyOrder(Cloche.class.getName(), "dev.cloche.ClocheOptions");
    }

    /** An application that has the starter and nothing else. */
    @ImportAutoConfiguration(ClocheAutoConfiguration.class)
    static class Application {
        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext context =
                    SpringApplication.run(Application.class, "--spring.main.banner-mode=off")) {
                assertThat(context.isRunning()).isTrue();
            }
        }
    }
}
