import type { CompiledJob } from '../types.ts'

/** The maximum length of the name of a job that other jobs need. */
const MAX_NAME = 255

/** A contradiction between jobs, with the contract's message. */
export interface LogicProblem {
  readonly message: string
  readonly job: string | null
  readonly key: string | null
}

/** Returns the first contradiction between jobs (spec ci 4.13), or undefined. */
export function checkLogic(
  jobs: readonly CompiledJob[],
  stages: readonly string[],
): LogicProblem | undefined {
  const byName = new Map(jobs.map((job) => [job.name, job]))
  for (const job of jobs) {
    const problem =
      checkStage(job, stages) ??
      checkDependencies(job, byName) ??
      checkNeeds(job, byName) ??
      checkChildPipeline(job, byName) ??
      checkStopJob(job, byName)
    if (problem) return { message: problem.message, job: job.base, key: problem.key }
  }
  if (hasCycle(jobs, byName))
    return { message: 'The pipeline has circular dependencies', job: null, key: null }
  return undefined
}

type JobsByName = ReadonlyMap<string, CompiledJob>
type JobProblem = { readonly message: string; readonly key: string } | undefined

function checkStage(job: CompiledJob, stages: readonly string[]): JobProblem {
  if (job.stage_index >= 0) return undefined
  const list = stages.join(', ')
  return {
    message: `${job.name} job: chosen stage ${job.stage} does not exist; available stages are ${list}`,
    key: 'stage',
  }
}

function checkDependencies(job: CompiledJob, byName: JobsByName): JobProblem {
  for (const name of job.dependencies ?? []) {
    const message = referenceError(job, name, byName, 'dependency')
    if (message) return { message, key: 'dependencies' }
  }
  return undefined
}

/** Returns the error for a job that refers to an unknown job or to one of a later stage. */
function referenceError(
  job: CompiledJob,
  name: string,
  byName: JobsByName,
  word: string,
): string | undefined {
  const other = byName.get(name)
  if (!other) return `${job.name} job: undefined ${word}: ${name}`
  const isLater = other.stage_index > job.stage_index
  return isLater ? `${job.name} job: ${word} ${name} is not defined in current or prior stages` : undefined
}

function checkNeeds(job: CompiledJob, byName: JobsByName): JobProblem {
  const problem = (message: string) => ({ message, key: 'needs' })
  const seen = new Set<string>()
  const duplicates = new Set<string>()
  for (const need of job.needs ?? []) {
    if (need.name.length > MAX_NAME) {
      return problem(
        `${job.name} job: need \`${need.name}\` name is too long (maximum is ${MAX_NAME} characters)`,
      )
    }
    if (need.optional && !byName.has(need.name)) continue
    const message = referenceError(job, need.name, byName, 'need')
    if (message) return problem(message)
    if (seen.has(need.name)) duplicates.add(need.name)
    seen.add(need.name)
  }
  return duplicates.size > 0
    ? problem(`${job.name} has the following needs duplicated: ${[...duplicates].join(', ')}.`)
    : undefined
}

/** Checks the jobs with artifacts that configure a child pipeline. */
function checkChildPipeline(job: CompiledJob, byName: JobsByName): JobProblem {
  const include = job.trigger?.['include']
  for (const item of Array.isArray(include) ? include : []) {
    const name: unknown = (item as Record<string, unknown> | null)?.['job']
    if (typeof name !== 'string') continue
    const message = referenceError(job, name, byName, 'dependency')
    if (message) return { message, key: 'trigger' }
  }
  return undefined
}

function checkStopJob(job: CompiledJob, byName: JobsByName): JobProblem {
  const name = job.environment?.on_stop
  if (!name) return undefined
  const other = byName.get(name)
  const problem = (text: string) => ({
    message: `${job.name} job: on_stop job ${name} ${text}`,
    key: 'environment',
  })
  if (!other) return problem('is not defined')
  if (!other.environment) return problem('does not have environment defined')
  if (other.environment.name !== job.environment!.name) return problem('have different environment name')
  return other.environment.action === 'stop' ? undefined : problem('needs to have action stop defined')
}

/** Whether needs form a cycle. The search is depth first, without recursion, as chains may be thousands of jobs long. */
function hasCycle(jobs: readonly CompiledJob[], byName: JobsByName): boolean {
  const state = new Map<string, 'open' | 'done'>()
  for (const { name: start } of jobs) {
    if (state.has(start)) continue
    const stack = [{ name: start, nextNeed: 0 }]
    state.set(start, 'open')
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const next = byName.get(top.name)?.needs?.[top.nextNeed++]?.name
      if (next === undefined) {
        state.set(top.name, 'done')
        stack.pop()
      } else if (state.get(next) === 'open') return true
      else if (!state.has(next) && byName.has(next)) {
        state.set(next, 'open')
        stack.push({ name: next, nextNeed: 0 })
      }
    }
  }
  return false
}
