export const toMiles = (km: number): number => km / 1.609344;
export const toKilometres = (miles: number): number => miles * 1.609344;
