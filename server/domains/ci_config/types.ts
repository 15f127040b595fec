import type { Variable } from './language/variables.ts'

/** A condition of `rules:`, of a job or of the whole pipeline (spec ci 4.7). */
export interface Rule {
  readonly if: string | null
  readonly changes: { readonly paths: readonly string[]; readonly compare_to: string | null } | null
  readonly exists: readonly string[] | null
  readonly when: string | null
  /** Seconds. */
  readonly start_in: number | null
  readonly allow_failure: boolean | null
  readonly variables: readonly Variable[]
  readonly needs: readonly Need[] | null
  readonly interruptible: boolean | null
}

/** `only:` or `except:` (spec ci 4.9). */
export interface Policy {
  readonly refs: readonly string[] | null
  readonly variables: readonly string[] | null
  readonly changes: readonly string[] | null
  readonly kubernetes: string | null
}

/** A job of the same pipeline that another job needs. */
export interface Need {
  readonly name: string
  readonly artifacts: boolean
  readonly optional: boolean
}

/** The needs of a job that name other pipelines. */
export interface OtherNeeds {
  readonly cross_pipeline: readonly {
    readonly pipeline: string
    readonly job: string
    readonly artifacts: boolean
  }[]
  readonly cross_project: readonly {
    readonly project: string
    readonly job: string
    readonly ref: string
    readonly artifacts: boolean
  }[]
  /** The path of the project. The trigger job takes its status from the latest pipeline of this project. */
  readonly bridge: string | null
}

export interface Environment {
  readonly name: string
  readonly url: string | null
  readonly action: string
  readonly on_stop: string | null
  readonly auto_stop_in: string | null
  readonly deployment_tier: string | null
  readonly kubernetes: unknown
}

export interface Retry {
  readonly max: number
  readonly when: readonly string[]
  readonly exit_codes: readonly number[] | null
}

/** A job in its final form: with inherited defaults, flat scripts, and one entry for each copy of `parallel`. */
export interface CompiledJob {
  readonly name: string
  /** The name in the configuration. Copies of `parallel` share it. */
  readonly base: string
  readonly kind: 'job' | 'bridge'
  readonly stage: string
  readonly stage_index: number
  readonly script: readonly string[]
  readonly before_script: readonly string[]
  readonly after_script: readonly string[]
  readonly tag_list: readonly string[]
  readonly variables: readonly Variable[]
  /** Whether the job inherits the top-level variables; a list names those that it inherits. */
  readonly inherits_variables: boolean | readonly string[]
  readonly rules: readonly Rule[] | null
  readonly only: Policy | null
  readonly except: Policy | null
  readonly when: string
  /** Seconds. */
  readonly start_in: number | null
  readonly allow_failure: boolean
  /** The exit codes after which the job may fail without failing the pipeline. */
  readonly allowed_exit_codes: readonly number[] | null
  readonly needs: readonly Need[] | null
  readonly other_needs: OtherNeeds
  readonly dependencies: readonly string[] | null
  readonly environment: Environment | null
  readonly resource_group: string | null
  readonly interruptible: boolean
  /** Seconds. */
  readonly timeout: number | null
  readonly coverage: string | null
  readonly retry: Retry | null
  /** The number of this copy, from 1, and the number of all copies. */
  readonly parallel: {
    readonly index: number
    readonly total: number
    readonly matrix: readonly Variable[]
  } | null
  // The following keywords are plain JSON as in the configuration, with short forms written out.
  readonly image: Json
  readonly services: readonly Json[]
  readonly cache: readonly Json[]
  readonly artifacts: Json
  readonly release: Json
  readonly secrets: Json
  readonly id_tokens: Json
  readonly hooks: Json
  readonly trigger: Json
}

/** A mapping in plain JSON, or null. */
export type Json = Readonly<Record<string, unknown>> | null

/** A top-level variable of a configuration. */
export interface RootVariable extends Variable {
  readonly description: string | null
  readonly options: readonly string[] | null
}

/** Rules for whole pipelines (spec ci 4.8). */
export interface Workflow {
  readonly name: string | null
  readonly rules: readonly Rule[] | null
  readonly auto_cancel: Json
}
