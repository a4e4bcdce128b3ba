/** What a post may hold. */
export const MAX_CHARS = 280;
export const MAX_PICTURES = 5;
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
