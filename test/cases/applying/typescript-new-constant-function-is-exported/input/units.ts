export const toMiles = (km: number): number => km / 1.609344;
