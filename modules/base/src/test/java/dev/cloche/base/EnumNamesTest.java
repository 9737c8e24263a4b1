package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EnumNamesTest {
    private enum Kind {
        DISK_FULL,
        SILENT
    }

    @Test
    void aConstantIsNamedInLowerCaseWithHyphens() {
        assertThat(EnumNames.of(Kind.DISK_FULL)).isEqualTo("disk-full");
    }

    @Test
    void aConstantIsFoundByItsNameAlone() {
        assertThat(EnumNames.find(Kind.class, "silent")).contains(Kind.SILENT);
        assertThat(EnumNames.find(Kind.class, "SILENT")).isEmpty();
        assertThat(EnumNames.find(Kind.class, "disk_full")).isEmpty();
    }
}
