import { projectUrl } from '../../composables/paths.ts'

export type RefPath = { ref: string; path: string }

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Whether a text can only be a full commit id. */
export const isSha = (text: string): boolean => SHA.test(text)

/**
 * Splits `<ref>/<path>` where either may hold slashes: the longest of the known names that the text begins with. Without
 * one the first part is the ref; it may be a commit id, or a name that does not exist.
 */
export const splitRefPath = (rest: string, names: readonly string[]): RefPath => {
  const clean = rest.replace(/^\/+|\/+$/g, '')
  let ref = ''
  for (const name of names) {
    if (name.length > ref.length && (clean === name || clean.startsWith(`${name}/`))) ref = name
  }
  if (!ref) ref = clean.split('/')[0] ?? ''
  return { ref, path: clean.slice(ref.length + 1) }
}

/** The prefixes a ref may have, shortest first: `a`, `a/b`, `a/b/c`. */
export const refPrefixes = (rest: string): string[] => {
  const parts = rest.split('/').filter(Boolean)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

type Search = (prefix: string) => Promise<{ names: string[]; isWhole: boolean }>

/**
 * Finds out where the ref ends. What needs no question is answered at once: a commit id, `HEAD`, the default branch.
 * Otherwise asks for the names that begin with the first part, and with more parts while the list is truncated.
 */
export const resolveRefPath = async (
  rest: string,
  defaultBranch: string | null,
  search: Search,
): Promise<RefPath> => {
  const first = splitRefPath(rest, [])
  if (isSha(first.ref) || first.ref === 'HEAD') return first
  const usual = splitRefPath(rest, defaultBranch ? [defaultBranch] : [])
  if (usual.ref === defaultBranch) return usual
  if (!first.path) return first
  for (const prefix of refPrefixes(rest)) {
    const { names, isWhole } = await search(prefix)
    if (isWhole) return splitRefPath(rest, names)
  }
  return first
}

/** The path of a tree, file or list of commits inside a project, for `projectUrl`. */
export const refPath = (
  kind: 'tree' | 'blob' | 'commits' | 'blame' | 'edit' | 'edit_files' | 'new',
  ref: string,
  path = '',
): string => `${kind}/${ref}${path ? `/${path}` : ''}`

export type Comparison = { from: string; to: string; straight: boolean }

/** The path of a comparison; ref names cannot contain two dots. */
export const comparePath = (from: string, to: string, straight = false): string =>
  `compare/${from}${straight ? '..' : '...'}${to}`

/**
 * Reads `<from>...<to>`, and `<from>..<to>` for a comparison of the two versions as they are. A single name is
 * compared with the default branch; what is missing is empty.
 */
export const readCompare = (rest: string, defaultBranch: string): Comparison => {
  const match = /^(.*?)(\.{2,3})(?!\.)(.*)$/.exec(rest)
  if (!match) return { from: defaultBranch, to: rest, straight: false }
  return { from: match[1] || defaultBranch, to: match[3] ?? '', straight: match[2] === '..' }
}

/** Address of the bytes of a file: pictures as pictures, all text as plain text. */
export const rawUrl = (fullPath: string, ref: string, path: string): string =>
  projectUrl(fullPath, `raw/${ref}/${path}`)
