import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { dataPaths } from '../../../../../config.ts'
import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { isoDate } from '../../../../../lib/clock.ts'
import { OWNER } from '../../../../../policy/levels.ts'
import { ghostOf } from '../../../../accounts/index.ts'
import { recordFailures } from '../../../imports/failures.ts'
import { keepIid } from '../../../../planning/index.ts'
import { userById } from '../../../../users/index.ts'
import { RELATIONS } from '../../../relations/index.ts'
import type { Owner } from '../../../relations/relation.ts'
import { answerRoom } from './ids.ts'
import type { Counts, ImportFailure, Numbers, Order } from './messages.ts'
import { runThread } from './run-thread.ts'

/** So many failures of one import are kept; all are counted. */
const MAX_KEPT_FAILURES = 10_000

/** What is to be taken over, and how. */
export interface TreeToTake {
  readonly owner: Owner
  /**
   * Of an unpacked archive: `<folder>/<relation>.ndjson` are the relations, `<folder>.json` is what the owner itself is
   * (`tree/project`, `tree/groups/<id>`).
   */
  readonly folder: string
  /** The id of the account that imports. */
  readonly importer: number
  /** Names of relations; all that there are for such an owner when not given. */
  readonly relations?: readonly string[]
  /** Attributes of the owner that win over those of the archive. */
  readonly overrides?: Readonly<Record<string, unknown>>
  /** Records whose number (iid) is there already are passed over: for a relation that is taken in once more. */
  readonly skipExisting?: boolean
  readonly signal?: AbortSignal
  onProgress?(relation: string, done: number, total: number): void
}

/** What came of it. */
export interface Taken {
  /** Records by relation: how many the archive has, and how many were taken over. */
  readonly counts: Counts
  /** Records and parts of them that were not taken over; the first of them are kept in `import_failures`. */
  readonly failures: number
}

/**
 * Takes relations of an unpacked archive over into a project or group. What cannot be taken over is noted (`recordFailures`) and left
 * out. Memory does not grow with the archive, and others have their turn every few milliseconds. Rejects with a sentence
 * where it cannot go on, or with the reason of the signal; rows that were written by then are the caller's to remove.
 */
export async function importTree(ctx: Ctx, given: TreeToTake): Promise<Taken> {
  const { owner, signal } = given
  let failures = 0
  const onFailures = (some: readonly ImportFailure[]): void => {
    const kept = some.slice(0, Math.max(0, MAX_KEPT_FAILURES - failures))
    failures += some.length
    if (kept.length > 0) recordFailures(ctx, placeOf(owner), kept.map(rowOf))
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

const placeOf = ({ kind, id }: Owner) => (kind === 'project' ? { project_id: id } : { group_id: id })

function rowOf({ relation, line, ...words }: ImportFailure) {
  return { relation_name: relation, line_number: line, source: 'process_relation_item!', ...words }
}

function orderOf(ctx: Ctx, given: TreeToTake): Order {
  const { owner, folder, importer, relations, overrides } = given
  const user = userById(ctx.db, importer)
  if (!user) throw new Error('Whoever imports is gone.')
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

const ROOT = {
  project: 'SELECT n.lineage FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ?',
  group: 'SELECT lineage FROM namespaces WHERE id = ?',
}
const OWNS = `
  SELECT 1 FROM namespaces WHERE id = ? AND owner_id = ?
  UNION ALL SELECT 1 FROM members WHERE namespace_id = ? AND user_id = ? AND access_level >= ${OWNER}
    AND (expires_at IS NULL OR expires_at > ?)`

/** Whether somebody owns the outermost namespace of a place, which decides what protections they may bring. */
function ownsRoot({ db, now }: Ctx, owner: Owner, userId: number): boolean {
  const found = db.one<{ lineage: string }>(ROOT[owner.kind], owner.id)
  const [root] = found ? (JSON.parse(found.lineage) as number[]) : []
  return db.one(OWNS, root, userId, root, userId, isoDate(now)) !== undefined
}

/** New issues and the like get numbers behind those that were taken over. */
function keepNumbers(ctx: Ctx, owner: Owner, numbers: Numbers): void {
  tx(ctx.db, () => {
    for (const usage of ['issues', 'merge_requests', 'milestones'] as const) {
      const highest = numbers[usage]
      if (highest !== undefined) keepIid(ctx.db, placeOf(owner), usage, highest)
    }
  })
}
