package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.PullListener;
import dev.cloche.pool.Preparation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pools of prepared templates, on VMs in memory. */
class TemplatePoolTest extends OnSnapshots {
    private static final Template.Recipe RECIPE = Template.Recipe.empty();

    private SandboxSnapshot publish(String name, int memoryMib) {
        return publish(name, memoryMib, RECIPE);
    }

    private SandboxSnapshot publish(String name, int memoryMib, Template.Recipe recipe) {
        SandboxSpec spec = TestHost.ephemeral("maker", "sleep", "1000").withMemoryMib(memoryMib);
        try (RunningSandbox maker = host.start(spec)) {
            return snapshots.publish(maker.id(), name, recipe, TestHost.soon());
        }
    }

    private void pool(SandboxSnapshot template) {
        sandboxes.pools().set(PoolShape.of(template), TestHost.pool(1, Duration.ofHours(1)), Preparation.NONE);
    }

    private List<String> fill() {
        return sandboxes.pools().fill(PullListener.none());
    }

    private StartKind kind(ChildSpec child) throws IOException {
        try (RunningSandbox clone = snapshots.restore("web", child, TestHost.soon())) {
            assertThat(TestHost.output(TestHost.exec(clone, "hostname"))).isEqualTo(clone.name() + "\n");
            return clone.timings().orElseThrow().kind();
        }
    }

    @Test
    void onlyACloneInWhichAllRunsOnTakesFromIt() throws IOException {
        pool(publish("web", 256));
        ChildSpec running = ChildSpec.unnamed().withRunning(true);
        assertThat(kind(running)).as("none is ready").isEqualTo(StartKind.RESTORED);
        assertThat(fill()).isEmpty();
        assertThat(kind(ChildSpec.unnamed())).as("what ran is to be killed").isEqualTo(StartKind.RESTORED);
        assertThat(kind(running.withSecrets(Secrets.none(), true)))
                .as("with the original's secrets")
                .isEqualTo(StartKind.RESTORED);
        assertThat(kind(running.withName("named"))).isEqualTo(StartKind.WARM);
        sandboxes.remove("named", true, TestHost.soon());
        PoolStatus status = sandboxes.pools().list().getFirst();
        assertThat(status.counts().hits()).isEqualTo(1);
        assertThat(status.shape().template()).contains("web");
    }

    @Test
    void itFollowsATemplateThatIsPreparedAnewAndSaysWhenItCannot() throws IOException {
        SandboxSnapshot first = publish("web", 256);
        pool(first);
        assertThat(fill()).isEmpty();
        var _ = publish("web", 256);
        assertThat(kind(ChildSpec.unnamed().withRunning(true)))
                .as("the old VM is of the old template")
                .isEqualTo(StartKind.RESTORED);
        assertThat(fill()).isEmpty();
        assertThat(kind(ChildSpec.unnamed().withRunning(true))).isEqualTo(StartKind.WARM);

        var _ = publish("web", 128);
        assertThat(fill()).singleElement().asString().contains("has another image, size or network than its pool");
        snapshots.remove("web");
        assertThat(fill()).singleElement().asString().contains("There is no template named \"web\"");
        sandboxes.pools().remove(sandboxes.pools().ofTemplate("web"));
        assertThat(sandboxes.pools().list()).isEmpty();
        assertThat(host.vms.pooled()).isEmpty();
        assertNoSnapshotLeft();
    }

    @Test
    void theDriverOfAnInterpreterIsUsedInEachNewVmBeforeItWaits() throws IOException {
        List<String> done = new ArrayList<>();
        host.interpreters.put("python", guest -> {
            guest.ping(TestHost.soon());
            done.add("cells");
        });
        PoolShape shape = PoolShape.of(
                publish("web", 256, RECIPE.with(Template.Recipe.Kind.INTERPRETER, List.of("python", "/tmp/socket"))));
        sandboxes
                .pools()
                .set(
                        shape,
                        TestHost.pool(1, Duration.ofHours(1)),
                        Preparation.NONE.withWarmUp(_ -> done.add("warm-up")));
        assertThat(fill()).isEmpty();
        assertThat(done).containsExactly("cells", "warm-up");
        assertThat(kind(ChildSpec.unnamed().withRunning(true))).isEqualTo(StartKind.WARM);

        host.interpreters.put("python", _ -> {
            throw new IllegalStateException("no answer of the driver");
        });
        assertThat(fill()).singleElement().asString().contains("no answer of the driver");
        assertThat(host.vms.pooled()).isEmpty();
    }

    @Test
    void anInterpreterThatThisBuildDoesNotKnowIsATemplateLikeOthers() throws IOException {
        pool(publish("web", 256, RECIPE.with(Template.Recipe.Kind.INTERPRETER, List.of("cobol", "/tmp/socket"))));
        assertThat(fill()).isEmpty();
        assertThat(kind(ChildSpec.unnamed().withRunning(true))).isEqualTo(StartKind.WARM);
    }

    @Test
    void anImageOfThatNameIsAnotherPool() {
        SandboxSnapshot template = publish("bare", 256);
        pool(template);
        sandboxes.pools().set(PoolShape.of("bare", 256, 1), TestHost.pool(1, Duration.ofHours(1)), Preparation.NONE);
        assertThat(sandboxes.pools().list()).hasSize(2);
        assertThat(fill()).isEmpty();
        assertThat(sandboxes.pools().list()).extracting(PoolStatus::ready).containsExactly(1, 1);
        try (RunningSandbox ofImage = host.start(TestHost.ephemeral("plain", "sleep", "1000"))) {
            assertThat(ofImage.timings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
        }
        assertThat(sandboxes.pools().list()).extracting(PoolStatus::ready).containsExactly(1, 0);
    }
}
