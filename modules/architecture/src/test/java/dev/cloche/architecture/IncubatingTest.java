package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.cloche.base.Incubating;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the page of what may still change against what is marked. */
class IncubatingTest {
    private static final Path PAGE = Path.of("../../docs/compatibility.md");

    @Test
    void whatMayStillChangeIsOnThePageOfCompatibility() throws IOException {
        String section =
                Files.readString(PAGE).split("## What may still change", -1)[1].split("\n## ", -1)[0];
        Set<String> listed = new TreeSet<>();
        for (String row : section.lines().filter(line -> line.startsWith("| `")).toList()) {
            Matcher name = Pattern.compile("`([A-Za-z0-9.]+)`").matcher(row.split("\\|", -1)[1]);
            while (name.find()) {
                listed.add(name.group(1));
            }
        }
        assertThat(listed).isEqualTo(marked());
    }

    private static Set<String> marked() {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : Rooms.CLASSES) {
            if (type.isAnnotatedWith(Incubating.class)) {
                names.add(type.getSimpleName().equals("package-info") ? type.getPackageName() : type.getSimpleName());
            }
            type.getMethods().stream()
                    .filter(method -> method.isAnnotatedWith(Incubating.class))
                    .forEach(method -> names.add(type.getSimpleName() + "." + method.getName()));
        }
        return names;
    }
}
