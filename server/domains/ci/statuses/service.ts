import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { refsContaining } from '../../../git/write/refs.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { fullPath, inRepository, project as scope, type Project } from '../../projects/index.ts'
import { abilities as ciAbilities } from '../policy.ts'
import { pipelineForStatuses, refreshForStatus } from '../pipelines/service.ts'
import { byId as pipelineById, newestOfCommit } from '../pipelines/store.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { CommitStatusChanged } from '../events.ts'
import * as store from './store.ts'
import type { StatusFilter, StatusKey, StatusRow, StatusState } from './store.ts'

/** A commit status with its author and the full path of its project. */
export interface StatusView extends StatusRow {
  readonly author: UserBasicRow | null
  readonly path: string
}

/** A commit status that another system sends. */
export interface StatusInput {
  readonly sha: string
  readonly state: StatusState
  readonly ref?: string | undefined
  readonly name?: string | undefined
  /** Has the same meaning as `name`, which takes precedence. */
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
 * Lists the statuses of a commit, including those of its CI jobs if the actor may see these. `filter.sha` may also be a
 * branch or tag. Throws 404 for an unknown commit.
 */
export async function findStatuses(
  ctx: Ctx,
  project: Project,
  filter: Omit<StatusFilter, 'project_id' | 'externalOnly'>,
): Promise<Rows<StatusView>> {
  const sha = await commitOf(ctx, project, filter.sha)
  const externalOnly = !hasAbility(ctx, scope, ciAbilities.read_pipelines, project)
  const result = store.list(ctx.db, { ...filter, sha, project_id: project.id, externalOnly })
  return { ...result, rows: withAuthors(ctx, project, result.rows) }
}

/**
 * Stores a commit status of another system. It updates the unfinished status with the same name and ref, or adds a new
 * one that replaces older ones. Throws 400 for a state that cannot follow the current one, and 404 for an unknown commit
 * or ref.
 */
export async function setStatus(ctx: Ctx, project: Project, input: StatusInput): Promise<StatusView> {
  check(input)
  const { sha, ref } = await targetOf(ctx, project, input)
  const name = input.name || input.context || 'default'
  const row = tx(ctx.db, () => {
    const pipeline_id = input.pipeline_id ?? pipelineForStatuses(ctx, { project_id: project.id, sha, ref }).id
    const key: StatusKey = { pipeline_id, name }
    const existing = store.unfinished(ctx.db, key)
    const saved = existing
      ? updateStatus(ctx, existing, input)
      : createStatus(ctx, key, { project_id: project.id, ref }, input)
    refreshForStatus(ctx, saved.id, existing?.status ?? null)
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

function targetOf(ctx: Ctx, project: Project, input: StatusInput): Promise<{ sha: string; ref: string }> {
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

/** The ref of the pipeline with an ID. Throws 404 if the pipeline is for another commit or ref. */
function refOfPipeline(ctx: Ctx, project: Project, id: number, { sha, ref }: StatusInput): string {
  const pipeline = pipelineById(ctx.db, id)
  const isOfCommit = pipeline?.project_id === project.id && pipeline.sha === sha
  if (!isOfCommit || (ref && ref !== pipeline.ref)) throw fail('not_found', '404 Not found')
  return pipeline.ref
}

const MAX_TEXT = 255

function check({ target_url, description, name, context }: StatusInput): void {
  const problems: Record<string, string[]> = {}
  const tooLong = `is too long (maximum is ${MAX_TEXT} characters)`
  if (target_url && !isWebAddress(target_url)) {
    problems['target_url'] = ['is blocked: Only allowed schemes are http, https']
  }
  if ((target_url?.length ?? 0) > MAX_TEXT)
    problems['target_url'] = [...(problems['target_url'] ?? []), tooLong]
  if ((description?.length ?? 0) > MAX_TEXT) problems['description'] = [tooLong]
  if ((name || context || '').length > MAX_TEXT) problems['name'] = [tooLong]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** The names of the transitions to a state in the contract's error messages. */
const TRANSITIONS: Readonly<Record<StatusState, string>> = {
  pending: 'enqueue',
  running: 'run',
  success: 'success',
  failed: 'drop',
  canceled: 'cancel',
}

function isFinal(state: StatusState): boolean {
  return state !== 'pending' && state !== 'running'
}

/** The columns to change except the state. Absent fields stay unchanged. */
function columnsOf({ target_url, description, coverage }: StatusInput) {
  return {
    ...(target_url === undefined ? {} : { target_url }),
    ...(description === undefined ? {} : { description }),
    ...(coverage === undefined ? {} : { coverage }),
  }
}

function updateStatus(ctx: Ctx, existing: StatusRow, input: StatusInput): StatusRow {
  const { state } = input
  const isAllowed = isFinal(state) || (state === 'running' && existing.status === 'pending')
  if (!isAllowed) {
    const transition = TRANSITIONS[state]
    throw fail(
      'bad_request',
      `Cannot transition status via :${transition} from :${existing.status} (Reason(s): Status cannot transition via "${transition}")`,
    )
  }
  const times = state === 'running' ? { started_at: ctx.now } : { finished_at: ctx.now }
  return store.update(ctx.db, existing.id, { ...columnsOf(input), status: state, ...times }, ctx.now)
}

function createStatus(
  ctx: Ctx,
  key: StatusKey,
  target: { readonly project_id: number; readonly ref: string },
  input: StatusInput,
): StatusRow {
  const { state } = input
  const created = store.insert(ctx.db, {
    ...key,
    ...target,
    status: state,
    target_url: null,
    description: null,
    coverage: null,
    ...columnsOf(input),
    author_id: ctx.actor.kind === 'user' ? ctx.actor.id : null,
    created_at: ctx.now,
    started_at: state === 'running' ? ctx.now : null,
    finished_at: isFinal(state) ? ctx.now : null,
  })
  store.markReplaced(ctx.db, key, created.id)
  return created
}
