package dev.cloche.image;

/**
 * Describes a user and a password, or an access token in the place of one, for a registry. Its text does not show the
 * password.
 *
 * @param user not empty, without a colon, which would end it
 * @param password not empty
 */
public record RegistryLogin(String user, String password) {
    public RegistryLogin {
        if (user.isEmpty() || user.indexOf(':') >= 0 || password.isEmpty()) {
            throw new IllegalArgumentException("a login is a user's name without a colon and a password");
        }
    }

    @Override
    public String toString() {
        return "a login of " + user;
    }
}
