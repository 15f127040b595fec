import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { dataPaths } from '../../../../../config.ts'
import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { ghostOf } from '../../../../accounts/index.ts'
import { recordFailures } from '../../../imports/store.ts'
import { recordIid } from '../../../../planning/index.ts'
import { userById } from '../../../../users/index.ts'
import { RELATIONS } from '../../../relations/index.ts'
import type { Owner } from '../../../relations/relation.ts'
import { ownsRoot } from '../store.ts'
import { answerRoom } from './ids.ts'
import type { Counts, ImportFailure, Numbers, Order } from './messages.ts'
import { runThread } from './run-thread.ts'

/** Most failures of one import that are stored; all are counted. */
const MAX_KEPT_FAILURES = 10_000

/** A tree to import, and the options. */
export interface TreeToTake {
  readonly owner: Owner
  /**
   * The tree in an unpacked archive (`tree/project`, `tree/groups/<id>`): `<folder>/<relation>.ndjson` are the relations,
   * `<folder>.json` has the owner's own attributes.
   */
  readonly folder: string
  /** Id of the user who imports. */
  readonly importer: number
  /** Names of relations; all relations of such an owner if it is left out. */
  readonly relations?: readonly string[]
  /** Attributes that override those of the archive. */
  readonly overrides?: Readonly<Record<string, unknown>>
  /** Skips records with a number (iid) that the project has: for a relation that is imported once more. */
  readonly skipExisting?: boolean
  readonly signal?: AbortSignal
  onProgress?(relation: string, done: number, total: number): void
}

/** The outcome of an import. */
export interface Taken {
  /** Records by relation: the number in the archive, and the number that were imported. */
  readonly counts: Counts
  /** Records and parts that were not imported; the first of them are stored in `import_failures`. */
  readonly failures: number
}

/**
 * Imports relations of an unpacked archive into a project or group. Records that cannot be imported are stored as failures and
 * skipped. Memory use does not depend on the archive, and the import yields to other requests every few milliseconds. Rejects
 * with a message if the import cannot continue, or with the reason of the signal. The caller then removes the written rows.
 */
export async function importTree(ctx: Ctx, given: TreeToTake): Promise<Taken> {
  const { owner, signal } = given
  let failures = 0
  const onFailures = (some: readonly ImportFailure[]): void => {
    const kept = some.slice(0, Math.max(0, MAX_KEPT_FAILURES - failures))
    failures += some.length
    if (kept.length > 0) recordFailures(ctx, ownerOf(owner), kept.map(rowOf))
  }
  const { counts, numbers, refused } = await runThread(ctx, orderOf(ctx, given), {
    signal,
    onFailures,
    onProgress: (relation, done, total) => given.onProgress?.(relation, done, total),
  })
  keepNumbers(ctx, owner, numbers)
  const taken = Object.entries(counts).map(([name, { fetched, imported }]) => [
    name,
    { fetched, imported: imported - (refused[name] ?? 0) },
  ])
  return { counts: Object.fromEntries(taken) as Counts, failures }
}

const ownerOf = ({ kind, id }: Owner) => (kind === 'project' ? { project_id: id } : { group_id: id })

function rowOf({ relation, line, ...words }: ImportFailure) {
  return { relation_name: relation, line_number: line, source: 'process_relation_item!', ...words }
}

function orderOf(ctx: Ctx, given: TreeToTake): Order {
  const { owner, folder, importer, relations, overrides } = given
  const user = userById(ctx.db, importer)
  if (!user) throw new Error('The user who imports is gone.')
  const own = RELATIONS.filter(({ of }) => of.includes(owner.kind)).map(({ name }) => name)
  const nested = join(dirname(dirname(folder)), 'project.json')
  return {
    database: dataPaths(ctx.config.dataDir).database,
    owner,
    folder,
    nested: owner.kind === 'project' && !existsSync(folder) && existsSync(nested) ? nested : null,
    relations: relations ? own.filter((name) => relations.includes(name)) : own,
    importer: { id: user.id, is_admin: user.is_admin, owns_root_group: ownsRoot(ctx, owner, user.id) },
    ghost_id: tx(ctx.db, () => ghostOf(ctx)),
    now: ctx.now,
    overrides: overrides ?? {},
    skip_existing: given.skipExisting ?? false,
    answers: answerRoom(),
  }
}

/** Numbers of new issues, merge requests and milestones follow the imported ones. */
function keepNumbers(ctx: Ctx, owner: Owner, numbers: Numbers): void {
  tx(ctx.db, () => {
    for (const usage of ['issues', 'merge_requests', 'milestones'] as const) {
      const highest = numbers[usage]
      if (highest !== undefined) recordIid(ctx.db, ownerOf(owner), usage, highest)
    }
  })
}
