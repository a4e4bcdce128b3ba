const PREFIX = 'cart';

export const badge = (count, t) => (count === 0 ? t('basket.empty') : String(count));
export const button = (t) => t(`${PREFIX}.add`);
