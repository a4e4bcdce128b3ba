export function slug(text) {
  return text.toLowerCase();
}

export function title(text) {
  return text;
}
