/*
 * Stands for Node's own `Headers` in the bundle and for the ollama package's fetch. That package asks once whether headers
 * are such an object, which would load all of Node's own fetch (8 MB); it is always given a fetch of ours and plain headers.
 */
export function Headers() {}
