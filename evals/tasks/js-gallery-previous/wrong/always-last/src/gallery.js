/** The state of a photo gallery: its images and which one is shown. */
export function createGallery(images) {
  return { images: [...images], index: 0 };
}

/** The image that is shown; null in an empty gallery. */
export function current(gallery) {
  return gallery.images[gallery.index] ?? null;
}

/** Where we are, for the line below the image: "3 / 12". */
export function position(gallery) {
  const { images, index } = gallery;
  return images.length === 0 ? '0 / 0' : `${index + 1} / ${images.length}`;
}

export function next(gallery) {
  if (gallery.images.length === 0) return;
  gallery.index = (gallery.index + 1) % gallery.images.length;
}

export function previous(gallery) {
  if (gallery.images.length === 0) return;
  gallery.index = gallery.images.length - 1;
}

/** Shows the image with this index; an index that does not exist is ignored. */
export function goTo(gallery, index) {
  if (index in gallery.images) gallery.index = index;
}

/** Takes the shown image out of the gallery. */
export function removeCurrent(gallery) {
  gallery.images.splice(gallery.index, 1);
  if (gallery.index >= gallery.images.length) gallery.index = 0;
}
