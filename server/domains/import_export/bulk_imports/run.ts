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
import { withCurrentTime } from '../exports/files.ts'
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

/** Maximum number of attempts of a step after temporary errors. */
const MAX_ATTEMPTS = 10
const MAX_DELAY_MS = 300_000

/** Migrates a group or project as far as possible. Throws only when it is canceled or the instance stops. */
export async function runEntity(ctx: Ctx, entityId: number): Promise<Outcome> {
  const now = withCurrentTime(ctx)
  const row = store.entityById(ctx.db, entityId)
  const run = row && store.byId(ctx.db, row.bulk_import_id)
  if (!row || !run || row.status !== STARTED) return { now: ctx.now }
  return cancelable(ctx, { name: `bulk:${row.id}` }, async (signal) => {
    try {
      await runSteps(now, { run, row, signal })
      return { now: now().now }
    } catch (error) {
      signal.throwIfAborted()
      return handleError(now(), entityId, error)
    }
  })
}

async function runSteps(
  now: () => Ctx,
  { run, row, signal }: { run: BulkImportRow; row: EntityRow; signal: AbortSignal },
): Promise<void> {
  const ctx = now()
  if (!settingsOf(ctx).bulk_import_enabled)
    throw new SourceProblem('Migration from other instances is no longer enabled.')
  const userCtx = onBehalfOf(ctx, run.user_id)
  if (!userCtx)
    throw new SourceProblem('The user who started the migration was deleted, or no longer has permission.')
  const source = sourceOf(ctx, run, signal)
  if (!source) throw new SourceProblem('The access token is no longer stored.')
  const entity = new EntityRun({ userCtx, now, run, source, signal, row })
  const steps = stepsOf(row)
  for (;;) {
    const step = entity.cursor.step ?? STEPS[0]
    if (step === 'done') break
    await steps[step](entity)
    const next = STEPS[STEPS.indexOf(step) + 1] ?? 'done'
    const { asked_at } = entity.cursor
    entity.saveCursor({ step: next, ...(asked_at === undefined ? {} : { asked_at }) })
  }
  entity.update({ status: FINISHED })
}

/** Schedules another attempt after an error, or ends the entity. */
function handleError(ctx: Ctx, entityId: number, error: unknown): Outcome {
  const row = store.entityById(ctx.db, entityId)
  const ended = { now: ctx.now }
  if (!row || row.status !== STARTED) return ended
  if (error instanceof PollLater) return { ...ended, retryMs: error.ms }
  const cursor = row.cursor as Cursor
  const tries = cursor.tries ?? 0
  if (error instanceof SourceProblem && error.isTemporary && tries < MAX_ATTEMPTS) {
    const changes = { cursor: { ...cursor, tries: tries + 1 } }
    tx(ctx.db, () => store.updateEntity(ctx.db, row.id, changes, ctx.now))
    return { ...ended, retryMs: Math.max(error.delayMs, Math.min(1000 * 2 ** tries, MAX_DELAY_MS)) }
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
  return ended
}

/** Records the running import of the entity's project as failed. */
function failProject(ctx: Ctx, { project_id }: EntityRow, sentence: string): void {
  const project = project_id === null ? undefined : projectById(ctx.db, project_id)
  if (project && ['scheduled', 'started'].includes(project.import_status)) failRun(ctx, project.id, sentence)
}

const INTERNAL_ERROR = 'The migration failed because of an error on this instance.'

function sentenceOf(error: unknown): string {
  if (error instanceof SourceProblem || error instanceof ArchiveProblem || error instanceof TooLate)
    return cleaned(error.message)
  if (error instanceof Failure) return firstSentence(error) ?? INTERNAL_ERROR
  return reasonOf(error, INTERNAL_ERROR)
}
