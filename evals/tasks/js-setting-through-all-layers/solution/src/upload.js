const MB = 1024 * 1024;

/** Whether a file may be uploaded: { ok: true } or { ok: false, status, reason }. */
export function checkUpload({ type, bytes }, settings) {
  if (!settings.allowTypes.includes(type)) return { ok: false, status: 415, reason: `type ${type} is not taken` };
  if (bytes > settings.maxUploadMb * MB)
    return { ok: false, status: 413, reason: `larger than ${settings.maxUploadMb} MB` };
  return { ok: true };
}
