/** Reads code and message of a thrown value. */

/**
 * Returns the code of an error, such as `ENOENT`, if any. Checks the error's shape and not its class, since errors of `node:fs` may come
 * from another realm.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns whether an error is an expected failure with a code (docs/ERRORS.md); any other error is a bug. */
export const isCodedError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && errorCode(error) !== undefined;

/** Makes an error with a code. */
export const createCodedError = (
  code: string,
  message: string,
  options?: ErrorOptions,
): Error & { code: string } => Object.assign(new Error(message, options), { code });

/** Returns the message without the name of the error's class. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Matches Node's codes and messages for a certificate that no known authority has signed. */
const UNTRUSTED_CERTIFICATE =
  /self.signed certificate|SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|unable to (?:get (?:local )?issuer|verify the first)/i;

/** Returns advice if the cause is an untrusted certificate; undefined for any other cause. */
export const adviseOnCertificate = (cause: string): string | undefined =>
  UNTRUSTED_CERTIFICATE.test(cause)
    ? 'The certificate of the server is not trusted: set NODE_EXTRA_CA_CERTS to the file of its certificate authority.'
    : undefined;
