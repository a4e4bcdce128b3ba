import { uniqueSlug } from './slug.js';

/** Gives each recipe its address, in the order of the list. */
export function withAddresses(recipes) {
  const taken = new Set();
  return recipes.map((recipe) => {
    const slug = uniqueSlug(recipe.title, taken);
    taken.add(slug);
    return { ...recipe, address: `/recipes/${slug}` };
  });
}
