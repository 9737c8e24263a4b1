package dev.cloche.process;

import java.util.ArrayList;
import java.util.List;

/** The calls of a history, one after the other, and how each went. */
final class HistoryCalls {
    private final List<String> told = new ArrayList<>();

    interface Call<T> {
        T run();
    }

    interface Success<T> {
        void is(T result);
    }

    void tell(String what) {
        told.add(what);
    }

    /** All steps, a line each. */
    String told() {
        return String.join("\n", told);
    }

    /**
     * Refusals of the registry that say nothing about leases are as good as nothing done.
     *
     * @throws ProcessException.AlreadyLeased as the call does
     * @throws ProcessException.LeaseLost as the call does
     */
    <T> void attempt(String what, Call<T> call, Success<T> done, Runnable inDoubt) {
        T result;
        try {
            result = call.run();
        } catch (ProcessException.StoreFailed e) {
            told.add(what + ": in doubt");
            inDoubt.run();
            return;
        } catch (ProcessException.AlreadyLeased | ProcessException.LeaseLost e) {
            told.add(what + ": " + e.getMessage());
            throw e;
        } catch (ProcessException e) {
            told.add(what + ": " + e.getMessage());
            return;
        }
        told.add(what + ": " + result);
        done.is(result);
    }
}
