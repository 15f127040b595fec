import type { Ctx } from '../../../ctx.ts'
import { findCommit, type Commit } from '../../../git/read/commits.ts'
import { ZERO_ID } from '../../../git/names.ts'
import { findTag } from '../../../git/write/refs.ts'
import { fullPath, repoOf, type Project, protectionsOf } from '../../projects/index.ts'
import { slugOf, type Variable } from '../../ci_config/index.ts'
import { withoutFraction, publicItems, rawItems, type VariableItem, deprecatedItems } from './item.ts'
import { projectItems, serverItems, actorItems } from './of-instance.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { openRequestsOf } from './store.ts'
import type { Database } from '../../../db/database.ts'
import { protecting, tagProtectionsOf } from '../../repository/index.ts'

/** The maximum length of a commit message in bytes. Operating systems limit one environment variable to 128 KiB. */
const MAX_BYTES = 100_000

/** The length from which the first line of a message is no title, so that the description is the whole message. */
const MAX_TITLE = 100

/** The variables about the commit and its ref. */
async function commitItems(ctx: Ctx, project: Project, target: VariableTarget): Promise<VariableItem[]> {
  const repo = repoOf(ctx, project)
  const commit = await findCommit(repo, target.sha)
  const tag = target.kind === 'tag' ? await findTag(repo, target.ref) : null
  const ref = sourceRef(target)
  return [
    ...publicItems({
      CI_COMMIT_SHA: target.sha,
      CI_COMMIT_SHORT_SHA: target.sha.slice(0, 8),
      CI_COMMIT_BEFORE_SHA: target.before_sha ?? ZERO_ID,
      CI_COMMIT_REF_NAME: ref,
      CI_COMMIT_REF_SLUG: slugOf(ref),
      CI_COMMIT_REF_PROTECTED: String(target.isProtected),
      CI_COMMIT_BRANCH: target.kind === 'branch' ? target.ref : undefined,
      CI_COMMIT_TAG: target.kind === 'tag' ? target.ref : undefined,
    }),
    ...(target.kind === 'tag' ? rawItems({ CI_COMMIT_TAG_MESSAGE: truncate(tag?.message ?? '') }) : []),
    ...(commit ? messageItems(commit) : []),
  ]
}

/** The branch or tag of a target. For a merge request it is the source branch. */
function sourceRef({ ref, kind, merge_request }: VariableTarget): string {
  if (kind !== 'merge_request') return ref
  const branch = merge_request?.predefined.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')
  return branch?.value ?? ref
}

function messageItems(commit: Commit): VariableItem[] {
  const message = truncate(commit.message)
  const [title = '', ...rest] = message.split('\n')
  return [
    ...rawItems({
      CI_COMMIT_MESSAGE: message,
      CI_COMMIT_TITLE: title,
      CI_COMMIT_DESCRIPTION: title.length < MAX_TITLE ? rest.join('\n').trim() : message,
    }),
    ...publicItems({ CI_COMMIT_TIMESTAMP: commit.committed_date }),
    ...rawItems({ CI_COMMIT_AUTHOR: `${commit.author_name} <${commit.author_email}>` }),
  ]
}

function truncate(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  // If the cut splits a character, its remaining bytes are removed.
  return Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}

/**
 * The predefined variables that are known before jobs exist, for includes and rules (spec ci 2.13, phases A and B).
 * Without a target they are those that all pipelines of the project share.
 */
export async function predefinedForPipeline(
  ctx: Ctx,
  project: Project,
  target: VariableTarget | null,
): Promise<Variable[]> {
  const items = [
    ...serverItems(ctx),
    ...projectItems(ctx, project),
    ...(target ? [...(await targetItems(ctx, project, target)), ...actorItems(target.user)] : []),
  ]
  return [...items, ...deprecatedItems(items)].map(({ key, value }) => ({ key, value }))
}

/** The variables about the target of a pipeline. */
export async function targetItems(
  ctx: Ctx,
  project: Project,
  target: VariableTarget,
): Promise<VariableItem[]> {
  return [
    ...pipelineItems(ctx, project, target),
    ...(await commitItems(ctx, project, target)),
    ...mergeRequestItems(target),
  ]
}

/** The user who creates a pipeline. */
export interface VariableUser {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
}

/** The target of a pipeline for its variables. */
export interface VariableTarget {
  /** The short name of the branch or tag, or `refs/merge-requests/1/head` for a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  readonly isProtected: boolean
  /** The source of the pipeline, such as `push`. */
  readonly source: string
  readonly before_sha?: string | undefined
  /** The properties of the pipeline that are already known. */
  readonly pipeline?:
    | { readonly iid?: number; readonly created_at?: string; readonly name?: string | null }
    | undefined
  readonly merge_request?:
    | { readonly predefined: readonly { readonly key: string; readonly value: string }[] }
    | undefined
  readonly user?: VariableUser | null | undefined
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

/** The variables with texts that the author of the merge request wrote. */
const USER_TEXTS = new Set([
  'CI_MERGE_REQUEST_TITLE',
  'CI_MERGE_REQUEST_DESCRIPTION',
  'CI_MERGE_REQUEST_LABELS',
  'CI_MERGE_REQUEST_MILESTONE',
])

/** The variables about the pipeline. Before it is created, those that are not known yet are left out. */
export function pipelineItems(ctx: Ctx, project: Project, target: VariableTarget): VariableItem[] {
  const { pipeline, source } = target
  const openRequests = requestsOf(ctx, project, target)
  return [
    ...publicItems({
      CI_PIPELINE_IID: pipeline?.iid,
      CI_PIPELINE_SOURCE: source,
      CI_PIPELINE_CREATED_AT: withoutFraction(pipeline?.created_at ?? ctx.now),
      CI_PIPELINE_TRIGGERED: source === 'trigger' ? 'true' : undefined,
    }),
    ...rawItems({ CI_PIPELINE_NAME: pipeline?.name }),
    ...publicItems({ CI_OPEN_MERGE_REQUESTS: openRequests.join(',') || undefined }),
  ]
}

/** The open merge requests of a branch, or the merge request of the pipeline, as `group/project!1`. */
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
 * The variables about the merge request of a pipeline. The domain of merge requests passes them when it creates the
 * pipeline.
 */
export function mergeRequestItems({ merge_request }: VariableTarget): VariableItem[] {
  return (merge_request?.predefined ?? []).flatMap(({ key, value }) =>
    (USER_TEXTS.has(key) ? rawItems : publicItems)({ [key]: value }),
  )
}

/** Whether a branch or tag is protected. Only protected refs have protected variables and runners. */
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
