/** The lines that are shown. */
export function view(items, t) {
  if (items.length === 0) return [t('basket.empty')];
  return [...items, t('pay')];
}

export const afterClear = (t) => t('cart.emptied');
