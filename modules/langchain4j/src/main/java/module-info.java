/** Code execution and tools of LangChain4j, in sandboxes. */
@SuppressWarnings("requires-transitive-automatic") // LangChain4j has no descriptors.
module dev.cloche.langchain4j {
    requires transitive dev.cloche;
    requires transitive dev.cloche.interpreter;
    requires transitive dev.cloche.tools;
    requires org.jspecify;
    requires static transitive langchain4j.core;

    exports dev.cloche.langchain4j;
}
