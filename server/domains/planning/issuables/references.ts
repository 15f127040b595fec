import { tablesOf, type IssuableName } from './issuable.ts'

/** How an issue or merge request is named in texts (spec core 5.1). */
export interface References {
  readonly short: string
  readonly relative: string
  readonly full: string
}

/** Seen from where: a project or group by its full path; undefined from the whole instance. */
export function references(
  kind: IssuableName,
  iid: number,
  fullPath: string,
  relativeTo?: string,
): References {
  const short = `${tablesOf(kind).mark}${iid}`
  return { short, relative: `${pathFrom(fullPath, relativeTo)}${short}`, full: `${fullPath}${short}` }
}

/** The path of a project as it is written in another place: nothing inside of it, without the group inside its group. */
export function pathFrom(fullPath: string, relativeTo: string | undefined): string {
  if (relativeTo === undefined) return fullPath
  if (relativeTo === fullPath) return ''
  if (fullPath.startsWith(`${relativeTo}/`)) return fullPath.slice(relativeTo.length + 1)
  // A sister project is named by its last part alone.
  return spaceOf(relativeTo) === spaceOf(fullPath) ? fullPath.split('/').at(-1)! : fullPath
}

function spaceOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}
