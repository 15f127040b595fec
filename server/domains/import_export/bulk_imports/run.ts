import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cancelable } from '../../../jobs/runs.ts'
import { Failure } from '../../../lib/fail.ts'
import { cleaned, reasonOf } from '../imports/status.ts'
import { failRun } from '../imports/runs.ts'
import { firstSentence } from '../imports/target.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { projectById } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { ArchiveProblem } from '../archive/unpack.ts'
import { timed } from '../exports/files.ts'
import { EntityRun } from './work.ts'
import { PollLater, TooLate, type Outcome } from './waiting.ts'
import { sourceOf, SourceProblem } from './source.ts'
import {
  FAILED,
  FINISHED,
  STARTED,
  STEPS,
  TIMEOUT,
  type BulkImportRow,
  type Cursor,
  type EntityRow,
} from './state.ts'
import { stepsOf } from './steps.ts'
import * as store from './store.ts'

/** Maximum attempts of a step after temporary errors. */
const MAX_TRIES = 10
const MAX_PAUSE_MS = 300_000

/** Migrates a group or project as far as possible. Throws only when it is canceled or the instance stops. */
export async function runEntity(ctx: Ctx, entityId: number): Promise<Outcome> {
  const now = timed(ctx)
  const row = store.entityById(ctx.db, entityId)
  const run = row && store.byId(ctx.db, row.bulk_import_id)
  if (!row || !run || row.status !== STARTED) return { now: ctx.now }
  return cancelable(ctx, { name: `bulk:${row.id}` }, async (signal) => {
    try {
      await work(now, { run, row, signal })
      return { now: now().now }
    } catch (error) {
      signal.throwIfAborted()
      return afterProblem(now(), entityId, error)
    }
  })
}

async function work(
  now: () => Ctx,
  { run, row, signal }: { run: BulkImportRow; row: EntityRow; signal: AbortSignal },
): Promise<void> {
  const ctx = now()
  if (!settingsOf(ctx).bulk_import_enabled)
    throw new SourceProblem('Taking over from other instances is not allowed here any more.')
  const acting = onBehalfOf(ctx, run.user_id)
  if (!acting)
    throw new SourceProblem('The user who started the migration was deleted, or no longer has permission.')
  const source = sourceOf(ctx, run, signal)
  if (!source) throw new SourceProblem('The access token is no longer stored.')
  const entity = new EntityRun({ acting, now, run, source, signal, row })
  const steps = stepsOf(row)
  for (;;) {
    const step = entity.cursor.step ?? STEPS[0]
    if (step === 'done') break
    await steps[step](entity)
    const next = STEPS[STEPS.indexOf(step) + 1] ?? 'done'
    const { asked_at } = entity.cursor
    entity.go({ step: next, ...(asked_at === undefined ? {} : { asked_at }) })
  }
  entity.write({ status: FINISHED })
}

/** Schedules another try, or ends the entity after an error. */
function afterProblem(ctx: Ctx, entityId: number, error: unknown): Outcome {
  const row = store.entityById(ctx.db, entityId)
  const over = { now: ctx.now }
  if (!row || row.status !== STARTED) return over
  if (error instanceof PollLater) return { ...over, again: error.ms }
  const cursor = row.cursor as Cursor
  const tries = cursor.tries ?? 0
  if (error instanceof SourceProblem && error.mayPass && tries < MAX_TRIES) {
    const changes = { cursor: { ...cursor, tries: tries + 1 } }
    tx(ctx.db, () => store.updateEntity(ctx.db, row.id, changes, ctx.now))
    return { ...over, again: Math.max(error.pauseMs, Math.min(1000 * 2 ** tries, MAX_PAUSE_MS)) }
  }
  ctx.log.warn({ err: error, entity_id: row.id }, 'a group or project could not be migrated')
  tx(ctx.db, () => {
    const status = error instanceof TooLate ? TIMEOUT : FAILED
    store.updateEntity(ctx.db, row.id, { status, has_failures: true }, ctx.now)
    store.insertFailure(ctx.db, {
      entity_id: row.id,
      relation: row.source_type === 'group_entity' ? 'group' : 'project',
      step: cursor.step ?? STEPS[0],
      exception_class: (error as Error).name,
      exception_message: sentenceOf(error),
      correlation_id: ctx.cause?.uuid ?? null,
      source_url: null,
      source_title: null,
      created_at: ctx.now,
    })
    failProject(ctx, row, sentenceOf(error))
  })
  return over
}

/** Fails the import of a project in progress. */
function failProject(ctx: Ctx, { project_id }: EntityRow, sentence: string): void {
  const project = project_id === null ? undefined : projectById(ctx.db, project_id)
  if (project && ['scheduled', 'started'].includes(project.import_status)) failRun(ctx, project.id, sentence)
}

const UNKNOWN = 'It could not be migrated because of an error of this instance.'

function sentenceOf(error: unknown): string {
  if (error instanceof SourceProblem || error instanceof ArchiveProblem || error instanceof TooLate)
    return cleaned(error.message)
  if (error instanceof Failure) return firstSentence(error) ?? UNKNOWN
  return reasonOf(error, UNKNOWN)
}
