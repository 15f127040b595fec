import type { OwnCertificate } from '../../../../lib/net/own-certificate.ts'
import type { InstanceClient } from '../client.ts'
import type { JobPayload } from '../payload.ts'
import { RunProblem } from './sources.ts'
import { Trace } from './trace.ts'
import { runStages } from './stages.ts'
import { endOrphans } from './shell.ts'
import { secretsOf } from './variables.ts'
import { removeWorkspace, makeWorkspace } from './workspace.ts'

/** The information about itself that the runner sends. */
export interface About {
  readonly name: string
  readonly version: string
  readonly revision: string
  /** The operating system with the name that runners use, such as `linux` or `darwin`. */
  readonly platform: string
  /** The architecture with the name that runners use, such as `amd64` or `arm64`. */
  readonly architecture: string
}

/** What all jobs of the runner share. */
export interface Machine {
  readonly client: InstanceClient
  /** The certificate of the instance. Undefined over plain HTTP. */
  readonly certificate: OwnCertificate | undefined
  readonly shell: string
  /** The folder for running jobs. */
  readonly builds: string
  /** The folder for caches. */
  readonly caches: string
  /** The environment variables for the search path and the locale. */
  readonly env: Readonly<Record<string, string>>
  readonly about: About
  now(): Date
}

/** The result of a job. */
export interface Outcome {
  readonly state: 'success' | 'failed'
  readonly failure_reason?: string
  readonly exit_code?: number
}

/** The reason for stopping a job early. */
export type StopReason = 'canceled' | 'timeout' | 'stopping'

const ATTEMPTS = 5
const SUCCESS = '\x1b[32;1mJob succeeded\x1b[0;m\n'

/**
 * Runs one job, sends its result, and deletes its folder. `stopping` is aborted when the instance stops or the runner is
 * disabled. `slot` is the number of the job among the concurrent ones. Never rejects.
 */
export async function runJob(
  machine: Machine,
  payload: JobPayload,
  slot: number,
  stopping: AbortSignal,
): Promise<void> {
  const { client } = machine
  const abort = new AbortController()
  const stop = (reason: StopReason) => () => abort.abort(reason)
  const trace = new Trace(
    client,
    { ...payload, isDebug: isDebug(payload) },
    secretsOf(payload),
    stop('canceled'),
  )
  const timer = setTimeout(stop('timeout'), payload.runner_info.timeout * 1000)
  const onStopping = stop('stopping')
  stopping.addEventListener('abort', onStopping)
  if (stopping.aborted) onStopping()
  try {
    const { outcome, message } = await outcomeOf(machine, payload, { slot, trace, signal: abort.signal })
    clearTimeout(timer)
    trace.write(lastLine(outcome, message))
    await trace.end()
    if (abort.signal.reason !== 'canceled')
      await report(client, payload, { ...outcome, output: trace.output })
  } catch {
    // The instance cannot be reached. It fails a job that sends no updates for some time (spec ci 2.5).
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', onStopping)
  }
}

function isDebug({ variables }: JobPayload): boolean {
  return variables.some(({ key, value }) => key === 'CI_DEBUG_TRACE' && value === 'true')
}

interface Run {
  readonly slot: number
  readonly trace: Trace
  readonly signal: AbortSignal
}

/** Runs the stages in a new folder. An error becomes a failed outcome. */
async function outcomeOf(
  machine: Machine,
  payload: JobPayload,
  run: Run,
): Promise<{ outcome: Outcome; message?: string }> {
  const workspace = await makeWorkspace(machine.builds, `job-${payload.id}`)
  try {
    const code = await runStages(machine, payload, { ...run, workspace })
    if (run.signal.aborted) return stoppedOutcome(run.signal.reason as StopReason, payload)
    if (code === 0) return { outcome: { state: 'success' } }
    const outcome: Outcome = { state: 'failed', failure_reason: 'script_failure', exit_code: code }
    return { outcome, message: `exit code ${code}` }
  } catch (error) {
    if (run.signal.aborted) return stoppedOutcome(run.signal.reason as StopReason, payload)
    const reason = error instanceof RunProblem ? error.reason : 'runner_system_failure'
    return {
      outcome: { state: 'failed', failure_reason: reason },
      message: `(system failure): ${(error as Error).message}`,
    }
  } finally {
    await endOrphans(workspace.root)
    await removeWorkspace(workspace).catch(() => undefined)
  }
}

function stoppedOutcome(
  reason: StopReason,
  { runner_info: { timeout } }: JobPayload,
): { outcome: Outcome; message: string } {
  if (reason === 'timeout')
    return {
      outcome: { state: 'failed', failure_reason: 'job_execution_timeout' },
      message: `execution took longer than ${timeout} seconds`,
    }
  const message = reason === 'canceled' ? 'canceled' : '(system failure): the runner was stopped'
  return { outcome: { state: 'failed', failure_reason: 'runner_system_failure' }, message }
}

function lastLine(outcome: Outcome, message: string | undefined): string {
  return outcome.state === 'success' ? SUCCESS : `\x1b[31;1mERROR: Job failed: ${message ?? ''}\n\x1b[0;m`
}

/** Sends the final update, and retries if the instance does not answer. */
async function report(client: InstanceClient, { id, token }: JobPayload, update: object): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = client.call({ method: 'PUT', path: `/jobs/${id}`, body: { token, ...update } })
    const status = await answer.then((response) => response.status).catch(() => 503)
    if (status < 500) return
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt))
  }
}
