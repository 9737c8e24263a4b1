package example;

/** What a submission gets: how many tests it passed, and why no more. */
record Grade(String student, int tests, int of, String remark) {
    boolean passed() {
        return tests == of;
    }

    @Override
    public String toString() {
        return "%s  %d of %d  %s".formatted(student, tests, of, remark).strip();
    }
}
