/** 'Wien ,  Österreich' and 'wien, österreich' are the same place. */
export function normalisePlace(place) {
  return place
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?, ?/g, ', ');
}

/** Is this a pair of coordinates such as '48.2, 16.37'? */
export function isCoordinates(place) {
  return /^-?\d+(\.\d+)?, ?-?\d+(\.\d+)?$/.test(place.trim());
}
