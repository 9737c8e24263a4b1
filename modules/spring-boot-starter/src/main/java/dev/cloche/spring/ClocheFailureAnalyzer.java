package dev.cloche.spring;

import dev.cloche.base.ClocheException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows the sentence and the remedy of an error of Cloche that keeps an application from its start. */
@SuppressWarnings("exports") // Spring makes it.
public final class ClocheFailureAnalyzer extends AbstractFailureAnalyzer<ClocheException> {
    /** Makes it, for Spring Boot. */
    public ClocheFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ClocheException cause) {
        return new FailureAnalysis(cause.sentence(), cause.remedy(), cause);
    }
}
