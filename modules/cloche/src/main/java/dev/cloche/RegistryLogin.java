package dev.cloche;

/**
 * A user and a password, or an access token in the place of one, for a registry. Its text does not show the password.
 *
 * @param user not empty, without a colon
 * @param password not empty
 */
public record RegistryLogin(String user, String password) {
    /** @throws IllegalArgumentException if the user or the password cannot be one */
    public RegistryLogin {
        var _ = new dev.cloche.image.RegistryLogin(user, password);
    }

    /** In the words of the room. */
    dev.cloche.image.RegistryLogin room() {
        return new dev.cloche.image.RegistryLogin(user, password);
    }

    @Override
    public String toString() {
        return "a login of " + user;
    }
}
