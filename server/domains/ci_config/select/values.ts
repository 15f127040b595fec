import type { Built } from '../build/build.ts'
import type { CompiledJob } from '../types.ts'
import { expandAll, expandText, type Variable } from '../language/variables.ts'

type Lookup = (name: string) => string | undefined
type Layer = ReadonlyMap<string, Variable>

const MAX_VALUE = 128 * 1024

/**
 * The maximum length of a chain of references, and the maximum number of characters of a job's variables. Beyond these
 * limits values are not expanded.
 */
const MAX_DEPTH = 100
const MAX_TOTAL = 4 * 1024 * 1024

/**
 * The variables of a pipeline in layers of precedence (spec ci 2.14). A value is expanded when it is first looked up,
 * because most jobs of a large pipeline use only few of many variables.
 */
export class LayeredVariables {
  /** The layer with the lowest precedence. */
  readonly #predefined: Layer
  readonly #stored: Layer
  readonly #root: Layer

  constructor(context: PipelineContext, built: Built, workflow: readonly Variable[] = []) {
    this.#predefined = layerOf(context.predefined)
    this.#stored = layerOf(context.stored)
    this.#root = layerOf([...built.variables, ...workflow])
  }

  /** A lookup for the rules of the whole pipeline. */
  get root(): { get: Lookup } {
    return { get: lazyLookup([this.#stored, this.#root, this.#predefined]) }
  }

  /** A lookup for the rules and texts of a job, with the job's own variables. */
  lookup(job: CompiledJob, extra: readonly Variable[] = []): Lookup {
    return lazyLookup([...this.#layers(job, extra), jobLayer(job)])
  }

  /** The names of variables of the job that refer to each other in a cycle. Null if there is no cycle. */
  cycle(job: CompiledJob, extra: readonly Variable[]): readonly string[] | null {
    const effective = new Map(
      this.#layers(job, extra)
        .toReversed()
        .flatMap((layer) => [...layer]),
    )
    // Only values with references can be part of a cycle.
    return expandAll([...effective.values()].filter(({ value, raw }) => !raw && /[$%]/.test(value))).cycle
  }

  /** The layers of a job, the one with the highest precedence first. */
  #layers(job: CompiledJob, extra: readonly Variable[]): Layer[] {
    const inherits = job.inherits_variables
    const root =
      inherits === true ? this.#root : layerOf(inherits === false ? [] : pick(this.#root, inherits))
    const ownVariables =
      job.variables.length + extra.length === 0 ? [] : [layerOf([...job.variables, ...extra])]
    return [this.#stored, ...ownVariables, root, this.#predefined]
  }
}

function layerOf(variables: readonly Variable[]): Layer {
  return new Map(variables.map((variable) => [variable.key, variable]))
}

function pick(root: Layer, names: readonly string[]): Variable[] {
  return names.flatMap((name) => root.get(name) ?? [])
}

/**
 * Returns a lookup that uses the first layer with the name. A reference of a value to itself, even an indirect one, is
 * not expanded.
 */
function lazyLookup(layers: readonly Layer[]): Lookup {
  const cache = new Map<string, string | undefined>()
  let total = 0
  const findVariable = (name: string): Variable | undefined => {
    for (const layer of layers) {
      const variable = layer.get(name)
      if (variable) return variable
    }
    return undefined
  }
  const valueOf = (name: string, open: readonly string[]): string | undefined => {
    if (cache.has(name)) return cache.get(name)
    const variable = findVariable(name)
    if (!variable || variable.raw || !/[$%]/.test(variable.value)) return variable?.value
    if (open.includes(name) || open.length >= MAX_DEPTH || total > MAX_TOTAL) return undefined
    const inner = (other: string) => (findVariable(other)?.raw ? undefined : valueOf(other, [...open, name]))
    const value = expandText(variable.value, inner, true).slice(0, MAX_VALUE)
    cache.set(name, value)
    total += value.length
    return value
  }
  return (name) => valueOf(name, [])
}

/** The predefined variables of a job that are known before the pipeline exists. */
function jobLayer(job: CompiledJob): Layer {
  return layerOf([
    { key: 'CI_JOB_NAME', value: job.name },
    { key: 'CI_JOB_NAME_SLUG', value: slugOf(job.name) },
    { key: 'CI_JOB_STAGE', value: job.stage },
    { key: 'CI_NODE_TOTAL', value: String(job.parallel?.total ?? 1) },
    ...(job.parallel ? [{ key: 'CI_NODE_INDEX', value: String(job.parallel.index) }] : []),
    ...(job.environment ? [{ key: 'CI_ENVIRONMENT_NAME', value: job.environment.name }] : []),
  ])
}

/** What the selection knows about the pipeline. The caller reads the git data first (`needsOfSelection`). */
export interface PipelineContext {
  /** The source of the pipeline: `push`, `web`, `api`, `schedule`, `trigger`, `pipeline`, `merge_request_event`, … */
  readonly source: string
  /** The short name of the branch or tag. */
  readonly ref: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  /** The full path of the project, for `only: ref@path`. */
  readonly project: string
  /** The predefined variables. The variables of the configuration override them. */
  readonly predefined: readonly Variable[]
  /**
   * The variables of the instance, groups, project and the user who starts the pipeline. They override the
   * configuration. Of several variables with the same name the last one is used.
   */
  readonly stored: readonly Variable[]
  /** The paths that the pipeline's commits change. Null if there is no commit to compare with. */
  readonly changes: readonly string[] | null
  /** The changed paths by ref of `compare_to`. Unknown refs are left out. */
  readonly changesSince?: ReadonlyMap<string, readonly string[] | null>
  /** The paths of all files of the commit. Null if they were not read. */
  readonly files: readonly string[] | null
  /** Returns true when the time limit for the rules has passed. */
  readonly isLate?: () => boolean
  /** The maximum number of needs of a job, 50 by default. */
  readonly maxNeeds?: number
  /** Whether there is a cluster, for `kubernetes: active`. */
  readonly hasCluster?: boolean
}

/** The reason why a job is in a pipeline or not. */
export interface Reason {
  /**
   * `rule`: a rule matched. `never`: a rule with `when: never` matched. `no_rule`: no rule matched. `only`, `except`:
   * this keyword excludes it. `default`: nothing excludes it. `workflow`: there is no pipeline at all. `error`: its
   * rules cannot be evaluated.
   */
  readonly because: 'rule' | 'never' | 'no_rule' | 'only' | 'except' | 'default' | 'workflow' | 'error'
  /** The index of the rule in its list, from 0. */
  readonly rule: number | null
  /** The reason as a sentence. */
  readonly text: string
}

/** The error for rules that cannot be evaluated. */
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
