/** A path from a name: lower case, every non-word run becomes one `-`, none at the ends (spec core 1.5). */
export function slugify(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .replace(/\.(git|atom)$/, '-$1')
}

/** First segments of paths that the window, git or the API use, so no namespace may have them. */
const RESERVED_TOP_LEVEL = new Set([
  '-',
  '.well-known',
  'admin',
  'api',
  'assets',
  'dashboard',
  'explore',
  'favicon.ico',
  'files',
  'groups',
  'help',
  'import',
  'login',
  'oauth',
  'profile',
  'projects',
  'public',
  'robots.txt',
  'search',
  'snippets',
  'uploads',
  'users',
  'v2',
])

/** Segments that have their own meaning below a namespace. */
const RESERVED_BELOW = new Set([
  '-',
  'badges',
  'blame',
  'blob',
  'builds',
  'commits',
  'create',
  'edit',
  'files',
  'find_file',
  'gitlab-lfs',
  'info',
  'new',
  'preview',
  'raw',
  'refs',
  'tree',
  'update',
  'wikis',
])

/** True for a path a group, user or project can have: letters, digits, `_ - .`, not a reserved word. */
export function isValidPath(path: string, level: 'top' | 'below'): boolean {
  if (path.length > 255 || !/^[a-zA-Z0-9_][a-zA-Z0-9_.-]*$/.test(path)) return false
  if (/\.(git|atom)$/i.test(path) || path.endsWith('.')) return false
  const reserved = level === 'top' ? RESERVED_TOP_LEVEL : RESERVED_BELOW
  return !reserved.has(path.toLowerCase())
}

/** The sentence of the contract for a path that is not valid (spec core 1.5). */
export const PATH_RULE =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
