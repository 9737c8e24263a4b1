package dev.cloche.vmm.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmLimits.Amount;
import dev.cloche.vm.VmLimits.Bound;
import dev.cloche.vm.VmLimits.Clones;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdmissionRulesTest {
    private static final HostRoom HOST =
            new HostRoom(1000, 1000, OptionalDouble.of(0), 5000, 5000, OptionalLong.empty());
    private static final Amount NONE = new Amount.None();

    private int made;

    private static VmLimits memory(long mib) {
        return limits(new Amount.Size(mib), NONE, OptionalInt.empty(), NONE, Bound.NONE, Map.of());
    }

    private static VmLimits limits(
            Amount memory, Amount floor, OptionalInt pressure, Amount disk, Bound total, Map<String, Bound> labels) {
        return new VmLimits(
                memory,
                floor,
                pressure,
                disk,
                NONE,
                total,
                labels,
                Clones.EXPECTED,
                VmLimits.UnderPressure.RETIRE_POOLS);
    }

    private static VmLimits total(Bound bound) {
        return limits(NONE, NONE, OptionalInt.empty(), NONE, bound, Map.of());
    }

    private static VmClaim claim(long mib) {
        return new VmClaim(mib, 0, false, 1, 0, Set.of(), false);
    }

    private static VmClaim entry(long mib) {
        return new VmClaim(mib, 0, false, 1, 0, Set.of(), true);
    }

    private static VmClaim labelled(long mib, String... labels) {
        return new VmClaim(mib, 0, false, 1, 0, Set.of(labels), false);
    }

    private Holder holder(VmClaim claim) {
        made++;
        return new Holder(new VmId("vm" + made), claim, 0, Optional.empty(), Optional.empty());
    }

    private Holder shelved(long mib, int seconds) {
        made++;
        return new Holder(
                new VmId("vm" + made), entry(mib), 0, Optional.of(Duration.ofSeconds(seconds)), Optional.empty());
    }

    private static Decision decide(VmLimits limits, List<Holder> holders, VmClaim wanted) {
        return new AdmissionRules(limits, HOST).decide(holders, List.of(), wanted);
    }

    /** Every total bound, two holders that fit, one of them an entry, in a small world. */
    @Test
    void anExchangeThatNoBoundIsSaidToRefuseIsNeverRefused() {
        int seen = 0;
        for (long limit = 1; limit <= 6; limit++) {
            OptionalLong most = OptionalLong.of(limit);
            OptionalLong any = OptionalLong.empty();
            for (VmLimits limits : List.of(
                    memory(limit),
                    total(new Bound(most, any, any, any)),
                    total(new Bound(any, most, any, any)),
                    total(new Bound(any, any, any, most)))) {
                for (long other = 0; other <= 3; other++) {
                    for (long own = 1; own <= 3; own++) {
                        Holder neighbour = holder(new VmClaim(other, 0, false, (int) other, other, Set.of(), false));
                        VmClaim entry = new VmClaim(own, 0, false, (int) own, own, Set.of(), true);
                        VmClaim wanted = entry.handedOver(Set.of("team=a"));
                        if (decide(limits, List.of(neighbour), entry) instanceof Decision.Admit) {
                            seen++;
                            assertThat(AdmissionRules.boundsExchange(limits, wanted))
                                    .isFalse();
                            assertThat(decide(limits, List.of(neighbour), wanted))
                                    .isInstanceOf(Decision.Admit.class);
                        }
                    }
                }
            }
        }
        assertThat(seen).isGreaterThan(100);
    }

    @Test
    void sandboxesAndLabelsMayRefuseAnExchange() {
        OptionalLong any = OptionalLong.empty();
        Bound one = new Bound(any, any, OptionalLong.of(1), any);
        assertThat(AdmissionRules.boundsExchange(total(one), claim(1))).isTrue();
        VmLimits labels = limits(NONE, NONE, OptionalInt.empty(), NONE, Bound.NONE, Map.of("team=a", one));
        assertThat(AdmissionRules.boundsExchange(labels, labelled(1, "team=a"))).isTrue();
        assertThat(AdmissionRules.boundsExchange(labels, labelled(1, "team=b"))).isFalse();
    }

    /** Every limit, every two holders, every one that waits and every claim of a small world, against sums. */
    @Test
    void admitsJustWhatFitsBesideAllThatIsClaimedAndPromised() {
        int seen = 0;
        for (long limit = 1; limit <= 6; limit++) {
            for (long first = 0; first <= 6; first++) {
                for (long second = 0; second <= 3; second++) {
                    for (long waits = 0; waits <= 3; waits++) {
                        for (long wanted = 1; wanted <= 7; wanted++) {
                            Decision decision = new AdmissionRules(memory(limit), HOST)
                                    .decide(
                                            List.of(holder(claim(first)), holder(claim(second))),
                                            List.of(claim(waits)),
                                            claim(wanted));
                            long free = limit - first - second - waits;
                            Class<?> expected = wanted > limit
                                    ? Decision.Never.class
                                    : wanted <= free ? Decision.Admit.class : Decision.Refuse.class;
                            assertThat(decision)
                                    .as("%s of %s beside %s, %s and %s", wanted, limit, first, second, waits)
                                    .isInstanceOf(expected);
                            seen++;
                        }
                    }
                }
            }
        }
        assertThat(seen).isEqualTo(6 * 7 * 4 * 4 * 7);
    }

    /** Every three entries of a small world: as many go as have to, the oldest first, and none in vain. */
    @Test
    void entriesOfPoolsYieldTheOldestFirstAndOnlyIfThatMakesRoom() {
        for (long limit = 1; limit <= 6; limit++) {
            for (long held = 0; held <= 3; held++) {
                for (long old = 1; old <= 3; old++) {
                    for (long young = 1; young <= 3; young++) {
                        for (long wanted = 1; wanted <= limit; wanted++) {
                            Holder younger = shelved(young, 10);
                            Holder older = shelved(old, 20);
                            List<Holder> all = List.of(younger, holder(claim(held)), older);
                            long free = limit - held - old - young;
                            Decision expected = wanted <= free
                                    ? new Decision.Admit()
                                    : wanted <= free + old
                                            ? new Decision.Yield(List.of(older), shortage(wanted, free, limit))
                                            : wanted <= free + old + young
                                                    ? new Decision.Yield(
                                                            List.of(older, younger), shortage(wanted, free, limit))
                                                    : refused(wanted, free, limit);
                            assertThat(decide(memory(limit), all, claim(wanted)))
                                    .isEqualTo(expected);
                        }
                    }
                }
            }
        }
    }

    private static Decision refused(long wanted, long free, long limit) {
        return new Decision.Refuse(shortage(wanted, free, limit));
    }

    private static Shortage shortage(long wanted, long free, long limit) {
        return new Shortage(Shortage.Kind.MEMORY, Optional.empty(), wanted, Math.max(0, free), limit);
    }

    @Test
    void anEntryOfAPoolMakesNoOtherYieldAndComesAfterAllThatWait() {
        List<Holder> full = List.of(shelved(10, 5));
        assertThat(decide(memory(10), full, entry(1))).isInstanceOf(Decision.Refuse.class);

        Decision behind = new AdmissionRules(memory(10), HOST).decide(List.of(), List.of(claim(1)), entry(1));
        assertThat(behind).isEqualTo(new Decision.Refuse(new Shortage(Shortage.Kind.TURN, Optional.empty(), 1, 0, 1)));
        assertThat(decide(memory(10), List.of(), entry(10))).isEqualTo(new Decision.Admit());
    }

    @Test
    void anEntryThatIsBeingMadeDoesNotYield() {
        List<Holder> full = List.of(holder(entry(10)));
        assertThat(decide(memory(10), full, claim(1))).isInstanceOf(Decision.Refuse.class);
    }

    @Test
    void processorsSandboxesAndDisksAreBounded() {
        VmClaim wanted = new VmClaim(1, 0, false, 2, 30, Set.of(), false);
        List<Holder> one = List.of(holder(wanted));
        OptionalLong none = OptionalLong.empty();
        assertThat(decide(total(new Bound(none, OptionalLong.of(4), none, none)), one, wanted))
                .isEqualTo(new Decision.Admit());
        assertThat(decide(total(new Bound(none, OptionalLong.of(3), none, none)), one, wanted))
                .isEqualTo(new Decision.Refuse(new Shortage(Shortage.Kind.CPUS, Optional.empty(), 2, 1, 3)));
        assertThat(decide(total(new Bound(none, none, OptionalLong.of(1), none)), one, wanted))
                .isEqualTo(new Decision.Refuse(new Shortage(Shortage.Kind.SANDBOXES, Optional.empty(), 1, 0, 1)));
        assertThat(decide(total(new Bound(none, none, none, OptionalLong.of(59))), one, wanted))
                .isEqualTo(new Decision.Refuse(new Shortage(Shortage.Kind.DISK, Optional.empty(), 30, 29, 59)));
        assertThat(decide(total(new Bound(none, none, none, OptionalLong.of(29))), List.of(), wanted))
                .isInstanceOf(Decision.Never.class);
    }

    @Test
    void anEntryOfAPoolIsNoSandbox() {
        Bound one = new Bound(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(1), OptionalLong.empty());
        List<Holder> pool = List.of(shelved(1, 1), shelved(1, 2));
        assertThat(decide(total(one), pool, claim(1))).isEqualTo(new Decision.Admit());
        assertThat(decide(total(one), List.of(holder(claim(1))), entry(1))).isEqualTo(new Decision.Admit());
        assertThat(decide(total(one), List.of(holder(claim(1))), entry(1).handedOver(Set.of())))
                .isInstanceOf(Decision.Refuse.class);
    }

    @Test
    void aLabelBoundsThoseThatHaveItAlone() {
        Bound ten = new Bound(OptionalLong.of(10), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
        VmLimits limits = limits(NONE, NONE, OptionalInt.empty(), NONE, Bound.NONE, Map.of("team=a", ten));
        List<Holder> holders = new ArrayList<>(
                List.of(holder(labelled(6, "team=a", "x=")), holder(labelled(600, "team=b")), holder(claim(700))));

        assertThat(decide(limits, holders, labelled(4, "team=a"))).isEqualTo(new Decision.Admit());
        assertThat(decide(limits, holders, labelled(5, "team=a")))
                .isEqualTo(new Decision.Refuse(new Shortage(Shortage.Kind.MEMORY, Optional.of("team=a"), 5, 4, 10)));
        assertThat(decide(limits, holders, labelled(11, "team=a"))).isInstanceOf(Decision.Never.class);
        assertThat(decide(limits, holders, labelled(900, "team=b"))).isEqualTo(new Decision.Admit());
        assertThat(decide(limits, holders, claim(900))).isEqualTo(new Decision.Admit());
    }

    @Test
    void floorsAndPressureSeeWhatAllProgramsUse() {
        VmLimits floors =
                limits(NONE, new Amount.Share(10, 0), OptionalInt.of(10), new Amount.Size(1024), Bound.NONE, Map.of());
        HostRoom fine = new HostRoom(1000, 300, OptionalDouble.of(10), 5000, 1024, OptionalLong.empty());
        assertThat(new AdmissionRules(floors, fine).decide(List.of(), List.of(), claim(200)))
                .isEqualTo(new Decision.Admit());
        assertThat(new AdmissionRules(floors, fine).decide(List.of(), List.of(), claim(201)))
                .isEqualTo(
                        new Decision.Refuse(new Shortage(Shortage.Kind.MEMORY_FLOOR, Optional.empty(), 201, 200, 100)));
        assertThat(new AdmissionRules(floors, fine).decide(List.of(), List.of(claim(1)), claim(200)))
                .isInstanceOf(Decision.Refuse.class);
        assertThat(new AdmissionRules(floors, fine).decide(List.of(), List.of(), claim(901)))
                .isInstanceOf(Decision.Never.class);

        HostRoom pressed = new HostRoom(1000, 300, OptionalDouble.of(10.01), 5000, 1024, OptionalLong.empty());
        assertThat(new AdmissionRules(floors, pressed).decide(List.of(), List.of(), claim(1)))
                .isEqualTo(new Decision.Refuse(new Shortage(Shortage.Kind.PRESSURE, Optional.empty(), 11, 0, 10)));

        HostRoom fullDisk = new HostRoom(1000, 300, OptionalDouble.empty(), 5000, 1023, OptionalLong.empty());
        assertThat(new AdmissionRules(floors, fullDisk).decide(List.of(), List.of(), claim(1)))
                .isEqualTo(new Decision.Refuse(
                        new Shortage(Shortage.Kind.DISK_FLOOR, Optional.empty(), 1024, 1023, 1024)));
    }

    /** Each limit, a share of a file system of 5000 MiB among them, and what the state root takes around it. */
    @Test
    void theStateRootMayTakeAsMuchOfItsDiskAsItsLimitSays() {
        Map<Amount, Long> limits = Map.of(new Amount.Size(4), 4L, new Amount.Share(2, 0), 100L, NONE, Long.MAX_VALUE);
        for (Map.Entry<Amount, Long> limit : limits.entrySet()) {
            VmLimits bounded = new VmLimits(
                    NONE,
                    NONE,
                    OptionalInt.empty(),
                    NONE,
                    limit.getKey(),
                    Bound.NONE,
                    Map.of(),
                    Clones.FULL,
                    VmLimits.UnderPressure.NOTHING);
            for (long taken : new long[] {0, 4, 5, 100, 101}) {
                AdmissionRules rules = new AdmissionRules(bounded, HOST.withStateRoot(OptionalLong.of(taken)));
                Optional<Shortage> expected = taken <= limit.getValue()
                        ? Optional.empty()
                        : Optional.of(
                                new Shortage(Shortage.Kind.STATE_DISK, Optional.empty(), taken, 0, limit.getValue()));
                assertThat(rules.diskShortage()).isEqualTo(expected);
                // Of an entry of a pool the end makes no room on the disk.
                assertThat(rules.decide(List.of(shelved(1, 1)), List.of(), claim(1)))
                        .isEqualTo(expected.<Decision>map(Decision.Refuse::new).orElseGet(Decision.Admit::new));
            }
            assertThat(new AdmissionRules(bounded, HOST).diskShortage()).isEmpty();
            assertThat(bounded.withoutFloors().stateDisk()).isEqualTo(NONE);
        }
    }

    @Test
    void aShareIsOfTheHostAndHasALeast() {
        assertThat(new Amount.Share(75, 0).of(1000)).hasValue(750);
        assertThat(new Amount.Share(10, 512).of(1000)).hasValue(512);
        assertThat(new Amount.Share(10, 512).of(100_000)).hasValue(10_000);
        assertThat(new Amount.Size(7).of(1000)).hasValue(7);
        assertThat(new Amount.None().of(1000)).isEmpty();
    }

    @Test
    void aCloneClaimsWhatIsExpectedOfItOrAllOfItsMemory() {
        VmClaim clone = new VmClaim(1024, 304, true, 1, 0, Set.of(), false);
        assertThat(clone.charged(Clones.EXPECTED, 0)).isEqualTo(256);
        assertThat(clone.charged(Clones.EXPECTED, 700)).isEqualTo(700);
        assertThat(clone.charged(Clones.EXPECTED, 5000)).isEqualTo(1328);
        assertThat(new VmClaim(128, 304, true, 1, 0, Set.of(), false).charged(Clones.EXPECTED, 0))
                .isEqualTo(64);
        assertThat(clone.charged(Clones.FULL, 0)).isEqualTo(1328);
        assertThat(new VmClaim(1024, 304, false, 1, 0, Set.of(), false).charged(Clones.EXPECTED, 0))
                .isEqualTo(1328);
    }

    @Test
    void memoryIsShortBelowItsFloorOrAboveThePressure() {
        VmLimits limits = limits(NONE, new Amount.Size(100), OptionalInt.of(10), NONE, Bound.NONE, Map.of());
        assertThat(shortage(limits, 100, OptionalDouble.of(10))).isEmpty();
        assertThat(shortage(limits, 99, OptionalDouble.empty())).contains(Shortage.Kind.MEMORY_FLOOR);
        assertThat(shortage(limits, 100, OptionalDouble.of(10.5))).contains(Shortage.Kind.PRESSURE);
        assertThat(shortage(memory(1), 0, OptionalDouble.of(99))).isEmpty();
    }

    private static Optional<Shortage.Kind> shortage(VmLimits limits, long availableMiB, OptionalDouble pressure) {
        return new AdmissionRules(limits, new HostRoom(1000, availableMiB, pressure, 5000, 5000, OptionalLong.empty()))
                .memoryShortage()
                .map(Shortage::kind);
    }
}
