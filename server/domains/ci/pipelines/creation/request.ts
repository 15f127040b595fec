import { Failure, invalid } from '../../../../lib/fail.ts'

/** A variable given by whoever starts a pipeline. */
export interface GivenVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file'
  /** Neither expanded nor expanded into others. */
  readonly raw?: boolean
}

/** Where a pipeline comes from, as the contract names it (spec ci 2.6). */
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

/** The merge request that a pipeline is made for. */
export interface MergeRequestOfOrder {
  readonly id: number
  readonly iid: number
  /** `CI_MERGE_REQUEST_*`. */
  readonly predefined: readonly { readonly key: string; readonly value: string }[]
  /** Paths that it changes, or what finds them out where a rule wants to know; null where they are not known. */
  readonly changes: readonly string[] | null | (() => Promise<readonly string[] | null>)
  readonly source_project_id: number
}

/** What somebody wants a pipeline for. */
export interface PipelineOrder {
  readonly source: PipelineSource
  /** Branch or tag, short or in full (`refs/heads/…`, `refs/tags/…`), or `refs/merge-requests/N/head`. */
  readonly ref: string
  /** The commit; what the ref points to otherwise. */
  readonly sha?: string | undefined
  /** What the ref pointed to before; null and zeros say that there was nothing. */
  readonly before_sha?: string | null | undefined
  readonly variables?: readonly GivenVariable[] | undefined
  readonly merge_request?: MergeRequestOfOrder | undefined
  readonly schedule_id?: number | undefined
  readonly trigger_id?: number | undefined
  /** The pipeline and trigger job that asked for this one. */
  readonly upstream?: { readonly pipeline_id: number; readonly job_id: number | null } | undefined
  /** Text of the configuration, in place of the project's own. */
  readonly config?: string | undefined
  /** Where the configuration lies, in place of where the project has it. */
  readonly config_path?: string | undefined
  /** The one job of the configuration that is wanted; it needs no other. */
  readonly only_job?: string | undefined
  /** `git push -o`: `ci.skip`, `ci.variable=KEY=value`. */
  readonly push_options?: readonly string[] | undefined
}

/** Sources that leave a failed pipeline behind where the configuration is broken; the others only say so. */
export function keepsBroken(source: PipelineSource): boolean {
  return source !== 'api' && source !== 'web' && source !== 'chat'
}

/** Sources that a commit's `[ci skip]` holds back; whoever asks for a pipeline by itself gets it. */
export function heedsSkip(source: PipelineSource): boolean {
  return source === 'push' || source === 'merge_request_event'
}

const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i

/** True where the message of a commit, or an option of its push, asks for no pipeline (spec ci 2.6). */
export function isSkipped(message: string, pushOptions: readonly string[] = []): boolean {
  return SKIP.test(message) || pushOptions.includes('ci.skip')
}

const MAX_KEY = 255
const KEY_TEXT = "can contain only letters, digits and '_'."

/** Throws 400 for names that no variable can have, and for those that are given twice. */
export function checkGivenVariables(variables: readonly GivenVariable[]): void {
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

/** A pipeline that is not made: 400 `{"message":{"base":[…]}}` (spec ci 2.6). */
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
 * `config`: the configuration is broken, as opposed to one that wants no pipeline here; `rights`: the actor may not;
 * `validation`: the service that is asked about every pipeline said no.
 */
type Cause = 'config' | 'rights' | 'validation'

/** A refusal with one sentence: `throw refused('Reference not found')`. */
export function refused(text: string, because?: Cause): PipelineRefused {
  return new PipelineRefused([text], because)
}
