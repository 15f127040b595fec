import { tx } from '../../../db/database.ts'
import { listChanges } from '../../../git/write/changes.ts'
import { newPointers } from '../../../git/read/lfs-pointers.ts'
import { newPaths, type PushedObjects } from '../../../git/transport/pushed.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import {
  addLink,
  hasLocks,
  isLfsEnabled,
  linkedLfsObjects,
  locksAmong,
  networkHasObjects,
  networkObjects,
} from '../../storage/index.ts'
import { abilities, project as scope, projectById, type Project } from '../../projects/index.ts'
import type { CheckInput } from './check.ts'

const MISSING = 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'

/**
 * Checks LFS: no push changes paths that another user has locked, and every new pointer refers to an object of this
 * project, or of a project in the same fork network that the actor may read. Objects of the fork network are linked to
 * this project. A merge links the objects that exist.
 */
export async function checkLargeFiles(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, source, changes } = input
  if (source === 'mirror' || !isLfsEnabled(ctx, project)) return undefined
  const tips = changes.flatMap((change) =>
    change.new === null || change.new === change.old ? [] : [change.new],
  )
  const pushed: PushedObjects = {
    tips,
    ...(input.env ? { env: input.env } : {}),
    ...(input.signal ? { signal: input.signal } : {}),
  }
  return (await lockedPath(input, pushed)) ?? (await missingFiles(input, pushed))
}

/** Returns an error message if another user has locked a path that the change touches. */
async function lockedPath(input: CheckInput, pushed: PushedObjects): Promise<string | undefined> {
  const { ctx, project, repo, paths, source } = input
  if (!hasLocks(ctx.db, project.id)) return undefined
  // The commits of a merge are in the repository already, so its paths are those of the branch's diff.
  const changedPaths =
    paths ?? (source === 'merge' ? await mergedPaths(input) : [...(await newPaths(repo, pushed))])
  const lock = locksAmong(ctx.db, project.id, changedPaths).find(({ user_id }) => user_id !== ctx.actor.id)
  return lock && `The path '${lock.path}' is locked in Git LFS by ${lock.username}`
}

async function mergedPaths({ repo, changes }: CheckInput): Promise<string[]> {
  const ranges = changes.flatMap(({ old, new: to }) =>
    old === null || to === null ? [] : [{ from: old, to }],
  )
  const lists = await Promise.all(ranges.map((range) => listChanges(repo, range, { renames: false })))
  return lists.flat().flatMap((change) => [change.old_path, change.new_path])
}

const PASSED = 'large_files'

async function missingFiles(
  { ctx, project, repo, source, passed }: CheckInput,
  pushed: PushedObjects,
): Promise<string | undefined> {
  const isChecked = source === 'push' || (source === 'merge' && networkHasObjects(ctx.db, project))
  if (!isChecked || pushed.tips.length === 0 || passed?.has(PASSED)) return undefined
  const pointers = await newPointers(repo, pushed)
  const oids = [...pointers.keys()]
  const linked = oids.length === 0 ? new Map<string, number>() : linkedLfsObjects(ctx.db, project.id, 0, oids)
  const missing = oids.filter((oid) => !linked.has(oid))
  const isComplete = missing.length === 0 || linkFromNetwork(ctx, project, missing)
  if (!isComplete && source === 'push') return MISSING
  passed?.add(PASSED)
  return undefined
}

/**
 * Links LFS objects of the fork network to the project. Returns false if the actor may read no project with one of them.
 */
function linkFromNetwork(ctx: Ctx, project: Project, missing: readonly string[]): boolean {
  const readable = new Map<number, boolean>()
  const mayRead = (id: number): boolean => {
    const cached = readable.get(id)
    if (cached !== undefined) return cached
    const other = projectById(ctx.db, id)
    const may =
      other !== undefined && canRead(ctx, scope, other) && hasAbility(ctx, scope, abilities.read_code, other)
    readable.set(id, may)
    return may
  }
  const stored = new Set(
    networkObjects(ctx.db, project, missing)
      .filter(({ project_id }) => mayRead(project_id))
      .map(({ oid }) => oid),
  )
  if (stored.size > 0)
    tx(ctx.db, () => {
      for (const oid of stored) addLink(ctx, project.id, oid, 0)
    })
  return missing.every((oid) => stored.has(oid))
}

/**
 * Links the LFS objects of commits that came from a fork, if the actor may read them there. Does nothing if no other
 * project of the network has LFS objects.
 */
export async function linkLargeFilesFromNetwork(
  ctx: Ctx,
  project: Project | undefined,
  repo: Repo,
  tips: readonly string[],
): Promise<void> {
  if (!project || !isLfsEnabled(ctx, project) || !networkHasObjects(ctx.db, project)) return
  const oids = [...(await newPointers(repo, { tips })).keys()]
  const linked = linkedLfsObjects(ctx.db, project.id, 0, oids)
  linkFromNetwork(
    ctx,
    project,
    oids.filter((oid) => !linked.has(oid)),
  )
}
