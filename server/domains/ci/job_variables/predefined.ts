import type { Ctx } from '../../../ctx.ts'
import { findCommit, type Commit } from '../../../git/read/commits.ts'
import { ZERO_ID } from '../../../git/names.ts'
import { findTag } from '../../../git/write/refs.ts'
import { fullPath, repoOf, type Project, protectionsOf } from '../../projects/index.ts'
import { slugOf, type Variable } from '../../ci_config/index.ts'
import { moment, plain, texts, type Item, legacyOf } from './item.ts'
import { ofProject, ofServer, ofUser } from './of-instance.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { openRequestsOf } from './store.ts'
import type { Database } from '../../../db/database.ts'
import { protecting, tagProtectionsOf } from '../../repository/index.ts'

/** The maximum length of a commit message in bytes. Operating systems limit one environment variable to 128 KiB. */
const MAX_BYTES = 100_000

/** The maximum length of a title. If the first line is longer, the description is the whole message. */
const MAX_TITLE = 100

/** Variables about the commit and its ref. */
async function ofCommit(ctx: Ctx, project: Project, target: VariableTarget): Promise<Item[]> {
  const repo = repoOf(ctx, project)
  const commit = await findCommit(repo, target.sha)
  const tag = target.kind === 'tag' ? await findTag(repo, target.ref) : null
  const ref = sourceRef(target)
  return [
    ...plain({
      CI_COMMIT_SHA: target.sha,
      CI_COMMIT_SHORT_SHA: target.sha.slice(0, 8),
      CI_COMMIT_BEFORE_SHA: target.before_sha ?? ZERO_ID,
      CI_COMMIT_REF_NAME: ref,
      CI_COMMIT_REF_SLUG: slugOf(ref),
      CI_COMMIT_REF_PROTECTED: String(target.isProtected),
      CI_COMMIT_BRANCH: target.kind === 'branch' ? target.ref : undefined,
      CI_COMMIT_TAG: target.kind === 'tag' ? target.ref : undefined,
    }),
    ...(target.kind === 'tag' ? texts({ CI_COMMIT_TAG_MESSAGE: cut(tag?.message ?? '') }) : []),
    ...(commit ? ofMessage(commit) : []),
  ]
}

/** The branch or tag; for a merge request its source branch. */
function sourceRef({ ref, kind, merge_request }: VariableTarget): string {
  if (kind !== 'merge_request') return ref
  const branch = merge_request?.predefined.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')
  return branch?.value ?? ref
}

function ofMessage(commit: Commit): Item[] {
  const message = cut(commit.message)
  const [title = '', ...rest] = message.split('\n')
  return [
    ...texts({
      CI_COMMIT_MESSAGE: message,
      CI_COMMIT_TITLE: title,
      CI_COMMIT_DESCRIPTION: title.length < MAX_TITLE ? rest.join('\n').trim() : message,
    }),
    ...plain({ CI_COMMIT_TIMESTAMP: commit.committed_date }),
    ...texts({ CI_COMMIT_AUTHOR: `${commit.author_name} <${commit.author_email}>` }),
  ]
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  // The cut may split a character, which is then omitted.
  return Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}

/**
 * Predefined variables before jobs exist, for includes and rules (spec ci 2.13, phases A and B). Without a target:
 * those of all pipelines of the project.
 */
export async function predefinedForPipeline(
  ctx: Ctx,
  project: Project,
  target: VariableTarget | null,
): Promise<Variable[]> {
  const items = [
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...(target ? [...(await ofTarget(ctx, project, target)), ...ofUser(target.user)] : []),
  ]
  return [...items, ...legacyOf(items)].map(({ key, value }) => ({ key, value }))
}

/** Variables from the target of a pipeline. */
export async function ofTarget(ctx: Ctx, project: Project, target: VariableTarget): Promise<Item[]> {
  return [
    ...ofPipeline(ctx, project, target),
    ...(await ofCommit(ctx, project, target)),
    ...ofMergeRequest(target),
  ]
}

