package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.image.registry.Credential;
import dev.cloche.image.registry.CredentialHelper;
import dev.cloche.image.registry.LoginFile;
import dev.cloche.image.registry.Logins;
import dev.cloche.image.registry.LoginsUnreadable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginsTest {
    private static final String REGISTRY = "reg.example:5000";

    @TempDir
    Path root;

    private Path config;

    @BeforeEach
    void paths() {
        config = root.resolve("config.json");
    }

    @Test
    void whatIsGivenComesBeforeWhatIsKeptAndThatBeforeDockers() throws Exception {
        Path kept = root.resolve("logins.json");
        write("{\"auths\":{\"" + REGISTRY + "\":{\"auth\":\"" + encoded("docker", "d") + "\"}}}");
        LoginSources sources = LoginSources.NONE.withDockerConfig(config).withKept(kept);
        assertThat(find(sources)).contains(basic("docker", "d"));
        Files.write(kept, LoginFile.document(Map.of(REGISTRY, encoded("kept", "k"))));
        assertThat(find(sources)).contains(basic("kept", "k"));
        RegistryLogin given = new RegistryLogin("given", "g");
        assertThat(find(sources.withGiven(Map.of(REGISTRY, given)))).contains(basic("given", "g"));
        assertThat(find(sources.withGiven(Map.of("other.example", given)))).contains(basic("kept", "k"));
    }

    @Test
    void everyFormOfDockersEntriesIsUnderstood() throws Exception {
        write("{\"auths\":{\"https://" + REGISTRY + "/v1/\":{\"auth\":\"" + encoded("a", "b:c") + "\"}}}");
        assertThat(fromDocker()).contains(basic("a", "b:c"));
        write("{\"auths\":{\"" + REGISTRY + "\":{\"username\":\"a\",\"password\":\"päss\"}}}");
        assertThat(fromDocker()).contains(basic("a", "päss"));
        write("{\"auths\":{\"" + REGISTRY + "\":{\"auth\":\"" + encoded("0", "") + "\",\"identitytoken\":\"t\"}}}");
        assertThat(fromDocker()).contains(new Credential.IdentityToken("t"));
        write("{\"auths\":{\"" + REGISTRY + "\":{}}}");
        assertThat(fromDocker()).isEmpty();
        write("{\"auths\":{\"" + REGISTRY + "\":{\"auth\":\"bm8gY29sb24=\"}}}");
        assertThat(fromDocker()).isEmpty();
        write("{\"auths\":{\"https://index.docker.io/v1/\":{\"auth\":\"" + encoded("hub", "x") + "\"}}}");
        assertThat(new Logins(LoginSources.NONE.withDockerConfig(config)).find("docker.io", Deadline.none()))
                .contains(basic("hub", "x"));
        Files.delete(config);
        assertThat(fromDocker()).isEmpty();
    }

    @Test
    void theRegistrysOwnHelperComesBeforeTheOneForAllAndThatBeforeTheFile() throws Exception {
        helper("mine", "cat > '" + root + "/asked'; printf '{\"Username\":\"mine\",\"Secret\":\"m\"}'");
        helper("all", "cat > '" + root + "/asked'; printf '{\"Username\":\"<token>\",\"Secret\":\"a\"}'");
        String auths = "\"auths\":{\"" + REGISTRY + "\":{\"auth\":\"" + encoded("file", "f") + "\"}}";
        write("{\"credHelpers\":{\"" + REGISTRY + "\":\"mine\"},\"credsStore\":\"all\"," + auths + "}");
        assertThat(fromDocker()).contains(basic("mine", "m"));
        assertThat(root.resolve("asked")).hasContent(REGISTRY);
        write("{\"credHelpers\":{\"other\":\"mine\"},\"credsStore\":\"all\"," + auths + "}");
        assertThat(fromDocker()).contains(new Credential.IdentityToken("a"));
        helper("all", "echo credentials not found in native keychain; exit 1");
        assertThat(fromDocker()).contains(basic("file", "f"));
        write("{\"credsStore\":\"all\"}");
        assertThat(fromDocker()).isEmpty();
    }

    @Test
    void aHelperIsAskedForDockerHubUnderItsOldName() throws Exception {
        helper("all", "cat > '" + root + "/asked'; printf '{\"Username\":\"u\",\"Secret\":\"s\"}'");
        write("{\"credsStore\":\"all\"}");
        LoginSources sources = LoginSources.NONE.withDockerConfig(config);
        assertThat(new Logins(sources, "/bin:" + root).find("docker.io", Deadline.none()))
                .contains(basic("u", "s"));
        assertThat(root.resolve("asked")).hasContent("https://index.docker.io/v1/");
    }

    @Test
    void aHelperThatFailsIsNamedAndItsWordsAreNot() throws Exception {
        write("{\"credsStore\":\"all\"}");
        refused("docker-credential-all is not installed");
        helper("all", "echo hunter2; exit 3");
        refused("docker-credential-all ended with 3");
        helper("all", "echo '{\"Secret\": hunter2'");
        refused("something else than a login");
        helper("all", "yes hunter2");
        refused("says more than a login");
        write("{\"credsStore\":\"../../bin/sh\"}");
        refused("cannot exist");
        write("{hunter2}");
        refused("no JSON object");
    }

    @Test
    void aHelperThatDoesNotAnswerIsEndedWithItsChildren() throws Exception {
        helper("all", "sleep 1000 & echo $! > '" + root + "/child'; wait");
        CredentialHelper helper = new CredentialHelper(root.resolve("docker-credential-all"), Duration.ofSeconds(5));
        assertThatThrownBy(() -> helper.get(REGISTRY, Deadline.none()))
                .isInstanceOf(LoginsUnreadable.class)
                .hasMessageContaining("does not answer");
        long child = Long.parseLong(Files.readString(root.resolve("child")).strip());
        org.awaitility.Awaitility.await()
                .until(() ->
                        ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void noTextShowsASecret() {
        assertThat(new RegistryLogin("alice", "hunter2")).asString().doesNotContain("hunter2");
        assertThat(Credential.password("alice", "hunter2"))
                .asString()
                .doesNotContain("hunter2", encoded("alice", "hunter2"));
        assertThat(new Credential.IdentityToken("hunter2")).asString().doesNotContain("hunter2");
        assertThat(LoginSources.NONE.withGiven(Map.of("r", new RegistryLogin("alice", "hunter2"))))
                .asString()
                .doesNotContain("hunter2");
    }

    private void refused(String why) {
        assertThatThrownBy(this::fromDocker)
                .isInstanceOf(LoginsUnreadable.class)
                .hasMessageContaining(why)
                .hasNoCause()
                .message()
                .doesNotContain("hunter2");
    }

    private Optional<Credential> fromDocker() throws LoginsUnreadable, InterruptedException {
        return find(LoginSources.NONE.withDockerConfig(config));
    }

    /** Relative directories of the search path are not looked into. */
    private Optional<Credential> find(LoginSources sources) throws LoginsUnreadable, InterruptedException {
        return new Logins(sources, ".::" + root).find(REGISTRY, Deadline.none());
    }

    private void helper(String name, String script) throws IOException {
        Path file = root.resolve("docker-credential-" + name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void write(String json) throws IOException {
        Files.writeString(config, json);
    }

    private static Credential basic(String user, String password) {
        return new Credential.Basic(encoded(user, password));
    }

    private static String encoded(String user, String password) {
        return Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }
}
