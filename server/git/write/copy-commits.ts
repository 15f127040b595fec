import { withObjectsOf } from '../upkeep/alternates.ts'
import { git, sha } from '../args.ts'
import { listRefs } from './refs.ts'
import { open, run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/**
 * Copies commits (full ids) with their history to another repository on the same disk, except for objects that it already
 * has. No ref changes. Point a ref to the commits soon, or housekeeping may remove them.
 */
export async function copyCommits(from: Repo, to: Repo, commits: readonly string[]): Promise<void> {
  const infos = await Promise.all(commits.map((id) => to.git.catFiles.info(to, id)))
  const missing = commits.filter((_, index) => infos[index] === null)
  if (missing.length === 0) return
  const excluded = (await listRefs(to, 'refs/')).map((ref) => `^${sha(ref.oid).text}\n`)
  const input = [...missing.map((id) => `${sha(id).text}\n`), ...excluded].join('')
  // Git reads the objects of both repositories and packs only the missing ones.
  const pack = await open(
    withObjectsOf(from, to),
    'commits.pack',
    git`pack-objects --revs --thin --stdout --delta-base-offset -q`,
    { input, pool: 'transfer' },
  )
  const indexing = run(to, 'commits.copy', git`index-pack --stdin --fix-thin`, {
    input: pack.stdout,
    pool: 'transfer',
  })
  await Promise.all([pack.done, indexing])
}
