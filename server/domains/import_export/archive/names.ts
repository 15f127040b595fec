import { ArchiveProblem } from './problem.ts'

const MAX_NAME = 4096
const MAX_SEGMENT = 255
const MAX_DEPTH = 64

/**
 * The name of an entry without `./` in front and `/` at its end; empty for the folder itself. Throws ArchiveProblem for a name
 * that is absolute, climbs, or is none that a file can have everywhere.
 */
export function entryName(given: string): string {
  if (given.startsWith('/') || given.startsWith('\\') || /^[a-z]:/i.test(given))
    throw new ArchiveProblem('The archive holds an absolute path.')
  const segments = given.split(/[/\\]/)
  if (segments.includes('..')) throw new ArchiveProblem('The archive holds a path that leads out of it.')
  if (/[\p{Cc}\uFFFD\\]/u.test(given))
    throw new ArchiveProblem('The archive holds a name that cannot be used.')
  const named = segments.filter((segment) => segment !== '' && segment !== '.')
  if (given.length > MAX_NAME || named.length > MAX_DEPTH || named.some(isTooLong))
    throw new ArchiveProblem('The archive holds a name that is too long.')
  if (named.some((segment) => segment.trim() === ''))
    throw new ArchiveProblem('The archive holds a name that cannot be used.')
  return named.join('/')
}

function isTooLong(segment: string): boolean {
  return Buffer.byteLength(segment) > MAX_SEGMENT
}

/** Whether a link would lead to something within the archive. */
export function isHarmlessLink(name: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || /[\p{Cc}\\:]/u.test(target)) return false
  let depth = name.split('/').length - 1
  for (const segment of target.split('/')) {
    if (segment === '..') depth -= 1
    else if (segment !== '' && segment !== '.') depth += 1
    if (depth < 0) return false
  }
  return true
}
