import type { Built } from '../build/build.ts'
import type { CompiledJob } from '../job.ts'
import { expandAll, expandText, type Variable } from '../variables.ts'
import type { PipelineContext } from './context.ts'
import { slugOf } from './slug.ts'

type Lookup = (name: string) => string | undefined
type Named = ReadonlyMap<string, Variable>

const MAX_VALUE = 128 * 1024
/** Variables that refer to each other in a row, and characters that one job's may become; beyond that they stay as they are. */
const MAX_DEPTH = 100
const MAX_TOTAL = 4 * 1024 * 1024

/**
 * Variables by layers (spec ci 2.14), expanded into each other when they are asked for: most jobs of a large pipeline
 * ask for a few of many.
 */
export class Values {
  /** Name by name, the weakest layer. */
  readonly #predefined: Named
  readonly #stored: Named
  readonly #root: Named

  constructor(context: PipelineContext, built: Built, workflow: readonly Variable[] = []) {
    this.#predefined = named(context.predefined)
    this.#stored = named(context.stored)
    this.#root = named([...built.variables, ...workflow])
  }

  /** For rules of the whole pipeline. */
  get root(): { get: Lookup } {
    return { get: lazily([this.#stored, this.#root, this.#predefined]) }
  }

  /** For the rules and texts of a job: a lookup, which knows the job's own variables too. */
  lookup(job: CompiledJob, extra: readonly Variable[] = []): Lookup {
    return lazily([...this.#layers(job, extra), ownOf(job)])
  }

  /** A ring of variables that refer to each other, for the job. */
  cycle(job: CompiledJob, extra: readonly Variable[]): readonly string[] | null {
    const effective = new Map(
      this.#layers(job, extra)
        .toReversed()
        .flatMap((layer) => [...layer]),
    )
    // Only what refers to others can be part of a ring.
    return expandAll([...effective.values()].filter(({ value, raw }) => !raw && /[$%]/.test(value))).cycle
  }

  /** Strongest first. */
  #layers(job: CompiledJob, extra: readonly Variable[]): Named[] {
    const asked = job.inherits_variables
    const root = asked === true ? this.#root : named(asked === false ? [] : picked(this.#root, asked))
    const own = job.variables.length + extra.length === 0 ? [] : [named([...job.variables, ...extra])]
    return [this.#stored, ...own, root, this.#predefined]
  }
}

function named(variables: readonly Variable[]): Named {
  return new Map(variables.map((one) => [one.key, one]))
}

function picked(root: Named, names: readonly string[]): Variable[] {
  return names.flatMap((name) => root.get(name) ?? [])
}

/** Values of the first layer that has the name. What refers to itself, directly or around a corner, stays as it is. */
function lazily(layers: readonly Named[]): Lookup {
  const done = new Map<string, string | undefined>()
  let total = 0
  const find = (name: string): Variable | undefined => {
    for (const layer of layers) {
      const found = layer.get(name)
      if (found) return found
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
  return named([
    { key: 'CI_JOB_NAME', value: job.name },
    { key: 'CI_JOB_NAME_SLUG', value: slugOf(job.name) },
    { key: 'CI_JOB_STAGE', value: job.stage },
    { key: 'CI_NODE_TOTAL', value: String(job.parallel?.total ?? 1) },
    ...(job.parallel ? [{ key: 'CI_NODE_INDEX', value: String(job.parallel.index) }] : []),
    ...(job.environment ? [{ key: 'CI_ENVIRONMENT_NAME', value: job.environment.name }] : []),
  ])
}
