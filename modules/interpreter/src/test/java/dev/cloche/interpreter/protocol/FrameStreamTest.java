package dev.cloche.interpreter.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.interpreter.CellError;
import dev.cloche.interpreter.FakeGuest;
import dev.cloche.vm.Output;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameStreamTest {
    private final FakeGuest guest = new FakeGuest();
    private final FrameStream frames = new FrameStream(guest.stream());

    @AfterEach
    void close() {
        frames.close();
        guest.close();
    }

    @Test
    void aRequestIsAWordAndAPayload() throws Exception {
        frames.send("run", "1 + 1".getBytes(UTF_8));
        assertThat(guest.hear()).isEqualTo("{\"op\":\"run\"}");
    }

    @Test
    void answersAreRead() throws Exception {
        guest.say("{\"type\":\"stdout\"}", "é".getBytes(UTF_8));
        guest.say("{\"type\":\"done\",\"status\":\"ok\"}");
        guest.say("{\"type\":\"ended\",\"code\":-9}");
        assertThat(frames.require()).isInstanceOfSatisfying(Answer.Written.class, written -> {
            assertThat(written.output()).isEqualTo(Output.STDOUT);
            assertThat(written.piece()).isEqualTo("é".getBytes(UTF_8));
        });
        assertThat(frames.require()).isEqualTo(new Answer.Done(false));
        assertThat(frames.require()).isEqualTo(new Answer.Ended(-9));
    }

    @Test
    void aValueHasItsForms() throws Exception {
        guest.say(
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"text/plain\",2],[\"image/png\",3]]}",
                new byte[] {'4', '2', 1, 2, 3});
        assertThat(frames.require()).isInstanceOfSatisfying(Answer.Shown.class, shown -> {
            assertThat(shown.bundle().text()).isEqualTo("42");
            assertThat(shown.bundle().types()).containsExactly("text/plain", "image/png");
            assertThat(shown.bundle().bytes("image/png")).contains(new byte[] {1, 2, 3});
            assertThat(shown.isResult()).isTrue();
            assertThat(shown.size()).isEqualTo(5);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{",
                "{}",
                "{\"type\":1}",
                "{\"type\":\"rm\"}",
                "{\"type\":\"ready\",\"type\":\"ready\"}",
                "{\"type\":\"ready\"} {}",
                "{\"type\":\"done\"}",
                "{\"type\":\"done\",\"status\":\"fine\"}",
                "{\"type\":\"checked\",\"complete\":1}",
                "{\"type\":\"ended\",\"code\":300}",
                "{\"type\":\"ended\",\"code\":1e99}",
                "{\"type\":\"driver\"}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"text/plain\",1]]}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"text/plain\",-1]]}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"text/plain\",99999999999999999999]]}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"a b\",0]]}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"a\",0],[\"a\",0]]}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"a\",0,0]]}",
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[{}]}",
                "{\"type\":\"error\",\"name\":\"E\",\"value\":\"\",\"cut\":false}",
                "{\"type\":\"error\",\"name\":\"E\",\"value\":\"\",\"cut\":false,\"frames\":[3]}",
                "{\"type\":\"error\",\"name\":\"E\",\"value\":\"\",\"cut\":false,\"frames\":[{\"file\":\"f\",\"line\":-1,"
                        + "\"function\":\"\",\"source\":\"\"}]}"
            })
    void whatNoDriverSaysIsBroken(String header) {
        guest.say(header);
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class);
    }

    @Test
    void bytesThatBelongToNothingAreBroken() {
        guest.say("{\"type\":\"ready\"}", new byte[1]);
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class).hasMessageContaining("belong to nothing");
        guest.say("{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[]}", new byte[1]);
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class).hasMessageContaining("belong to nothing");
    }

    @ParameterizedTest
    @ValueSource(ints = {FrameStream.LONGEST_HEADER + 1, Integer.MAX_VALUE, -1})
    void aHeaderThatIsTooLongIsNotRead(int length) {
        guest.raw(ByteBuffer.allocate(8).putInt(length).putInt(0).array());
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class).hasMessageContaining("longer");
    }

    @ParameterizedTest
    @ValueSource(ints = {FrameStream.LONGEST_PAYLOAD + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void aPayloadThatIsTooLongIsNotRead(int length) {
        guest.raw(ByteBuffer.allocate(8).putInt(2).putInt(length).array());
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class).hasMessageContaining("longer");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9})
    void aStreamThatEndsInAFrameIsBroken(int length) {
        guest.raw(Arrays.copyOf(new byte[] {0, 0, 0, 2, 1, 0, 0, 0, '{'}, length));
        guest.end();
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class).hasMessageContaining("ends in the middle");
    }

    @Test
    void aStreamThatEndsBetweenFramesHasEnded() {
        guest.end();
        assertThatThrownBy(frames::require).isInstanceOf(EOFException.class);
    }

    @Test
    void aHeaderThatIsTooDeepIsBroken() {
        guest.say("{\"type\":" + "[".repeat(64) + "]".repeat(64) + "}");
        assertThatThrownBy(frames::require).isInstanceOf(BrokenFrame.class);
    }

    @Test
    void beyond32FormsTheOthersAreLeftOutAndThatIsSaid() throws Exception {
        String forms =
                IntStream.range(0, 33).mapToObj(i -> "[\"t/" + i + "\",0]").collect(Collectors.joining(",", "[", "]"));
        guest.say("{\"type\":\"display\",\"result\":false,\"cut\":false,\"forms\":" + forms + "}");
        assertThat(frames.require()).isInstanceOfSatisfying(Answer.Shown.class, shown -> {
            assertThat(shown.bundle().types()).hasSize(32).doesNotContain("t/32");
            assertThat(shown.truncated()).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 65})
    void jsonOfAValueIs64Deep(int depth) throws Exception {
        byte[] json = ("[".repeat(depth) + "]".repeat(depth)).getBytes(UTF_8);
        guest.say(
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"application/json\"," + json.length
                        + "]]}",
                json);
        assertThat(frames.require()).isInstanceOfSatisfying(Answer.Shown.class, shown -> {
            assertThat(shown.bundle().types().isEmpty()).isEqualTo(depth > 64);
            assertThat(shown.truncated()).isEqualTo(depth > 64);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "1 2", "nan", "[1,]"})
    void whatIsNoJsonIsLeftOut(String text) throws Exception {
        byte[] json = text.getBytes(UTF_8);
        guest.say(
                "{\"type\":\"display\",\"result\":true,\"cut\":false,\"forms\":[[\"application/json\"," + json.length
                        + "]]}",
                json);
        assertThat(frames.require()).isInstanceOfSatisfying(Answer.Shown.class, shown -> {
            assertThat(shown.bundle().types()).isEmpty();
            assertThat(shown.truncated()).isTrue();
        });
    }

    @Test
    void anErrorIsCut() throws Exception {
        String frame = "{\"file\":\"f\",\"line\":1,\"function\":\"g\",\"source\":\"h()\"}";
        String many = IntStream.range(0, AnswerReading.MOST_FRAMES + 1)
                .mapToObj(_ -> frame)
                .collect(Collectors.joining(","));
        guest.say("{\"type\":\"error\",\"name\":\"E\",\"value\":\"" + "v".repeat(20_000)
                + "\",\"cut\":false,\"frames\":[" + many + "]}");
        assertThat(frames.require()).isInstanceOfSatisfying(Answer.Thrown.class, thrown -> {
            assertThat(thrown.error().value()).hasSize(AnswerReading.LONGEST_WORDS);
            assertThat(thrown.error().frames())
                    .hasSize(AnswerReading.MOST_FRAMES)
                    .startsWith(new CellError.Frame("f", 1, "g", "h()"));
            assertThat(thrown.truncated()).isTrue();
        });
    }
}
