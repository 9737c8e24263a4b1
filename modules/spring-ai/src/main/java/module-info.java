/** Tools of Spring AI that run in sandboxes. */
@SuppressWarnings("requires-transitive-automatic") // Spring AI has no descriptors.
module dev.cloche.springai {
    requires transitive dev.cloche;
    requires transitive dev.cloche.base;
    requires transitive dev.cloche.interpreter;
    requires dev.cloche.sandbox;
    requires transitive dev.cloche.tools;
    requires org.jspecify;
    requires static transitive spring.ai.model;

    exports dev.cloche.springai;
}
