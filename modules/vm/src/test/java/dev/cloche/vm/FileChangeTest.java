package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FileChangeTest {
    private static final FileInfo.Change NONE = FileInfo.Change.NONE;

    @Test
    void whatIsSetLastCounts() {
        byte[] value = {1, 2};
        FileInfo.Change change = NONE.withMode(0600)
                .withMode(07777)
                .withOwner("app:app")
                .withAttribute("user.a", value)
                .withAttribute("user.b", new byte[0])
                .withoutAttribute("user.b")
                .withoutAttribute("user.c")
                .withAttribute("user.c", new byte[] {3});
        value[0] = 9;
        assertThat(change.mode()).hasValue(07777);
        assertThat(change.owner()).hasValue("app:app");
        assertThat(change.attributes()).containsOnlyKeys("user.a", "user.c");
        assertThat(change.attributes().get("user.a")).containsExactly(1, 2);
        assertThat(change.removed()).containsExactly("user.b");
        assertThat(NONE.mode()).isEmpty();
        assertThat(NONE.attributes()).isEmpty();
    }

    @Test
    void whatNoGuestCanSetIsRefused() {
        for (int mode : new int[] {-1, 010000}) {
            assertThatThrownBy(() -> NONE.withMode(mode)).isInstanceOf(VmException.Invalid.class);
        }
        for (String owner : List.of("", "a\0b", "n".repeat(GuestFiles.MAX_OWNER + 1))) {
            assertThatThrownBy(() -> NONE.withOwner(owner)).isInstanceOf(VmException.Invalid.class);
        }
        for (String name : List.of("", "user.", "trusted.a", "a", "user.a\0", "user." + "n".repeat(251))) {
            assertThatThrownBy(() -> NONE.withAttribute(name, new byte[0])).isInstanceOf(VmException.Invalid.class);
            assertThatThrownBy(() -> NONE.withoutAttribute(name)).isInstanceOf(VmException.Invalid.class);
        }
        assertThat(NONE.withAttribute("user." + "n".repeat(250), new byte[FileInfo.Change.MAX_VALUE])
                        .attributes())
                .hasSize(1);
        assertThatThrownBy(() -> NONE.withAttribute("user.a", new byte[FileInfo.Change.MAX_VALUE + 1]))
                .isInstanceOf(VmException.Invalid.class);
    }

    @Test
    void attributesAreBoundedTogether() {
        FileInfo.Change many = IntStream.range(0, 1024)
                .boxed()
                .reduce(NONE, (all, i) -> all.withoutAttribute("user." + i), (a, b) -> b);
        assertThatThrownBy(() -> many.withAttribute("user.more", new byte[0])).isInstanceOf(VmException.Invalid.class);
        FileInfo.Change large = IntStream.range(0, 16)
                .boxed()
                .reduce(NONE, (all, i) -> all.withAttribute("user." + i, new byte[65_000]), (a, b) -> b);
        assertThatThrownBy(() -> large.withAttribute("user.more", new byte[65_000]))
                .isInstanceOf(VmException.Invalid.class);
    }
}
