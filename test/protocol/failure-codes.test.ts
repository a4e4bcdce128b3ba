import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { failureCode, finalFailureCodes, isFinalFailure } from '../../sidecar/protocol/failure-codes.ts';

describe('failures that are final', () => {
  test.each([
    ['workspace_repo_missing: There is no git repository at /x', 'workspace_repo_missing', true],
    ['unsupported_target_type:claude', 'unsupported_target_type', true],
    ['model_error after 0 iterations: model_not_found: model x is not installed', 'model_not_found', true],
    ['model_error after 1 iteration: SANDBOX_UNAVAILABLE: no bwrap', 'SANDBOX_UNAVAILABLE', true],
    ['model_error after 0 iterations: model_unreachable: no Ollama server', 'model_unreachable', false],
    ['workspace_fetch_failed: Could not fetch: workspace_repo_missing: x', 'workspace_fetch_failed', false],
    ['stall after 4 iterations: nothing changed', undefined, false],
    ['the model said git_missing: yes', undefined, false],
    ['', undefined, false],
  ])('%j has the code %j', (error, code, final) => {
    expect([failureCode(error), isFinalFailure(error)]).toEqual([code, final]);
  });

  test('each is explained to people', () => {
    const document = readFileSync('docs/ERRORS.md', 'utf8');
    expect(finalFailureCodes.filter((code) => !document.includes(`\`${code}\``))).toEqual([]);
  });
});
