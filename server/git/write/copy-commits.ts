import { withObjectsOf } from '../upkeep/alternates.ts'
import { git, sha } from '../args.ts'
import { listRefs } from './refs.ts'
import { open, run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/**
 * Brings commits (full ids) with their whole history from one repository into another on the same disk, as far as it
 * lacks them. No ref is touched; point one to them soon, or housekeeping may take them away again.
 */
export async function copyCommits(from: Repo, into: Repo, commits: readonly string[]): Promise<void> {
  const found = await Promise.all(commits.map((id) => into.git.catFiles.info(into, id)))
  const wanted = commits.filter((_, index) => found[index] === null)
  if (wanted.length === 0) return
  const known = (await listRefs(into, 'refs/')).map((one) => `^${sha(one.oid).text}\n`)
  const input = [...wanted.map((id) => `${sha(id).text}\n`), ...known].join('')
  // With the objects of both in sight, git knows what not to pack.
  const packed = await open(
    withObjectsOf(from, into),
    'commits.pack',
    git`pack-objects --revs --thin --stdout --delta-base-offset -q`,
    { input, place: 'transfer' },
  )
  const stored = run(into, 'commits.copy', git`index-pack --stdin --fix-thin`, {
    input: packed.stdout,
    place: 'transfer',
  })
  await Promise.all([packed.done, stored])
}
