package dev.cloche.interpreter;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A value in the forms that its language has for it, by their types: {@code text/plain}, {@code text/html}, {@code
 * text/markdown}, {@code image/svg+xml}, {@code image/png}, {@code image/jpeg}, {@code application/json}, {@code text/latex}, or
 * what else the code has given. Images are as their files are. {@code application/json} is JSON, at most 64 deep; nothing else
 * was looked into: all of it is the guest's word. Immutable: each call for an array answers a copy.
 */
public final class MimeBundle {
    private static final String PLAIN = "text/plain";

    private final Map<String, byte[]> forms;

    private MimeBundle(Map<String, byte[]> forms) {
        this.forms = forms;
    }

    /** Returns a bundle of these forms, in their order. */
    public static MimeBundle of(Map<String, byte[]> forms) {
        Map<String, byte[]> copied = new LinkedHashMap<>();
        forms.forEach((type, data) -> copied.put(type, data.clone()));
        return new MimeBundle(copied);
    }

    /** Returns the types, in the order of the guest. */
    public Set<String> types() {
        return Collections.unmodifiableSet(forms.keySet());
    }

    /** Returns the form of a type, if there is one. */
    public Optional<byte[]> bytes(String type) {
        return Optional.ofNullable(forms.get(type)).map(byte[]::clone);
    }

    /** Returns the form of a type as text in UTF-8, if there is one. */
    public Optional<String> text(String type) {
        return Optional.ofNullable(forms.get(type)).map(data -> new String(data, UTF_8));
    }

    /** Returns its plain text; empty if it has none. */
    public String text() {
        return text(PLAIN).orElse("");
    }
}
