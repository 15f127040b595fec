import { listChanges } from '../../../git/write/changes.ts'
import { matchingPatterns, readOwners } from '../code_owners/lookup.ts'
import { needsCodeOwners, protecting } from '../protected_refs/rules.ts'
import { protectionsOf } from '../protected_refs/store.ts'
import { branchOf, type CheckInput, type RefChange } from './check.ts'

/** Patterns that the sentence names; a prompt is no place for hundreds. */
const MAX_NAMED = 20

/**
 * Files with owners, on a branch that asks for their consent, are changed by merge request only (spec administration
 * 12.4). The owners are those that the branch names before the change.
 */
export async function respectCodeOwners(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, repo, source, changes } = input
  if (source === 'merge' || ctx.actor.kind === 'system') return undefined
  const protections = protectionsOf(ctx.db, project.id)
  if (!needsCodeOwners(protections)) return undefined
  for (const change of changes) {
    const branch = branchOf(change.ref)
    // A branch that is not there yet names no owners.
    if (branch === undefined || change.old === null || change.new === null) continue
    if (!needsCodeOwners(protecting(protections, branch))) continue
    const owners = await readOwners(repo, change.old)
    if (!owners) continue
    const patterns = await matchingPatterns(owners.file, await pathsOf(input, change))
    if (patterns.length > 0) return sentence(patterns)
  }
  return undefined
}

/** Paths that the change touches: as announced, where its commit is not made yet, or what really differs. */
async function pathsOf({ repo, env, paths }: CheckInput, change: RefChange): Promise<readonly string[]> {
  if (paths !== undefined) return paths
  const found = await listChanges(
    repo,
    { from: change.old, to: change.new! },
    { renames: false, ...(env ? { env } : {}) },
  )
  return found.flatMap((one) => [one.old_path, one.new_path])
}

function sentence(patterns: readonly string[]): string {
  const named = patterns.slice(0, MAX_NAMED).map((pattern) => `- ${pattern}`)
  const more = patterns.length > MAX_NAMED ? [`- and ${patterns.length - MAX_NAMED} more`] : []
  return [
    'Pushes to protected branches that contain changes to files that',
    'match patterns defined in `CODEOWNERS` are disabled for',
    'this project. Please submit these changes via a merge request.',
    '',
    'The following pattern(s) from `CODEOWNERS` were matched:',
    ...named,
    ...more,
    '',
  ].join('\n')
}
