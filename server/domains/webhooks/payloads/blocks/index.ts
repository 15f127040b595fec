export { commitBlock, commitBlockOf, type CommitBlock } from './commit.ts'
export { labelBlocks, type LabelBlock } from './labels.ts'
export {
  projectBlock,
  projectUrl,
  pushedRepositoryBlock,
  repositoryBlock,
  shortProjectBlock,
  visibilityLevel,
} from './project.ts'
export { hookTime } from './times.ts'
export { withUploads } from './uploads.ts'
export { pictureOf, shownEmail, userBlock, userBlockOf, userBlocks, type UserBlock } from './user.ts'

/** What stood in a field before, and what stands there now. */
export interface Change {
  readonly previous: unknown
  readonly current: unknown
}

/** The fields in which two forms of one thing differ (spec administration 3.8, CH). */
export function changesOf(
  previous: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): Record<string, Change> {
  const changed = Object.keys(previous).filter(
    (name) => JSON.stringify(previous[name]) !== JSON.stringify(current[name]),
  )
  return Object.fromEntries(
    changed.map((name) => [name, { previous: previous[name] ?? null, current: current[name] ?? null }]),
  )
}
