/** A URL path split at the end of its owner's path: `group/project/-/tree/main` → `group/project` and `tree/main`. */
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

const SECTIONS = new Set(
  'blame blob branches commit commits compare environments issues jobs labels merge_requests milestones pipelines raw releases snippets tags tree wikis'.split(
    ' ',
  ),
)

/**
 * The current address for an old one without `/-/`, as in release notes made by
 * tools still have it: `/group/project/issues/1` → `/group/project/-/issues/1`. Null for any other.
 */
export const olderAddress = (path: string): string | null => {
  const parts = path.replace(/^\/+|\/+$/g, '').split('/')
  const at = parts.findIndex((part, index) => index >= 2 && (part === '-' || SECTIONS.has(part)))
  if (at < 0 || parts[at] === '-') return null
  return `/${[...parts.slice(0, at), '-', ...parts.slice(at)].join('/')}`
}

/** The parts of a path with the path up to each: for breadcrumbs. */
export const ancestry = (fullPath: string): { name: string; full_path: string }[] => {
  const parts = fullPath.split('/')
  return parts.map((name, index) => ({ name, full_path: parts.slice(0, index + 1).join('/') }))
}

/** Encodes a path for an address but leaves its slashes. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The address of a page of a project: `projectUrl('a/b', 'tree/main')` → `/a/b/-/tree/main`. */
export const projectUrl = (fullPath: string, rest = ''): string =>
  rest ? `/${encodePath(fullPath)}/-/${encodePath(rest)}` : `/${encodePath(fullPath)}`

/** The path of an address of this instance, for links inside the window. */
export const pathOf = (url: string): string => new URL(url).pathname
