/**
 * The uploaded avatar; null if the instance would draw a letter on a color. The window draws those itself, in the colors
 * of its theme.
 */
export const uploadedPicture = (url: string | null | undefined): string | null =>
  url && !new URL(url, location.href).pathname.startsWith('/-/avatars/') ? url : null
