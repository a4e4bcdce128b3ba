/** Code and message of a thrown value. */

/** `ENOENT`, `SQLITE_FULL` and the like; undefined where there is none. By shape: `node:fs` may throw from another realm. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether it is a failure that says by its code what it is (docs/ERRORS.md); any other error is a bug. */
export const isCodedError = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && errorCode(error) !== undefined;

/** An error that says by its code what it is. */
export const codedError = (code: string, message: string, options?: ErrorOptions): Error & { code: string } =>
  Object.assign(new Error(message, options), { code });

/** Its message, without the name of its class. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The codes and words of Node for a certificate that no known authority has signed. */
const UNTRUSTED =
  /self.signed certificate|SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|unable to (?:get (?:local )?issuer|verify the first)/i;

/** Returns advice on a failure that is one of trust in a certificate; undefined for any other. */
export const certificateAdvice = (cause: string): string | undefined =>
  UNTRUSTED.test(cause)
    ? 'Its certificate is not trusted here: name the file of its authority in NODE_EXTRA_CA_CERTS.'
    : undefined;
