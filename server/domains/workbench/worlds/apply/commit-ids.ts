import { listCommits } from '../../../../git/read/log.ts'
import type { Repo } from '../../../../git/types.ts'
import type { WorldProject } from '../model/schema.ts'
import type { Stage } from './stage.ts'

/** The commit of an id of the world, found by its message and time, or by the merge request that made it. */
export async function commitIdOf(
  stage: Stage,
  repo: Repo,
  { world, projectId, id }: { world: WorldProject; projectId: number; id: string },
): Promise<string | null> {
  const entry = (world.commits ?? []).find((one) => one.id === id)
  if (entry?.merge !== undefined) return mergeOf(stage, projectId, entry.merge)
  if (entry?.message === undefined) return null
  const wanted = entry.message.trim()
  const commits = await listCommits(repo, { limit: 20_000 })
  const same = (world.commits ?? []).filter(({ message }) => message?.trim() === wanted)
  const found = commits.toReversed().filter(({ message }) => message.trim() === wanted)
  const seconds = Math.floor(Date.parse(entry.at ?? '') / 1000)
  const exact = found.filter((one) => Date.parse(one.authored_date) / 1000 === seconds)
  return (exact.length === 1 ? exact[0] : found[same.indexOf(entry)])?.id ?? null
}

async function mergeOf(stage: Stage, id: number, title: string): Promise<string | null> {
  interface Row {
    readonly title: string
    readonly sha: string | null
    readonly merge_commit_sha: string | null
    readonly squash_commit_sha: string | null
  }
  const rows = await stage.all<Row>('GET /projects/:id/merge_requests', { id, scope: 'all', state: 'merged' })
  const row = rows.find((one) => one.title === title)
  return row?.merge_commit_sha ?? row?.squash_commit_sha ?? row?.sha ?? null
}
