import { tablesOf, type IssuableName } from './issuable.ts'

/** The names of an issue or merge request in texts (spec core 5.1). */
export interface References {
  readonly short: string
  readonly relative: string
  readonly full: string
}

/** Returns the references to a record. `relative` is short inside the project or group with the given full path. */
export function references(
  kind: IssuableName,
  iid: number,
  fullPath: string,
  relativeTo?: string,
): References {
  const short = `${tablesOf(kind).mark}${iid}`
  return { short, relative: `${pathFrom(fullPath, relativeTo)}${short}`, full: `${fullPath}${short}` }
}

/**
 * Returns the path of a project relative to another one: empty for the same project, only the last segment within the
 * same group.
 */
export function pathFrom(fullPath: string, relativeTo: string | undefined): string {
  if (relativeTo === undefined) return fullPath
  if (relativeTo === fullPath) return ''
  if (fullPath.startsWith(`${relativeTo}/`)) return fullPath.slice(relativeTo.length + 1)
  // Projects of the same group need only their last path segment.
  return spaceOf(relativeTo) === spaceOf(fullPath) ? fullPath.split('/').at(-1)! : fullPath
}

function spaceOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}
