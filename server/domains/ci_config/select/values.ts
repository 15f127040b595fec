import type { Built } from '../build/build.ts'
import type { CompiledJob } from '../types.ts'
import { expandAll, expandText, type Variable } from '../language/variables.ts'

type Lookup = (name: string) => string | undefined
type Named = ReadonlyMap<string, Variable>

const MAX_VALUE = 128 * 1024

/**
 * Limits of the chain of references and of the characters of one job's variables; beyond them values stay unexpanded.
 */
const MAX_DEPTH = 100
const MAX_TOTAL = 4 * 1024 * 1024

/**
 * Layers of variables (spec ci 2.14), expanded lazily: most jobs of a large pipeline
 * use a few of many.
 */
export class Values {
  /** The weakest layer, by name. */
  readonly #predefined: Named
  readonly #stored: Named
  readonly #root: Named

  constructor(context: PipelineContext, built: Built, workflow: readonly Variable[] = []) {
    this.#predefined = layerOf(context.predefined)
    this.#stored = layerOf(context.stored)
    this.#root = layerOf([...built.variables, ...workflow])
  }

  /** For rules of the whole pipeline. */
  get root(): { get: Lookup } {
    return { get: lazily([this.#stored, this.#root, this.#predefined]) }
  }

  /** A lookup for the rules and texts of a job, with the job's own variables. */
  lookup(job: CompiledJob, extra: readonly Variable[] = []): Lookup {
    return lazily([...this.#layers(job, extra), ownOf(job)])
  }

  /** A circle of variables of the job that refer to each other, or null. */
  cycle(job: CompiledJob, extra: readonly Variable[]): readonly string[] | null {
    const effective = new Map(
      this.#layers(job, extra)
        .toReversed()
        .flatMap((layer) => [...layer]),
    )
    // Only values with references can be part of a circle.
    return expandAll([...effective.values()].filter(({ value, raw }) => !raw && /[$%]/.test(value))).cycle
  }

  /** Strongest first. */
  #layers(job: CompiledJob, extra: readonly Variable[]): Named[] {
    const inherits = job.inherits_variables
    const root =
      inherits === true ? this.#root : layerOf(inherits === false ? [] : picked(this.#root, inherits))
    const ownVariables =
      job.variables.length + extra.length === 0 ? [] : [layerOf([...job.variables, ...extra])]
    return [this.#stored, ...ownVariables, root, this.#predefined]
  }
}

function layerOf(variables: readonly Variable[]): Named {
  return new Map(variables.map((variable) => [variable.key, variable]))
}

function picked(root: Named, names: readonly string[]): Variable[] {
  return names.flatMap((name) => root.get(name) ?? [])
}

/**
 * Returns a lookup that uses the first layer with the name. A value that refers to itself, also indirectly, stays
 * unexpanded.
 */
function lazily(layers: readonly Named[]): Lookup {
  const done = new Map<string, string | undefined>()
  let total = 0
  const find = (name: string): Variable | undefined => {
    for (const layer of layers) {
      const variable = layer.get(name)
      if (variable) return variable
    }
    return undefined
  }
  const valueOf = (name: string, open: readonly string[]): string | undefined => {
    if (done.has(name)) return done.get(name)
    const variable = find(name)
    if (!variable || variable.raw || !/[$%]/.test(variable.value)) return variable?.value
    if (open.includes(name) || open.length >= MAX_DEPTH || total > MAX_TOTAL) return undefined
    const inner = (other: string) => (find(other)?.raw ? undefined : valueOf(other, [...open, name]))
    const value = expandText(variable.value, inner, true).slice(0, MAX_VALUE)
    done.set(name, value)
    total += value.length
    return value
  }
  return (name) => valueOf(name, [])
}

function ownOf(job: CompiledJob): Named {
  return layerOf([
    { key: 'CI_JOB_NAME', value: job.name },
    { key: 'CI_JOB_NAME_SLUG', value: slugOf(job.name) },
    { key: 'CI_JOB_STAGE', value: job.stage },
    { key: 'CI_NODE_TOTAL', value: String(job.parallel?.total ?? 1) },
    ...(job.parallel ? [{ key: 'CI_NODE_INDEX', value: String(job.parallel.index) }] : []),
    ...(job.environment ? [{ key: 'CI_ENVIRONMENT_NAME', value: job.environment.name }] : []),
  ])
}

/** The circumstances of a pipeline. The caller reads the git data before (`needsOfSelection`). */
export interface PipelineContext {
  /** As in the contract: `push`, `web`, `api`, `schedule`, `trigger`, `pipeline`, `merge_request_event`, … */
  readonly source: string
  /** Short name of the branch or tag. */
  readonly ref: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  /** Full path of the project, for `only: ref@path`. */
  readonly project: string
  /** Given by the instance, below the variables of the configuration. */
  readonly predefined: readonly Variable[]
  /**
   * Variables of the instance, groups, project and the user who starts the pipeline. They override the configuration.
   * Of one name the last counts.
   */
  readonly stored: readonly Variable[]
  /** Paths that the pipeline's commits change; null if there is no commit to compare with. */
  readonly changes: readonly string[] | null
  /** The changed paths by ref of `compare_to`; unknown refs are left out. */
  readonly changesSince?: ReadonlyMap<string, readonly string[] | null>
  /** All files of the commit; null if they were not read. */
  readonly files: readonly string[] | null
  /** True once the rules have taken too long. */
  readonly isLate?: () => boolean
  /** How many jobs one job can need; 50 by default. */
  readonly maxNeeds?: number
  /** True if there is a cluster for `kubernetes: active`. */
  readonly hasCluster?: boolean
}

/** The reason why a job is in a pipeline or not. */
export interface Reason {
  /**
   * `rule`: a rule matched; `never`: a rule with `when: never` matched; `no_rule`: none matched; `only`, `except`;
   * `default`: nothing excludes it; `workflow`: there is no pipeline at all; `error`: its rules cannot be evaluated.
   */
  readonly because: 'rule' | 'never' | 'no_rule' | 'only' | 'except' | 'default' | 'workflow' | 'error'
  /** Index of the rule in its list, from 0. */
  readonly rule: number | null
  /** The reason as a sentence. */
  readonly text: string
}

/** A base error of a selection. */
export class SelectionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SelectionError'
  }
}

const MAX_BYTES = 63

/** The slug of a name for variables ending in `_SLUG` (spec ci 2.13). */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')
    .slice(0, MAX_BYTES)
    .replaceAll(/^-+|-+$/g, '')
}
