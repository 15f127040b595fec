import { isFileRelation, relationsOf, SELF } from '../relation_exports/relations.ts'
import { FAILED as EXPORT_FAILED, FINISHED as EXPORT_FINISHED } from '../relation_exports/store.ts'
import type { EntityRun } from './work.ts'
import { apiPathOf } from './source.ts'

/** The result of one attempt. */
export interface Outcome {
  /** Milliseconds until the next attempt; undefined if the entity has ended. */
  readonly retryMs?: number | undefined
  readonly now: string
}

/** A step has to wait for the other instance. */
export class PollLater extends Error {
  readonly ms: number

  constructor(ms: number) {
    super('It is not ready yet.')
    this.name = 'PollLater'
    this.ms = ms
  }
}

/** The other instance took too long. */
export class TooLate extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'TooLate'
  }
}

/** The time in milliseconds that the other instance may take to export its relations (spec administration 6.4). */
const EXPORT_TIMEOUT_MS = 24 * 3600 * 1000
/** Time after which a relation without a status is taken for missing at the other instance, in milliseconds. */
const MISSING_AFTER_MS = 60_000
const FIRST_POLL_MS = 1000
const MAX_POLL_MS = 60_000

/** The status of one relation at the other instance. */
export interface SourceRelation {
  readonly relation: string
  readonly isReady: boolean
  readonly error: string | null
  readonly total: number
}

const kindOf = (run: EntityRun): 'group' | 'project' =>
  run.row.source_type === 'group_entity' ? 'group' : 'project'

/** Requests that the other instance exports its relations. */
export async function requestExports(run: EntityRun): Promise<void> {
  await run.source.post(`${apiPathOf(run.row)}/export_relations`)
  run.saveCursor({ step: 'ask', asked_at: run.now().now })
}

/** Throws PollLater until all relations are exported. */
export async function waitForExports(run: EntityRun): Promise<void> {
  const { cursor } = run
  const askedAt = Date.parse(cursor.asked_at ?? run.row.updated_at)
  const age = Date.parse(run.now().now) - askedAt
  if (age > EXPORT_TIMEOUT_MS) throw new TooLate('The other instance did not export its relations in time.')
  const relations = await relationStatuses(run)
  const isMissing = migratedRelations(run).some((name) => !relations.has(name))
  const isPending = [...relations.values()].some((relation) => !relation.isReady && relation.error === null)
  if (!isPending && (!isMissing || (relations.size > 0 && age > MISSING_AFTER_MS))) return
  const polls = (cursor.looks ?? 0) + 1
  run.saveCursor({ ...cursor, looks: polls })
  throw new PollLater(Math.min(FIRST_POLL_MS * 1.5 ** (polls - 1), MAX_POLL_MS))
}

/** Names of the relations that are migrated. */
function migratedRelations(run: EntityRun): string[] {
  const kind = kindOf(run)
  const memberships = ['members', 'project_members']
  return relationsOf(kind).filter(
    (name) =>
      name !== 'design' &&
      (kind === 'project' || name !== SELF) &&
      (run.row.migrate_memberships || !memberships.includes(name)),
  )
}

/** The status of the relations that are migrated. */
export async function relationStatuses(run: EntityRun): Promise<Map<string, SourceRelation>> {
  const names = new Set(migratedRelations(run))
  const rows = await run.source.list(`${apiPathOf(run.row)}/export_relations/status`)
  const result = new Map<string, SourceRelation>()
  for (const { relation, status, error, total_objects_count: total } of rows) {
    if (typeof relation !== 'string' || !names.has(relation)) continue
    const sentence =
      typeof error === 'string' && error !== ''
        ? error.slice(0, 500)
        : 'The export failed at the other instance.'
    result.set(relation, {
      relation,
      isReady: status === EXPORT_FINISHED,
      error: status === EXPORT_FAILED ? sentence : null,
      total: typeof total === 'number' && Number.isSafeInteger(total) ? total : 0,
    })
  }
  return result
}

export { isFileRelation, SELF }
