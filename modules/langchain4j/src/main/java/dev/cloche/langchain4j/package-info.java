/** Runs the code and the tools of LangChain4j's agents in sandboxes. */
@NullMarked
package dev.cloche.langchain4j;

import org.jspecify.annotations.NullMarked;
