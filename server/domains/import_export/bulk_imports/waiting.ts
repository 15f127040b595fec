import { isFile, relationsOf, SELF } from '../relation_exports/relations.ts'
import { FAILED as EXPORT_FAILED, FINISHED as EXPORT_FINISHED } from '../relation_exports/store.ts'
import type { EntityRun } from './work.ts'
import { apiPathOf } from './source.ts'

/** The result of one attempt. */
export interface Outcome {
  /** Milliseconds until the next attempt; undefined if the work is finished. */
  readonly again?: number | undefined
  readonly now: string
}

/** Thrown by a step that waits for the other instance. */
export class PollLater extends Error {
  readonly ms: number

  constructor(ms: number) {
    super('It is not ready yet.')
    this.name = 'Later'
    this.ms = ms
  }
}

/** Thrown by a step that has waited long enough. */
export class TooLate extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'TooLate'
  }
}

/** The time in milliseconds that the other instance may take to export its relations (spec administration 6.4). */
const PATIENCE_MS = 24 * 3600 * 1000
/** After this time, a relation without a status does not exist there. */
const UNNAMED_MS = 60_000
const FIRST_LOOK_MS = 1000
const MAX_LOOK_MS = 60_000

/** The status of one relation at the other instance. */
export interface SourceRelation {
  readonly relation: string
  readonly isReady: boolean
  readonly error: string | null
  readonly total: number
}

export const kindOf = (run: EntityRun): 'group' | 'project' =>
  run.row.source_type === 'group_entity' ? 'group' : 'project'

/** Requests that the other instance exports its relations. */
export async function ask(run: EntityRun): Promise<void> {
  await run.source.post(`${apiPathOf(run.row)}/export_relations`)
  run.go({ step: 'ask', asked_at: run.now().now })
}

/** Throws Later until all relations are exported. */
export async function wait(run: EntityRun): Promise<void> {
  const { cursor } = run
  const askedAt = Date.parse(cursor.asked_at ?? run.row.updated_at)
  const age = Date.parse(run.now().now) - askedAt
  if (age > PATIENCE_MS) throw new TooLate('The other instance did not write its relations down in time.')
  const relations = await statuses(run)
  const isMissing = wantedOf(run).some((name) => !relations.has(name))
  const isOpen = [...relations.values()].some((relation) => !relation.isReady && relation.error === null)
  if (!isOpen && (!isMissing || (relations.size > 0 && age > UNNAMED_MS))) return
  const looks = (cursor.looks ?? 0) + 1
  run.go({ ...cursor, looks })
  throw new PollLater(Math.min(FIRST_LOOK_MS * 1.5 ** (looks - 1), MAX_LOOK_MS))
}

/** Names of the relations that are migrated. */
export function wantedOf(run: EntityRun): string[] {
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
export async function statuses(run: EntityRun): Promise<Map<string, SourceRelation>> {
  const wanted = new Set(wantedOf(run))
  const rows = await run.source.list(`${apiPathOf(run.row)}/export_relations/status`)
  const result = new Map<string, SourceRelation>()
  for (const { relation, status, error, total_objects_count: total } of rows) {
    if (typeof relation !== 'string' || !wanted.has(relation)) continue
    const sentence = typeof error === 'string' && error !== '' ? error.slice(0, 500) : 'It failed there.'
    result.set(relation, {
      relation,
      isReady: status === EXPORT_FINISHED,
      error: status === EXPORT_FAILED ? sentence : null,
      total: typeof total === 'number' && Number.isSafeInteger(total) ? total : 0,
    })
  }
  return result
}

export { isFile, SELF }
