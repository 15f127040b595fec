/**
 * The picture that somebody has uploaded; null if the instance would draw a letter on a colour. The window draws those
 * itself, in the colours of its theme.
 */
export const uploadedPicture = (url: string | null | undefined): string | null =>
  url && !new URL(url, location.href).pathname.startsWith('/-/avatars/') ? url : null
