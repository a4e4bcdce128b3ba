/**
 * In continuous integration a test that fails is tried once more and both outcomes are printed: these tests use real
 * processes, sockets and clocks, and one machine that stood still for a moment must not hide the other thousands.
 */
import { jest } from '@jest/globals';

if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
