import { addCommits, type ScriptedCommit } from '../../support/git.ts'
import { repoOf } from '../../../server/domains/projects/index.ts'
import type { World } from '../../support/world.ts'

type Stored = { repository_storage: string; disk_path: string }

/** Adds commits to the repository of a project without the server, and marks the project as not empty. */
export function fill(world: World, project: { id: number }, commits: readonly ScriptedCommit[]): string[] {
  const ctx = world.ctx()
  const row = ctx.db.one<Stored>(
    'SELECT repository_storage, disk_path FROM projects WHERE id = ?',
    project.id,
  )!
  ctx.db.exec('UPDATE projects SET empty_repo = 0 WHERE id = ?', project.id)
  return addCommits(repoOf(ctx, row), commits)
}

/** The repository on disk, for checks with git itself. */
export function onDisk(world: World, project: { id: number }) {
  const ctx = world.ctx()
  const row = ctx.db.one<Stored>(
    'SELECT repository_storage, disk_path FROM projects WHERE id = ?',
    project.id,
  )!
  return repoOf(ctx, row)
}

/** Collects the payloads of one kind of event from now on. */
export function watchEvents(world: World, name: string): Record<string, unknown>[] {
  const received: Record<string, unknown>[] = []
  world.ctx().events.watch((event, payload) => {
    if (event === name) received.push(payload as Record<string, unknown>)
  })
  return received
}
