import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { refsContaining } from '../../../git/write/refs.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { fullPath, inRepository, project as scope, type Project } from '../../projects/index.ts'
import { abilities as ciAbilities } from '../policy.ts'
import { pipelineForReports, settleReport } from '../pipelines/service.ts'
import { byId as pipelineById, newestOfCommit } from '../pipelines/store.ts'
import { usersById } from '../../users/index.ts'
import type { StatusView } from './entity.ts'
import { CommitStatusChanged } from '../events.ts'
import * as store from './store.ts'
import type { StatusFilter, StatusKey, StatusRow, StatusWord } from './store.ts'

/** A report as a caller sends it. */
export interface Report {
  readonly sha: string
  readonly state: StatusWord
  readonly ref?: string | undefined
  readonly name?: string | undefined
  /** An alternative to `name`, which takes precedence. */
  readonly context?: string | undefined
  readonly target_url?: string | undefined
  readonly description?: string | undefined
  readonly coverage?: number | undefined
  readonly pipeline_id?: number | undefined
}

function withAuthors(ctx: Ctx, project: Project, rows: readonly StatusRow[]): StatusView[] {
  const authors = usersById(
    ctx.db,
    rows.flatMap((row) => row.author_id ?? []),
  )
  const path = fullPath(project)
  return rows.map((row) => ({ ...row, path, author: authors.get(row.author_id ?? 0) ?? null }))
}

function commitOf(ctx: Ctx, project: Project, name: string): Promise<string> {
  return inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, name)
    if (id === null) throw notFound('Commit')
    return id
  })
}

/**
 * Lists the reports about a commit, and its CI jobs if the caller may see them. `filter.sha` may also be a branch or
 * tag. Throws 404 for an unknown commit.
 */
export async function findStatuses(
  ctx: Ctx,
  project: Project,
  filter: Omit<StatusFilter, 'project_id' | 'reportsOnly'>,
): Promise<Rows<StatusView>> {
  const sha = await commitOf(ctx, project, filter.sha)
  const reportsOnly = !isAble(ctx, scope, ciAbilities.read_pipelines, project)
  const result = store.list(ctx.db, { ...filter, sha, project_id: project.id, reportsOnly })
  return { ...result, rows: withAuthors(ctx, project, result.rows) }
}

/**
 * Stores a report of another system. It updates the open report of the same name and ref, or replaces the older ones by
 * a new one. Throws 400 for a state that the current one does not allow, 404 without commit or ref.
 */
export async function report(ctx: Ctx, project: Project, input: Report): Promise<StatusView> {
  check(input)
  const { sha, ref } = await targetOf(ctx, project, input)
  const name = input.name || input.context || 'default'
  const row = tx(ctx.db, () => {
    const pipeline_id = input.pipeline_id ?? pipelineForReports(ctx, { project_id: project.id, sha, ref }).id
    const key: StatusKey = { pipeline_id, name }
    const open = store.unfinished(ctx.db, key)
    const saved = open
      ? updateReport(ctx, open, input)
      : createReport(ctx, key, { project_id: project.id, ref }, input)
    settleReport(ctx, saved.id, open?.status ?? null)
    publish(ctx, CommitStatusChanged, {
      project_id: project.id,
      actor_id: ctx.actor.id,
      status_id: saved.id,
      sha,
      ref,
      name: saved.name,
      status: saved.status,
    })
    return saved
  })
  return withAuthors(ctx, project, [row])[0]!
}

function targetOf(ctx: Ctx, project: Project, input: Report): Promise<{ sha: string; ref: string }> {
  return inRepository(ctx, project, async (repo) => {
    const sha = await resolveCommit(repo, input.sha)
    if (sha === null) throw notFound('Commit')
    if (input.pipeline_id !== undefined) {
      return { sha, ref: refOfPipeline(ctx, project, input.pipeline_id, { ...input, sha }) }
    }
    if (input.ref) return { sha, ref: input.ref }
    const pipeline = newestOfCommit(ctx.db, project.id, sha)
    if (pipeline) return { sha, ref: pipeline.ref }
    const [branch] = await refsContaining(repo, sha, ['refs/heads/'])
    if (branch === undefined) throw notFound('References for commit')
    return { sha, ref: branch.slice('refs/heads/'.length) }
  })
}

/** The ref of a pipeline. Throws 404 for a pipeline of another commit or ref. */
function refOfPipeline(ctx: Ctx, project: Project, id: number, { sha, ref }: Report): string {
  const pipeline = pipelineById(ctx.db, id)
  const isOfCommit = pipeline?.project_id === project.id && pipeline.sha === sha
  if (!isOfCommit || (ref && ref !== pipeline.ref)) throw fail('not_found', '404 Not found')
  return pipeline.ref
}

const MAX_TEXT = 255

function check({ target_url, description, name, context }: Report): void {
  const problems: Record<string, string[]> = {}
  const long = `is too long (maximum is ${MAX_TEXT} characters)`
  if (target_url && !isWebAddress(target_url)) {
    problems['target_url'] = ['is blocked: Only allowed schemes are http, https']
  }
  if ((target_url?.length ?? 0) > MAX_TEXT) problems['target_url'] = [...(problems['target_url'] ?? []), long]
  if ((description?.length ?? 0) > MAX_TEXT) problems['description'] = [long]
  if ((name || context || '').length > MAX_TEXT) problems['name'] = [long]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Names of the transitions in the contract's error messages. */
const TRANSITIONS: Readonly<Record<StatusWord, string>> = {
  pending: 'enqueue',
  running: 'run',
  success: 'success',
  failed: 'drop',
  canceled: 'cancel',
}

function isOver(state: StatusWord): boolean {
  return state !== 'pending' && state !== 'running'
}

/** Fields other than the state; absent fields stay. */
function details({ target_url, description, coverage }: Report) {
  return {
    ...(target_url === undefined ? {} : { target_url }),
    ...(description === undefined ? {} : { description }),
    ...(coverage === undefined ? {} : { coverage }),
  }
}

function updateReport(ctx: Ctx, open: StatusRow, input: Report): StatusRow {
  const { state } = input
  const isStep = isOver(state) || (state === 'running' && open.status === 'pending')
  if (!isStep) {
    const step = TRANSITIONS[state]
    throw fail(
      'bad_request',
      `Cannot transition status via :${step} from :${open.status} (Reason(s): Status cannot transition via "${step}")`,
    )
  }
  const at = state === 'running' ? { started_at: ctx.now } : { finished_at: ctx.now }
  return store.update(ctx.db, open.id, { ...details(input), status: state, ...at }, ctx.now)
}

function createReport(
  ctx: Ctx,
  key: StatusKey,
  target: { readonly project_id: number; readonly ref: string },
  input: Report,
): StatusRow {
  const { state } = input
  const created = store.insert(ctx.db, {
    ...key,
    ...target,
    status: state,
    target_url: null,
    description: null,
    coverage: null,
    ...details(input),
    author_id: ctx.actor.kind === 'user' ? ctx.actor.id : null,
    created_at: ctx.now,
    started_at: state === 'running' ? ctx.now : null,
    finished_at: isOver(state) ? ctx.now : null,
  })
  store.retire(ctx.db, key, created.id)
  return created
}
