/** fast-check, whose properties are tried with the same values in every run of the gate; `TEST_SEED` has others. */
import { configureGlobal } from 'fast-check';
import { seedOf } from './scale.ts';

configureGlobal({ seed: seedOf('TEST_SEED') });

export * from 'fast-check';
