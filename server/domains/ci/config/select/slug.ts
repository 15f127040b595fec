const MAX_BYTES = 63

/** A name as variables ending in `_SLUG` have it (spec ci 2.13). */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')
    .slice(0, MAX_BYTES)
    .replaceAll(/^-+|-+$/g, '')
}
