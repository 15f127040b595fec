import type { Ctx } from '../../../../ctx.ts'
import { branchTip, refTarget, resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import { Failure, invalid } from '../../../../lib/fail.ts'
import { repoOf, type Project } from '../../../projects/index.ts'
import { isProtectedRef } from '../../job_variables/predefined.ts'

/** The ref and commit of a pipeline. */
export interface PipelineTarget {
  /** Short name of a branch or tag, `refs/merge-requests/N/head` of a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  /** True if protected variables and runners may be used; never for a merge request. */
  readonly isProtected: boolean
}

type RefMatch = Pick<PipelineTarget, 'ref' | 'kind' | 'sha'>

const MERGE_REQUEST = /^refs\/merge-requests\/\d+\/(?:head|merge|train)$/

/**
 * The branch, tag or merge request of a name, at its newest commit; null if there is none. A short name that a
 * branch and a tag share is `ambiguous`.
 */
export async function targetOf(
  ctx: Ctx,
  project: Project,
  name: string,
): Promise<PipelineTarget | 'ambiguous' | null> {
  const repo = repoOf(ctx, project)
  const match = await find(repo, name)
  if (match === null || match === 'ambiguous') return match
  return { ...match, isProtected: isProtected(ctx, project, match) }
}

async function find(repo: Repo, name: string): Promise<RefMatch | 'ambiguous' | null> {
  if (MERGE_REQUEST.test(name)) return at(name, 'merge_request', await resolveCommit(repo, name))
  if (name.startsWith('refs/heads/')) return branch(repo, name.slice('refs/heads/'.length))
  if (name.startsWith('refs/tags/')) return tag(repo, name.slice('refs/tags/'.length))
  const [asBranch, asTag] = await Promise.all([branch(repo, name), tag(repo, name)])
  return asBranch && asTag ? 'ambiguous' : (asBranch ?? asTag)
}

async function branch(repo: Repo, name: string): Promise<RefMatch | null> {
  return at(name, 'branch', await branchTip(repo, name))
}

async function tag(repo: Repo, name: string): Promise<RefMatch | null> {
  const full = `refs/tags/${name}`
  // Without this check another ref could match the name of the tag.
  if ((await refTarget(repo, full)) === null) return null
  return at(name, 'tag', await resolveCommit(repo, full))
}

function at(ref: string, kind: RefMatch['kind'], sha: string | null): RefMatch | null {
  return sha === null ? null : { ref, kind, sha }
}

function isProtected(ctx: Ctx, project: Project, { kind, ref }: RefMatch): boolean {
  return kind !== 'merge_request' && isProtectedRef(ctx.db, project.id, { kind, name: ref })
}

/** A variable given by the user who starts a pipeline. */
export interface VariableInput {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file'
  /** Neither expanded nor expanded into others. */
  readonly raw?: boolean
}

/** The source of a pipeline, as the contract names it (spec ci 2.6). */
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
export interface MergeRequestOfPipeline {
  readonly id: number
  readonly iid: number
  /** `CI_MERGE_REQUEST_*`. */
  readonly predefined: readonly { readonly key: string; readonly value: string }[]
  /** Changed paths, or a function that finds them when a rule needs them; null if they are unknown. */
  readonly changes: readonly string[] | null | (() => Promise<readonly string[] | null>)
  readonly source_project_id: number
}

/** A request for a pipeline. */
export interface PipelineRequest {
  readonly source: PipelineSource
  /** Branch or tag, short or in full (`refs/heads/…`, `refs/tags/…`), or `refs/merge-requests/N/head`. */
  readonly ref: string
  /** The commit; by default the one that the ref points to. */
  readonly sha?: string | undefined
  /** The former commit of the ref; null and zeros mean none. */
  readonly before_sha?: string | null | undefined
  readonly variables?: readonly VariableInput[] | undefined
  readonly merge_request?: MergeRequestOfPipeline | undefined
  readonly schedule_id?: number | undefined
  readonly trigger_id?: number | undefined
  /** The pipeline and trigger job that requested this one. */
  readonly upstream?: { readonly pipeline_id: number; readonly job_id: number | null } | undefined
  /** Text of the configuration, instead of the project's file. */
  readonly config?: string | undefined
  /** Path of the configuration, instead of the path in the project's settings. */
  readonly config_path?: string | undefined
  /** Only this job of the configuration; its needs are ignored. */
  readonly only_job?: string | undefined
  /** `git push -o`: `ci.skip`, `ci.variable=KEY=value`. */
  readonly push_options?: readonly string[] | undefined
}

/** True for sources that store a failed pipeline for a broken configuration; the others only return the error. */
export function keepsBroken(source: PipelineSource): boolean {
  return source !== 'api' && source !== 'web' && source !== 'chat'
}

/** True for sources that obey `[ci skip]` in a commit message; explicit requests do not. */
export function heedsSkip(source: PipelineSource): boolean {
  return source === 'push' || source === 'merge_request_event'
}

const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i

/** True if the message of the commit or an option of the push requests that no pipeline is created (spec ci 2.6). */
export function isSkipped(message: string, pushOptions: readonly string[] = []): boolean {
  return SKIP.test(message) || pushOptions.includes('ci.skip')
}

const MAX_KEY = 255
const KEY_TEXT = "can contain only letters, digits and '_'."

/** Throws 400 for names that no variable can have, and for those that are given twice. */
export function checkGivenVariables(variables: readonly VariableInput[]): void {
  const keys = variables.map(({ key }) => key)
  const problems = [
    ...(keys.some((key) => key === '') ? ["can't be blank"] : []),
    ...(keys.some((key) => key.length > MAX_KEY) ? [`is too long (maximum is ${MAX_KEY} characters)`] : []),
    ...(keys.some((key) => !/^\w+$/.test(key)) ? [KEY_TEXT] : []),
  ]
  if (problems.length > 0) throw invalid({ 'variables.key': problems })
  const twice = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
  if (twice.length > 0) throw invalid({ variables: [`have duplicate values (${twice.join(', ')})`] })
}

/** The refusal to create a pipeline: 400 `{"message":{"base":[…]}}` (spec ci 2.6). */
export class PipelineRefused extends Failure {
  readonly texts: readonly string[]
  readonly because: Cause | undefined

  constructor(texts: readonly string[], because?: Cause) {
    super('bad_request', { base: texts })
    this.name = 'PipelineRefused'
    this.texts = texts
    this.because = because
  }
}

/**
 * `config`: the configuration is invalid, in contrast to one that creates no pipeline here; `rights`: the user may not;
 * `validation`: the external validation service rejected the pipeline.
 */
type Cause = 'config' | 'rights' | 'validation'

/** Returns a refusal with one sentence: `throw refused('Reference not found')`. */
export function refused(text: string, because?: Cause): PipelineRefused {
  return new PipelineRefused([text], because)
}
