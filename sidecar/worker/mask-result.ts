import type { SecretMasker } from '../base/observability/secrets.ts';
import { removeFollowUpPatch } from '../base/protocol/encode-frame.ts';
import type { Changes, TaskResult } from '../base/protocol/result.ts';

/**
 * Masks the secrets of a result. A patch with a masked part can no longer be applied: it is marked, and the follow-up
 * does not contain it.
 */
export function maskResult(result: TaskResult, masker: SecretMasker): TaskResult {
  const maskedResult = masker.maskDeep(result);
  if (maskedResult.changes.patch === result.changes.patch) return maskedResult;
  const { follow_up: followUp, changes } = maskedResult;
  return {
    ...maskedResult,
    changes: { ...changes, patch_masked: true, patch_omitted: omissionOf(changes) },
    ...(followUp && {
      follow_up: {
        ...followUp,
        ...removeFollowUpPatch(followUp, followUp.metadata, changes.head_commit),
      },
    }),
  };
}

function omissionOf({ patch_omitted: earlierReason, branch }: Changes): string {
  const reason = `the patch shows secrets of the worker as ****, so it cannot be applied${branch ? `; the branch ${branch} has the unmasked changes` : ''}`;
  return earlierReason === undefined ? reason : `${earlierReason}; ${reason}`;
}
