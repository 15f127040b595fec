import type { OwnCertificate } from '../../../../lib/net/own-certificate.ts'
import type { InstanceClient } from '../client.ts'
import type { JobPayload } from '../payload.ts'
import { RunProblem } from './sources.ts'
import { Trace } from './trace.ts'
import { runStages } from './stages.ts'
import { endOrphans } from './shell.ts'
import { secretsOf } from './variables.ts'
import { dropWorkspace, makeWorkspace } from './workspace.ts'

/** Information that the runner sends about itself. */
export interface About {
  readonly name: string
  readonly version: string
  readonly revision: string
  /** Named as runners do: `linux`, `darwin`; `amd64`, `arm64`. */
  readonly platform: string
  readonly architecture: string
}

/** The environment for all jobs of the runner. */
export interface Machine {
  readonly client: InstanceClient
  /** The certificate of the instance. Undefined over plain HTTP. */
  readonly certificate: OwnCertificate | undefined
  readonly shell: string
  /** Folders for running jobs and for caches. */
  readonly builds: string
  readonly caches: string
  /** Variables for the search path and the locale. */
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

/** The reason why a job was stopped early. */
export type Stop = 'canceled' | 'timeout' | 'stopping'

const ATTEMPTS = 5
const SUCCESS = '\x1b[32;1mJob succeeded\x1b[0;m\n'

/**
 * Runs one job up to the final update, then deletes its folder. `stopping` is aborted when the instance stops or the
 * runner is disabled. `slot` numbers concurrent jobs. Never rejects.
 */
export async function runJob(
  machine: Machine,
  payload: JobPayload,
  slot: number,
  stopping: AbortSignal,
): Promise<void> {
  const { client } = machine
  const abort = new AbortController()
  const stop = (why: Stop) => () => abort.abort(why)
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
    const outcome = await outcomeOf(machine, payload, { slot, trace, signal: abort.signal })
    clearTimeout(timer)
    trace.write(lastLine(outcome.outcome, outcome.message))
    await trace.end()
    if (abort.signal.reason !== 'canceled')
      await report(client, payload, { ...outcome.outcome, output: trace.output })
  } catch {
    // The instance cannot be reached. It fails a job without reports after a while (spec ci 2.5).
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

/** Runs the stages in a new folder. Any error fails the job with its reason. */
async function outcomeOf(
  machine: Machine,
  payload: JobPayload,
  run: Run,
): Promise<{ outcome: Outcome; message?: string }> {
  const workspace = await makeWorkspace(machine.builds, `job-${payload.id}`)
  try {
    const code = await runStages(machine, payload, { ...run, workspace })
    if (run.signal.aborted) return stopped(run.signal.reason as Stop, payload)
    if (code === 0) return { outcome: { state: 'success' } }
    const outcome: Outcome = { state: 'failed', failure_reason: 'script_failure', exit_code: code }
    return { outcome, message: `exit code ${code}` }
  } catch (error) {
    if (run.signal.aborted) return stopped(run.signal.reason as Stop, payload)
    const reason = error instanceof RunProblem ? error.reason : 'runner_system_failure'
    return {
      outcome: { state: 'failed', failure_reason: reason },
      message: `(system failure): ${(error as Error).message}`,
    }
  } finally {
    await endOrphans(workspace.root)
    await dropWorkspace(workspace).catch(() => undefined)
  }
}

function stopped(why: Stop, { runner_info: { timeout } }: JobPayload): { outcome: Outcome; message: string } {
  if (why === 'timeout')
    return {
      outcome: { state: 'failed', failure_reason: 'job_execution_timeout' },
      message: `execution took longer than ${timeout} seconds`,
    }
  const message = why === 'canceled' ? 'canceled' : '(system failure): the runner was stopped'
  return { outcome: { state: 'failed', failure_reason: 'runner_system_failure' }, message }
}

function lastLine(outcome: Outcome, message: string | undefined): string {
  return outcome.state === 'success' ? SUCCESS : `\x1b[31;1mERROR: Job failed: ${message ?? ''}\n\x1b[0;m`
}

/** Sends the final update, and retries if it did not arrive. */
async function report(client: InstanceClient, { id, token }: JobPayload, update: object): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const sent = client.call({ method: 'PUT', path: `/jobs/${id}`, body: { token, ...update } })
    const status = await sent.then((answer) => answer.status).catch(() => 503)
    if (status < 500) return
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt))
  }
}
