/** Matches names that usually hold a secret. KEY and PWD alone are not matched: PWD is the variable of the shell's current folder. */
const SECRET_NAME =
  /(?:_(?:API)?KEY|^APIKEY|._PWD|(?:_|^)PASS|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/u;

/** Returns whether a variable, option or property usually holds a secret, in any spelling (`proxyPassword`, `auth.token`). */
export const isSecretName = (name: string): boolean =>
  SECRET_NAME.test(
    name
      .replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2')
      .replaceAll(/[^A-Za-z0-9]+/gu, '_')
      .toUpperCase(),
  );
