import type { Path, ProblemCollector } from './problem-collector.ts'
import type { WorldMergeRequest, WorldProject } from './schema.ts'

/** The lists of entries with IIDs, with the word for one entry. */
const NUMBERED = { issues: 'issue', merge_requests: 'merge request' } as const

/** Finds IIDs and titles that do not identify a single issue or merge request. */
export function checkNumbering(collector: ProblemCollector, project: WorldProject, path: Path): void {
  for (const kind of ['issues', 'merge_requests'] as const) {
    const noun = NUMBERED[kind]
    const iids = new Set<number>()
    const titles = new Set<string>()
    for (const [index, { iid, title }] of (project[kind] ?? []).entries()) {
      const entryPath = [...path, kind, index]
      if (iid === undefined) {
        if (titles.has(title.toLowerCase()))
          collector.addProblem(
            [...entryPath, 'title'],
            `There are two ${noun}s "${title}"; give each of them an iid.`,
          )
        titles.add(title.toLowerCase())
        continue
      }
      if (iids.has(iid))
        collector.addProblem([...entryPath, 'iid'], `There are two ${noun}s with the iid ${iid}.`)
      iids.add(iid)
      const existingTitle = collector.existing.titleOf(project.path, kind, iid)
      if (existingTitle !== undefined && existingTitle !== title.trim())
        collector.addProblem(
          [...entryPath, 'iid'],
          `The ${noun} with the iid ${iid} already exists, and its title is "${existingTitle}".`,
        )
    }
  }
}

/** The merge requests that `merge` of a commit can mean: the one with this iid, or those with this title. */
export function requestsNamed(
  { merge_requests = [] }: Pick<WorldProject, 'merge_requests'>,
  name: string | number,
): WorldMergeRequest[] {
  return merge_requests.filter(({ iid, title }) => (typeof name === 'number' ? iid : title) === name)
}

/** The problem of `merge` of a commit; undefined if it means exactly one merge request. */
export function mergeProblem(project: WorldProject, name: string | number): string | undefined {
  const { length } = requestsNamed(project, name)
  if (length === 1) return undefined
  if (length > 1)
    return typeof name === 'number'
      ? `There are ${length} merge requests with the iid ${name}.`
      : `There are ${length} merge requests "${name}"; write the iid of one.`
  return typeof name === 'number'
    ? `There is no merge request with the iid ${name} in this project.`
    : `There is no merge request "${name}" in this project.`
}
