package dev.cloche.junit;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import java.lang.reflect.Field;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ModifierSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Starts and ends the sandboxes of {@link Sandboxed}, and skips tests for {@link EnabledIfCloche}; both annotations register
 * it. A parameter of type {@link Cloche} gets the one that all tests of the run share, which is not to be closed: for images to
 * load, for example.
 *
 * <pre>{@code
 * @ExtendWith(ClocheExtension.class)
 * class ImageTest {
 *     @BeforeAll
 *     static void load(Cloche cloche) { … }
 * }
 * }</pre>
 *
 * <p>It is opened as {@link dev.cloche.ClocheOptions#ofEnvironment()} says; the configuration parameter {@code cloche.home} of
 * JUnit names another state root.
 */
public final class ClocheExtension
        implements ExecutionCondition,
                BeforeAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AfterAllCallback,
                ParameterResolver {
    /** Makes the extension, for JUnit. */
    public ClocheExtension() {}

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (!AnnotationSupport.isAnnotated(context.getElement(), EnabledIfCloche.class)) {
            return ConditionEvaluationResult.enabled(null);
        }
        Optional<String> hindrance = TestRun.of(context).hindrance();
        return hindrance
                .map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("This host can run VMs."));
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IllegalAccessException {
        fill(context.getRequiredTestClass(), null, context);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IllegalAccessException {
        for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
            fill(instance.getClass(), instance, context);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestSandboxes.publishOutput(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        TestSandboxes.publishOutput(context);
    }

    /** Fills the static fields where there is no instance. */
    private static void fill(Class<?> type, @Nullable Object instance, ExtensionContext context)
            throws IllegalAccessException {
        List<Field> fields = AnnotationSupport.findAnnotatedFields(
                type, Sandboxed.class, field -> ModifierSupport.isStatic(field) == (instance == null));
        for (Field field : fields) {
            if (field.getType() != Sandbox.class || ModifierSupport.isFinal(field)) {
                throw new ExtensionConfigurationException(
                        "@Sandboxed is for fields of type Sandbox that are not final, and " + field + " is none.");
            }
            Sandboxed settings =
                    AnnotationSupport.findAnnotation(field, Sandboxed.class).orElseThrow();
            ReflectionSupport.makeAccessible(field)
                    .set(instance, TestSandboxes.start(context, SandboxSettings.of(settings)));
        }
    }

    /** Has a constructor's sandbox end with the test that the instance is for, not with the class. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.isAnnotated(Sandboxed.class)
                || parameter.getParameter().getType() == Cloche.class;
    }

    @Override
    public Object resolveParameter(ParameterContext context, ExtensionContext extension) {
        Parameter parameter = context.getParameter();
        Optional<Sandboxed> settings = context.findAnnotation(Sandboxed.class);
        if (settings.isEmpty()) {
            return TestRun.of(extension).cloche();
        }
        if (parameter.getType() != Sandbox.class) {
            throw new ParameterResolutionException(
                    "@Sandboxed is for parameters of type Sandbox, and " + parameter + " is none.");
        }
        return TestSandboxes.start(extension, SandboxSettings.of(settings.get()));
    }
}
