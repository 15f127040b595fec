/** A web address split where its owner's path ends: `group/project/-/tree/main` → `group/project` and `tree/main`. */
export type SplitPath = { full_path: string; rest: string }

/** Splits at the first `/-/`; decoded once, without leading and trailing slashes. */
export const splitPath = (path: string): SplitPath => {
  const clean = path.replace(/^\/+|\/+$/g, '')
  const at = clean.indexOf('/-/')
  if (at >= 0) return { full_path: clean.slice(0, at), rest: clean.slice(at + 3) }
  return { full_path: clean.replace(/\/-$/, ''), rest: '' }
}

/** Whether a text can be the path of a user, group or project at all; saves a question that has no answer. */
export const isFullPath = (path: string): boolean =>
  path.split('/').every((part) => /^[\p{L}\p{N}_.][\p{L}\p{N}_.-]*$/u.test(part))

/** The parts of a path with the path up to each: for breadcrumbs. */
export const ancestry = (fullPath: string): { name: string; full_path: string }[] => {
  const parts = fullPath.split('/')
  return parts.map((name, index) => ({ name, full_path: parts.slice(0, index + 1).join('/') }))
}

/** Encodes a path for an address but leaves its slashes. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The address of a place inside a project: `projectUrl('a/b', 'tree/main')` → `/a/b/-/tree/main`. */
export const projectUrl = (fullPath: string, rest = ''): string =>
  rest ? `/${encodePath(fullPath)}/-/${encodePath(rest)}` : `/${encodePath(fullPath)}`

/** The path of an address of this instance, for links inside the window. */
export const pathOf = (url: string): string => new URL(url).pathname
