/** Turns a title into the part of an address: lower case letters and digits with single dashes between. */
export function slugify(title) {
  return title
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}0-9]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** A slug that is not among those taken: adds -2, -3 and so on. */
export function uniqueSlug(title, taken) {
  const slug = slugify(title) || 'untitled';
  if (!taken.has(slug)) return slug;
  let number = 2;
  while (taken.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}
