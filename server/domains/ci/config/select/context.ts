import type { Variable } from '../variables.ts'

/** What a pipeline would be made for. The caller reads what is needed beforehand (`needsOfSelection`). */
export interface PipelineContext {
  /** As of the contract: `push`, `web`, `api`, `schedule`, `trigger`, `pipeline`, `merge_request_event`, … */
  readonly source: string
  /** Short name of the branch or tag. */
  readonly ref: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  /** Full path of the project, for `only: ref@path`. */
  readonly project: string
  /** Given by the instance, below the variables of the configuration. */
  readonly predefined: readonly Variable[]
  /** Of instance, groups, project, and of whoever starts the pipeline, above them; later ones win. */
  readonly stored: readonly Variable[]
  /** Paths that the pipeline's commits change; null where there is nothing to compare with. */
  readonly changes: readonly string[] | null
  /** The same against a ref of `compare_to`; undefined for one that is none. */
  readonly changesSince?: ReadonlyMap<string, readonly string[] | null>
  /** All files of the commit; null where it is not known. */
  readonly files: readonly string[] | null
  /** True once the rules have taken longer than anybody's do. */
  readonly isLate?: () => boolean
  /** How many jobs one job can need; 50 unless said otherwise. */
  readonly maxNeeds?: number
  /** True when a cluster is there for `kubernetes: active`. */
  readonly hasCluster?: boolean
}

/** Why a job is in a pipeline, or is not. */
export interface Reason {
  /**
   * `rule`: a rule matched; `never`: one that says so; `no_rule`: none matched; `only`, `except`; `default`: nothing
   * keeps it out; `workflow`: there is no pipeline at all; `error`: its rules cannot be evaluated.
   */
  readonly because: 'rule' | 'never' | 'no_rule' | 'only' | 'except' | 'default' | 'workflow' | 'error'
  /** Place of the rule in its list, from 0. */
  readonly rule: number | null
  /** The same as a sentence. */
  readonly text: string
}

/** A base error of a selection. */
export class SelectionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SelectionError'
  }
}