/** The user who creates a pipeline. */
export interface UserOfVariables {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
}

/** The target of a pipeline for its variables. */
export interface VariableTarget {
  /** Short name of the branch or tag; `refs/merge-requests/1/head` for a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  readonly isProtected: boolean
  /** Source of the pipeline, `push` and so on. */
  readonly source: string
  readonly before_sha?: string | undefined
  /** Set when it is known. */
  readonly pipeline?:
    | { readonly iid?: number; readonly created_at?: string; readonly name?: string | null }
    | undefined
  readonly merge_request?:
    | { readonly predefined: readonly { readonly key: string; readonly value: string }[] }
    | undefined
  readonly user?: UserOfVariables | null | undefined
}

/** The target of a stored pipeline. */
export function targetOfPipeline(row: PipelineRow): VariableTarget {
  const predefined = JSON.parse(row.predefined) as { key: string; value: string }[]
  return {
    ref: row.ref,
    sha: row.sha,
    kind: row.tag ? 'tag' : row.merge_request_id === null ? 'branch' : 'merge_request',
    isProtected: row.protected,
    source: row.source,
    before_sha: row.before_sha,
    pipeline: { iid: row.iid, created_at: row.created_at, name: row.name },
    merge_request: { predefined },
  }
}

/** The author of the merge request wrote these texts. */
const WRITTEN = new Set([
  'CI_MERGE_REQUEST_TITLE',
  'CI_MERGE_REQUEST_DESCRIPTION',
  'CI_MERGE_REQUEST_LABELS',
  'CI_MERGE_REQUEST_MILESTONE',
])

/** Variables about the pipeline. Before it is created, unknown ones are omitted. */
export function ofPipeline(ctx: Ctx, project: Project, target: VariableTarget): Item[] {
  const { pipeline, source } = target
  const open = requestsOf(ctx, project, target)
  return [
    ...plain({
      CI_PIPELINE_IID: pipeline?.iid,
      CI_PIPELINE_SOURCE: source,
      CI_PIPELINE_CREATED_AT: moment(pipeline?.created_at ?? ctx.now),
      CI_PIPELINE_TRIGGERED: source === 'trigger' ? 'true' : undefined,
    }),
    ...texts({ CI_PIPELINE_NAME: pipeline?.name }),
    ...plain({ CI_OPEN_MERGE_REQUESTS: open.length === 0 ? undefined : open.join(',') }),
  ]
}

/** The open merge requests of a branch, or the one that the pipeline is for. */
function requestsOf(ctx: Ctx, project: Project, target: VariableTarget): string[] {
  if (target.kind === 'tag') return []
  if (target.kind === 'branch') return openRequestsOf(ctx.db, project.id, target.ref)
  const values = new Map(target.merge_request?.predefined.map(({ key, value }) => [key, value]))
  const iid = values.get('CI_MERGE_REQUEST_IID')
  return iid === undefined
    ? []
    : [`${values.get('CI_MERGE_REQUEST_PROJECT_PATH') ?? fullPath(project)}!${iid}`]
}

/**
 * Variables about the merge request of a pipeline. The merge requests domain provides them when it creates the
 * pipeline.
 */
export function ofMergeRequest({ merge_request }: VariableTarget): Item[] {
  return (merge_request?.predefined ?? []).flatMap(({ key, value }) =>
    (WRITTEN.has(key) ? texts : plain)({ [key]: value }),
  )
}

/** Whether a branch or tag is protected. Protected variables and runners are available only there. */
export function isProtectedRef(
  db: Database,
  projectId: number,
  ref: { readonly kind: 'branch' | 'tag'; readonly name: string },
): boolean {
  const { kind, name } = ref
  return kind === 'tag'
    ? protecting(tagProtectionsOf(db, projectId), name).length > 0
    : protecting(protectionsOf(db, projectId), name).length > 0
}
