import { branchOf, type CheckInput } from './check.ts'

/** The default branch is what everything else is compared with; it stays. */
export function keepDefaultBranch({ project, changes }: CheckInput): string | undefined {
  const removed = changes.some(
    (change) => change.new === null && branchOf(change.ref) === project.default_branch,
  )
  return removed ? 'The default branch of a project cannot be deleted.' : undefined
}
