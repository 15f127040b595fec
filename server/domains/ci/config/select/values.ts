import { slugOf } from './slug.ts'
import type { Built } from '../build/build.ts'
import type { CompiledJob } from '../job.ts'
import { expandAll, type Expanded, type Variable } from '../variables.ts'
import type { PipelineContext } from './context.ts'

/** Variables by layers (spec ci 2.14), expanded into each other. Most jobs have none of their own and share theirs. */
export class Values {
  readonly #context: PipelineContext
  readonly #root: readonly Variable[]
  readonly #shared = new Map<string, ReadonlyMap<string, string>>()

  constructor(context: PipelineContext, built: Built, workflow: readonly Variable[] = []) {
    this.#context = context
    this.#root = [...built.variables, ...workflow]
  }

  /** For rules of the whole pipeline. */
  get root(): ReadonlyMap<string, string> {
    return this.#of('', () => this.#expand(this.#root))
  }

  /** A ring of variables that refer to each other, for the job. */
  cycle(job: CompiledJob, extra: readonly Variable[]): readonly string[] | null {
    return expandAll(this.#layers(job, extra)).cycle
  }

  /** For the rules and texts of a job: a lookup, which knows the job's own variables too. */
  lookup(job: CompiledJob, extra: readonly Variable[] = []): (name: string) => string | undefined {
    const own = ownOf(job)
    const isShared = job.variables.length === 0 && extra.length === 0
    const key = job.inherits_variables === true ? 'all' : JSON.stringify(job.inherits_variables)
    const values = isShared
      ? this.#of(key, () => this.#expand(this.#inherited(job)))
      : expandAll(this.#layers(job, extra)).values
    return (name) => values.get(name) ?? own.get(name)
  }

  #of(key: string, make: () => Expanded): ReadonlyMap<string, string> {
    const known = this.#shared.get(key) ?? make().values
    this.#shared.set(key, known)
    return known
  }

  #expand(yaml: readonly Variable[]): Expanded {
    return expandAll([...this.#context.predefined, ...yaml, ...this.#context.stored])
  }

  #layers(job: CompiledJob, extra: readonly Variable[]): Variable[] {
    const yaml = [...this.#inherited(job), ...job.variables, ...extra]
    return [...this.#context.predefined, ...yaml, ...this.#context.stored]
  }

  #inherited({ inherits_variables: asked }: CompiledJob): readonly Variable[] {
    if (asked === true) return this.#root
    return asked === false ? [] : this.#root.filter(({ key }) => asked.includes(key))
  }
}

function ownOf(job: CompiledJob): ReadonlyMap<string, string> {
  return new Map([
    ['CI_JOB_NAME', job.name],
    ['CI_JOB_NAME_SLUG', slugOf(job.name)],
    ['CI_JOB_STAGE', job.stage],
    ['CI_NODE_TOTAL', String(job.parallel?.total ?? 1)],
    ...(job.parallel ? [['CI_NODE_INDEX', String(job.parallel.index)] as const] : []),
    ...(job.environment ? [['CI_ENVIRONMENT_NAME', job.environment.name] as const] : []),
  ])
}
