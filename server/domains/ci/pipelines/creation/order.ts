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
