import type { PipelineRow } from '../pipelines/store.ts'

/** Who a pipeline is made by. */
export interface UserOfVariables {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
}

/** What a pipeline is made for, as far as variables tell of it. */
export interface VariableTarget {
  /** Short name of the branch or tag; `refs/merge-requests/1/head` for a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  readonly isProtected: boolean
  /** Source of the pipeline, `push` and so on. */
  readonly source: string
  readonly before_sha?: string | undefined
  /** Once it is known. */
  readonly pipeline?:
    | { readonly iid?: number; readonly created_at?: string; readonly name?: string | null }
    | undefined
  readonly merge_request?:
    | { readonly predefined: readonly { readonly key: string; readonly value: string }[] }
    | undefined
  readonly user?: UserOfVariables | null | undefined
}

/** The target of a pipeline that is there. */
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
