export function slug(text) {
  return text.trim().toLowerCase();
}
