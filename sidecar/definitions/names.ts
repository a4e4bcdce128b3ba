/** Names in a text of code or prose, one after the other: words as most languages write them. */
export const namesIn = (text: string): string[] => text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
