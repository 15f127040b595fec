import { listCommits } from '../../../../git/read/log.ts'
import type { Repo } from '../../../../git/types.ts'
import type { WorldProject } from '../model/schema.ts'

/** The commit of an id of the world, found by its message. */
export async function commitIdOf(repo: Repo, world: WorldProject, id: string): Promise<string | null> {
  const entry = (world.commits ?? []).find((one) => one.id === id)
  if (!entry?.message) return null
  const wanted = entry.message.trim()
  const commits = await listCommits(repo, { limit: 20_000 })
  const same = (world.commits ?? []).filter(({ message }) => message?.trim() === wanted)
  const found = commits.toReversed().filter(({ message }) => message.trim() === wanted)
  return found[same.indexOf(entry)]?.id ?? null
}
