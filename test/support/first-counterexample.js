/** Before each suite, where only whether it fails counts: a property does not look for a smaller counterexample. */
import { configureGlobal } from 'fast-check';

configureGlobal({ endOnFailure: true });
