import type { Ctx } from '../../../../ctx.ts'
import { branchTip, refTarget, resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import { Failure, invalid } from '../../../../lib/fail.ts'
import { repoOf, type Project } from '../../../projects/index.ts'
import { isProtectedRef } from '../../job_variables/predefined.ts'

/** The ref and commit of a pipeline. */
export interface PipelineTarget {
  /** The short name of a branch or tag, or `refs/merge-requests/N/head` for a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  /** Whether jobs may use protected variables and runners. Always false for a merge request. */
  readonly isProtected: boolean
}

type RefMatch = Pick<PipelineTarget, 'ref' | 'kind' | 'sha'>

const MERGE_REQUEST = /^refs\/merge-requests\/\d+\/(?:head|merge|train)$/

/**
 * Finds the branch, tag or merge request with a name, and its newest commit. Null if there is none. A short name that
 * both a branch and a tag have is `ambiguous`.
 */
export async function targetOf(
  ctx: Ctx,
  project: Project,
  name: string,
): Promise<PipelineTarget | 'ambiguous' | null> {
  const repo = repoOf(ctx, project)
  const match = await findRef(repo, name)
  if (match === null || match === 'ambiguous') return match
  return { ...match, isProtected: isProtected(ctx, project, match) }
}

async function findRef(repo: Repo, name: string): Promise<RefMatch | 'ambiguous' | null> {
  if (MERGE_REQUEST.test(name)) return matchOf(name, 'merge_request', await resolveCommit(repo, name))
  if (name.startsWith('refs/heads/')) return findBranch(repo, name.slice('refs/heads/'.length))
  if (name.startsWith('refs/tags/')) return findTag(repo, name.slice('refs/tags/'.length))
  const [asBranch, asTag] = await Promise.all([findBranch(repo, name), findTag(repo, name)])
  return asBranch && asTag ? 'ambiguous' : (asBranch ?? asTag)
}

async function findBranch(repo: Repo, name: string): Promise<RefMatch | null> {
  return matchOf(name, 'branch', await branchTip(repo, name))
}

async function findTag(repo: Repo, name: string): Promise<RefMatch | null> {
  const full = `refs/tags/${name}`
  // Without this check another ref could match the name of the tag.
  if ((await refTarget(repo, full)) === null) return null
  return matchOf(name, 'tag', await resolveCommit(repo, full))
}

function matchOf(ref: string, kind: RefMatch['kind'], sha: string | null): RefMatch | null {
  return sha === null ? null : { ref, kind, sha }
}

function isProtected(ctx: Ctx, project: Project, { kind, ref }: RefMatch): boolean {
  return kind !== 'merge_request' && isProtectedRef(ctx.db, project.id, { kind, name: ref })
}

/** A variable with which a user starts a pipeline. */
export interface VariableInput {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file'
  /** Whether the value is used literally: it is not expanded, and other values keep its name. */
  readonly raw?: boolean
}

/** The source of a pipeline (spec ci 2.6). */
export type PipelineSource =
  | 'push'
  | 'web'
  | 'trigger'
  | 'schedule'
  | 'api'
  | 'external'
  | 'pipeline'
  | 'chat'
  | 'webide'
  | 'merge_request_event'
  | 'parent_pipeline'

/** The merge request of a pipeline. */
export interface PipelineMergeRequest {
  readonly id: number
  readonly iid: number
  /** The variables `CI_MERGE_REQUEST_*`. */
  readonly predefined: readonly { readonly key: string; readonly value: string }[]
  /** The changed paths, or a function that finds them when a rule needs them. Null if they are unknown. */
  readonly changes: readonly string[] | null | (() => Promise<readonly string[] | null>)
  readonly source_project_id: number
}

/** A request for a pipeline. */
export interface PipelineRequest {
  readonly source: PipelineSource
  /** A branch or tag, as a short name or a full ref (`refs/heads/…`, `refs/tags/…`), or `refs/merge-requests/N/head`. */
  readonly ref: string
  /** The commit. The default is the newest commit of the ref. */
  readonly sha?: string | undefined
  /** The previous commit of the ref. Null and zeros mean that there is none. */
  readonly before_sha?: string | null | undefined
  readonly variables?: readonly VariableInput[] | undefined
  readonly merge_request?: PipelineMergeRequest | undefined
  readonly schedule_id?: number | undefined
  readonly trigger_id?: number | undefined
  /** The pipeline and the trigger job that request this pipeline. */
  readonly upstream?: { readonly pipeline_id: number; readonly job_id: number | null } | undefined
  /** The text of the configuration, instead of the project's file. */
  readonly config?: string | undefined
  /** The path of the configuration, instead of the path in the project's settings. */
  readonly config_path?: string | undefined
  /** The name of the only job to create. Its needs are ignored. */
  readonly only_job?: string | undefined
  /** The options of `git push -o`, such as `ci.skip` and `ci.variable=KEY=value`. */
  readonly push_options?: readonly string[] | undefined
}

/** Whether an invalid configuration is stored as a failed pipeline. Other sources only return the error. */
export function storesFailed(source: PipelineSource): boolean {
  return source !== 'api' && source !== 'web' && source !== 'chat'
}

/** Whether `[ci skip]` in a commit message applies. Explicit requests ignore it. */
export function obeysSkip(source: PipelineSource): boolean {
  return source === 'push' || source === 'merge_request_event'
}

const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i

/** Whether the commit message or a push option requests to skip the pipeline (spec ci 2.6). */
export function isSkipped(message: string, pushOptions: readonly string[] = []): boolean {
  return SKIP.test(message) || pushOptions.includes('ci.skip')
}

const MAX_KEY = 255
const KEY_TEXT = "can contain only letters, digits and '_'."

/** Throws 400 for invalid and for duplicate names of variables. */
export function checkVariableNames(variables: readonly VariableInput[]): void {
  const keys = variables.map(({ key }) => key)
  const problems = [
    ...(keys.some((key) => key === '') ? ["can't be blank"] : []),
    ...(keys.some((key) => key.length > MAX_KEY) ? [`is too long (maximum is ${MAX_KEY} characters)`] : []),
    ...(keys.some((key) => !/^\w+$/.test(key)) ? [KEY_TEXT] : []),
  ]
  if (problems.length > 0) throw invalid({ 'variables.key': problems })
  const duplicates = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
  if (duplicates.length > 0)
    throw invalid({ variables: [`have duplicate values (${duplicates.join(', ')})`] })
}

/** The error for a refused pipeline: 400 `{"message":{"base":[…]}}` (spec ci 2.6). */
export class PipelineRefused extends Failure {
  readonly texts: readonly string[]
  readonly refusalKind: RefusalKind | undefined

  constructor(texts: readonly string[], because?: RefusalKind) {
    super('bad_request', { base: texts })
    this.name = 'PipelineRefused'
    this.texts = texts
    this.refusalKind = because
  }
}

/**
 * Why a pipeline is refused. `config`: the configuration is invalid. `rights`: the actor lacks a permission.
 * `validation`: the external validation service rejected the pipeline. Undefined for any other reason, such as a
 * configuration without jobs for this pipeline.
 */
type RefusalKind = 'config' | 'rights' | 'validation'

/** Returns the error with one message: `throw refused('Reference not found')`. */
export function refused(text: string, because?: RefusalKind): PipelineRefused {
  return new PipelineRefused([text], because)
}
