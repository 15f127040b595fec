import type { CompiledJob } from '../types.ts'

/** The maximum length of the name of a job that other jobs need. */
const MAX_NAME = 255

/** A job that contradicts the others, with the contract's message. */
export interface LogicProblem {
  readonly message: string
  readonly job: string | null
  readonly key: string | null
}

/** The first contradiction between jobs (spec ci 4.13), or undefined. */
export function checkLogic(
  jobs: readonly CompiledJob[],
  stages: readonly string[],
): LogicProblem | undefined {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  for (const job of jobs) {
    const problem =
      stageOf(job, stages) ??
      dependencies(job, byName) ??
      needs(job, byName) ??
      child(job, byName) ??
      stop(job, byName)
    if (problem) return { message: problem.message, job: job.base, key: problem.key }
  }
  if (hasCycle(jobs, byName))
    return { message: 'The pipeline has circular dependencies', job: null, key: null }
  return undefined
}

type JobsByName = ReadonlyMap<string, CompiledJob>
type JobProblem = { readonly message: string; readonly key: string } | undefined

function stageOf(job: CompiledJob, stages: readonly string[]): JobProblem {
  if (job.stage_index >= 0) return undefined
  const list = stages.join(', ')
  return {
    message: `${job.name} job: chosen stage ${job.stage} does not exist; available stages are ${list}`,
    key: 'stage',
  }
}

function dependencies(job: CompiledJob, byName: JobsByName): JobProblem {
  for (const name of job.dependencies ?? []) {
    const message = reachable(job, name, byName, 'dependency')
    if (message) return { message, key: 'dependencies' }
  }
  return undefined
}

function reachable(job: CompiledJob, name: string, byName: JobsByName, word: string): string | undefined {
  const other = byName.get(name)
  if (!other) return `${job.name} job: undefined ${word}: ${name}`
  const isLater = other.stage_index > job.stage_index
  return isLater ? `${job.name} job: ${word} ${name} is not defined in current or prior stages` : undefined
}

function needs(job: CompiledJob, byName: JobsByName): JobProblem {
  const problem = (message: string) => ({ message, key: 'needs' })
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const need of job.needs ?? []) {
    if (need.name.length > MAX_NAME) {
      return problem(
        `${job.name} job: need \`${need.name}\` name is too long (maximum is ${MAX_NAME} characters)`,
      )
    }
    if (need.optional && !byName.has(need.name)) continue
    const message = reachable(job, need.name, byName, 'need')
    if (message) return problem(message)
    if (seen.has(need.name)) twice.add(need.name)
    seen.add(need.name)
  }
  return twice.size > 0
    ? problem(`${job.name} has the following needs duplicated: ${[...twice].join(', ')}.`)
    : undefined
}

/** Jobs with artifacts that configure a child pipeline. */
function child(job: CompiledJob, byName: JobsByName): JobProblem {
  const include = job.trigger?.['include']
  for (const item of Array.isArray(include) ? include : []) {
    const name: unknown = (item as Record<string, unknown> | null)?.['job']
    if (typeof name !== 'string') continue
    const message = reachable(job, name, byName, 'dependency')
    if (message) return { message, key: 'trigger' }
  }
  return undefined
}

function stop(job: CompiledJob, byName: JobsByName): JobProblem {
  const name = job.environment?.on_stop
  if (!name) return undefined
  const other = byName.get(name)
  const problem = (words: string) => ({
    message: `${job.name} job: on_stop job ${name} ${words}`,
    key: 'environment',
  })
  if (!other) return problem('is not defined')
  if (!other.environment) return problem('does not have environment defined')
  if (other.environment.name !== job.environment!.name) return problem('have different environment name')
  return other.environment.action === 'stop' ? undefined : problem('needs to have action stop defined')
}

/** Depth first, without recursion: chains may be thousands of jobs long. */
function hasCycle(jobs: readonly CompiledJob[], byName: JobsByName): boolean {
  const state = new Map<string, 'open' | 'done'>()
  for (const { name: start } of jobs) {
    if (state.has(start)) continue
    const stack = [{ name: start, at: 0 }]
    state.set(start, 'open')
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const next = byName.get(top.name)?.needs?.[top.at++]?.name
      if (next === undefined) {
        state.set(top.name, 'done')
        stack.pop()
      } else if (state.get(next) === 'open') return true
      else if (!state.has(next) && byName.has(next)) {
        state.set(next, 'open')
        stack.push({ name: next, at: 0 })
      }
    }
  }
  return false
}
