import { withoutEnds } from '../lib/text/trim.ts'
import { GitInputError } from './errors.ts'

/** The maximum length of a ref name in bytes, which is far below the path limit of every file system. */
export const MAX_REF_BYTES = 1024
/** The maximum length of a part of a ref name: a file name may have 255 bytes and git appends `.lock`. */
const MAX_REF_PART_BYTES = 250
export const MAX_PATH_BYTES = 4096

// Space, control characters and `~ ^ : ? * [ \`, as in git-check-ref-format(1).
// oxlint-disable-next-line no-control-regex
const FORBIDDEN_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]/

/** True when git would accept the full ref name (`refs/…`), by the rules of git-check-ref-format(1). */
export function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || !name.isWellFormed()) return false
  if (Buffer.byteLength(name) > MAX_REF_BYTES) return false
  if (FORBIDDEN_IN_REF.test(name) || name.includes('..') || name.includes('@{') || name.endsWith('.'))
    return false
  return name.split('/').every(isRefPart)
}

function isRefPart(part: string): boolean {
  if (part === '' || part.startsWith('.') || part.endsWith('.lock')) return false
  return Buffer.byteLength(part) <= MAX_REF_PART_BYTES
}

/**
 * True when a branch may have this short name. Like git, refuses a leading `-` and `HEAD` in addition to the rules for
 * refs.
 */
export function isBranchName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isRefName(`refs/heads/${name}`)
}

/** True when a tag may have this short name. */
export function isTagName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isRefName(`refs/tags/${name}`)
}

/** Returns `refs/heads/<name>`. Throws GitInputError when a branch cannot have this name. */
export function branchRef(name: string): string {
  if (!isBranchName(name)) throw new GitInputError('The branch name is invalid.')
  return `refs/heads/${name}`
}

/** Returns `refs/tags/<name>`. Throws GitInputError when a tag cannot have this name. */
export function tagRef(name: string): string {
  if (!isTagName(name)) throw new GitInputError('The tag name is invalid.')
  return `refs/tags/${name}`
}

/** True for a complete object id in lower case, SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** The object id that means "no object" when a ref is created or deleted. */
export const ZERO_ID = '0'.repeat(40)

export function isZeroId(id: string): boolean {
  return /^0+$/.test(id)
}

/**
 * Checks a path inside a repository and returns it unchanged. Throws GitInputError unless it is relative and
 * `/`-separated, without empty segments, `.` and `..`, and has at most 4096 bytes.
 */
export function checkPath(path: string): string {
  const isSafe =
    path !== '' &&
    !path.includes('\0') &&
    path.isWellFormed() &&
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (!isSafe) throw new GitInputError('The path is invalid.')
  return path
}

/**
 * Like checkPath, but also accepts other notations of clients for folders: with slashes around the path, and `.` or an
 * empty string for the root. Returns an empty string for the root.
 */
export function checkFolder(path: string): string {
  const trimmed = withoutEnds(path, '/')
  return trimmed === '' || trimmed === '.' ? '' : checkPath(trimmed)
}

const REVISION_SUFFIX = /(?:~[0-9]{0,9}|\^[0-9]{0,9}|\^\{(?:commit|tree|tag|blob|)\})+$/

/**
 * True for a revision that may be looked up: `HEAD`, a ref or an object id, full or short, each with an optional `~n`,
 * `^n` or `^{type}`. Git's searches (`:/text`, `^{/text}`) are refused because they walk the whole history, and reflog
 * and index notations because a bare repository has neither.
 */
export function isRevision(text: string): boolean {
  if (text.length > MAX_REF_BYTES + 64 || text.startsWith('-')) return false
  const name = text.replace(REVISION_SUFFIX, '')
  if (name === 'HEAD' || name === '@' || isRefName(name)) return true
  return isRefName(`refs/${name}`)
}
