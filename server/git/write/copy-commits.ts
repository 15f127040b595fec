import { withObjectsOf } from '../upkeep/alternates.ts'
import { git, sha } from '../args.ts'
import { listRefs } from './refs.ts'
import { open, run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/**
 * Copies commits (full ids) with their history to another repository on the same disk, except for objects that it has.
 * No ref changes; point one to them soon, or housekeeping may remove them.
 */
export async function copyCommits(from: Repo, into: Repo, commits: readonly string[]): Promise<void> {
  const infos = await Promise.all(commits.map((id) => into.git.catFiles.info(into, id)))
  const wanted = commits.filter((_, index) => infos[index] === null)
  if (wanted.length === 0) return
  const excluded = (await listRefs(into, 'refs/')).map((ref) => `^${sha(ref.oid).text}\n`)
  const input = [...wanted.map((id) => `${sha(id).text}\n`), ...excluded].join('')
  // Git sees the objects of both repositories and packs only the missing ones.
  const packed = await open(
    withObjectsOf(from, into),
    'commits.pack',
    git`pack-objects --revs --thin --stdout --delta-base-offset -q`,
    { input, pool: 'transfer' },
  )
  const stored = run(into, 'commits.copy', git`index-pack --stdin --fix-thin`, {
    input: packed.stdout,
    pool: 'transfer',
  })
  await Promise.all([packed.done, stored])
}
