/** Longest path of a file in an archive that is looked at. */
const MAX_PATH = 4096

/**
 * A path inside an archive in its plain form, without `./` in front. Undefined for one that is no path of a file: absolute,
 * leading upwards, with empty parts or control characters.
 */
export function plainPath(path: string): string | undefined {
  const plain = path.replace(/^(\.\/)+/, '')
  if (plain === '' || plain.length > MAX_PATH) return undefined
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(plain) || /^[A-Za-z]:\//.test(plain)) return undefined
  return plain.split('/').some((part) => part === '' || part === '.' || part === '..') ? undefined : plain
}
