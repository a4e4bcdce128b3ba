/** Text that shows as it is inside of an element. */
export function escapeHtml(text) {
  return String(text)
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('&', '&amp;');
}

/** Text that may stand between double quotes as an attribute. */
export function escapeAttribute(text) {
  return escapeHtml(text).replaceAll('"', '&quot;');
}
