export const notFound = (what) => ({ status: 404, body: `no such ${what}` });
